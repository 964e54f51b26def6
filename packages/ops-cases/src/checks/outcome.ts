/** @file Checks operators against recorded calls of PyTorch's. */
import { isSconceError } from "@sconce/errors";
import type { Argument } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { compareTensors, sameLayout } from "@sconce/tensor/compare";
import { type BuiltValue, buildCall, buildTensor, buildValue, type Call } from "../recorded/build.js";
import type { CaseTensor, CaseValue, OpCase } from "../recorded/case.js";

/** Anything that runs one operator on values: a backend's evaluator. */
export type OperatorCall = (
  target: string,
  args: readonly BuiltValue[],
  kwargs: Readonly<Record<string, BuiltValue>>,
) => unknown;

/** In what two tensors differ, or undefined; `inputs` are the call's tensors. */
export type TensorComparison = (got: Tensor, want: Tensor, inputs: readonly Tensor[]) => string | undefined;

/** What the check may be strict about. */
export interface OpCheckOptions {
  /** Whether fresh outputs of this target have to have the recorded strides. */
  readonly checkStrides?: (target: string) => boolean;
  /**
   * Whether results may be fresh where PyTorch gives views of the arguments: for backends with
   * their own memory.
   */
  readonly mayCopy?: boolean;
  /** In place of the case's own tolerance. */
  readonly compare?: TensorComparison;
}

/** Returns what is wrong with the result of one case, or undefined. */
export function checkOpCase(
  one: OpCase,
  call: OperatorCall,
  options: OpCheckOptions = {},
): string | undefined {
  const prepared = prepareCase(one);
  let outcome: CaseOutcome;
  try {
    outcome = { result: call(one.target, prepared.args, prepared.kwargs) };
  } catch (error) {
    outcome = { error };
  }
  return outcomeProblem(one, prepared, outcome, options);
}

/** A case's arguments as fresh values, and what lay in them before the call. */
export interface PreparedCase extends Call {
  /** The arguments as they were before the call. */
  readonly before: Snapshot;
}

/** What came of a call. */
export type CaseOutcome = { readonly result: unknown } | { readonly error: unknown };

/** Builds the arguments of a recorded call, and notes their values. */
export function prepareCase(one: OpCase): PreparedCase {
  const { args, kwargs } = buildCall(one);
  return { args, kwargs, before: snapshot(args, kwargs) };
}

/** Returns what is wrong with what came of a case, or undefined. */
export function outcomeProblem(
  one: OpCase,
  { args, kwargs, before }: PreparedCase,
  outcome: CaseOutcome,
  options: OpCheckOptions = {},
): string | undefined {
  if ("error" in outcome) {
    const { error } = outcome;
    if (one.compare === "error" && isSconceError(error)) return refusalProblem(error.code);
    const message = error instanceof Error ? error.message : String(error);
    return `${isSconceError(error) ? error.code : "threw"}: ${message}`;
  }
  const { result } = outcome;
  if (one.compare === "error") return `should be rejected: ${one.error?.split("\n")[0]}`;
  return (
    outputProblem(one, result, { args, kwargs }, options) ??
    mutationProblem(one, { args, kwargs }) ??
    unwantedWrite(one, before)
  );
}

const refusalProblem = (code: string): string | undefined =>
  ["UNKNOWN_OPERATOR", "NO_KERNEL", "INTERNAL"].includes(code)
    ? `rejected for the wrong reason: ${code}`
    : undefined;

function outputProblem(
  one: OpCase,
  result: unknown,
  call: Call,
  options: OpCheckOptions,
): string | undefined {
  const wanted = one.outputs ?? [];
  const single = wanted.length === 1;
  const got = single ? [result] : wanted.length === 0 ? [] : result;
  if (!Array.isArray(got) || got.length !== wanted.length) return `wanted ${wanted.length} results`;
  for (let i = 0; i < wanted.length; i++) {
    const problem = valueProblem(one, got[i], wanted[i]!, call, options);
    if (problem !== undefined) return single ? problem : `output ${i}: ${problem}`;
  }
  return undefined;
}

function valueProblem(
  one: OpCase,
  got: unknown,
  want: CaseValue,
  call: Call,
  options: OpCheckOptions,
): string | undefined {
  if ("unspecified" in want) return undefined;
  if ("tensor" in want) return tensorProblem(one, got, want, call, options);
  if ("list" in want) {
    if (!Array.isArray(got) || got.length !== want.list.length) return `wanted a list of ${want.list.length}`;
    for (let i = 0; i < got.length; i++) {
      const problem = valueProblem(one, got[i], want.list[i]!, call, options);
      if (problem !== undefined) return `item ${i}: ${problem}`;
    }
    return undefined;
  }
  return scalarProblem(got, buildValue(want) as Argument, one);
}

