import { DurableObject } from "cloudflare:workers";
import type { Directory } from "./directory.ts";
import type {
  AssistantFilter,
  AssistantOrder,
  AssistantPatch,
  AssistantView,
  DirectoryApi,
  NewAssistant,
  QuestionsPage,
  StoreRead,
  StoreWrite,
  ThreadEntry,
  ThreadFilter,
  ThreadOrder,
  JsonObject,
} from "./protocol.ts";

/** The object that a part of a directory lives in: its methods are the RPC interface. */
export abstract class DirectoryObject extends DurableObject implements DirectoryApi {
  readonly #directory: Directory;

  constructor(ctx: DurableObjectState, env: unknown, directory: Directory) {
    // The class is bound to no one's bindings.
    super(ctx, env as Cloudflare.Env);
    this.#directory = directory;
  }

  putThread(entry: ThreadEntry) {
    return this.#directory.putThread(entry);
  }

  removeThread(threadId: string) {
    return this.#directory.removeThread(threadId);
  }

  knowsThread(threadId: string, version: number) {
    return this.#directory.knowsThread(threadId, version);
  }

  beginErasure(limit: number) {
    return this.#directory.beginErasure(limit);
  }

  endErasure(threadId: string) {
    return this.#directory.endErasure(threadId);
  }

  threadsLeft() {
    return this.#directory.threadsLeft();
  }

  erase() {
    return this.#directory.erase();
  }

  findThreads(filter: ThreadFilter, order: ThreadOrder, count: number) {
    return this.#directory.findThreads(filter, order, count);
  }

  getThreads(threadIds: readonly string[]) {
    return this.#directory.getThreads(threadIds);
  }

  countThreads(filter: ThreadFilter) {
    return this.#directory.countThreads(filter);
  }

  getQuestions(page: QuestionsPage) {
    return this.#directory.getQuestions(page);
  }

  getAssistant(id: string, view: AssistantView) {
    return this.#directory.getAssistant(id, view);
  }

  createAssistant(assistant: NewAssistant, view: AssistantView) {
    return this.#directory.createAssistant(assistant, view);
  }

  patchAssistant(id: string, patch: AssistantPatch, view: AssistantView) {
    return this.#directory.patchAssistant(id, patch, view);
  }

  removeAssistant(id: string, view: AssistantView) {
    return this.#directory.removeAssistant(id, view);
  }

  searchAssistants(filter: AssistantFilter, order: AssistantOrder, view: AssistantView) {
    return this.#directory.searchAssistants(filter, order, view);
  }

  getAssistantVersions(id: string, view: AssistantView, metadata: JsonObject) {
    return this.#directory.getAssistantVersions(id, view, metadata);
  }

  setLatestAssistant(id: string, version: number, view: AssistantView) {
    return this.#directory.setLatestAssistant(id, version, view);
  }

  useStore(reads: readonly StoreRead[], writes: readonly StoreWrite[]) {
    return this.#directory.useStore(reads, writes);
  }

  override alarm(): Promise<void> {
    return this.#directory.alarm();
  }
}
