/** Stands in a row of writes for a value: how the one that its checkpoint has in the same channel, or elsewhere, becomes it. */
export class ValuePatch {
  readonly node: unknown;

  constructor(node: unknown) {
    this.node = node;
  }
}
