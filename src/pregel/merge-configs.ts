import type { RunnableConfig } from "./types.ts";

/**
 * The config of a graph (`withConfig`) and that of a call as one: `configurable` and `metadata` key by key, tags one after
 * the other, either signal; of everything else, what the call says.
 */
export function mergeConfigs<Config extends RunnableConfig>(
  base: RunnableConfig | undefined,
  config: Config,
): Config {
  if (base === undefined) return config;
  const signals = [base.signal, config.signal].filter((signal) => signal !== undefined);
  return {
    ...base,
    ...config,
    ...both("configurable", base.configurable, config.configurable),
    ...both("metadata", base.metadata, config.metadata),
    ...(base.tags && config.tags ? { tags: [...base.tags, ...config.tags] } : {}),
    ...(signals.length > 1 ? { signal: AbortSignal.any(signals) } : {}),
  };
}

function both(key: string, base: object | undefined, more: object | undefined): object {
  return base && more ? { [key]: { ...base, ...more } } : {};
}
