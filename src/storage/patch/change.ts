/** How one value became another. */
export interface Change {
  /** See `node.ts`. */
  readonly node: unknown;
  /** The new value, in which everything equal is the old part. */
  readonly value: unknown;
  /** About as many bytes as the node takes. */
  readonly bytes: number;
  /** How much heavier the value has become. */
  readonly growth: number;
  /** What is built when the node is applied, as a `Budget` counts it. */
  readonly built: number;
}
