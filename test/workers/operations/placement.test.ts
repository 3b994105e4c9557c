import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { END, START, StateGraph } from "../../../src/index.ts";
import { type ObjectNamespace, Placement } from "../../../src/runtime/placement.ts";
import { createRuntime, type PlacementOptions } from "../../../src/worker.ts";
import { Log } from "../../support/log.ts";
import { deploy } from "../graphs.ts";

interface Asked {
  readonly name: string;
  readonly locationHint?: string;
  readonly jurisdiction?: string;
}

/** The local runtime has no regions and refuses jurisdictions: what would be asked of the platform is noted in their place. */
function noting<Api>(
  objects: { getByName(name: string): Api },
  asked: Asked[],
  within = {},
): ObjectNamespace<Api> {
  return {
    getByName: (name, options) => {
      asked.push({ name, ...options, ...within });
      return objects.getByName(name);
    },
    jurisdiction: (jurisdiction) => noting(objects, asked, { jurisdiction }),
  };
}

const graph = new StateGraph(Log)
  .addNode("only", () => ({ log: ["done"] }))
  .addEdge(START, "only")
  .addEdge("only", END)
  .compile();

/** Runs a thread of a tenant; gives what was asked for its object, and for those of the directory. */
async function placed(
  placement: PlacementOptions,
  cf: Record<string, string> = {},
  tenant = "acme",
): Promise<{ readonly thread: Asked; readonly directory: readonly Asked[] }> {
  deploy({ graph });
  const principal = { tenant, caller: "", scopes: ["*"] };
  const runtime = createRuntime({ graphs: { graph }, auth: () => principal, placement });
  const [threads, directory]: [Asked[], Asked[]] = [[], []];
  const bound = { ...env, THREAD: noting(env.THREAD, threads), DIRECTORY: noting(env.DIRECTORY, directory) };
  const call = async (path: string, body: object): Promise<Response> =>
    runtime.fetch(
      new Request(`https://example.com${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
        cf,
      }),
      bound,
      createExecutionContext(),
    );
  const id = crypto.randomUUID();
  expect((await call(`/threads/${id}/invoke`, { input: { log: [] } })).status).toBe(200);
  expect((await call("/threads/count", {})).status).toBe(200);
  expect(threads).toHaveLength(1);
  return { thread: threads[0] ?? { name: "" }, directory };
}

describe("the place of a thread", () => {
  it.for([
    [{ continent: "NA", longitude: "-122.4" }, "wnam"],
    [{ continent: "NA", longitude: "-74.0" }, "enam"],
    [{ continent: "SA" }, "sam"],
    [{ continent: "EU", longitude: "2.3" }, "weur"],
    [{ continent: "EU", longitude: "21.0" }, "eeur"],
    [{ continent: "AS", longitude: "55.3" }, "me"],
    [{ continent: "AS", longitude: "139.7" }, "apac"],
    [{ continent: "OC" }, "oc"],
    [{ continent: "AF" }, "afr"],
    [{ continent: "AN" }, undefined],
    [{}, undefined],
  ] as const)("is near the client: %j", async ([cf, expected]) => {
    const { thread, directory } = await placed({}, cf);
    expect(thread.locationHint).toBe(expected);
    expect(thread).not.toHaveProperty("jurisdiction");
    for (const asked of directory) expect(asked).not.toHaveProperty("locationHint");
  });

  it("is where the deployment says, or what it makes of the request", async () => {
    const cf = { continent: "EU", longitude: "2.3" };
    expect((await placed({ location: "oc" }, cf)).thread.locationHint).toBe("oc");
    const location = (request: Request) => (request.url.includes("invoke") ? ("sam" as const) : undefined);
    expect((await placed({ location }, cf)).thread.locationHint).toBe("sam");
    expect((await placed({ location: () => undefined }, cf)).thread).not.toHaveProperty("locationHint");
  });

  it("is within the jurisdiction of the deployment, or of its tenant, and so is its directory", async () => {
    const all = await placed({ jurisdiction: "eu" });
    for (const asked of [all.thread, ...all.directory]) expect(asked.jurisdiction).toBe("eu");
    expect(all.directory.length).toBeGreaterThan(0);
    const jurisdiction = (tenant: string) => (tenant === "acme" ? ("eu" as const) : undefined);
    expect((await placed({ jurisdiction })).thread.jurisdiction).toBe("eu");
    expect((await placed({ jurisdiction }, {}, "umbrella")).thread).not.toHaveProperty("jurisdiction");
  });
});

it("the local runtime is asked for a jurisdiction, and has none; when it does, the notes above can go", () => {
  const placement = new Placement({ jurisdiction: "eu" });
  expect(() => placement.within(env.THREAD, "acme")).toThrow(
    "Jurisdiction restrictions are not implemented in workerd.",
  );
});

describe("the bucket of a thread", () => {
  const name = (tenant: string): string => JSON.stringify([tenant, "t"]);
  const nobody = (): undefined => undefined;

  it("is the one that is bound, as long as nothing is said of jurisdictions", () => {
    expect(new Placement({}).bucketOf("BLOBS", {}, nobody)).toBe("BLOBS");
  });

  it("is that of its jurisdiction, by the tenant in its name, and never another", () => {
    const placement = new Placement({
      jurisdiction: (tenant) => (tenant === "acme" ? "fedramp-high" : undefined),
    });
    expect(placement.bucketOf("BLOBS", { name: name("acme") }, nobody)).toBe("BLOBS_FEDRAMP_HIGH");
    expect(placement.bucketOf("BLOBS", { name: name("umbrella") }, nobody)).toBe("BLOBS");
    expect(placement.bucketOf("BLOBS", { jurisdiction: "eu" }, nobody)).toBe("BLOBS_EU");
    expect(placement.bucketOf("BLOBS", {}, () => "acme")).toBe("BLOBS_FEDRAMP_HIGH");
    expect(placement.bucketOf("BLOBS", {}, nobody)).toBeUndefined();
    expect(new Placement({ jurisdiction: "eu" }).bucketOf("BLOBS", {}, nobody)).toBe("BLOBS_EU");
  });
});

describe("an object that was woken by its id, and so does not know its name", () => {
  const placement: PlacementOptions = { jurisdiction: (tenant) => (tenant === "acme" ? "eu" : undefined) };
  const auth = () => ({ tenant: "umbrella", caller: "", scopes: ["*"] });
  const wake = async (threadId: string): Promise<unknown> => {
    const { Thread } = createRuntime({ graphs: { graph }, auth, placement });
    const name = JSON.stringify(["umbrella", threadId]);
    const stub = env.THREAD.get(env.THREAD.idFromString(env.THREAD.idFromName(name).toString()));
    return runInDurableObject(stub, async (_, state) => {
      expect(state.id.name).toBeUndefined();
      const thread = new Thread(state, env);
      await thread.announceThread();
      const created = await thread.createThread({
        tenant: "umbrella",
        threadId,
        metadata: {},
        ifExists: "do_nothing",
      });
      return created.ok;
    });
  };

  it("is of use, whether it has a thread or none", async () => {
    deploy({ graph });
    const threadId = crypto.randomUUID();
    expect(await wake(threadId)).toBe(true);
    expect(await wake(threadId)).toBe(true);
  });
});

describe("an environment", () => {
  it("has objects of its own: the same name in another namespace is another object, with another prefix in a bucket", () => {
    const name = JSON.stringify(["acme", "t"]);
    const [one, other] = [env.THREAD.idFromName(name), env.DIRECTORY.idFromName(name)];
    expect(one.toString()).not.toBe(other.toString());
  });
});
