import type { Report } from "../../log.ts";
import type { Span, SpanPart, SpanResult } from "../../pregel/span.ts";
import type { Traces } from "./traces.ts";

/** Does what a tracer is to do, unless it has thrown before. */
type Guard = <Value>(work: () => Value) => Value | undefined;

/** No run is harmed by what a tracer throws: that is reported once, and of the run at hand the tracer hears nothing more. */
export function guardedTraces(open: () => Traces | undefined, report: Report): Traces | undefined {
  const traces = guardOf(report)(open);
  if (traces === undefined) return undefined;
  return {
    begin(run) {
      const guard = guardOf((fault) => report(fault, { run_id: run.runId }));
      const span = guard(() => traces.begin(run));
      return span && guardedSpan(guard, span);
    },
    async flush() {
      await Promise.resolve()
        .then(() => traces.flush())
        .catch((fault: unknown) => report(fault));
    },
  };
}

function guardOf(report: (fault: unknown) => void): Guard {
  let hasThrown = false;
  return (work) => {
    if (hasThrown) return undefined;
    try {
      return work();
    } catch (fault) {
      hasThrown = true;
      report(fault);
      return undefined;
    }
  };
}

/** `span` is absent when it could not begin. */
function guardedSpan(guard: Guard, span: Span | undefined): Span {
  return {
    begin: (part: SpanPart) =>
      guardedSpan(
        guard,
        guard(() => span?.begin(part)),
      ),
    end: (result: SpanResult) => guard(() => span?.end(result)),
    endGraph: (namespace: string, result: SpanResult) => guard(() => span?.endGraph?.(namespace, result)),
  };
}
