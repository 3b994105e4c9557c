import { RefusedError } from "../../errors.ts";

/** A part of the path as it was meant: a router's parameter is decoded leniently. */
export function pathPart(path: string, index: number): string {
  try {
    return decodeURIComponent(path.split("/")[index] ?? "");
  } catch (cause) {
    throw new RefusedError("invalid_request", "The path is not valid percent-encoded UTF-8.", { cause });
  }
}
