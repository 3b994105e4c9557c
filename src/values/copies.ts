/**
 * What was copied already, by what it was copied from: so that shared parts stay shared, and cycles end. Most values are one
 * object, for which no map is made.
 */
export class Copies {
  #original: object | undefined;
  #copy: object | undefined;
  #more: Map<object, object> | undefined;

  get(original: object): object | undefined {
    return original === this.#original ? this.#copy : this.#more?.get(original);
  }

  set(original: object, copy: object): void {
    if (this.#original === undefined) {
      this.#original = original;
      this.#copy = copy;
    } else {
      (this.#more ??= new Map()).set(original, copy);
    }
  }
}
