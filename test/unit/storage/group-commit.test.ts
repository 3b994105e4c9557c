import { describe, expect, it } from "vitest";
import { GroupCommit } from "../../../src/storage/group-commit.ts";

/** Calls that come to a group, whose turns the test ends. */
class Calls {
  readonly log: string[] = [];
  readonly #turns: (() => void)[] = [];
  readonly #group = new GroupCommit(() => new Promise((resolve) => this.#turns.push(resolve)));

  /** True when the call has to wait. */
  come(name: string): boolean {
    const turn = this.#group.join();
    if (turn === undefined) this.log.push(name);
    else void turn.then(() => this.log.push(name));
    return turn !== undefined;
  }

  get openTurns(): number {
    return this.#turns.length;
  }

  async endTurn(): Promise<void> {
    this.#turns.shift()?.();
    await new Promise((resolve) => setTimeout(resolve, 0));
  }

  /** Calls come alone until one waits; answers with how many went on at once. */
  async untilOneWaits(): Promise<number> {
    for (let count = 0; count < 1000; count++) if (this.come("first")) return count;
    throw new Error("No call has waited.");
  }
}

describe("GroupCommit", () => {
  it("lets calls that come alone go on at once, but for one in many", async () => {
    const calls = new Calls();
    expect(await calls.untilOneWaits()).toBe(32);
    await calls.endTurn();
    expect(calls.log).toHaveLength(33);
    expect(await calls.untilOneWaits()).toBe(32);
  });

  it("lets those that come while one waits go on in its turn, in their order, and the next one wait, too", async () => {
    const calls = new Calls();
    await calls.untilOneWaits();
    calls.log.length = 0;
    expect(["a", "b"].map((name) => calls.come(name))).toEqual([true, true]);
    expect([calls.log, calls.openTurns]).toEqual([[], 1]);
    await calls.endTurn();
    expect(calls.log).toEqual(["first", "a", "b"]);
    expect(calls.come("c")).toBe(true);
  });

  it("begins another turn for those that come after sixteen", async () => {
    const calls = new Calls();
    await calls.untilOneWaits();
    const names = Array.from({ length: 17 }, (_, index) => String(index));
    calls.log.length = 0;
    for (const name of names) calls.come(name);
    expect(calls.openTurns).toBe(2);
    await calls.endTurn();
    expect(calls.log).toEqual(["first", ...names.slice(0, 15)]);
    expect(calls.come("last")).toBe(true);
    await calls.endTurn();
    expect(calls.log.slice(16)).toEqual(["15", "16", "last"]);
  });
});
