export interface Order {
  readonly id: string;
  readonly item: string;
  /** In euros. */
  readonly amount: number;
}

const orders: readonly Order[] = [
  { id: "A-1001", item: "espresso machine", amount: 249 },
  { id: "A-1002", item: "coffee grinder", amount: 79 },
  { id: "A-1003", item: "set of cups", amount: 24 },
];

export function findOrder(id: string): Order | undefined {
  return orders.find((order) => order.id === id);
}
