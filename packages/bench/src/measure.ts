/** One measured line beside the figure of a peer. */
export interface Row {
  readonly group: string;
  readonly name: string;
  readonly milliseconds: number;
  /** What the work is divided by, with its unit: `{ count: 100000, unit: "node" }`. */
  readonly per?: { readonly count: number; readonly unit: string };
  /** The peer's figure as the notes give it, measured on the same kind of machine. */
  readonly peer?: { readonly name: string; readonly milliseconds: number };
  /** What is aimed at. */
  readonly target?: number;
}

/** Least of several runs, as the peers were measured, after one to warm up; at least `minimum` runs and half a second. */
export async function least(run: () => unknown, minimum = 5): Promise<number> {
  await run();
  let best = Number.POSITIVE_INFINITY;
  const begin = performance.now();
  for (let runs = 0; runs < minimum || (performance.now() - begin < 500 && runs < 50); runs++) {
    const start = performance.now();
    await run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}

/** Rows as an aligned table. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.group,
    row.name,
    time(row.milliseconds),
    row.per === undefined
      ? ""
      : `${((row.milliseconds * 1000) / row.per.count).toFixed(2)} µs/${row.per.unit}`,
    row.target === undefined
      ? ""
      : `${row.milliseconds <= row.target ? "within" : "OVER"} ${time(row.target)}`,
    row.peer === undefined
      ? ""
      : `${row.peer.name} ${time(row.peer.milliseconds)} (${(row.peer.milliseconds / row.milliseconds).toFixed(1)}x)`,
  ]);
  const header = ["group", "what", "time", "each", "target", "peer (theirs / ours)"];
  const widths = header.map((title, i) => Math.max(title.length, ...cells.map((cell) => cell[i]!.length)));
  const line = (cell: readonly string[]): string =>
    cell
      .map((text, i) => text.padEnd(widths[i]!))
      .join("  ")
      .trimEnd();
  return [line(header), widths.map((width) => "-".repeat(width)).join("  "), ...cells.map(line)].join("\n");
}

const time = (milliseconds: number): string =>
  milliseconds >= 1000
    ? `${(milliseconds / 1000).toFixed(2)} s`
    : `${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms`;
