import { createRuntime } from "tidemark/worker";
import { uuid7 } from "../../src/uuid7.ts";
import {
  append,
  chatGraph,
  chatInput,
  chatMessages,
  wholeChatGraph,
  wholeChatInput,
} from "../graphs/chat.ts";
import { ours } from "../graphs/library.ts";
import { loopGraph, loopInput, recursionLimit } from "../graphs/loop.ts";
import { adopt } from "../../src/values/adopt.ts";
import type { StartRun } from "../../src/thread/protocol.ts";
import {
  TIMED_TURNS,
  type ChatFigures,
  type ForkFigures,
  type ReducerFigures,
  type StateFigures,
} from "./figures.ts";

const runtime = createRuntime({
  graphs: { chat: chatGraph(ours), whole: wholeChatGraph(ours), loop: loopGraph(ours) },
});

const READS = 20;
/** Turns of the reducer alone, which calls it twice. */
const REDUCED_TURNS = 200;

interface RequestedRun {
  readonly graph: string;
  readonly input: unknown;
  readonly recursionLimit?: number;
  readonly checkpointId?: string;
}

/** Serves threads as ever, and measures itself from inside. Clocks move with I/O only: each time ends with a sync. */
export class Thread extends runtime.Thread {
  /** Goes on with the chat until it has so many turns. */
  chat(threadId: string, from: number, turns: number): Promise<ChatFigures> {
    return this.#grow(from, turns, (turn) => this.#turn(threadId, turn));
  }

  /** The same with the node that returns all that was said. */
  whole(threadId: string, from: number, turns: number): Promise<ChatFigures> {
    return this.#grow(from, turns, (turn) =>
      this.#run(threadId, { graph: "whole", input: wholeChatInput(turn) }),
    );
  }

  async #grow(from: number, turns: number, take: (turn: number) => Promise<void>): Promise<ChatFigures> {
    for (let turn = from; turn < turns - TIMED_TURNS; turn++) await take(turn);
    await this.ctx.storage.sync();
    const start = performance.now();
    for (let turn = turns - TIMED_TURNS; turn < turns; turn++) await take(turn);
    await this.ctx.storage.sync();
    const milliseconds = (performance.now() - start) / TIMED_TURNS;
    return { turns, milliseconds, bytes: this.#bytes(), fileBytes: this.ctx.storage.sql.databaseSize };
  }

  /** What the reducer of the chat takes by itself, of a list that is a part of the state. */
  async reducer(turns: number): Promise<ReducerFigures> {
    const said = adopt(chatMessages(turns));
    const { messages } = chatInput(turns);
    let members = 0;
    const reduce = () => {
      for (let turn = 0; turn < REDUCED_TURNS; turn++)
        members += append(said, messages).length + append(said, messages).length;
    };
    reduce();
    await this.#tick();
    const start = performance.now();
    reduce();
    await this.#tick();
    const milliseconds = (performance.now() - start) / REDUCED_TURNS;
    if (members === 0) throw new Error("Nothing was appended.");
    return { turns, milliseconds };
  }

  /** Something is written, and durable: the clock moves. */
  async #tick(): Promise<void> {
    this.ctx.storage.kv.put("tick", performance.now());
    await this.ctx.storage.sync();
  }

  /** A thread with so many checkpoints, whose state has always the same size. */
  async state(threadId: string, checkpoints: number): Promise<StateFigures> {
    const supersteps = checkpoints - 2;
    const input = loopInput(supersteps);
    await this.#run(threadId, { graph: "loop", input, recursionLimit: recursionLimit(supersteps) });
    await this.ctx.storage.sync();
    const start = performance.now();
    for (let read = 0; read < READS; read++) {
      const reply = await new runtime.Thread(this.ctx, this.env).getState({
        tenant: "",
        threadId,
        subgraphs: false,
      });
      if (!reply.ok) throw new Error(reply.error.message);
      await new Response(reply.value).arrayBuffer();
    }
    await this.ctx.storage.sync();
    const milliseconds = (performance.now() - start) / READS;
    return { checkpoints: this.#count("checkpoints"), milliseconds };
  }

  /** One turn on a branch of its own, from the middle of the chat. */
  async fork(threadId: string, turns: number): Promise<ForkFigures> {
    const reply = await this.getHistory({ tenant: "", threadId, limit: Math.min(1000, turns) });
    if (!reply.ok) throw new Error(reply.error.message);
    const history = await new Response(reply.value).json<{ checkpoint: { checkpoint_id: string } }[]>();
    const checkpointId = history.at(-1)?.checkpoint.checkpoint_id ?? "";
    const before = { bytes: this.#bytes(), rows: this.#rows() };
    await this.ctx.storage.sync();
    const start = performance.now();
    await this.#run(threadId, { graph: "chat", input: chatInput(turns), checkpointId });
    await this.ctx.storage.sync();
    const milliseconds = performance.now() - start;
    return { milliseconds, bytes: this.#bytes() - before.bytes, rows: this.#rows() - before.rows };
  }

  #turn(threadId: string, turn: number): Promise<void> {
    return this.#run(threadId, { graph: "chat", input: chatInput(turn) });
  }

  async #run(threadId: string, run: RequestedRun): Promise<void> {
    const { graph, input, recursionLimit: limit, checkpointId } = run;
    // Of the stream comes the end only: an answer with all that was ever said would be measured, too.
    const start: StartRun = {
      tenant: "",
      threadId,
      // As routers mint them: in the order of time.
      runId: uuid7(),
      request: {
        graph,
        input: { kind: "input", value: input },
        config: limit === undefined ? {} : { recursionLimit: limit },
        ...(checkpointId !== undefined && { checkpointId }),
        onInterrupted: "refuse",
        modes: [],
      },
    };
    const reply = await this.stream(start, "0-0");
    if (!reply.ok) throw new Error(reply.error.message);
    const events = await new Response(reply.value.events).text();
    if (!events.startsWith("event: end\n")) throw new Error(events);
  }

  #bytes(): number {
    return this.#bytesOf("checkpoints") + this.#bytesOf("writes");
  }

  #rows(): number {
    return this.#count("checkpoints") + this.#count("writes");
  }

  #bytesOf(table: string): number {
    const { sql } = this.ctx.storage;
    const columns = sql.exec<{ name: string }>(`PRAGMA table_info(${table})`).toArray();
    const sizes = columns.map(({ name }) => `coalesce(length(CAST("${name}" AS BLOB)), 0)`);
    return sql.exec<{ n: number }>(`SELECT sum(${sizes.join(" + ")}) AS n FROM ${table}`).one().n;
  }

  #count(table: string): number {
    return this.ctx.storage.sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${table}`).one().n;
  }
}

interface Env {
  readonly THREAD: DurableObjectNamespace<Thread>;
}

/** `POST /<measurement>?thread=…&from=…&to=…`, answered with its figures. */
export default {
  async fetch(request, env): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const threadId = searchParams.get("thread") ?? "";
    const from = Number(searchParams.get("from"));
    const to = Number(searchParams.get("to"));
    const thread = env.THREAD.getByName(threadId);
    switch (pathname) {
      case "/chat":
        return Response.json(await thread.chat(threadId, from, to));
      case "/whole":
        return Response.json(await thread.whole(threadId, from, to));
      case "/reducer":
        return Response.json(await thread.reducer(to));
      case "/state":
        return Response.json(await thread.state(threadId, to));
      case "/fork":
        return Response.json(await thread.fork(threadId, to));
      default:
        return new Response(null, { status: 404 });
    }
  },
} satisfies ExportedHandler<Env>;
