import { isObject } from "../values/containers.ts";

/** What a Worker's bindings have under the name, whatever it is. */
export function boundTo(env: unknown, binding: string): unknown {
  return isObject(env) ? Reflect.get(env, binding) : undefined;
}
