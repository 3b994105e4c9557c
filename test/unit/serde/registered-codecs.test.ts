import { describe, expect, it } from "vitest";
import { Annotation, Command, interrupt, MemorySaver, registerCodec, START, StateGraph } from "tidemark";
import { MsgpackSerializer } from "tidemark/checkpoint";
import { adopt, handOut, isAdopted } from "../../../src/values/adopt.ts";
import { UndecodableError } from "../../../src/errors.ts";
import { saverOf, threadTables } from "../storage/support.ts";
import { loss } from "./same.ts";

class Money {
  readonly cents: number;

  constructor(cents: number) {
    this.cents = cents;
  }
}

/** With a part that is private, and that changes. */
class Cart {
  readonly #items: Map<string, Money>;

  constructor(items: ReadonlyMap<string, Money>) {
    this.#items = new Map(items);
  }

  add(name: string, price: Money): void {
    this.#items.set(name, price);
  }

  get items(): ReadonlyMap<string, Money> {
    return this.#items;
  }
}

class Labels extends Map<string, string> {}
class Tags extends Array<string> {}
class Tally extends Map<string, unknown> {}
class Pixels extends Uint8Array {}
class Unknown {
  readonly part = 1;
}

/** Made before the codecs are registered. */
const serializer = new MsgpackSerializer();

registerCodec({
  name: "money",
  class: Money,
  immutable: true,
  encode: (money) => money.cents,
  decode: (cents) => new Money(Number(cents)),
});
registerCodec({
  name: "cart",
  class: Cart,
  encode: (cart) => cart.items,
  decode: (items) => new Cart(items as Map<string, Money>),
});

registerCodec({
  name: "tags",
  class: Tags,
  encode: (tags) => [...tags],
  decode: (tags) => Tags.from(tags as string[]) as Tags,
});
registerCodec({
  name: "tally",
  class: Tally,
  encode: (tally) => [...tally],
  decode: (entries) => new Tally(entries as [string, unknown][]),
});
registerCodec({
  name: "pixels",
  class: Pixels,
  encode: (pixels) => new Uint8Array(pixels),
  decode: (bytes) => new Pixels(bytes as Uint8Array),
});

const roundTrip = <T>(value: T): T => serializer.loadsTyped(...serializer.dumpsTyped(value)) as T;

describe("a registered codec", () => {
  it("is known to every serializer, also to one that was made before", () => {
    const cart = new Cart(new Map([["tea", new Money(300)]]));
    const loaded = roundTrip({ cart }).cart;
    expect(loaded).toBeInstanceOf(Cart);
    expect(loaded.items).toEqual(new Map([["tea", new Money(300)]]));
  });

  it("comes after those of the serializer itself", () => {
    const own = new MsgpackSerializer({
      codecs: [{ name: "own", class: Money, encode: () => null, decode: () => new Money(-1) }],
    });
    expect(own.loadsTyped(...own.dumpsTyped(new Money(5)))).toEqual(new Money(-1));
    // What was stored under the other name can still be read.
    expect(own.loadsTyped(...serializer.dumpsTyped(new Money(5)))).toEqual(new Money(5));
  });

  it("that is missing when its data is read is named", () => {
    const bytes = new MsgpackSerializer({
      codecs: [{ name: "gone", class: Unknown, encode: () => null, decode: () => new Unknown() }],
    }).dumpsTyped([new Unknown()]);
    expect(() => serializer.loadsTyped(...bytes)).toThrow(UndecodableError);
    expect(() => serializer.loadsTyped(...bytes)).toThrow('codec "gone", which is not registered');
  });
});

describe("in state", () => {
  it("an immutable instance is the very one that was written", () => {
    const money = new Money(1);
    const state = adopt({ money });
    expect(state.money).toBe(money);
    expect(isAdopted(money)).toBe(true);
    expect(handOut(state)).toBe(state);
  });

  it("any other is copied, and handed out as further copies", () => {
    const cart = new Cart(new Map());
    const state = adopt({ carts: [cart, cart] });
    cart.add("late", new Money(1));
    expect(state.carts[0]).not.toBe(cart);
    expect(state.carts[0]).toBe(state.carts[1]);
    const given = handOut(state);
    given.carts[0]?.add("tea", new Money(3));
    expect(given.carts[0]).toBe(given.carts[1]);
    expect(handOut(state).carts[0]?.items).toEqual(new Map());
    expect(adopt(state)).toBe(state);
  });

  it("a change that a node makes in an instance is not kept, before a pause as after it", async () => {
    const State = Annotation.Root({ cart: Annotation<Cart>(), seen: Annotation<number[]>() });
    const graph = new StateGraph(State)
      .addNode("fill", () => ({ cart: new Cart(new Map([["tea", new Money(300)]])) }))
      .addNode("touch", ({ cart }) => {
        cart.add("milk", new Money(100));
        return {};
      })
      .addNode("look", ({ cart }) => ({ seen: [cart.items.size, interrupt<null, number>(null)] }))
      .addEdge(START, "fill")
      .addEdge("fill", "touch")
      .addEdge("touch", "look")
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "t" } };
    await graph.invoke({}, config);
    const { seen, cart } = await graph.invoke(new Command({ resume: 7 }), config);
    expect(seen).toEqual([1, 7]);
    expect(cart.items).toEqual(new Map([["tea", new Money(300)]]));
  });

  it.each([
    ["that its codec fails to encode", () => Object.create(Cart.prototype) as Cart, "cart"],
    ["that holds what cannot be stored", () => new Cart(new Map([["f", Object(() => 1)]])), "function"],
    ["of a class without a codec", () => new Unknown(), 'class "Unknown"'],
    ["of a class that extends a built-in one", () => new Labels([["a", "b"]]), 'class "Labels"'],
  ])("an instance %s is refused with its channel", async (_, make, message) => {
    const State = Annotation.Root({ value: Annotation<unknown>() });
    const graph = new StateGraph(State)
      .addNode("write", () => ({ value: { list: [make()] } }))
      .addEdge(START, "write")
      .compile({ checkpointer: new MemorySaver() });
    const config = { configurable: { thread_id: "t" } };
    const run = graph.invoke({ value: 1 }, config);
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toMatchObject({ code: "unserializable", details: { channel: "value" } });
    expect((await graph.getState(config)).values).toEqual({ value: 1 });
  });

  it.each([
    ["a list", () => new Tags("a", "b")],
    ["a Map", () => new Tally([["large", "text".repeat(50_000)]])],
    ["bytes", () => new Pixels(3)],
    ["large bytes", () => new Pixels(200_000)],
  ])("an instance of a class that extends %s is kept, also where it is large", async (_, make) => {
    const State = Annotation.Root({ value: Annotation<object>(), seen: Annotation<object>() });
    const builder = new StateGraph(State)
      .addNode("write", () => ({ value: [make()] }))
      .addNode("look", ({ value }) => ({ seen: value }))
      .addEdge(START, "write")
      .addEdge("write", "look");
    const tables = threadTables();
    const config = { configurable: { thread_id: "t" } };
    const memory = new MemorySaver();
    for (const saver of [() => memory, () => saverOf(tables)]) {
      const run = await builder.compile({ checkpointer: saver() }).invoke({}, config);
      const { values } = await builder.compile({ checkpointer: saver() }).getState(config);
      for (const found of [run.value, run.seen, values.value, values.seen]) {
        expect(loss([make()], found)).toBeUndefined();
      }
    }
  });
});
