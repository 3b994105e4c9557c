import { RefusedError } from "../errors.ts";

/** What was sent is not a whole archive, or not one that this code can read. */
export class InvalidArchiveError extends RefusedError {
  constructor(problem: string, cause?: unknown) {
    super(
      "invalid_archive",
      `The archive cannot be imported: ${problem}. Nothing was stored; export the thread again.`,
      cause === undefined ? {} : { cause },
    );
    this.name = "InvalidArchiveError";
  }
}

/** Newer code has written the archive. */
export class ArchiveTooNewError extends RefusedError {
  constructor(what: string, archive: number, code: number) {
    super(
      "archive_too_new",
      `The archive's ${what} has version ${archive}, but this deployment knows versions up to ${code}. Import it where newer code runs.`,
      { details: { what, archive_version: archive, code_version: code } },
    );
    this.name = "ArchiveTooNewError";
  }
}
