/**
 * @file Calls along a dimension of elements that have none: 0 and -1 name it all the same. Each
 * element becomes a row of one, as functorch does it.
 */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import type { EmitArg } from "@sconce/ops";
import { batchRuleOf } from "./batch-rules.js";
import { BatchedTensor, batchedResult } from "./batched-tensor.js";

type Kwargs = Readonly<Record<string, EmitArg>>;

/** How calls of one batch are made. */
export interface ScalarCalls {
  readonly call: (target: string, args: readonly EmitArg[], kwargs: Kwargs) => EmitArg;
  /** Returns the results for one element, without a node. */
  readonly ofElement: () => MetaValue;
}

/** Places of operands whose elements become rows; undefined where no dimension is named. */
function scalarOperands(
  target: string,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): readonly number[] | undefined {
  if (target === "aten.index_select.default") return [0];
  const rule = batchRuleOf(target);
  if (rule === undefined || rule.added > 0) return undefined;
  const isNamed = (given: EmitArg | undefined): boolean =>
    typeof given === "number" || (Array.isArray(given) && given.length > 0);
  if (rule.hasKeyword)
    return isNamed(kwargs["dim"]) || target === "aten.sort.stable" ? rule.whole : undefined;
  const given = rule.dims.map((place) => args[place]);
  // `sort` and the like go along the last dimension where none is named.
  return given.length > 0 && given.every((dim) => dim === undefined || isNamed(dim)) ? rule.whole : undefined;
}

/** Returns the call on a batch for one that changes no element; else undefined. */
function unchangedBy(target: string, [, dims]: readonly EmitArg[]): string | undefined {
  if (/^aten\.squeeze\.(default|dim|dims)$/.test(target)) return "aten.alias.default";
  return target === "aten.flip.default" && Array.isArray(dims) && dims.length === 0 ? target : undefined;
}

/** Returns the results of such a call; undefined for other calls. */
export function alongNoDimension(
  { call, ofElement }: ScalarCalls,
  target: string,
  args: readonly EmitArg[],
  kwargs: Kwargs,
): EmitArg | undefined {
  const [self] = args;
  if (!(self instanceof FakeTensor) || self.ndim > 0) return undefined;
  const unchanged = self instanceof BatchedTensor ? unchangedBy(target, args) : undefined;
  if (unchanged !== undefined) {
    const { value, level } = self as BatchedTensor;
    return batchedResult(call(unchanged, [value, ...(unchanged === target ? [[]] : [])], {}), level);
  }
  const operands = scalarOperands(target, args, kwargs);
  if (operands === undefined || !operands.some((at) => args[at] instanceof BatchedTensor)) return undefined;
  const expected = ofElement();
  if (target === "aten.transpose.int") return self;
  const rows = args.map((arg, at) =>
    operands.includes(at) && arg instanceof FakeTensor && arg.ndim === 0 ? rowOf(call, arg) : arg,
  );
  // functorch names the dimension of selected rows from the front.
  const at = target === "aten.index_select.default" ? 1 : -1;
  return asExpected(call, call(target, rows, kwargs), expected, at);
}

/** Returns an element as a row of one. */
function rowOf(call: ScalarCalls["call"], tensor: FakeTensor): EmitArg {
  const row = (value: FakeTensor): EmitArg => call("aten.unsqueeze.default", [value, -1], {});
  return tensor instanceof BatchedTensor ? batchedResult(row(tensor.value), tensor.level) : row(tensor);
}

/** Takes the dimension of rows out of results that have it, and of which one element has none. */
function asExpected(call: ScalarCalls["call"], result: EmitArg, expected: MetaValue, at: number): EmitArg {
  if (Array.isArray(result) && Array.isArray(expected))
    return (result as readonly EmitArg[]).map((item, i) =>
      asExpected(call, item, expected[i] as MetaValue, at),
    );
  if (!(result instanceof BatchedTensor) || !(expected instanceof FakeTensor)) return result;
  if (result.ndim <= expected.ndim) return result;
  return batchedResult(call("aten.squeeze.dim", [result.value, at], {}), result.level);
}
