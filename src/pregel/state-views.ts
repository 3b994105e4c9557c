import { adopt, handOut, isMutable } from "../values/adopt.ts";
import type { BaseChannel } from "../channels/base.ts";
import { copyRecord } from "./copy-record.ts";
import { setOf } from "./list-sets.ts";

/** A property that becomes a copy of the value when somebody looks at it. */
function lend(record: object, name: string, value: unknown): void {
  let own: { readonly value: unknown } | undefined;
  Object.defineProperty(record, name, {
    get: () => (own ??= { value: handOut(value) }).value,
    set: (next: unknown) => {
      own = { value: next };
    },
    enumerable: true,
    configurable: true,
  });
}

interface View {
  readonly names: ReadonlySet<string>;
  record: Record<string, unknown>;
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
 * Their records are made and copied as `copyRecord` wants it.
 */
export class StateViews {
  readonly #channels: ReadonlyMap<string, BaseChannel>;
  readonly #views = new Map<readonly string[], View>();

  constructor(channels: ReadonlyMap<string, BaseChannel>) {
    this.#channels = channels;
  }

  /** An object of the caller's own. What has to be copied is so at once, or, with `isLazy`, when it is looked at first. */
  read(names: readonly string[], isLazy = false): Record<string, unknown> {
    const view = this.#view(names);
    if (view.stale.size > 0) this.#refresh(view);
    const result = copyRecord(view.record);
    for (const name of view.copied) {
      if (isLazy) lend(result, name, view.record[name]);
      else result[name] = handOut(view.record[name]);
    }
    return result;
  }

  noteChange(name: string): void {
    for (const view of this.#views.values()) if (view.names.has(name)) view.stale.add(name);
  }

  #view(names: readonly string[]): View {
    const known = this.#views.get(names);
    if (known !== undefined) return known;
    const view = { names: setOf(names), record: {}, copied: new Set<string>(), stale: new Set<string>() };
    this.#rebuild(view);
    if (this.#views.size < MOST_VIEWS) this.#views.set(names, view);
    return view;
  }

  #refresh(view: View): void {
    const changed = [...view.stale];
    const isSameShape = changed.every(
      (name) => (this.#channels.get(name)?.isAvailable() ?? false) === Object.hasOwn(view.record, name),
    );
    // Copies and "__proto__" are rare enough not to be told apart here.
    if (!isSameShape || view.copied.size > 0 || changed.includes("__proto__")) {
      this.#rebuild(view);
      return;
    }
    view.stale.clear();
    for (const name of changed) {
      const channel = this.#channels.get(name);
      if (!channel?.isAvailable()) continue;
      const value: unknown = adopt(channel.get());
      if (isMutable(value)) {
        this.#rebuild(view);
        return;
      }
      view.record[name] = value;
    }
  }

  #rebuild(view: View): void {
    const entries: (readonly [string, unknown])[] = [];
    const copied = new Set<string>();
    for (const name of view.names) {
      const channel = this.#channels.get(name);
      if (!channel?.isAvailable()) continue;
      const value: unknown = adopt(channel.get());
      if (isMutable(value)) copied.add(name);
      entries.push([name, value]);
    }
    view.record = Object.fromEntries(entries);
    view.copied = copied;
    view.stale.clear();
  }
}
