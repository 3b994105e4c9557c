import { holdBucket } from "../../support/bucket.ts";
import { allEvents } from "../../support/events.ts";
import { until } from "../../support/gate.ts";
import { stopObject } from "../../support/instances.ts";
import { deploy } from "../graphs.ts";
import { codeOf, insist, post, statusesOf, type WireRun } from "./client.ts";
import { asking, failing, input, stopping, storing, waiting, working } from "./graphs.ts";
import { type Scenario, settled } from "./scenario.ts";

/** What becomes of runs. */
export const RUNS: readonly Scenario[] = [
  {
    name: "a run in the foreground",
    play: async (thread, effects) => {
      deploy({ working: working(effects) });
      const { status, values } = await insist(() => thread.invoke(input));
      return [status, values["log"]];
    },
  },
  {
    name: "a run in the background",
    play: async (thread, effects) => {
      deploy({ working: working(effects) });
      const { run_id: id } = (await post(thread, "/runs", input)) as WireRun;
      const values = (await insist(() => thread.get(`/runs/${id}/join`))) as { log: unknown };
      return [values.log, await statusesOf(thread)];
    },
  },
  {
    name: "a run that nobody asks for again",
    play: async (thread, effects) => {
      deploy({ working: working(effects) });
      await post(thread, "/runs", input);
      // From here on only the alarm comes.
      await settled(thread);
      return (await thread.sql("SELECT status FROM runs")).map(({ status }) => status);
    },
  },
  {
    name: "a run that is streamed",
    play: async (thread, effects) => {
      deploy({ working: working(effects) });
      const response = await thread.post("/stream", { ...input, stream_mode: "updates" });
      const events = await allEvents(response);
      return events.at(-1)?.event;
    },
  },
  {
    name: "two questions, each answered twice",
    play: async (thread, effects) => {
      deploy({ asking: asking(effects) });
      const seen: unknown[] = [];
      let paused = await insist(() => thread.invoke(input));
      for (const answer of ["yes", "no"]) {
        const [question] = paused.interrupts;
        const body = { interrupt_id: question?.id, value: answer };
        paused = await insist(() => thread.resume(body));
        seen.push([
          question?.value,
          paused.status,
          (await insist(() => thread.resume(body))).run_id === paused.run_id,
        ]);
        seen.push(await codeOf(thread.resume({ ...body, value: "late" })));
      }
      return seen;
    },
  },
  {
    name: "a run that is refused when its turn comes",
    play: async (thread, effects) => {
      deploy({ asking: asking(effects) });
      await post(thread, "/runs", input);
      const refused = await codeOf(insist(() => thread.invoke(input)));
      return [refused, await statusesOf(thread)];
    },
  },
  {
    name: "a run that fails, an edit, and another run",
    play: async (thread, effects) => {
      deploy({ failing: failing(effects) });
      const failed = await codeOf(insist(() => thread.invoke(input)));
      const edit = { values: { log: ["mended"] }, as_node: "before" };
      const headers = { "idempotency-key": "edit" };
      await insist(() => post(thread, "/state", edit, headers));
      await insist(() => post(thread, "/state", edit, headers));
      return [failed, (await insist(() => thread.invoke({ input: null }))).values["log"]];
    },
  },
  {
    name: "a cancel while the run goes on, and again with a key",
    play: async (thread, effects) => {
      deploy({ waiting: waiting(effects) });
      const { run_id: id } = (await post(thread, "/runs", input)) as WireRun;
      await until(() => effects.wanted()["before"] === 1);
      const cancel = (headers = {}) => insist(() => post(thread, `/runs/${id}/cancel`, {}, headers));
      await cancel();
      await settled(thread);
      const keyed = () => cancel({ "idempotency-key": "cancel" });
      const answers = [await keyed(), await keyed()].map((answer) => JSON.stringify(answer));
      return [new Set(answers).size, await statusesOf(thread)];
    },
  },
  {
    name: "a cancel that undoes the run",
    play: async (thread, effects) => {
      deploy({ waiting: waiting(effects) });
      const { run_id: id } = (await post(thread, "/runs", input)) as WireRun;
      await until(() => effects.wanted()["before"] === 1);
      await codeOf(insist(() => post(thread, `/runs/${id}/cancel?action=rollback&wait=1`, {})));
      await settled(thread);
      return statusesOf(thread);
    },
  },
  {
    name: "a run that takes longer than it may",
    play: async (thread, effects) => {
      deploy({ waiting: waiting(effects) });
      const { run_id: id } = (await post(thread, "/runs", { ...input, timeout_seconds: 3600 })) as WireRun;
      await until(() => effects.wanted()["before"] === 1);
      await settled(thread);
      const joined = await insist(() => thread.get(`/runs/${id}/join`));
      return [JSON.stringify(joined).includes('"run_timed_out"'), await statusesOf(thread)];
    },
  },
  {
    name: "a run that takes the place of another",
    play: async (thread, effects) => {
      deploy({ waiting: waiting(effects) });
      await post(thread, "/runs", input);
      await until(() => effects.wanted()["before"] === 1);
      const next = { input: { log: ["quick"] }, multitask_strategy: "interrupt" };
      const { status } = await insist(() => thread.invoke(next));
      return [status, await statusesOf(thread)];
    },
  },
  {
    name: "a run that takes the place of another, whose checkpoints go",
    play: async (thread, effects) => {
      deploy({ waiting: waiting(effects) });
      await post(thread, "/runs", input);
      await until(() => effects.wanted()["before"] === 1);
      const values = await insist(() =>
        post(
          thread,
          "/runs/wait",
          { input: { log: ["quick"] }, multitask_strategy: "rollback" },
          { "idempotency-key": "next" },
        ),
      );
      return [(values as { log: unknown }).log, await statusesOf(thread)];
    },
  },
  {
    name: "a run that a fault of the storage stops for a while",
    play: async (thread, effects) => {
      deploy({ storing: storing(effects) });
      let isFaulty = true;
      holdBucket(({ operation }) => {
        if (operation !== "put" || !isFaulty) return undefined;
        isFaulty = false;
        return Promise.reject(new Error("outage"));
      });
      await post(thread, "/runs", input);
      await settled(thread);
      holdBucket();
      return statusesOf(thread);
    },
  },
  {
    name: "a run that stops its object three times in a row",
    play: async (thread, effects) => {
      let stops = 0;
      const stop = async (): Promise<string> => {
        // Until what came before is durable.
        await scheduler.wait(2);
        if (stops++ < 3) stopObject(thread.id);
        return "stopped";
      };
      deploy({ stopping: stopping(effects, stop) });
      await post(thread, "/runs", input);
      // Whoever calls takes it up, but for the last time: then it has to wait.
      await until(async () => {
        await insist(() => statusesOf(thread));
        return stops >= 3;
      });
      await insist(() => statusesOf(thread));
      await settled(thread);
      return statusesOf(thread);
    },
  },
  {
    name: "a run that waits for its time",
    play: async (thread, effects) => {
      deploy({ working: working(effects) });
      await post(thread, "/runs", { ...input, after_seconds: 60 });
      await settled(thread);
      return statusesOf(thread);
    },
  },
];
