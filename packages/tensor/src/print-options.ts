/** @file The options of printed tensors. */
import { checkOptions, type OptionNames } from "@sconce/errors";
import { tensorOption } from "./errors.js";

/** How a tensor prints: the options of `torch.set_printoptions`, with its defaults. */
export interface PrintOptions {
  /** Digits after the point, 0 to 100. @defaultValue 4 */
  readonly precision?: number | undefined;
  /**
   * The most elements of a tensor that prints in full; of a larger one, the ends of each dimension
   * print. `Infinity` prints all.
   * @defaultValue 1000
   */
  readonly threshold?: number | undefined;
  /** How many elements at each end of a dimension print of a large tensor. @defaultValue 3 */
  readonly edgeItems?: number | undefined;
  /** Characters per line, after which lines break. @defaultValue 80 */
  readonly lineWidth?: number | undefined;
  /** Whether floats print with an exponent. @defaultValue by the elements */
  readonly sciMode?: boolean | undefined;
}

/** Options with none left out, `sciMode` excepted. */
export interface PrintStyle extends PrintOptions {
  readonly precision: number;
  readonly threshold: number;
  readonly edgeItems: number;
  readonly lineWidth: number;
}

/** Characters per line where no option says another number. */
export const LINE_WIDTH = 80;

const DEFAULTS: PrintStyle = { precision: 4, threshold: 1000, edgeItems: 3, lineWidth: LINE_WIDTH };
const NAMES: OptionNames<PrintOptions> = {
  precision: true,
  threshold: true,
  edgeItems: true,
  lineWidth: true,
  sciMode: true,
};
/** The largest values; the others may be infinite. */
const LIMITS: Readonly<Record<string, number>> = { precision: 100, edgeItems: Number.MAX_SAFE_INTEGER };

/**
 * Returns the options, those left out at their defaults.
 *
 * @throws SconceError `UNKNOWN_OPTION`, `TENSOR_OPTION`
 */
export function printStyle(options: PrintOptions = {}): PrintStyle {
  checkOptions("printTensor", options, NAMES);
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (name === "sciMode") {
      if (typeof value !== "boolean") throw tensorOption(name, value, "true or false");
    } else if (typeof value !== "number" || !isCount(value, LIMITS[name])) {
      throw tensorOption(name, value, `a whole number from 0 to ${LIMITS[name] ?? "Infinity"}`);
    }
  }
  return { ...DEFAULTS, ...Object.fromEntries(given) };
}

const isCount = (value: number, most = Number.POSITIVE_INFINITY): boolean =>
  value >= 0 && value <= most && (Number.isInteger(value) || value === Number.POSITIVE_INFINITY);
