/** @file Differences of texts as `diff -u` shows them. */
import { align, type Hunk, hunksOf } from "../support/align.js";

const CONTEXT = 3;

/**
 * Returns the unified difference of two lists of lines, without the lines that name the files;
 * empty when they are equal.
 */
export function unifiedDiff(before: readonly string[], after: readonly string[]): string[] {
  const hunks = hunksOf(align(before, after), after.length);
  return groupsOf(hunks).flatMap((group) => groupLines(group, before, after));
}

/** Hunks whose lines around them touch. */
function groupsOf(hunks: readonly Hunk[]): Hunk[][] {
  const groups: Hunk[][] = [];
  for (const hunk of hunks) {
    const last = groups.at(-1);
    if (last !== undefined && hunk.startA - last.at(-1)!.endA <= 2 * CONTEXT) last.push(hunk);
    else groups.push([hunk]);
  }
  return groups;
}

function groupLines(group: readonly Hunk[], before: readonly string[], after: readonly string[]): string[] {
  const [first, last] = [group[0]!, group.at(-1)!];
  const lead = Math.min(CONTEXT, first.startA, first.startB);
  const start = first.startA - lead;
  const end = Math.min(before.length, last.endA + CONTEXT);
  const startB = first.startB - lead;
  const endB = Math.min(after.length, last.endB + CONTEXT);
  const lines: string[] = [`@@ -${range(start, end)} +${range(startB, endB)} @@`];
  let position = start;
  for (const hunk of group) {
    for (; position < hunk.startA; position++) lines.push(` ${before[position]!}`);
    for (; position < hunk.endA; position++) lines.push(`-${before[position]!}`);
    for (let j = hunk.startB; j < hunk.endB; j++) lines.push(`+${after[j]!}`);
  }
  for (; position < end; position++) lines.push(` ${before[position]!}`);
  return lines;
}

/** Lines count from 1; of no lines, the one before is named. */
const range = (start: number, end: number): string =>
  end - start === 1 ? String(start + 1) : `${end === start ? start : start + 1},${end - start}`;