function tensorProblem(
  one: OpCase,
  got: unknown,
  spec: CaseTensor,
  call: Call,
  options: OpCheckOptions,
): string | undefined {
  if (!(got instanceof Tensor)) return `wanted a tensor, got ${String(got)}`;
  const want = buildTensor(spec);
  const isView = spec.alias !== undefined && options.mayCopy !== true;
  const strict = isView || options.checkStrides?.(one.target) === true;
  if (strict) {
    const problem = sameLayout(got, want, isView);
    if (problem !== undefined) return problem;
  }
  const owners = argumentTensors(call).filter(([, tensor]) => tensor.storage === got.storage);
  if (isView && !owners.some(([path]) => path === spec.alias)) return `does not alias ${spec.alias}`;
  const mayAlias = isView || (options.mayCopy === true && owners.some(([path]) => path === spec.alias));
  if (!mayAlias && owners.length > 0 && want.numel > 0) return `aliases ${owners[0]![0]}`;
  const valuesKnown = spec.tensor !== null && one.compare !== "meta";
  if (valuesKnown && options.compare !== undefined)
    return options.compare(
      got,
      want,
      argumentTensors(call).map(([, tensor]) => tensor),
    );
  return compareTensors(got, want, { rtol: one.rtol ?? 0, atol: one.atol ?? 0, values: valuesKnown });
}

function scalarProblem(got: unknown, want: Argument, one: OpCase): string | undefined {
  const a = plainNumber(got);
  const b = plainNumber(want);
  if (one.compare === "meta")
    return typeof a === typeof b ? undefined : `wanted ${String(b)}, got ${String(a)}`;
  if (typeof a === "number" && typeof b === "number") {
    if (Object.is(a, b) || a === b) return undefined;
    if (Math.abs(a - b) <= (one.atol ?? 0) + (one.rtol ?? 0) * Math.abs(b)) return undefined;
  }
  return a === b ? undefined : `wanted ${String(b)}, got ${String(a)}`;
}

function plainNumber(value: unknown): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "object" && value !== null && "kind" in value && value.kind === "float") {
    return (value as unknown as { value: number }).value;
  }
  return value;
}

function mutationProblem(one: OpCase, call: Call): string | undefined {
  const tensors = new Map(argumentTensors(call));
  for (const [path, spec] of Object.entries(one.mutated ?? {})) {
    const got = tensors.get(path);
    if (got === undefined || !("tensor" in spec)) return `no argument at ${path}`;
    const values = spec.tensor !== null && one.compare !== "meta";
    const problem = compareTensors(got, buildTensor(spec), {
      rtol: one.rtol ?? 0,
      atol: one.atol ?? 0,
      values,
    });
    if (problem !== undefined) return `mutated ${path}: ${problem}`;
  }
  return undefined;
}

type Layout = Pick<Tensor, "shape" | "strides">;
type Snapshot = readonly (readonly [path: string, tensor: Tensor, bytes: Uint8Array, layout: Layout])[];

const snapshot = (args: readonly BuiltValue[], kwargs: Call["kwargs"]): Snapshot =>
  argumentTensors({ args, kwargs }).map(([path, tensor]) => [
    path,
    tensor,
    tensor.storage.bytes.slice(),
    { shape: tensor.shape, strides: tensor.strides },
  ]);

function unwantedWrite(one: OpCase, before: Snapshot): string | undefined {
  for (const [path, tensor, bytes] of before) {
    if (one.mutated?.[path] !== undefined || one.compare === "meta") continue;
    if (tensor.storage.bytes.some((byte, i) => byte !== bytes[i])) return `writes to ${path}`;
  }
  return undefined;
}

function argumentTensors(call: Call): [string, Tensor][] {
  const found: [string, Tensor][] = [];
  const visit = (path: string, value: unknown): void => {
    if (value instanceof Tensor) found.push([path, value]);
    else if (Array.isArray(value)) for (const [i, item] of value.entries()) visit(`${path}.${i}`, item);
  };
  for (const [i, value] of call.args.entries()) visit(`args.${i}`, value);
  for (const key in call.kwargs) visit(`kwargs.${key}`, call.kwargs[key]);
  return found;
}
