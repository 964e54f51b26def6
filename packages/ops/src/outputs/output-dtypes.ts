/** @file Which dtypes the outputs of `out=` overloads may have, as PyTorch answers. */
import type { FakeTensor } from "@sconce/ir";
import { type DType, type DTypeKind, dtypeInfo, isIntegralDType } from "@sconce/tensor";
import type { OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch } from "../rows/errors.js";
import { cppTypeName, scalarTypeName } from "../rules/dtype-names.js";
import { canCast } from "../rules/promote.js";
import { OUTPUT_RULES } from "./output-rules.js";

/** Whether an output of a dtype holds a result of another, computed of an input. */
type Test = (result: DType, output: DType, input: DType | undefined) => boolean;

const kindOf = (dtype: DType): DTypeKind => dtypeInfo(dtype).kind;
const isComplex = (dtype: DType | undefined): boolean => dtype !== undefined && kindOf(dtype) === "complex";
/** Dtypes that few kernels know. */
const WIDE: ReadonlySet<DType> = new Set(["uint16", "uint32", "uint64", "complex32"]);
const HALVES: ReadonlySet<DType> = new Set(["float16", "bfloat16"]);

const float: Test = (_, output) => kindOf(output) === "float";
const complex: Test = (_, output) => output === "complex64" || output === "complex128";
const common: Test = (_, output) => !WIDE.has(output);

const RULES: Readonly<Record<string, Test>> = {
  exact: (result, output) => result === output,
  cast: canCast,
  any: () => true,
  truth: (_, output) => output === "bool" || output === "uint8",
  float,
  complex,
  inexact: (result, output, input) => float(result, output, input) || complex(result, output, input),
  common,
  copy: (result, output) => !WIDE.has(output) && canCast(result, output),
  real: (_, output) => !WIDE.has(output) && !isComplex(output),
  total: (result, output, input) => (kindOf(result) === "float" ? float : common)(result, output, input),
  deviation: (result, output) =>
    HALVES.has(result) ? HALVES.has(output) : ["float", "complex"].includes(kindOf(output)),
  /** Those of complex numbers are written into complex outputs, too. */
  size: (result, output, input) => (isComplex(input) ? canCast(result, output) : result === output),
  spectrum: (result, output, input) =>
    isComplex(input) ? result === output : complex(result, output, input),
};

/** What an overload takes, and its refusal. */
interface Rule {
  readonly name: string;
  readonly message: string;
}

const EXACT: Rule = {
  name: "exact",
  message: "Expected out tensor to have dtype %rL, but got %oL instead",
};
const CAST: Rule = { name: "cast", message: "result type %rS can't be cast to the desired output type %oS" };

/** Overloads without recorded calls, asked by hand. */
const MORE: readonly (readonly [string, Rule])[] = [
  ["aten.clip.Tensor_out", CAST],
  ["aten.linalg_cond.p_str_out", CAST],
];

let rules: ReadonlyMap<string, Rule> | undefined;

function readRules(): ReadonlyMap<string, Rule> {
  const found = new Map<string, Rule>(MORE);
  for (const line of OUTPUT_RULES) {
    const [, name, text, calls] = /^(\w+) (".*"): (.*)$/.exec(line) as unknown as string[];
    const usual = name === "cast" ? CAST.message : EXACT.message;
    const message = (JSON.parse(text!) as string) || usual;
    for (const call of calls!.split(" ")) found.set(`aten.${call}`, { name: name!, message });
  }
  return found;
}

/**
 * Returns the rule of an overload. Those that PyTorch was not asked about follow their functional
 * one.
 */
function ruleOf(target: string, { tags }: OpDefinition): Rule {
  rules ??= readRules();
  return rules.get(target) ?? (tags.includes("pointwise") && !target.startsWith("aten.") ? CAST : EXACT);
}

/**
 * Returns whether an overload computes in the dtype of its output, as sums and factories do. Means
 * of integers have no dtype then, either.
 */
export function computesInOutput(
  target: string,
  functional: OpDefinition,
  output: FakeTensor,
  input: FakeTensor | undefined,
): boolean {
  const { name } = ruleOf(target, functional);
  if (name === "exact" || !functional.schema.args.some((arg) => arg.name === "dtype")) return false;
  if (input === undefined || !MEANS.has(name)) return true;
  return !isIntegralDType(input.dtype, true) && canCast(input.dtype, output.dtype);
}
const MEANS: ReadonlySet<string> = new Set(["inexact", "cast", "copy"]);

/** Outputs of reductions have the dtype that is given. */
const REDUCES = /^aten\.(sum|mean|prod|nansum|nanmean)\./;

/**
 * Refuses an output whose dtype PyTorch does not take for a result.
 *
 * @param isGiven whether the call has a dtype
 * @throws SconceError `DTYPE_MISMATCH`
 */
export function refuseOutputDType(
  target: string,
  functional: OpDefinition,
  result: FakeTensor,
  output: FakeTensor,
  input: FakeTensor | undefined,
  isGiven = false,
): void {
  const { name, message } = isGiven && REDUCES.test(target) ? EXACT : ruleOf(target, functional);
  if (RULES[name]!(result.dtype, output.dtype, input?.dtype)) return;
  const dtypes: Readonly<Record<string, DType>> = { r: result.dtype, o: output.dtype };
  const text = message.replace(/%([ro])([SL])/g, (_, which: string, style: string) =>
    (style === "S" ? scalarTypeName : cppTypeName)(dtypes[which]!),
  );
  throw dtypeMismatch(text);
}
