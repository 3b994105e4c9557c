export interface Order {
  readonly id: string;
  readonly item: string;
  /** In euros. */
  readonly amount: number;
  /** Of an order whose refund is decided on part by part. */
  readonly parts?: readonly { readonly item: string; readonly amount: number }[];
}

const orders: readonly Order[] = [
  { id: "A-1001", item: "espresso machine", amount: 249 },
  { id: "A-1002", item: "coffee grinder", amount: 79 },
  { id: "A-1003", item: "set of cups", amount: 24 },
  {
    id: "A-1004",
    item: "coffee bar and a set of spoons",
    amount: 10_010,
    parts: [
      { item: "set of spoons", amount: 10 },
      { item: "coffee bar", amount: 10_000 },
    ],
  },
];

export function findOrder(id: string): Order | undefined {
  return orders.find((order) => order.id === id);
}
