/** @file Distances in units in the last place, as text. */
import { countText } from "@sconce/errors";
import type { UlpBucket, UlpMeasure } from "@sconce/session";

/** The widest bar of a histogram, in characters. */
const BAR = 40;

/** Returns the histogram of a tensor, with a headline; nothing where all elements are equal. */
export function ulpLines(name: string, ulp: UlpMeasure | undefined): string[] {
  if (ulp === undefined) return [];
  const { max, median, p99, histogram, nan, infinite, nonfiniteDiffering, finite } = ulp;
  if (max === 0 && nonfiniteDiffering === 0) return [];
  const most = Math.max(...histogram.map(({ count }) => count));
  const width = Math.max(0, ...histogram.map((bucket) => rangeText(bucket).length));
  const digits = String(most).length;
  return [
    `${name}: max ${ulpText(max)} ULP, median ${ulpText(median)}, 99 % within ${ulpText(p99)}; ${countText(finite, "finite number")}`,
    ...histogram.map((bucket) => {
      const { count } = bucket;
      const bar = "#".repeat(Math.ceil((BAR * count) / most));
      return `  ${rangeText(bucket).padStart(width)}  ${String(count).padStart(digits)}  ${bar}`.trimEnd();
    }),
    ...(nan + infinite === 0 ? [] : [`  ${nan} NaN, ${infinite} infinite; ${nonfiniteDiffering} differ`]),
  ];
}

const rangeText = ({ min, max }: UlpBucket): string =>
  min === max ? ulpText(min) : `${ulpText(min)}-${ulpText(max)}`;

/** Returns a distance with at most four digits. */
export const ulpText = (distance: number): string =>
  distance < 10_000 ? String(distance) : distance.toExponential(2).replace("e+", "e");
