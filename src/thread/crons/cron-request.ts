import { callerConfigurable, withoutCaller } from "../../caller-configurable.ts";
import { decode, type Encoded, encode } from "../../checkpoint/encoding.ts";
import type { SerializerProtocol } from "../../checkpoint/serde/protocol.ts";
import { cronTooLarge } from "../errors.ts";
import type { RunRequest } from "../runs/run-request.ts";
import type { PatchCron } from "./cron-protocol.ts";
import type { CronRow } from "./cron-rows.ts";

/** What the runs of a cron are started with. */

/** In bytes, as it is stored: in the row. */
const MAX_REQUEST = 256 * 1024;

export async function encodeRequest(serde: SerializerProtocol, request: RunRequest): Promise<Encoded> {
  const encoded = await encode(serde, request);
  if (encoded.data.byteLength > MAX_REQUEST) throw cronTooLarge(encoded.data.byteLength, MAX_REQUEST);
  return encoded;
}

export async function requestOf(serde: SerializerProtocol, { request }: CronRow): Promise<RunRequest> {
  // What a router sent and this object stored, in the shape that it was parsed into.
  return (await decode(serde, request)) as RunRequest;
}

export function patchedRequest(
  request: RunRequest,
  { request: changes, metadata, callerConfigurable: ofCaller }: PatchCron,
): RunRequest {
  const { metadata: before, callerKeys } = request.config;
  const { metadata: _, ...wanted } = changes.config ?? request.config;
  const said = changes.config?.configurable ?? withoutCaller(wanted.configurable, callerKeys);
  const kept = metadata ?? before;
  return {
    ...request,
    ...changes,
    config: {
      ...wanted,
      ...(ofCaller && {
        configurable: callerConfigurable(said, ofCaller),
        callerKeys: Object.keys(ofCaller),
      }),
      ...(kept !== undefined && { metadata: kept }),
    },
  };
}
