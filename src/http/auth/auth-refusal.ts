import { RefusedError } from "../../errors.ts";

const CODES: Readonly<Record<number, string>> = {
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found",
  429: "rate_limited",
};

/** The configured auth refuses the request, with a status and headers of its own. */
export class AuthRefusal extends RefusedError {
  readonly status: number;
  readonly headers: Headers;

  constructor(status: number, message: string, headers: Headers) {
    super(CODES[status] ?? "refused", message);
    this.name = "AuthRefusal";
    this.status = status;
    this.headers = headers;
  }
}
