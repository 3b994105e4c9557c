/** What `env` and `exports` of "cloudflare:workers" hold in the tests: the bindings of ./wrangler.toml. */
declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import("./worker.ts");
    durableNamespaces: "Thread";
  }
  interface Env {
    THREAD: DurableObjectNamespace<import("./worker.ts").Thread>;
    BLOBS: R2Bucket;
  }
}

interface ImportMeta {
  /** Of vite: the files that match. */
  glob<Module>(pattern: string, options: object): Record<string, Module>;
}

/** How many random sequences a model test runs. */
declare const MODEL_SEQUENCES: number;
