import { tmpdir } from "node:os";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { Postgres } from "./support/postgres.ts";
import { request, requestJson } from "./support/request.ts";
import { run } from "./support/run.ts";
import { ROOT, Server } from "./support/server.ts";

interface Answer {
  readonly status: string;
  readonly values: Record<string, unknown>;
  readonly interrupts: readonly { readonly id: string }[];
}

/** Two threads of the example's graph under LangGraph: one waits for its answer, one has ended. */
const SAVER = `
import { MemorySaver } from "@langchain/langgraph";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { support } from "./graph.ts";

/** The name of a file, or the address of a database, has to be given where they are to be kept in one. */
export default async function saver(place) {
  const Saver = place?.startsWith("postgresql:") ? PostgresSaver : SqliteSaver;
  const checkpointer = place === undefined ? new MemorySaver() : Saver.fromConnString(place);
  await checkpointer.setup?.();
  support.checkpointer = checkpointer;
  for (const [thread_id, id] of [["waiting", "A-1001"], ["a/b", "A-1003"]]) {
    await support.invoke({ message: "Please refund " + id }, { configurable: { thread_id } });
  }
  return checkpointer;
}
`;

/** The example, as it is written, on LangGraph: only the import is another one. The model's binding is of Workers. */
function exampleOnLangGraph(): string {
  const parent = join(ROOT, ".tidemark");
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "langgraph-"));
  const example = join(ROOT, "examples/support");
  for (const file of ["graph.ts", "catalogue.ts"]) {
    const source = readFileSync(join(example, file), "utf8");
    writeFileSync(join(folder, file), source.replaceAll('"tidemark"', '"@langchain/langgraph"'));
  }
  writeFileSync(join(folder, "wording.ts"), "export const wordReply = async (facts: string) => facts;");
  writeFileSync(join(folder, "saver.ts"), SAVER);
  return folder;
}

function command(...args: readonly string[]): Promise<string> {
  return commandIn(ROOT, args);
}

function commandIn(folder: string, args: readonly string[]): Promise<string> {
  return run(process.execPath, [join(ROOT, "src/command/main.ts"), ...args], folder);
}

describe("the command that moves threads of LangGraph", () => {
  const server = new Server();
  const folder = exampleOnLangGraph();
  const from = join(folder, "saver.ts");
  beforeAll(() => server.start());
  afterAll(async () => {
    await server.dispose();
    rmSync(folder, { recursive: true });
  });

  it("moves all of them; the one that was asked is answered here", async () => {
    const printed = (await command("import", "--to", server.url, "--from", from)).trim().split("\n");
    const moved = printed.map((line) => JSON.parse(line) as { thread_id: string; checkpoints: number });
    expect(moved).toMatchObject([
      { thread_id: "waiting", graph: "support", checkpoints: 4 },
      { thread_id: "a/b", graph: "support", checkpoints: 7 },
    ]);
    const thread = `${server.url}/threads/waiting`;
    const { body: state } = await requestJson<Answer>(`${thread}/state`);
    const [question] = state.interrupts;
    const answer = { interrupt_id: question?.id, value: { approved: true } };
    const { body } = await requestJson<Answer>(`${thread}/resume`, { body: answer });
    expect(body).toMatchObject({ status: "success", values: { refunded: 249 } });
    const ended = await requestJson<Answer>(`${server.url}/threads/a%2Fb/state`);
    expect(ended.body.values).toMatchObject({ refunded: 24 });
    const again = command("import", "--to", server.url, "--from", from, "--thread", "waiting");
    await expect(again).rejects.toThrow(/waiting\/import answered 409: .*thread_exists/);
  });

  const places = ["--sqlite", "--postgres"] as const;
  it.each(places)(
    "moves those in what %s names, with the package that is installed where it is run",
    async (kind) => {
      const postgres = kind === "--postgres" ? await Postgres.start() : undefined;
      onTestFinished(() => postgres?.stop());
      const place = postgres?.url ?? "threads.db";
      const write = `const { default: saver } = await import("./saver.ts"); await saver(${JSON.stringify(place)}); process.exit();`;
      await run(process.execPath, ["--input-type=module", "--eval", write], folder);
      await request(`${server.url}/threads/waiting`, { method: "DELETE" });
      const args = ["import", "--to", server.url, kind, place, "--thread", "waiting"];
      const [moved] = (await commandIn(folder, args)).trim().split("\n");
      expect(JSON.parse(moved ?? "")).toMatchObject({
        thread_id: "waiting",
        graph: "support",
        checkpoints: 4,
      });
      const thread = `${server.url}/threads/waiting`;
      const { body: state } = await requestJson<Answer>(`${thread}/state`);
      const answer = { interrupt_id: state.interrupts[0]?.id, value: { approved: true } };
      const { body } = await requestJson<Answer>(`${thread}/resume`, { body: answer });
      expect(body).toMatchObject({ status: "success", values: { refunded: 249 } });
    },
  );

  it.each([
    [["import"], /Say where the server is: --to/],
    [["import", "--to", "http://127.0.0.1:9"], /--sqlite FILE, --postgres URL or --from MODULE/],
    [["import", "--to", "http://127.0.0.1:9", "--from", "./nowhere.js"], /nowhere.js cannot be loaded/],
    [["import", "--to", "http://127.0.0.1:9", "--from", "./package.json"], /cannot be loaded/],
    [["import", "--to", "http://127.0.0.1:9", "--from", from], /does not answer: is the server running/],
    [
      ["import", "--to", "http://127.0.0.1:9", "--from", from, "--thread", "x"],
      /no thread "x" in the source/,
    ],
    [["export"], /There is no command "export"/],
    [["import", "--form", from], /Unknown option '--form'/],
  ])("%j: says what is missing", async (args, message) => {
    await expect(command(...args)).rejects.toThrow(message);
  });

  it("says which package is missing where it is run", async () => {
    const args = ["import", "--to", "http://127.0.0.1:9", "--postgres", "postgresql://x"];
    const moving = commandIn(tmpdir(), args);
    await expect(moving).rejects.toThrow(/npm install @langchain\/langgraph-checkpoint-postgres/);
  });

  it("says how it is used", async () => {
    expect(await command("--help")).toContain("tidemark import --to URL");
  });
});
