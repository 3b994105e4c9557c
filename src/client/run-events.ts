import { TidemarkClientError, unreachable } from "./client-error.ts";
import { serverEvents, type ServerEvent } from "./server-events.ts";
import type { Sent, Transport } from "./transport.ts";
import { Watchdog } from "./watchdog.ts";

/**
 * The events of a run until its end, each once, whatever becomes of the connection: where it breaks, or nothing comes for so
 * long, the rest is asked for by the id of the last event. Throws what the run has failed with.
 *
 * @param first Starts the run, or reads the events of one. It is sent again until it is answered.
 * @param silence In milliseconds.
 */
export async function* runEvents(
  transport: Transport,
  first: Sent,
  silence: number,
): AsyncGenerator<ServerEvent, void, undefined> {
  const retrying = transport.retrying(first.signal);
  let sent = first;
  for (;;) {
    const watchdog = new Watchdog(silence, first.signal);
    try {
      const response = await transport.once({ ...sent, signal: watchdog.signal });
      const location = response.headers.get("location");
      // The run is there: from now on it is read, not started.
      if (location !== null)
        sent = { method: "GET", path: location, ...(sent.headers && { headers: sent.headers }) };
      const onBytes = (): void => {
        watchdog.heard();
        retrying.heard();
      };
      for await (const event of serverEvents(response, onBytes)) {
        retrying.succeeded();
        if (event.id !== undefined)
          sent = { ...sent, headers: { ...sent.headers, "last-event-id": event.id } };
        if (event.event === "error") throw failureOf(event.data);
        watchdog.hold();
        yield event;
        if (event.event === "end") return;
        watchdog.heard();
      }
      throw unreachable("the stream has ended before the run");
    } catch (failure) {
      await retrying.pause(watchdog.reason(failure));
    } finally {
      watchdog.hold();
    }
  }
}

interface Failure {
  readonly code?: string;
  readonly error?: unknown;
  readonly message?: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** What the last event of a run says that has failed. */
export function failureOf(data: unknown): TidemarkClientError {
  const { error, code, message = "The run has failed.", details } = (data ?? {}) as Failure;
  const said = (typeof error === "object" ? error : { code, message, details }) as Failure;
  const name = said.code ?? (typeof error === "string" ? error : "run_failed");
  return new TidemarkClientError(name, said.message ?? message, {
    ...(said.details && { details: said.details }),
  });
}
