/**
 * What rows said when they were read last. An object alone writes its rows: they are read again when it has written them
 * since, or when a transaction in which they were read or written was undone.
 */
export class Remembered<Value> {
  #known: { readonly value: Value } | undefined;

  read(load: () => Value): Value {
    this.#known ??= { value: load() };
    return this.#known.value;
  }

  /** What the rows say when they are written so; nothing is known of them when nothing was. */
  change(changed: (value: Value) => Value): void {
    if (this.#known !== undefined) this.#known = { value: changed(this.#known.value) };
  }

  /** What the rows say is known without reading them. */
  know(value: Value): void {
    this.#known = { value };
  }

  /** To be called with whatever changes the rows. */
  forget(): void {
    this.#known = undefined;
  }
}
