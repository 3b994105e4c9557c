import { GAP, type ThreadEvent } from "./thread-listener.ts";

/** What a listener wants to hear. */
export interface Filter {
  readonly channels: readonly string[];
  readonly namespaces?: readonly (readonly string[])[] | null | undefined;
  readonly depth?: number | null | undefined;
}

interface Subscription {
  readonly filter: Filter;
  /** The number of the last event that was looked at for it. */
  heard: number;
}

/** The subscriptions of one client. What several of them want is sent once, and again only for one that is new. */
export class Subscriptions {
  readonly #all = new Map<string, Subscription>();

  add(id: string, filter: Filter, since = 0): void {
    this.#all.set(id, { filter, heard: since });
  }

  remove(id: string): boolean {
    return this.#all.delete(id);
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** Those of the thread's channels that are wanted. */
  get channels(): readonly string[] {
    const wanted = [...this.#all.values()].flatMap(({ filter }) => filter.channels.map(ownChannel));
    return [...new Set(wanted)].toSorted();
  }

  /** The number after which someone wants to hear more. */
  get since(): number {
    return Math.min(...[...this.#all.values()].map(({ heard }) => heard));
  }

  /**
   * Whether the event is to be sent. Events are to be shown in their order: one that does not come after what was heard is
   * of another thread, which has come anew under the same name.
   */
  wants(event: ThreadEvent): boolean {
    if (event.number <= this.since) this.#beginAnew();
    let isWanted = false;
    for (const subscription of this.#all.values()) {
      if (event.number <= subscription.heard) continue;
      subscription.heard = event.number;
      isWanted ||= matches(subscription.filter, event);
    }
    return isWanted;
  }

  #beginAnew(): void {
    for (const subscription of this.#all.values()) subscription.heard = 0;
  }
}

const NAMED = "custom:";

/** The thread tells all custom events, whatever their names. */
function ownChannel(channel: string): string {
  return channel.startsWith(NAMED) ? "custom" : channel;
}

function isOn(channels: readonly string[], { channel, text }: ThreadEvent): boolean {
  if (channels.includes(channel)) return true;
  if (channel !== "custom" || !channels.some((each) => each.startsWith(NAMED))) return false;
  // As the thread has written it.
  const { params } = JSON.parse(text) as { params: { data: { name?: unknown } } };
  return channels.includes(`${NAMED}${String(params.data.name)}`);
}

export function matches({ channels, namespaces, depth }: Filter, event: ThreadEvent): boolean {
  // Whatever it is that one wants to hear, some of it may be gone.
  if (event.channel === GAP) return true;
  if (!isOn(channels, event)) return false;
  if (namespaces == null || namespaces.length === 0) return true;
  return namespaces.some(
    (prefix) =>
      startsWith(event.namespace, prefix) &&
      (depth == null || event.namespace.length - prefix.length <= depth),
  );
}

/** A part without the id of a task stands for all tasks of that name. */
function startsWith(namespace: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((part, index) => {
    const own = namespace[index];
    return own === part || (own !== undefined && !part.includes(":") && own.split(":", 1)[0] === part);
  });
}
