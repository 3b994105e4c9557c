import { isObject } from "../../values/containers.ts";
import type { MaybePromise, PendingWrite } from "../../checkpoint/types.ts";
import { TidemarkError } from "../../errors.ts";
import { InvalidUpdateError } from "../../graph-errors.ts";
import { TASKS } from "../constants.ts";
import { isPromiseLike, type Runnable } from "../runnable.ts";
import { isSend, type Send } from "../send.ts";
import { taskContext } from "../task-context.ts";
import type { NodeConfig } from "../types.ts";

const PASSTHROUGH_MARK = Symbol.for("LG_PASSTHROUGH");

/** Stands for what the writer is given. */
export const PASSTHROUGH = { [PASSTHROUGH_MARK]: true };

export interface ChannelWriteEntry {
  readonly channel: string;
  readonly value: unknown;
  /** Whether `undefined` is not written. */
  readonly skipNone?: boolean;
  /** Makes what is written of the value. */
  readonly mapper?: Runnable;
}

/** Writes what it is given, or what is made of it, to channels, and gives it on as it is. */
export class ChannelWrite implements Runnable {
  readonly lc_graph_name = "ChannelWrite";
  readonly writes: readonly (ChannelWriteEntry | Send)[];

  constructor(writes: readonly (ChannelWriteEntry | Send)[]) {
    for (const write of writes) {
      if (!isSend(write) && write.channel === TASKS)
        throw new InvalidUpdateError(`The channel "${TASKS}" takes nothing but Sends.`);
    }
    this.writes = writes;
  }

  static isWriter(value: unknown): value is ChannelWrite {
    return isObject(value) && "lc_graph_name" in value && value.lc_graph_name === "ChannelWrite";
  }

  /** What it writes when it is given this. Stays synchronous when its mappers do. */
  writesOf(input: unknown, config: NodeConfig): MaybePromise<readonly PendingWrite[]> {
    const values = this.writes.map((write) => (isSend(write) ? write : valueOf(write, input, config)));
    if (!values.some(isPromiseLike)) return this.#named(values);
    return Promise.all(values).then((settled) => this.#named(settled));
  }

  /** Writes from inside a node, in addition to what follows from its output. */
  invoke(input: unknown, config: NodeConfig): MaybePromise<unknown> {
    const send = taskContext.get()?.send;
    if (send === undefined)
      throw new TidemarkError("outside_of_task", "A ChannelWrite was called outside of a running node.");
    const writes = this.writesOf(input, config);
    if (!(writes instanceof Promise)) {
      send(writes);
      return input;
    }
    return writes.then((settled) => {
      send(settled);
      return input;
    });
  }

  /** As `invoke`, for each input. */
  batch(inputs: readonly unknown[], config: NodeConfig | readonly NodeConfig[]): Promise<unknown[]> {
    const configs = [config].flat();
    return Promise.all(
      inputs.map((input, index) => this.invoke(input, configs[index] ?? (configs[0] as NodeConfig))),
    );
  }

  #named(values: readonly unknown[]): PendingWrite[] {
    return values.flatMap((value, index): PendingWrite[] => {
      const write = this.writes[index];
      if (write === undefined || isSend(write)) return [[TASKS, value]];
      return write.skipNone && value === undefined ? [] : [[write.channel, value]];
    });
  }
}

function valueOf({ value, mapper }: ChannelWriteEntry, input: unknown, config: NodeConfig): unknown {
  const given = isPassthrough(value) ? input : value;
  return mapper === undefined ? given : mapper.invoke(given, config);
}

function isPassthrough(value: unknown): boolean {
  return isObject(value) && PASSTHROUGH_MARK in value;
}
