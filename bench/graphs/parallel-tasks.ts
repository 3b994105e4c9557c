import type { Library, Saver } from "./library.ts";

/** An entrypoint that calls `width` tasks at once. */
export function parallelTasks(library: Library, saver: Saver) {
  const { entrypoint, task } = library;
  const square = task("square", async (n: number) => n * n);
  return entrypoint({ name: "squares", checkpointer: saver }, async (width: number) => {
    const squares = await Promise.all(Array.from({ length: width }, (_, n) => square(n)));
    return squares.length;
  });
}
