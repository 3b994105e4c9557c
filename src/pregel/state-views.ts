import { adopt, handOut } from "../adopt.ts";
import type { BaseChannel } from "../channels/base.ts";

interface View {
  record: Readonly<Record<string, unknown>>;
  /** Keys whose value is handed out as a copy. */
  copied: ReadonlySet<string>;
  /** Channels that have changed since the record was made. */
  readonly stale: Set<string>;
}

/** More are not kept: every one costs a little at each change. */
const MOST_VIEWS = 32;

/**
 * What lists of channels hold, kept from one reading to the next: a reading costs what has changed since, and one copy. The
 * lists are told apart by identity, so they should be those of the graph.
 *
 * Records are made by `Object.fromEntries` or by spreading such a one: engines copy these many times faster than records of
 * many keys that were made by assignment.
 */
export class StateViews {
  readonly #channels: ReadonlyMap<string, BaseChannel>;
  readonly #views = new Map<readonly string[], View>();

  constructor(channels: ReadonlyMap<string, BaseChannel>) {
    this.#channels = channels;
  }

  /** An object of the caller's own. */
  read(names: readonly string[]): Record<string, unknown> {
    let view = this.#views.get(names);
    if (view === undefined) {
      view = { record: {}, copied: new Set(), stale: new Set() };
      this.#rebuild(view, names);
      if (this.#views.size < MOST_VIEWS) this.#views.set(names, view);
    } else if (view.stale.size > 0) this.#refresh(view, names);
    const result = { ...view.record };
    for (const name of view.copied) result[name] = handOut(view.record[name]);
    return result;
  }

  noteChange(name: string): void {
    for (const view of this.#views.values()) view.stale.add(name);
  }

  #refresh(view: View, names: readonly string[]): void {
    const changed = [...view.stale].filter((name) => names.includes(name));
    const isSameShape = changed.every(
      (name) => (this.#channels.get(name)?.isAvailable() ?? false) === Object.hasOwn(view.record, name),
    );
    // Copies and "__proto__" are rare enough not to be told apart here.
    if (!isSameShape || view.copied.size > 0 || changed.includes("__proto__")) {
      this.#rebuild(view, names);
      return;
    }
    view.stale.clear();
    const record = { ...view.record };
    for (const name of changed) {
      const channel = this.#channels.get(name);
      if (!channel?.isAvailable()) continue;
      const value: unknown = adopt(channel.get());
      if (handOut(value) !== value) {
        this.#rebuild(view, names);
        return;
      }
      record[name] = value;
    }
    view.record = record;
  }

  #rebuild(view: View, names: readonly string[]): void {
    const entries: (readonly [string, unknown])[] = [];
    const copied = new Set<string>();
    for (const name of names) {
      const channel = this.#channels.get(name);
      if (!channel?.isAvailable()) continue;
      const value: unknown = adopt(channel.get());
      if (handOut(value) !== value) copied.add(name);
      entries.push([name, value]);
    }
    view.record = Object.fromEntries(entries);
    view.copied = copied;
    view.stale.clear();
  }
}
