/**
 * @file Checks shape rules: compares a rule's prediction with PyTorch's recorded result and with
 * the kernel's.
 */
import { isSconceError } from "@sconce/errors";
import { FakeTensor } from "@sconce/ir";
import { bindArgs, type EmitArg, kernelResult, metaOf, type OperatorTable } from "@sconce/ops";
import { type IntLike, ShapeEnv, solveLinear, substitute } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { type BuiltValue, buildCall, buildTensor, type Call } from "../recorded/build.js";
import { type CaseValue, dtypesOf, type OpCase } from "../recorded/case.js";
import { fakesOtherDTypes, fakesScales, predictsOtherStrides } from "./differences.js";
import type { OperatorCall } from "./outcome.js";

/** Dtype, sizes and strides of a result, lists of them, or the kind of a scalar. */
type Prediction = unknown;

/**
 * Returns what the shape rule predicts wrongly for one case, or undefined. Strides must equal those
 * of the run, unless {@link predictsOtherStrides} says otherwise. They are compared with PyTorch's
 * only where they address other elements.
 */
export function checkPrediction(
  one: OpCase,
  operators: OperatorTable,
  call: OperatorCall,
): string | undefined {
  if (one.compare === "error") return undefined;
  const { args, kwargs } = buildCall(one);
  let predicted: Prediction;
  try {
    predicted = predict(operators, one.target, args, kwargs);
  } catch (error) {
    if (isSconceError(error) && DATA_DEPENDENT.has(error.code)) return undefined;
    const message = error instanceof Error ? error.message : String(error);
    return `${isSconceError(error) ? error.code : "threw"}: ${message}`;
  }
  const recorded = (one.outputs ?? []).map(recordedOf);
  const wanted = recorded.length > 1 ? recorded : recorded[0];
  const isOther = predictsOtherStrides(one.target);
  const strides = isOther ? "any" : "where elements are";
  const statistics = fakesOtherDTypes(one.target, dtypesOf(one));
  const anyDType = fakesScales(one.target);
  return (
    comparePrediction(predicted, resultOf(call, one.target, { args, kwargs }), {
      source: "the run gives",
      strides: isOther ? "any" : "all",
      statistics,
      anyDType,
    }) ?? comparePrediction(predicted, wanted, { source: "PyTorch gives", strides, statistics, anyDType })
  );
}

/** Refusals of a shape rule that needs to know what is in a tensor; PyTorch's refuse the same. */
const DATA_DEPENDENT: ReadonlySet<string> = new Set(["DATA_DEPENDENT_GUARD"]);

/**
 * Returns what the run gives; undefined when it refuses, which is for the check of runs to judge.
 */
function resultOf(call: OperatorCall, target: string, { args, kwargs }: Call): unknown {
  try {
    return call(target, args, kwargs);
  } catch {
    return undefined;
  }
}

/** The source of the layout to compare with, and which strides have to agree. */
export interface PredictionOptions {
  /** What made the prediction, for messages. */
  readonly source: string;
  /** Which strides must agree. */
  readonly strides: "all" | "where elements are" | "any";
  /**
   * Allows float32 for a predicted half, or the reverse, in results after the first. Default false.
   */
  readonly statistics?: boolean;
  /** Allows another dtype than the predicted one. Default false. */
  readonly anyDType?: boolean;
}

/**
 * Predicts the result of a call on real tensors by the shape rule, with the strides of PyTorch's
 * kernel where these are known to be others.
 */
export function predict(
  operators: OperatorTable,
  target: string,
  args: readonly BuiltValue[],
  kwargs: Readonly<Record<string, BuiltValue>>,
): Prediction {
  const fakeKwargs = Object.fromEntries(Object.entries(kwargs).map(([key, value]) => [key, toFake(value)]));
  const env = new ShapeEnv({ ranges: new Map(), hints: new Map() });
  const fakes = args.map(toFake);
  const bound = bindArgs(operators.require(target).schema, fakes as EmitArg[], fakeKwargs as Kwargs);
  return kernelResult(target, bound, metaOf(operators, target, fakes, fakeKwargs, env), env);
}

type Kwargs = Readonly<Record<string, EmitArg>>;

const toFake = (value: unknown): unknown =>
  value instanceof Tensor ? new FakeTensor(value) : Array.isArray(value) ? value.map(toFake) : value;

/**
 * Returns a recorded tensor, undefined if the value is not compared, null if it is not a tensor.
 */
function recordedOf(value: CaseValue): unknown {
  if ("unspecified" in value) return undefined;
  if ("tensor" in value) return buildTensor({ ...value, tensor: null });
  return "list" in value ? value.list.map(recordedOf) : null;
}

/**
 * Returns the first difference between a predicted and a real layout. Data-dependent sizes may have
 * any value, but each symbol has one value.
 */
export function comparePrediction(
  predicted: Prediction,
  real: unknown,
  options: PredictionOptions,
  solved: Map<string, number> = new Map(),
): string | undefined {
  if (real === undefined) return undefined;
  if (Array.isArray(real)) {
    if (!Array.isArray(predicted) || predicted.length !== real.length)
      return `predicts ${Array.isArray(predicted) ? predicted.length : 1} results, not ${real.length}`;
    for (const [i, item] of real.entries()) {
      const own = i === 0 ? { ...options, statistics: false } : options;
      const problem = comparePrediction(predicted[i], item, own, solved);
      if (problem !== undefined) return `${i}: ${problem}`;
    }
    return undefined;
  }
  if (!(real instanceof Tensor))
    return predicted instanceof FakeTensor ? "predicts a tensor, there is none" : undefined;
  if (!(predicted instanceof FakeTensor)) return "predicts no tensor";
  return compareLayout(predicted, real, options, solved);
}

function compareLayout(
  fake: FakeTensor,
  real: Tensor,
  { source, strides: judged, statistics = false, anyDType = false }: PredictionOptions,
  solved: Map<string, number>,
): string | undefined {
  if (!anyDType && fake.dtype !== real.dtype && !(statistics && isHalfAndSingle(fake.dtype, real.dtype)))
    return `predicts ${fake.dtype}, ${source} ${real.dtype}`;
  const shape = fake.shape.map((size, d) => numberOf(size, real.shape[d], solved));
  if (shape.join() !== real.shape.join()) return `predicts sizes [${shape}], ${source} [${real.shape}]`;
  const strides = fake.strides.map((stride, d) => numberOf(stride, real.strides[d], solved));
  if (judged === "any") return undefined;
  const matters = (d: number): boolean => judged === "all" || (real.numel > 0 && real.shape[d]! > 1);
  return real.strides.some((stride, d) => matters(d) && strides[d] !== stride)
    ? `predicts strides [${strides}], ${source} [${real.strides}] (sizes [${real.shape}])`
    : undefined;
}

/** Returns a size as a number; a symbol seen for the first time takes the real one. */
function numberOf(size: IntLike, real: number | undefined, solved: Map<string, number>): IntLike {
  const known = substitute(size, solved);
  if (typeof known !== "object" || real === undefined) return known as IntLike;
  const found = solveLinear(known, real);
  if (found === undefined) return known;
  solved.set(found.symbol.name, found.value);
  return real;
}

/** One of the dtypes is float32 and the other a half. */
const isHalfAndSingle = (a: string, b: string): boolean =>
  [a, b].includes("float32") && [a, b].some((dtype) => /float16$/.test(dtype));
