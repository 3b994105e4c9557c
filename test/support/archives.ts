import { json, request, type TestThread } from "./threads.ts";

const TYPE = "application/vnd.tidemark.thread";

export async function exported(thread: TestThread): Promise<Uint8Array<ArrayBuffer>> {
  const response = await request(`${thread.path}/export`);
  if (!response.ok) await json(response);
  return new Uint8Array(await response.arrayBuffer());
}

/** Makes the thread of an archive. */
export async function importInto<Thread extends TestThread>(
  thread: Thread,
  archive: Uint8Array<ArrayBuffer>,
): Promise<Thread> {
  const headers = { "content-type": TYPE };
  await json(request(`${thread.path}/import`, { method: "POST", headers, body: archive }));
  return thread;
}

export function holds(archive: Uint8Array, text: string): boolean {
  return new TextDecoder("latin1").decode(archive).includes(text);
}
