import { DurableObject } from "cloudflare:workers";

export class Thread extends DurableObject {}

export default {
  fetch() {
    return new Response("tidemark test worker");
  },
} satisfies ExportedHandler;
