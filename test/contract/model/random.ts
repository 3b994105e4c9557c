/** Numbers that a seed determines (mulberry32). */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to `count`, without it. */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return Math.floor((((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32) * count);
  }

  /** True once in so many times. */
  once(count: number): boolean {
    return this.below(count) === 0;
  }

  among<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.below(choices.length)] ?? choices[0];
  }
}
