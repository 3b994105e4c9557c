import { json, request, type TestThread } from "../../support/threads.ts";

/** What a client would do again: it gets an error that is not about its call. */
export async function insist<Value>(call: () => Promise<Value>): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const isOutage = !(error instanceof Error && "code" in error) || String(error.code) === "run_pending";
      if (!isOutage || attempt === 5) throw error;
    }
  }
}

/** The code that a call is refused with, or nothing. */
export function codeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => null,
    (error: unknown) => (error instanceof Error && "code" in error ? error.code : String(error)),
  );
}

export function post(thread: TestThread, path: string, body: object, headers = {}): Promise<unknown> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  };
  return json(request(`${thread.path}${path}`, init));
}

export interface WireRun {
  readonly run_id: string;
  readonly status: string;
}

export async function statusesOf(thread: TestThread): Promise<readonly string[]> {
  const runs = (await insist(() => thread.get("/runs"))) as readonly WireRun[];
  return runs.map(({ status }) => status);
}
