import { contains } from "../values/contains.ts";
import { RefusedError } from "../errors.ts";
import { MAX_ASSISTANT, requireMetadataSize } from "../metadata-limits.ts";
import { AssistantRows } from "./assistant-rows.ts";
import { assistantOf, compareAssistants, isWanted } from "./assistant.ts";
import type {
  Assistant,
  AssistantFilter,
  AssistantOrder,
  AssistantPatch,
  AssistantView,
  JsonObject,
  NewAssistant,
} from "./protocol.ts";
import type { Sql } from "../storage/sql.ts";

/** Of an assistant: older ones are forgotten. */
const MAX_VERSIONS = 100;

/** A tenant's assistants: graphs with a configuration, in versions. */
export class Assistants {
  readonly #rows: AssistantRows;
  readonly #now: () => number;

  constructor(sql: Sql, now: () => number) {
    this.#rows = new AssistantRows(sql);
    this.#now = now;
  }

  /** By its id, or by the name of the graph that has it by itself. */
  get(id: string, { graphs, access, ownOfGraphs = false }: AssistantView): Assistant {
    const own = graphs
      .map(assistantOf)
      .find(({ assistantId, graphId }) => assistantId === id || graphId === id);
    const found = this.#rows.get(id) ?? this.#rows.get(own?.assistantId ?? id) ?? own;
    const isOwn = found !== undefined && found.assistantId === own?.assistantId;
    if (found === undefined || !((isOwn && ownOfGraphs) || mayAccess(found, access)))
      throw notFound(
        id,
        `There is no assistant "${id}", and no graph of this name: there is ${graphs.join(", ")}.`,
      );
    return found;
  }

  create({ ifExists, ...assistant }: NewAssistant, view: AssistantView): Assistant {
    const now = this.#now();
    if (view.graphs.includes(assistant.assistantId)) throw takenName(assistant.assistantId);
    const known = this.#find(assistant.assistantId, view);
    if (known !== undefined && ifExists === "do_nothing" && mayAccess(known, view.access)) return known;
    if (known !== undefined) {
      throw new RefusedError(
        "assistant_exists",
        `There is an assistant "${assistant.assistantId}" already.`,
        {
          details: { assistant_id: assistant.assistantId },
        },
      );
    }
    const made = { ...assistant, version: 1, createdAt: now, updatedAt: now };
    this.#rows.put(made);
    return made;
  }

  /** Makes another version. Metadata is merged, everything else is replaced. */
  patch(id: string, patch: AssistantPatch, view: AssistantView): Assistant {
    const known = this.get(id, view);
    const { assistantId } = known;
    // What a graph has by itself is its first version.
    if (this.#rows.get(assistantId) === undefined) this.#rows.put(known);
    const [newest] = this.#rows.versions(assistantId);
    const metadata = { ...known.metadata, ...patch.metadata };
    requireMetadataSize(metadata, MAX_ASSISTANT);
    const patched = {
      ...known,
      ...patch,
      metadata,
      version: (newest?.version ?? known.version) + 1,
      updatedAt: this.#now(),
    };
    this.#rows.put(patched);
    this.#rows.forget(assistantId, patched.version - MAX_VERSIONS);
    return patched;
  }

  /** That of a graph becomes again what it is by itself. */
  remove(id: string, view: AssistantView): void {
    this.#rows.remove(this.get(id, view).assistantId);
  }

  search(filter: AssistantFilter, order: AssistantOrder, view: AssistantView): readonly Assistant[] {
    const stored = this.#rows.all();
    const ids = new Set(stored.map(({ assistantId }) => assistantId));
    const own = view.graphs.map(assistantOf).filter(({ assistantId }) => !ids.has(assistantId));
    return [...own, ...stored]
      .filter((assistant) => mayAccess(assistant, view.access) && isWanted(assistant, filter))
      .toSorted(compareAssistants(order));
  }

  /** Those whose metadata has this part. */
  versions(id: string, view: AssistantView, metadata: JsonObject = {}): readonly Assistant[] {
    const known = this.get(id, view);
    const stored = this.#rows.versions(known.assistantId);
    return (stored.length === 0 ? [known] : stored).filter((version) => contains(version.metadata, metadata));
  }

  /** Makes an older version the one that counts. */
  setLatest(id: string, version: number, view: AssistantView): Assistant {
    const versions = this.versions(id, view);
    const wanted = versions.find((each) => each.version === version);
    if (wanted === undefined) throw notFound(id, `The assistant "${id}" has no version ${version}.`);
    this.#rows.setLatest(wanted.assistantId, version, this.#now());
    return this.get(id, view);
  }

  #find(id: string, { graphs }: AssistantView): Assistant | undefined {
    return this.#rows.get(id) ?? graphs.map(assistantOf).find(({ assistantId }) => assistantId === id);
  }
}

function mayAccess({ metadata }: Assistant, access: AssistantView["access"]): boolean {
  return access === undefined || contains(metadata, access);
}

function takenName(id: string): RefusedError {
  const message = `"${id}" is the name of a graph, whose own assistant goes by it. Choose another id.`;
  return new RefusedError("invalid_request", message, { details: { assistant_id: id } });
}

function notFound(id: string, message: string): RefusedError {
  return new RefusedError("assistant_not_found", message, { details: { assistant_id: id } });
}
