import { TidemarkError } from "../errors.ts";

/** A key that links are signed with. */
export interface HookKey {
  /** Stands in the links, so that keys can be changed. */
  readonly id: string;
  /** At least 32 characters that nobody can guess. */
  readonly secret: string;
}

const MIN_SECRET = 32;

/** The first key signs; links of all of them are taken. */
export function checkHookKeys(keys: readonly HookKey[]): readonly HookKey[] {
  const ids = new Set(keys.map(({ id }) => id));
  const isSound = keys.every(({ id, secret }) => id !== "" && secret?.length >= MIN_SECRET);
  if (keys.length > 0 && ids.size === keys.length && isSound) return keys;
  throw new TidemarkError(
    "invalid_hook_keys",
    `hooks.keys: give one key at least, each with an id of its own and a secret of ${MIN_SECRET} characters at least.`,
  );
}
