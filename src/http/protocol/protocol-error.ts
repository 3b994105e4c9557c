import { TidemarkError, type WireError } from "../../errors.ts";

/** A command that is answered with an error of the protocol. */
export class ProtocolError extends TidemarkError {}

export function notSupported(what: string): ProtocolError {
  return new ProtocolError("not_supported", what);
}

/** The protocol's words for errors of ours; those of others begin with their kind. */
const CODES: Readonly<Record<string, string>> = {
  interrupt_not_pending: "no_such_interrupt",
  interrupt_answered: "no_such_interrupt",
  checkpoint_not_found: "no_such_checkpoint",
  unknown_namespace: "no_such_namespace",
  run_not_found: "no_such_run",
  forbidden: "permission_denied",
};

const INVALID = /^(?:invalid_|unknown_|missing_|interrupt_|graph_|assistant_|empty_|thread_)/;

const OWN = new Set([
  "invalid_argument",
  "unknown_command",
  "no_such_subscription",
  "no_such_run",
  "no_such_interrupt",
  "not_supported",
]);

/** `error` says it in the protocol's words; `code` and `details` as everywhere else. */
export function errorResponse(id: number | null, error: WireError): Readonly<Record<string, unknown>> {
  const { code, message, details } = error;
  return { type: "error", id, error: protocolCode(code), message, code, details };
}

function protocolCode(code: string): string {
  if (OWN.has(code)) return code;
  return CODES[code] ?? (INVALID.test(code) ? "invalid_argument" : "unknown_error");
}
