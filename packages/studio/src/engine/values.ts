/** @file The elements of one value: statistics, a histogram, the first ones, pictures. */
import { type Tensor, tensorStatistics } from "@sconce/tensor";
import type { Picture, ValueView } from "./protocol.js";
import { magnitudeReader } from "./slices.js";

/** Bars of a histogram. */
const BARS = 32;
/** Sizes of the last two dimensions that make a picture. */
const LEAST_SIDE = 4;
const MOST_SIDE = 512;
/** Pictures of one value. */
const MOST_PICTURES = 8;
/** Characters of a text. */
const MOST_TEXT = 4_000;

/** Returns what the page shows of a row-major tensor. */
export function valueView(tensor: Tensor): ValueView {
  const { min, max, mean, std, nan, positiveInfinity, negativeInfinity, count } = tensorStatistics(tensor);
  const read = magnitudeReader(tensor);
  const numbers = Float64Array.from({ length: tensor.numel }, (_, position) => read(position));
  const text = String(tensor);
  const fact = (name: string, value: number | bigint | undefined) =>
    value === undefined
      ? []
      : [{ name, value: typeof value === "bigint" ? String(value) : shortNumber(value) }];
  return {
    statistics: [
      ...fact("elements", count),
      ...fact("least", min),
      ...fact("greatest", max),
      ...fact("mean", mean),
      ...fact("std", std),
      ...fact("NaN", nan === 0 ? undefined : nan),
      ...fact(
        "infinite",
        positiveInfinity + negativeInfinity === 0 ? undefined : positiveInfinity + negativeInfinity,
      ),
    ],
    histogram: histogram(numbers, Number(min ?? 0), Number(max ?? 0)),
    text: text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text,
    pictures: pictures(tensor.shape, numbers, Number(min ?? 0), Number(max ?? 0)),
  };
}

const shortNumber = (value: number): string => String(Number(value.toPrecision(6)));

/** Returns how many elements lie in each of the equal parts of the range. */
function histogram(numbers: Float64Array, min: number, max: number): number[] {
  const counts = new Array<number>(BARS).fill(0);
  const scale = max > min ? BARS / (max - min) : 0;
  for (const value of numbers)
    if (Number.isFinite(value)) counts[Math.min(BARS - 1, Math.floor((value - min) * scale))]!++;
  return counts;
}

/** Returns the last two dimensions as gray pictures, the least element black. */
function pictures(shape: readonly number[], numbers: Float64Array, min: number, max: number): Picture[] {
  const [height = 0, width = 0] = shape.slice(-2);
  const isPicture = [height, width].every((side) => side >= LEAST_SIDE && side <= MOST_SIDE);
  if (shape.length < 3 || !isPicture) return [];
  const size = height * width;
  const scale = max > min ? 255 / (max - min) : 0;
  const count = Math.min(MOST_PICTURES, numbers.length / size);
  return Array.from({ length: count }, (_, i) => ({
    width,
    height,
    gray: Uint8ClampedArray.from(
      numbers.subarray(i * size, (i + 1) * size),
      (value) => (value - min) * scale,
    ),
  }));
}
