/** @file Functions of Sconce by their values: a bundler may have renamed what the code calls. */
import { float, pythonTuple, tuple } from "@sconce/ir";
import { associativeScan } from "../control-flow/associative-scan.js";
import { cond } from "../control-flow/cond.js";
import { map } from "../control-flow/map.js";
import { scan } from "../control-flow/scan.js";
import { whileLoop } from "../control-flow/while-loop.js";
import { functional } from "../nn/functional.js";
import { Transformer } from "../nn/layers/transformer.js";
import { check, checkIsSize, constrainAsSize, constrainAsValue } from "../torch/check.js";
import { slice } from "../torch/indexing.js";
import { guard, guardInt, sym } from "../torch/sym.js";
import { torch } from "../torch/torch.js";
import { callOperator } from "../trace/dispatch.js";
import { manualSeed } from "../trace/eager.js";
import { enableGrad, inferenceMode, noGrad, setGradEnabled } from "../trace/grad-mode.js";
import { isSym } from "../trace/sym-int.js";

let names: Map<unknown, string> | undefined;
const declared: [string, unknown][] = [];

/** Declares a function of Sconce that this module cannot import. */
export function declareOwn(name: string, value: unknown): void {
  declared.push([name, value]);
  // The names may have been asked for before the module was loaded.
  names = undefined;
}

const operators = new WeakMap<object, string>();

/** Declares an operator of the user's, with the types of its results: `(Tensor, SymInt)`. */
export function declareOperator(value: object, returns: string): void {
  operators.set(value, returns);
}

/** The types of the results of an operator of the user's; undefined for other values. */
export const operatorReturns = (value: unknown): string | undefined =>
  typeof value === "function" ? operators.get(value) : undefined;

/** Whether a getter is that of `torch.ops`, which makes the functions when they are read first. */
export const isOwnGetter = (get: object): boolean =>
  get === Object.getOwnPropertyDescriptor(torch, "ops")?.get;

/** The name of a function of Sconce, `torch.cat`; undefined for other values. */
export function ownFunctionName(value: unknown): string | undefined {
  names ??= index();
  return names.get(value);
}

function index(): Map<unknown, string> {
  const found = new Map<unknown, string>();
  const add = (name: string, value: unknown): void => {
    if (typeof value === "function") found.set(value, name);
    else if (typeof value === "object" && value !== null)
      for (const [key, item] of Object.entries(value)) add(`${name}.${key}`, item);
  };
  const all = {
    "torch.generateSquareSubsequentMask": Transformer.generateSquareSubsequentMask,
    torch,
    functional,
    sym,
    isSym,
    guard,
    guardInt,
    noGrad,
    enableGrad,
    inferenceMode,
    setGradEnabled,
    check,
    checkIsSize,
    constrainAsSize,
    constrainAsValue,
    slice,
    float,
    pythonTuple,
    tuple,
    manualSeed,
    callOperator,
    cond,
    map,
    whileLoop,
    scan,
    associativeScan,
  };
  for (const [name, value] of [...Object.entries(all), ...declared]) add(name, value);
  return found;
}
