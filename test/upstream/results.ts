import type { Classified, TestClass } from "./classify.ts";

/** What a run of LangGraph's tests came to. The document is made of this, and of nothing else. */
export interface Results {
  /** The release of LangGraph that ran the same tests beside Tidemark. */
  readonly langgraph: string;
  readonly groups: readonly Group[];
  /** The tests of class (a) that fail here, with the reason of each. */
  readonly failures: readonly Failure[];
}

/** Tests of one file that ask for the same. */
export interface Group {
  readonly file: string;
  readonly class: TestClass;
  /** What they need besides the public interface. */
  readonly why?: string;
  readonly passed: number;
  readonly failed: number;
}

export interface Failure {
  readonly file: string;
  readonly test: string;
  readonly kind: "difference" | "changed" | "open";
  /** Of a difference the first cell of its row in differences.md, else in words. */
  readonly why: string;
}

/** One test as it ran. */
export interface Ran {
  readonly file: string;
  readonly test: string;
  readonly line: number;
  readonly passed: boolean;
}

/** Why tests of class (a) fail here: a row of differences.md, or another reason, which counts against Tidemark. */
export interface Reason {
  readonly file: string;
  /** Full names, or what they end with. */
  readonly tests: readonly string[];
  readonly difference?: string;
  readonly reason?: string;
}

export interface Run {
  readonly tidemark: readonly Ran[];
  readonly langgraph: readonly Ran[];
  readonly classified: ReadonlyMap<string, readonly Classified[]>;
}

/** The results of a run, and what does not fit: failures without a reason, and reasons without a failure. */
export function resultsOf(
  run: Run,
  reasons: readonly Reason[],
  release: string,
): { readonly results: Results; readonly problems: readonly string[] } {
  const failsUpstream = new Set(run.langgraph.filter((ran) => !ran.passed).map(nameOf));
  const groups = new Map<string, Group>();
  const failures: Failure[] = [];
  const problems: string[] = [];
  // By name: of one with parameters all runs may have the same.
  const needed = new Set<string>();
  for (const ran of run.tidemark) {
    const found = testAt(run.classified.get(ran.file) ?? [], ran.line);
    if (found === undefined) {
      problems.push(`${nameOf(ran)} is in no class`);
      continue;
    }
    count(groups, ran, found);
    if (ran.passed || found.class !== "a") continue;
    needed.add(nameOf(ran));
    const failure = failureOf(ran, reasons, failsUpstream);
    if (failure === undefined) problems.push(`${nameOf(ran)} fails without a reason`);
    else failures.push(failure);
  }
  problems.push(
    ...idleReasons(
      run.tidemark,
      reasons,
      (ran) => needed.has(nameOf(ran)) && !failsUpstream.has(nameOf(ran)),
    ),
  );
  return { results: { langgraph: release, groups: [...groups.values()], failures }, problems };
}

function count(groups: Map<string, Group>, ran: Ran, { class: name, why }: Classified): void {
  const key = JSON.stringify([ran.file, name, why]);
  const known = groups.get(key) ?? {
    file: ran.file,
    class: name,
    ...(why === undefined ? {} : { why }),
    passed: 0,
    failed: 0,
  };
  const outcome = ran.passed ? "passed" : "failed";
  groups.set(key, { ...known, [outcome]: known[outcome] + 1 });
}

function failureOf(
  ran: Ran,
  reasons: readonly Reason[],
  failsUpstream: ReadonlySet<string>,
): Failure | undefined {
  const at = { file: ran.file, test: ran.test };
  if (failsUpstream.has(nameOf(ran))) return { ...at, kind: "changed", why: "" };
  const reason = reasons.find((each) => isFor(each, ran));
  if (reason?.difference !== undefined) return { ...at, kind: "difference", why: reason.difference };
  return reason?.reason === undefined ? undefined : { ...at, kind: "open", why: reason.reason };
}

/** Reasons that no failing test needs, or that a passing test has. */
function idleReasons(
  all: readonly Ran[],
  reasons: readonly Reason[],
  isNeeded: (ran: Ran) => boolean,
): string[] {
  return reasons.flatMap((reason) =>
    reason.tests.flatMap((test) => {
      const meant = all.filter((ran) => isFor({ file: reason.file, tests: [test] }, ran));
      const idle = meant.filter((ran) => !isNeeded(ran)).map((ran) => `${nameOf(ran)} needs no reason`);
      return meant.length === 0 ? [`${reason.file}: no test is called "${test}"`] : idle;
    }),
  );
}

function isFor({ file, tests }: Pick<Reason, "file" | "tests">, ran: Ran): boolean {
  return file === ran.file && tests.some((test) => ran.test === test || ran.test.endsWith(` > ${test}`));
}

/** The innermost test around a line. */
function testAt(classified: readonly Classified[], line: number): Classified | undefined {
  return classified.find((test) => test.first <= line && line <= test.last);
}

function nameOf({ file, test }: Pick<Ran, "file" | "test">): string {
  return `${file} > ${test}`;
}
