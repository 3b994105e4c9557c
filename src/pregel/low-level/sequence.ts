import { GraphValidationError } from "../../graph-errors.ts";
import {
  callOf,
  isPromiseLike,
  isRunnable,
  type Call,
  type Runnable,
  type RunnableLike,
} from "../runnable.ts";
import type { NodeConfig } from "../types.ts";

/** Steps of which each is called with what the one before has given. Stays synchronous when they do. */
export class Sequence implements Runnable {
  readonly steps: readonly RunnableLike[];
  readonly #calls: readonly Call[];

  constructor(steps: readonly RunnableLike[]) {
    this.steps = steps;
    this.#calls = steps.map(stepCall);
  }

  pipe(step: RunnableLike): Sequence {
    return new Sequence([...this.steps, step]);
  }

  invoke(input: unknown, config: NodeConfig): unknown {
    let value = input;
    for (const [index, call] of this.#calls.entries()) {
      value = call(value, config);
      if (isPromiseLike(value)) return this.#goOn(value, index + 1, config);
    }
    return value;
  }

  async #goOn(pending: PromiseLike<unknown>, next: number, config: NodeConfig): Promise<unknown> {
    let value = await pending;
    for (const call of this.#calls.slice(next)) value = await call(value, config);
    return value;
  }
}

/** A step that returns a runnable stands for it: the runnable is called with the same input. */
function stepCall(step: RunnableLike): Call {
  const call = callOf(step);
  if (call === undefined)
    throw new GraphValidationError("A step has to be a function or an object with invoke(input, config).");
  if (typeof step !== "function") return call;
  return (input, config) => {
    const follow = (value: unknown): unknown => (isRunnable(value) ? value.invoke(input, config) : value);
    const value = call(input, config);
    return isPromiseLike(value) ? Promise.resolve(value).then(follow) : follow(value);
  };
}
