type Configurable = Readonly<Record<string, unknown>>;

/** What only authentication says of a run, as graphs of LangGraph's platform read it. */
const OF_AUTH = /^langgraph_auth_/;

/** What graphs find in `config.configurable`: of who has started the run what authentication says, and nothing else. */
export function callerConfigurable(said: Configurable = {}, ofCaller: Configurable = {}): Configurable {
  const ofRequest = Object.entries(said).filter(([key]) => !OF_AUTH.test(key));
  return { ...Object.fromEntries(ofRequest), ...ofCaller };
}

/** The same without what was said of another caller. */
export function withoutCaller(
  configurable: Configurable = {},
  callerKeys: readonly string[] = [],
): Configurable {
  return Object.fromEntries(Object.entries(configurable).filter(([key]) => !callerKeys.includes(key)));
}
