/** What a Worker's bindings have under the name, whatever it is. */
export function boundTo(env: unknown, binding: string): unknown {
  return typeof env === "object" && env !== null ? Reflect.get(env, binding) : undefined;
}
