import { columnsOf } from "./columns.ts";
import type { Pair } from "./timing.ts";

/** One line of a table. */
export interface Result extends Pair {
  readonly work: string;
  /** The share of their time that ours may take. */
  readonly budget?: number;
}

const HEADER = ["Tidemark", "LangGraph.js", "ratio", "budget"];

/** A plain table; times in milliseconds. */
export function tableOf(title: string, results: readonly Result[]): string {
  return columnsOf([title, ...HEADER], results.map(cellsOf));
}

function cellsOf({ work, ours, theirs, ratio, budget }: Result): string[] {
  return [work, milliseconds(ours), milliseconds(theirs), ratioOf(ratio), verdict(ratio, budget)];
}

function verdict(ratio: number, budget: number | undefined): string {
  if (budget === undefined) return "";
  return `${ratioOf(budget)} ${ratio <= budget ? "met" : "MISSED"}`;
}

/** "1/12", as the budgets are written; "1.5" when ours is the slower one. */
function ratioOf(ratio: number): string {
  return ratio <= 1 ? `1/${(1 / ratio).toFixed(1).replace(/\.0$/, "")}` : ratio.toFixed(1);
}

function milliseconds(value: number): string {
  return value.toFixed(value < 10 ? 3 : value < 100 ? 1 : 0);
}
