/** @file Errors of calls of the functional API. */
import {
  describeValue,
  didYouMean,
  type ErrorEdit,
  editOf,
  nearestEdit,
  requireWord,
  SconceError,
  suggestions,
  suggestionText,
} from "@sconce/errors";
import { LAYOUTS, MEMORY_FORMATS } from "@sconce/ir";
import { DTYPES, isNumericArray, longDType, Tensor } from "@sconce/tensor";
import type { Parameter, Signature } from "./parameters.js";

const TYPES: Readonly<Record<string, string>> = {
  SymInt: "int",
  ScalarType: "dtype",
  MemoryFormat: "memory format",
  Scalar: "number",
};

function parameterText({ name, keywords, base, list, optional, allowNone }: Parameter): string {
  const type = `${TYPES[base] ?? base}${list ? "[]" : ""}${allowNone ? " | null" : ""}`;
  return `${keywords[0] ?? name}${optional ? "?" : ""}: ${type}`;
}

/** Returns a signature as users write it: `(dim: int, keepdim?: bool)`. */
function signatureText({ parameters }: Signature): string {
  const positional = parameters.filter(({ keywordOnly }) => !keywordOnly).map(parameterText);
  const options = parameters.filter(({ keywordOnly }) => keywordOnly).map(parameterText);
  return `(${[...positional, ...(options.length > 0 ? [`{ ${options.join(", ")} }`] : [])].join(", ")})`;
}

const valueText = (value: unknown): string => {
  if (value instanceof Tensor) return `${value.dtype} tensor`;
  return Array.isArray(value) ? `[${value.map(valueText).join(", ")}]` : describeValue(value);
};

/** No signature of a function takes the arguments of a call. */
export function noSignature(
  name: string,
  signatures: readonly Signature[],
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
): SconceError {
  const given = [
    ...args.map(valueText),
    ...Object.entries(kwargs).map(([key, value]) => `${key}: ${valueText(value)}`),
  ];
  const slip = slipOf(signatures, args, kwargs);
  const undefinedFix = args.includes(undefined) ? "an argument is undefined: check that it exists; " : "";
  const shown = signatures.filter(({ deprecated }) => !deprecated).map(signatureText);
  return new SconceError({
    code: "NO_SIGNATURE",
    message: `${name} does not take the arguments (${given.join(", ")})`,
    fix: `${slip?.fix ?? ""}${undefinedFix}use ${shown.length === 1 ? "" : "one of "}${shown.map((text) => `${name}${text}`).join("; ")}`,
    edits: slip?.edits,
  });
}

/** What is probably wrong with a call, in front of what its function takes. */
interface Slip {
  readonly fix: string;
  readonly edits?: readonly ErrorEdit[] | undefined;
}

/** Returns the fix for a misspelled keyword or word, or for nested arrays in place of a tensor. */
function slipOf(
  signatures: readonly Signature[],
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
): Slip | undefined {
  const keywords = [
    ...new Set(signatures.flatMap(({ parameters }) => parameters.flatMap((parameter) => parameter.keywords))),
  ];
  for (const [key, value] of Object.entries(kwargs)) {
    if (value === undefined) continue;
    if (!keywords.includes(key)) {
      const fix = didYouMean(key, keywords, "");
      if (fix !== "") return { fix, ...nearestEdit(key, keywords) };
    }
    const found = wordSlip(value, (parameter) => parameter.keywords.includes(key), signatures);
    if (found !== undefined) return found;
  }
  for (const [i, value] of args.entries()) {
    const isAt = (parameter: Parameter, at: number): boolean => at === i && !parameter.keywordOnly;
    const found = wordSlip(value, isAt, signatures) ?? arraySlip(value, isAt, signatures);
    if (found !== undefined) return found;
  }
  return undefined;
}

type Chosen = (parameter: Parameter, at: number) => boolean;

/** The words that parameters of these types take. */
const WORDS: Partial<Record<Parameter["base"], readonly string[]>> = {
  ScalarType: DTYPES,
  Layout: LAYOUTS,
  MemoryFormat: MEMORY_FORMATS,
};

