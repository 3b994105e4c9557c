import { answered } from "./directory-calls.ts";
import type { ThreadDirectory } from "./thread-directory.ts";
import type { ThreadPlatform } from "../platform.ts";
import { ThreadRecord } from "./thread-record.ts";
import type { NewThread } from "../thread-rows.ts";

export interface DraftParts {
  readonly platform: ThreadPlatform;
  /** Absent: nobody is told. */
  readonly directory: ThreadDirectory | undefined;
}

/**
 * What the directory knows of a thread before it is made. It asks by itself what becomes of it: while it does, what changes needs no timer. It
 * has forgotten the draft, or may have, as soon as it is told something, has asked, or could be told that there is no thread.
 */
export class Draft {
  readonly #parts: DraftParts;
  #isExpected = false;
  #ends = 0;

  constructor(parts: DraftParts) {
    this.#parts = parts;
  }

  /** Whether the directory asks for more. */
  get isExpected(): boolean {
    return this.#isExpected;
  }

  /** Tells the directory, which shows the thread from here on. False when it cannot be told now. */
  async announce(thread: NewThread): Promise<boolean> {
    const { platform, directory } = this.#parts;
    if (directory === undefined) return true;
    const ends = this.#ends;
    const expectation = { within: platform.lease, objectId: platform.objectId };
    try {
      const of = directory.of(thread.tenant);
      const isExpected = await answered(() => of.putThread(ThreadRecord.draft(thread), expectation));
      // What has ended it meanwhile has ended it for good.
      this.#isExpected = isExpected && ends === this.#ends;
    } catch (fault) {
      platform.report(fault);
      return false;
    }
    platform.reached("announcement.expected");
    return true;
  }

  end(): void {
    this.#isExpected = false;
    this.#ends += 1;
  }
}
