import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { sendThread } from "../../../src/command/send-thread.ts";

const open: { close(): void }[] = [];
afterEach(() => open.splice(0).forEach((server) => server.close()));

/** Answers each request by the next of these. */
async function serving(...answers: ((response: ServerResponse) => void)[]): Promise<string> {
  const server = createServer((_, response) => answers.shift()?.(response));
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const breaksOff = (response: ServerResponse): void => {
  response.writeHead(409, { "content-length": "100" }).write("{");
  setTimeout(() => response.destroy(), 20);
};

it("asks again what a server says of its refusal when that breaks off", async () => {
  const url = await serving(breaksOff, (response) => response.writeHead(409).end("thread_exists"));
  const sending = sendThread({ url, apiKey: undefined }, "t", (async function* () {})());
  await expect(sending).rejects.toThrow(`${url}/threads/t/import answered 409: thread_exists`);
});
