import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const script = join(import.meta.dirname, "../../scripts/start.js");

describe("npm start with an option that it does not have", () => {
  it.for([["--prot", "1"], ["--port"], ["serve"]])("%j says in one line which there are", (options) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...options], {
      encoding: "utf8",
    });
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toContain("--state-dir");
  });
});