function wordSlip(value: unknown, isChosen: Chosen, signatures: readonly Signature[]): Slip | undefined {
  if (typeof value !== "string") return undefined;
  const bases = new Set(
    signatures.flatMap(({ parameters }) => parameters.filter(isChosen).map(({ base }) => base)),
  );
  for (const base of bases) {
    const words = WORDS[base];
    if (words === undefined || words.includes(value)) continue;
    const kind = TYPES[base] ?? base.toLowerCase();
    const long = base === "ScalarType" ? longDType(value) : undefined;
    const near = long === undefined ? suggestions(value, words) : [long];
    if (near.length === 0 && bases.size > 1) continue;
    const edit = long === undefined ? nearestEdit(value, words) : editOf(value, long);
    const question = near.length === 0 ? ";" : `, ${suggestionText(near)}`;
    return { fix: `"${value}" is not a ${kind}${question} `, ...edit };
  }
  return undefined;
}

/** Nested arrays of numbers where a tensor is expected. */
function arraySlip(value: unknown, isChosen: Chosen, signatures: readonly Signature[]): Slip | undefined {
  const isTensor = ({ base, list }: Parameter): boolean => base === "Tensor" && !list;
  const takesTensor = signatures.some(({ parameters }) =>
    parameters.some((parameter, at) => isChosen(parameter, at) && isTensor(parameter)),
  );
  if (!takesTensor || !isNumericArray(value)) return undefined;
  return { fix: "make a tensor of the nested arrays with `Tensor.from(arrays)`; " };
}

/** Returns the error for a wrong value of an argument of a function that TypeScript implements. */
export const invalidArgument = (name: string, problem: string, fix: string): SconceError =>
  new SconceError({ code: "TORCH_ARGUMENT", message: `${name}: ${problem}`, fix });

/**
 * Returns the error for a large whole number that decides a dtype, and may be an integer or a float
 * of Python.
 */
export function ambiguousNumber(name: string, value: number): SconceError {
  const option = (dtype: string): string =>
    /\.(full|tensor|asTensor|asarray)$/.test(name) ? ` or { dtype: "${dtype}" }` : "";
  // As Python writes a whole float.
  const asFloat = Math.abs(value) < 1e16 ? `${value}.0` : value.toExponential();
  return invalidArgument(
    name,
    `${value} decides the dtype: JavaScript does not distinguish Python's float ${asFloat} from the integer`,
    `for float32 write float(${value})${option("float32")}; for int64 write ${BigInt(value)}n${option("int64")}`,
  );
}

/** Refuses a value that is not one of a few words. */
export const requireChoice = (
  name: string,
  argument: string,
  value: unknown,
  choices: readonly string[],
): void =>
  requireWord(value, choices, {
    code: "TORCH_ARGUMENT",
    message: `${name}: ${argument} is ${describeValue(value)}`,
  });

/** Returns the error when a dynamic condition is decided when no program is traced. */
export const noTrace = (condition: string): SconceError =>
  new SconceError({
    code: "NO_TRACE",
    message: `the condition ${condition} is decided when no program is traced`,
    fix: "call `guard` inside of the function that is exported",
  });

/** Returns the error for a condition that a program requires, and that does not hold. */
export const requirementFailed = (message = "Expected cond to be True, but got False"): SconceError =>
  new SconceError({
    code: "CHECK_FAILED",
    message,
    fix: "give inputs for which the condition holds, or remove the check",
  });

/** Returns the error for a condition that is not a boolean: a tensor, or a symbolic number. */
export const wrongCondition = (name: string, value: unknown): SconceError =>
  value instanceof Tensor
    ? invalidArgument(
        name,
        "the condition is a tensor, whose value only the data decide",
        "use a condition on sizes, `sym.ne(x.item(), 0)`, or choose elements with `torch.where`",
      )
    : invalidArgument(
        name,
        "the condition is not a boolean",
        "compare: `sym.ne(n, 0)` asks whether a size is not zero",
      );
