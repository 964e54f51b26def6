/** @file Numbers with units. */

/** Returns a number with its unit, scaled where it is large: `1.20 kB`. */
export function amount(value: number, unit: string): string {
  const scaled = STEPS.find(([step]) => value >= step);
  if (scaled === undefined) return `${Math.round(value)} ${unit}`;
  return `${(value / scaled[0]).toFixed(2)} ${scaled[1]}${unit}`;
}

const STEPS = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
] as const;
