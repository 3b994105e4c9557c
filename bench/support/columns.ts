/** A plain table: the first column to the left, the others to the right. */
export function columnsOf(head: readonly string[], body: readonly (readonly string[])[]): string {
  const rows = [head, ...body];
  const widths = head.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  ")
      .trimEnd(),
  );
  const [first = "", ...others] = lines;
  return [first, "-".repeat(first.length), ...others].join("\n");
}
