/**
 * Makes no object: the private fields of a class that extends it come to be on the object that it was given, where nobody
 * else sees them and no copy has them. For what has to be known of many objects: a WeakMap costs twenty times as much for
 * each, and once more at each garbage collection. A frozen object may refuse them.
 */
// oxlint-disable-next-line typescript/no-extraneous-class
export class Onto {
  constructor(object: object) {
    return object;
  }
}
