/**
 * What the Workers of the tests find on the other side of the network: a host that takes webhooks. How it answers says the
 * path, `/<behaviour>/<name>`, and `/received/<name>` tells what has come.
 */

interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const received = new Map<string, Received[]>();

/** For the configuration of miniflare: runs in Node. */
export async function receive(request: {
  readonly url: string;
  readonly headers: Iterable<[string, string]>;
  text(): Promise<string>;
}): Promise<{ readonly status: number; readonly headers: Record<string, string>; readonly body: string }> {
  const { hostname, pathname } = new URL(request.url);
  const [behaviour = "", name = ""] = pathname.split("/").slice(1);
  if (hostname !== "receiver") return { status: 502, headers: {}, body: "There is nobody." };
  const known = received.get(name) ?? [];
  if (behaviour === "received") return { status: 200, headers: {}, body: JSON.stringify(known) };
  known.push({ headers: Object.fromEntries(request.headers), body: await request.text() });
  received.set(name, known);
  return {
    status: statusOf(behaviour, known.length),
    headers: { location: "http://receiver/ok/elsewhere" },
    body: "",
  };
}

function statusOf(behaviour: string, calls: number): number {
  switch (behaviour) {
    case "ok":
      return 204;
    case "flaky":
      return calls === 1 ? 500 : 200;
    case "redirect":
      return 307;
    case "gone":
      return 410;
    default:
      return 500;
  }
}
