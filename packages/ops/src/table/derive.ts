/**
 * @file In-place overloads follow from their functional overload by the alias annotations of
 * PyTorch's code generator (`torchgen/model.py`), so no row is written for them.
 */
import { FakeTensor, type IntLike, type MetaValue, type OpSchema } from "@sconce/ir";
import type { BoundArgs, MetaContext, OpDefinition, OpTag } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { describeSizes } from "../rules/describe.js";
import { canCast } from "../rules/promote.js";
import { parseSchema } from "../schema/schema.js";
import { metaOfBound } from "./fake-emit.js";
import { inPlaceComposite } from "./in-place-composites.js";
import type { OperatorRows } from "./operator-rows.js";

/**
 * Returns the definition of `aten.add_.Tensor` from `aten.add.Tensor`; undefined when the target
 * has no functional row.
 */
export function deriveInPlaceVariant(target: string, operators: OperatorRows): OpDefinition | undefined {
  const match = /^([\w.]+)\.(\w+)\.(\w+)$/.exec(target);
  if (match === null) return undefined;
  const [, namespace = "", name = "", overload = ""] = match;
  if (/[^_]_$/.test(name)) {
    const base = operators.get(`${namespace}.${name.slice(0, -1)}.${overload}`);
    return base && deriveInPlace(base, name, operators);
  }
  if (/^__i\w+__$/.test(name)) {
    const base = operators.get(`${namespace}.__${name.slice(3)}.${overload}`);
    return base && deriveInPlace(base, name, operators);
  }
  return undefined;
}

function deriveInPlace(base: OpDefinition, name: string, operators: OperatorRows): OpDefinition | undefined {
  const first = base.schema.args[0];
  if (first?.type.base !== "Tensor" || first.type.list || base.schema.returns.length !== 1) return undefined;
  if (base.schema.isMutable) return undefined;
  const text = base.schemaText
    .replace(`::${base.schema.name}`, `::${name}`)
    // In-place overloads call their first argument `self`, whatever the functional one calls it.
    .replace(/\(Tensor(\(a\))? \w+/, "(Tensor(a!) self")
    .replace(/-> Tensor(\(a\))?$/, "-> Tensor(a!)");
  const { meta } = base;
  const target = `${base.schema.namespace}.${name}.${base.schema.overload}`;
  return Object.freeze({
    ...base,
    target,
    schema: parseSchema(text),
    schemaText: text,
    tags: inPlaceTags(base, target),
    functional: base.target,
    decompose: inPlaceComposite(target),
    meta: (given: BoundArgs, context: MetaContext) => {
      const self = given.self as FakeTensor;
      const args = first.name === "self" ? given : { ...given, [first.name]: self };
      // In-place views change the sizes of self: its new geometry is the result.
      if (base.schema.isView && meta !== undefined) return meta(args, context);
      checkInPlace(self, metaOfBound(operators, base, args, context.env, true), { name, target });
      return self;
    },
  });
}

/** In-place overloads may be composites where their functional overload is none, as `square_`. */
function inPlaceTags({ tags }: OpDefinition, target: string): readonly OpTag[] {
  const kept = tags.filter((tag) => tag !== "core");
  return inPlaceComposite(target) === undefined || tags.includes("composite") ? kept : [...kept, "composite"];
}

/** Overloads that PyTorch lets write to shared places: all places get the same number. */
const WRITES_ONE_NUMBER: ReadonlySet<string> = new Set([
  "aten.zero_.default",
  "aten.fill_.Scalar",
  "aten._foreach_zero_.default",
]);

/**
 * Refuses to write to a tensor whose elements share places, as an expanded one.
 *
 * @throws SconceError `INVALID_ARGUMENT`
 */
export function checkPlaces({ shape, strides }: FakeTensor, name: string): void {
  if (shape.includes(0)) return;
  const isShared = (stride: IntLike, d: number): boolean =>
    stride === 0 && typeof shape[d] === "number" && shape[d] > 1;
  if (!strides.some(isShared)) return;
  throw invalidArgument(
    `${name}: unsupported operation: more than one element of the written-to tensor refers to a single memory location. ` +
      "Please clone() the tensor before performing the operation.",
  );
}

/**
 * Refuses what `self` cannot hold: another shape, a dtype of a higher kind; and a `self` that
 * shares places, unless nothing is written or all places get the same number.
 *
 * @throws SconceError `SHAPE_MISMATCH`, `DTYPE_MISMATCH`, `INVALID_ARGUMENT`
 */
export function checkInPlace(
  self: FakeTensor,
  result: MetaValue,
  { name, target }: Pick<OpSchema, "name" | "target">,
): void {
  if (!(result instanceof FakeTensor)) return;
  if (!WRITES_ONE_NUMBER.has(target)) checkPlaces(self, name);
  const differs = (size: IntLike, d: number): boolean =>
    typeof size === "number" && typeof self.shape[d] === "number" && size !== self.shape[d];
  if (result.ndim !== self.ndim || result.shape.some(differs)) {
    throw shapeMismatch(
      `${name}: output with shape ${describeSizes(self.shape)} doesn't match the broadcast shape ${describeSizes(result.shape)}`,
    );
  }
  if (!canCast(result.dtype, self.dtype)) {
    throw dtypeMismatch(
      `${name}: result type ${result.dtype} can't be cast to the desired output type ${self.dtype}`,
    );
  }
}
