import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * One measured line beside the figure of a peer: a time, or memory held. Peers and targets are in
 * the same unit.
 */
export type Row = Figures &
  (
    | {
        readonly milliseconds: number;
        readonly peer?: { readonly name: string; readonly milliseconds: number };
      }
    | { readonly bytes: number; readonly peer?: { readonly name: string; readonly bytes: number } }
  );

interface Figures {
  readonly group: string;
  readonly name: string;
  /** What the work is divided by, with its unit: `{ count: 100000, unit: "node" }`. */
  readonly per?: { readonly count: number; readonly unit: string };
  /** What is aimed at. */
  readonly target?: number;
}

/**
 * Least of several runs, as the peers were measured, after one to warm up; at least `minimum` runs
 * and half a second.
 */
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

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/**
 * Bytes of the heap that a value holds, beyond what is held already: the middle of three, of values
 * made anew.
 */
export async function bytesHeld(make: () => unknown): Promise<number> {
  await heldOnce(make);
  const held: number[] = [];
  for (let round = 0; round < 3; round++) held.push(await heldOnce(make));
  return held.sort((a, b) => a - b)[1]!;
}

async function heldOnce(make: () => unknown): Promise<number> {
  const holder: { value: unknown } = { value: undefined };
  const before = await heapUsed();
  // In a separate function: this one keeps what it computed last.
  const fill = (): void => {
    holder.value = make();
  };
  fill();
  const after = await heapUsed();
  holder.value = undefined;
  return after - before;
}

async function heapUsed(): Promise<number> {
  // A weak reference that is made or read holds its target until the event loop moves on.
  for (let round = 0; round < 3; round++) {
    await setImmediate();
    collectGarbage();
  }
  return process.memoryUsage().heapUsed;
}

/** Rows as an aligned table. */
export function table(rows: readonly Row[]): string {
  const texts = rows.map((row) => [
    row.group,
    row.name,
    textOf(row),
    eachOf(row),
    row.target === undefined ? "" : targetOf(row, row.target),
    peerOf(row),
  ]);
  const header = ["group", "what", "measured", "each", "target", "peer (theirs / ours)"];
  const widths = header.map((title, i) => Math.max(title.length, ...texts.map((row) => row[i]!.length)));
  const line = (row: readonly string[]): string =>
    row
      .map((text, i) => text.padEnd(widths[i]!))
      .join("  ")
      .trimEnd();
  return [line(header), widths.map((width) => "-".repeat(width)).join("  "), ...texts.map(line)].join("\n");
}

const textOf = (row: Row): string => ("bytes" in row ? memory(row.bytes) : time(row.milliseconds));

function eachOf(row: Row): string {
  if (row.per === undefined) return "";
  const { count, unit } = row.per;
  if ("bytes" in row) return `${(row.bytes / count).toFixed(0)} B/${unit}`;
  return `${((row.milliseconds * 1000) / count).toFixed(2)} µs/${unit}`;
}

function targetOf(row: Row, target: number): string {
  const [amount, text] = "bytes" in row ? [row.bytes, memory(target)] : [row.milliseconds, time(target)];
  return `${amount <= target ? "within" : "OVER"} ${text}`;
}

function peerOf(row: Row): string {
  if (row.peer === undefined) return "";
  const [text, ratio] =
    "bytes" in row
      ? [memory(row.peer.bytes), row.peer.bytes / row.bytes]
      : [time(row.peer.milliseconds), row.peer.milliseconds / row.milliseconds];
  return `${row.peer.name} ${text} (${ratio.toFixed(1)}x)`;
}

const memory = (bytes: number): string =>
  bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(1)} kB`;

const time = (milliseconds: number): string =>
  milliseconds >= 1000
    ? `${(milliseconds / 1000).toFixed(2)} s`
    : `${milliseconds.toFixed(milliseconds < 10 ? 2 : 0)} ms`;
