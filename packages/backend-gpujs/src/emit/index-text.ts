/**
 * @file Indices as integer expressions: no locals (gpu.js holds those as floats), no division that
 * is not exact.
 */
import type { KernelOp } from "@sconce/codegen";
import { internalError } from "@sconce/errors";
import type { Dialect } from "./dialect.js";

/** An integer expression. */
export interface IndexText {
  readonly text: string;
  /** What it is at the top: a sum, a product or something that needs no parentheses. */
  readonly rank: "sum" | "product" | "atom";
}
export const indexAtom = (text: string): IndexText => ({ text, rank: "atom" });

/** Returns a known place or size. Of a literal with a sign shaders make a float. */
export function indexNumber(value: number): IndexText {
  if (!Number.isSafeInteger(value)) throw internalError(`${value} is not an index`);
  return value < 0 ? { text: `0 - ${-value}`, rank: "sum" } : indexAtom(String(value));
}

/** Returns a number that is whole, as an integer. */
export const wholeNumber = (text: string, { hasBits }: Dialect): IndexText =>
  indexAtom(hasBits ? `(${text} | 0)` : `whole(${text})`);

const factor = ({ text, rank }: IndexText): string => (rank === "sum" ? `(${text})` : text);
const single = ({ text, rank }: IndexText): string => (rank === "atom" ? text : `(${text})`);
/** Arguments of functions, whose literals have no sign. */
const argument = ({ text }: IndexText): string => text.replace(/^0 - (\d+)$/, "iless($1, 1, 0)");

/** Whole quotients where plain division is exact enough. */
const plainQuotient = (a: IndexText, b: IndexText): string => `(Math.floor(${factor(a)} / ${single(b)}) | 0)`;

/**
 * Returns an operation on indices. gpu.js may compute in floats what looks like integers, so what
 * reaches beyond 2^24 goes through helpers, as do divisions that are not correctly rounded.
 */
export function indexText(op: KernelOp, args: readonly IndexText[], dialect: Dialect): IndexText {
  const { isDouble } = dialect;
  const [a, b, c] = args as [IndexText, IndexText, IndexText];
  switch (op) {
    case "add":
      return { text: `${a.text} + ${b.text}`, rank: "sum" };
    case "sub":
      return { text: `${a.text} - ${factor(b)}`, rank: "sum" };
    case "mul":
      return { text: `${factor(a)} * ${factor(b)}`, rank: "product" };
    case "max":
      return wholeNumber(`Math.max(${a.text}, ${b.text})`, dialect);
    case "min":
      return wholeNumber(`Math.min(${a.text}, ${b.text})`, dialect);
    case "fdiv":
      return indexAtom(plainQuotient(a, b));
    case "udiv":
    case "floor_div":
      return indexAtom(quotient(a, b, isDouble));
    case "urem":
    case "remainder":
      return { text: `${a.text} - ${quotient(a, b, isDouble)} * ${single(b)}`, rank: "sum" };
    case "wide_add":
      return indexAtom(`iflat(${[a, b, c].map(argument).join(", ")})`);
    case "wide_sub":
      return indexAtom(`iless(${[a, b, c].map(argument).join(", ")})`);
    default:
      throw internalError(`no source for ${op} of indices`);
  }
}
const quotient = (a: IndexText, b: IndexText, isDouble: boolean): string =>
  isDouble ? plainQuotient(a, b) : `idiv(${a.text}, ${b.text})`;

/** Source, the letters of its parameters, and their type where it is not `Integer`. */
interface IndexHelper {
  readonly source: string;
  readonly parameters: string;
  readonly type?: "Number";
}
/**
 * Helpers that kernels may call, for `addFunction`: integers stay integers as their arguments, and
 * all give integers.
 */
export const INDEX_HELPERS: readonly IndexHelper[] = [
  { parameters: "x", type: "Number", source: "function whole(x) { return Math.floor(x); }" },
  { parameters: "iwq", source: "function iflat(i, w, q) { return i * w + q; }" },
  { parameters: "iwq", source: "function iless(i, w, q) { return q - i * w; }" },
  {
    parameters: "iwq",
    source:
      "function qfix(i, w, q) { if (i - q * w < 0) { return q - 1; } if (i - q * w >= w) { return q + 1; } return q; }",
  },
  { parameters: "iwq", source: "function qstep(i, w, q) { return q + (Math.floor((i - q * w) / w) | 0); }" },
  {
    parameters: "iw",
    source: "function idiv(i, w) { return qfix(i, w, qstep(i, w, Math.floor(i / w) | 0)); }",
  },
];
