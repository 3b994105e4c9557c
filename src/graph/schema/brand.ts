import { isObject } from "../../values/containers.ts";

/** Whether the value is of the class with this name. By name, so that two copies of this package can be mixed. */
export function hasBrand(value: unknown, name: string): boolean {
  return isObject(value) && "lc_graph_name" in value && value.lc_graph_name === name;
}
