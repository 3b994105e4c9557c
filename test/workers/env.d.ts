/** What `env` and `exports` of "cloudflare:workers" hold in the tests: the bindings of ./wrangler.toml. */
declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import("./worker.ts");
    durableNamespaces: "Thread" | "Directory";
  }
  interface Env {
    THREAD: DurableObjectNamespace<import("./worker.ts").Thread>;
    /** Its values are JSON, too deep a type for that of a stub. */
    DIRECTORY: DurableObjectNamespace;
    BLOBS: R2Bucket;
  }
}

interface ImportMeta {
  /** Of vite: the files that match. */
  glob<Module>(pattern: string, options: object): Record<string, Module>;
}

/** How many random sequences a model test runs. */
declare const MODEL_SEQUENCES: number;

/** The seed of the first of them; the others follow. */
declare const MODEL_FIRST_SEED: number;

/** Whether objects are ended wherever they come by, or at each kind of place once. */
declare const EVERY_CRASH: boolean;

/** How many wrong bodies are made at random for each route. */
declare const BAD_BODIES: number;

/** Whether objects are ended after every superstep. */
declare const RESETS: boolean;
