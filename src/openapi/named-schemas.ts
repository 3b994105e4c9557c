import type * as v from "valibot";
import * as assistantAnswers from "../http/answers/assistant.ts";
import * as cronAnswers from "../http/answers/cron.ts";
import * as errorAnswers from "../http/answers/error.ts";
import * as parts from "../http/answers/parts.ts";
import * as runAnswers from "../http/answers/run.ts";
import * as serverAnswers from "../http/answers/server.ts";
import * as stateAnswers from "../http/answers/state.ts";
import * as storeAnswers from "../http/answers/store.ts";
import * as threadAnswers from "../http/answers/thread.ts";
import * as assistantBodies from "../http/assistants/assistant-schemas.ts";
import * as cronBodies from "../http/crons/cron-schemas.ts";
import * as runBodies from "../http/runs/run-create.ts";
import * as verbBodies from "../http/requests/schemas.ts";
import * as stateBodies from "../http/threads/state-schemas.ts";
import * as storeBodies from "../http/store/store-schemas.ts";
import * as threadBodies from "../http/threads/thread-schemas.ts";

const ANSWERS = {
  ...parts,
  ...errorAnswers,
  ...runAnswers,
  ...stateAnswers,
  ...threadAnswers,
  ...assistantAnswers,
  ...cronAnswers,
  ...storeAnswers,
  ...serverAnswers,
};

const BODIES = {
  ...verbBodies,
  ...runBodies,
  ...stateBodies,
  ...threadBodies,
  ...assistantBodies,
  ...cronBodies,
  ...storeBodies,
};

/** The schemas that the document names, by what they are called in the sources. */
export const NAMED: Readonly<Record<string, v.GenericSchema>> = {
  ...schemasIn(ANSWERS, () => true),
  ...schemasIn(BODIES, (name) => name.endsWith("Body") && name !== "AnyBody"),
};

function schemasIn(
  values: Readonly<Record<string, unknown>>,
  isNamed: (name: string) => boolean,
): Record<string, v.GenericSchema> {
  const found: Record<string, v.GenericSchema> = {};
  for (const [name, value] of Object.entries(values))
    if (isNamed(name) && isSchema(value)) found[name] = value;
  return found;
}

function isSchema(value: unknown): value is v.GenericSchema {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "schema";
}
