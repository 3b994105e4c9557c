import { HonoBase, type HonoOptions } from "hono/hono-base";
import { TrieRouter } from "hono/router/trie-router";
import type { BlankEnv } from "hono/types";

/** Hono with the router that takes all paths of ours: by itself it would try another one before, and bring that along. */
export class Hono extends HonoBase {
  constructor(options: HonoOptions<BlankEnv> = {}) {
    super(options);
    this.router = new TrieRouter();
  }
}
