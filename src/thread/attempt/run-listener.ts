import { segmentsOf } from "../../pregel/namespace.ts";
import type { Span } from "../../pregel/span.ts";
import type { StreamEvent, StreamMode } from "../../pregel/types.ts";
import type { Alongside } from "../../storage/checkpoint-writer.ts";
import type { EventKind, RunLog } from "../events/run-log.ts";
import { type TellGraph, ToldGraphs } from "../events/told-graphs.ts";
import { loggedData, loggedName } from "../feed/logged-form.ts";
import type { ProtocolEvent } from "../feed/protocol-event.ts";
import { PROTOCOL_MODES, ProtocolEvents } from "../feed/protocol-events.ts";
import { type TellEvent, ToldSpan } from "../events/langchain-events.ts";
import type { LangGraphMode, RunRequest } from "../runs/run-request.ts";
import { eventName } from "../wire.ts";

/** Writes what a run tells into its log, in the form in which its listeners want it. */
export interface RunListener {
  readonly modes: ReadonlySet<StreamMode>;
  readonly subgraphs: boolean;
  hear(event: StreamEvent): void;
  /** Makes ready what goes with a checkpoint; absent when nobody listens. */
  readonly stage: Alongside | undefined;
  /** Absent when nobody listens. */
  readonly log: RunLog | undefined;
  /** What is told of the work itself, besides to whoever traces it. */
  watching(traced: Span | undefined, run: { readonly id: string; readonly graph: string }): Span | undefined;
  /** The attempt tells nothing more. */
  end(): void;
  /** The namespaces of the graphs inside nodes that have asked, by interrupt id. */
  readonly asked: ReadonlyMap<string, readonly string[]>;
}

const NOTHING_ASKED: RunListener["asked"] = new Map();

/** Whether anything of the run is to be told. */
export function isTold({
  modes,
  langGraphModes = modes,
}: Pick<RunRequest, "modes" | "langGraphModes">): boolean {
  return langGraphModes.length > 0;
}

/** A run that was started for nobody to hear tells its values to who listens to all that the thread does. */
export function heardRequest(request: RunRequest): RunRequest {
  return isTold(request) ? request : { ...request, modes: ["values"], langGraphModes: ["values"] };
}

/** Without a log nobody listens. */
export function listenerOf(request: RunRequest, log: RunLog | undefined, now: () => number): RunListener {
  if (log !== undefined && request.isForProtocol === true) return protocolListener(log, now);
  const { subgraphs = false } = request;
  const tells = (mode: LangGraphMode): boolean =>
    log !== undefined && request.langGraphModes?.includes(mode) === true;
  const tell: TellEvent = (event) => log?.emit("events", event);
  let close: (() => void) | undefined;
  return {
    watching(traced, { id, graph }) {
      const watched = tells("lifecycle") ? new ToldGraphs(inMode(log), traced) : traced;
      if (!tells("events")) return watched;
      const told = { name: graph, run_id: id, tags: [], metadata: {}, data: {} };
      tell({ ...told, event: "on_chain_start" });
      close = () => tell({ ...told, event: "on_chain_end" });
      return new ToldSpan(id, tell, watched);
    },
    modes: new Set(request.modes),
    subgraphs,
    hear: (event) =>
      log?.emit(eventName(event, subgraphs), event.payload, isDerived(event) ? "derived" : "own"),
    stage: log && stageOf(log),
    log,
    end: () => close?.(),
    asked: NOTHING_ASKED,
  };
}

/** What is said of supersteps, and not by nodes. */
const DERIVED: ReadonlySet<string> = new Set(["values", "updates", "tasks", "checkpoints", "debug"]);

/** Whether supersteps say anything of the run that can be told from what is stored of them. */
export function isDerivable({ modes, isForProtocol }: RunRequest): boolean {
  return isForProtocol === true || modes.some((mode) => DERIVED.has(mode));
}

/** Whether it can be told from what is stored of the superstep. */
function isDerived({ mode, namespace, isUnstored }: StreamEvent): boolean {
  return DERIVED.has(mode) && namespace === undefined && isUnstored !== true;
}

/** As LangGraph's mode `lifecycle` does. */
function inMode(log: RunLog | undefined): TellGraph {
  return (namespace, event) =>
    log?.emit(`lifecycle|${namespace}`, { ...event, namespace: segmentsOf(namespace) });
}

function stageOf(log: RunLog): Alongside {
  return ({ id }, namespace) => log.stage(namespace === "" ? id : undefined);
}

function protocolListener(log: RunLog, now: () => number): RunListener {
  const events = new ProtocolEvents();
  const write = (
    heard: () => readonly ProtocolEvent[],
    kindOf: (event: ProtocolEvent) => EventKind = () => "own",
  ): void =>
    log.emitAll(() => heard().map((event) => [loggedName(event), loggedData(event, now()), kindOf(event)]));
  const stage = stageOf(log);
  return {
    modes: PROTOCOL_MODES,
    subgraphs: true,
    hear: (event) => {
      const isOfCheckpoint = isDerived(event);
      write(
        () => events.push(event),
        ({ method }) => (isOfCheckpoint && DERIVED.has(method) ? "derived" : "own"),
      );
    },
    stage: (checkpoint, namespace) => {
      write(
        () => events.stored(segmentsOf(namespace), checkpoint.channel_values),
        () => "staged",
      );
      return stage(checkpoint, namespace);
    },
    log,
    watching: (traced) =>
      new ToldGraphs((namespace, event) => write(() => events.graph(namespace, event)), traced),
    end: () => write(() => events.end()),
    asked: events.asked,
  };
}
