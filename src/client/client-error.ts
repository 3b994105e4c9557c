/** What the server has refused, or what has failed there. */
export class TidemarkClientError extends Error {
  /** Stable, as in "thread_interrupted"; "unreachable" when no server has answered. */
  readonly code: string;
  /** Of the answer; 0 when there was none. */
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    options: { status?: number; details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "TidemarkClientError";
    this.code = code;
    this.status = options.status ?? 0;
    this.details = options.details ?? {};
  }
}

/** No answer has come, or not all of it. */
export function unreachable(cause: unknown): TidemarkClientError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new TidemarkClientError("unreachable", `The server cannot be reached: ${reason}`, { cause });
}

/** The error that an answer says, in whatever form it comes. */
export function errorIn({ status }: Response, text: string): TidemarkClientError {
  const said = saidBy(text);
  const code = said?.code ?? (status >= 500 ? "server_error" : "http_error");
  const message = said?.message ?? `The server has answered ${status}. ${text.slice(0, 500)}`.trim();
  return new TidemarkClientError(code, message, { status, ...(said?.details && { details: said.details }) });
}

interface Said {
  readonly code: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

function saidBy(text: string): Said | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const error: unknown =
      typeof body === "object" && body !== null && "error" in body ? body.error : undefined;
    return isSaid(error) ? error : undefined;
  } catch {
    return undefined;
  }
}

function isSaid(value: unknown): value is Said {
  return (
    typeof value === "object" &&
    value !== null &&
    "code" in value &&
    typeof value.code === "string" &&
    "message" in value &&
    typeof value.message === "string"
  );
}
