/** @file Errors of calls of the functional API. */
import { describeValue, didYouMean, SconceError } from "@sconce/errors";
import { Tensor } from "@sconce/tensor";
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

/** A signature as users write it: `(dim: int, keepdim?: bool)`. */
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
  const undefinedFix = args.includes(undefined) ? "an argument is undefined: check that it exists; " : "";
  const shown = signatures.filter(({ deprecated }) => !deprecated).map(signatureText);
  return new SconceError({
    code: "NO_SIGNATURE",
    message: `${name} does not take the arguments (${given.join(", ")})`,
    fix: `${undefinedFix}use ${shown.length === 1 ? "" : "one of "}${shown.map((text) => `${name}${text}`).join("; ")}`,
  });
}

/** An argument of a function that is written in TypeScript has a wrong value. */
export const invalidArgument = (name: string, problem: string, fix: string): SconceError =>
  new SconceError({ code: "TORCH_ARGUMENT", message: `${name}: ${problem}`, fix });

/** One of a few names is expected. */
export const unknownChoice = (
  name: string,
  argument: string,
  value: unknown,
  choices: readonly string[],
): SconceError => {
  const fix = `use ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
  return invalidArgument(
    name,
    `${argument} is ${describeValue(value)}`,
    typeof value === "string" ? didYouMean(value, choices, fix) : fix,
  );
};

/** A dynamic condition is decided when no program is traced. */
export const noTrace = (condition: string): SconceError =>
  new SconceError({
    code: "NO_TRACE",
    message: `the condition ${condition} is decided when no program is traced`,
    fix: "call `guard` inside of the function that is exported",
  });

/** A condition that a program requires, and that does not hold. */
export const requirementFailed = (message = "Expected cond to be True, but got False"): SconceError =>
  new SconceError({
    code: "CHECK_FAILED",
    message,
    fix: "give inputs for which the condition holds, or remove the check",
  });

/** What is given as a condition is none: a tensor, or a symbolic number. */
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
