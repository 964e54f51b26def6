/**
 * @file Operators of plugins that write to their arguments: PyTorch keeps them, in
 * `auto_functionalized_v2`, which runs them on copies of the tensors that the written arguments are
 * views of, and gives these back (`torch/_higher_order_ops/auto_functionalize.py`).
 */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import type { EmitArg, OpDefinition, UnboundArg } from "@sconce/ops";
import { type IntLike, symEquals } from "@sconce/symbolic";
import { canonicalArgument, type LoweringTracer } from "@sconce/trace";
import { FunctionalTensor } from "./functional-tensor.js";
import type { HiddenAliases } from "./hidden-aliases.js";

type Kwargs = Readonly<Record<string, EmitArg>>;
type Unwrap = (value: EmitArg) => EmitArg;
const TARGET = "higher_order.auto_functionalized_v2";

/**
 * PyTorch's own operators have functional overloads; results that alias arguments are not for this
 * form.
 */
export function isAutoFunctionalized({ schema }: OpDefinition): boolean {
  if (/^(aten|prims?)$/.test(schema.namespace) || schema.returns.some((ret) => ret.alias !== undefined))
    return false;
  return schema.args.every((arg) => !arg.alias?.write || arg.type.base === "Tensor");
}

/** The graph being traced, and what is known of aliases that results hide. */
interface AutoFunctionalizeContext {
  readonly tracer: LoweringTracer;
  readonly hidden: HiddenAliases | undefined;
}

/** Records the call on copies, and puts what comes back in place of what is written. */
export function autoFunctionalize(
  { tracer, hidden }: AutoFunctionalizeContext,
  row: OpDefinition,
  args: readonly EmitArg[],
  kwargs: Kwargs,
  unwrap: Unwrap,
): MetaValue {
  const bases = new Bases();
  const kept: Record<string, UnboundArg> = {};
  const views: Record<string, UnboundArg> = {};
  const all: Record<string, EmitArg> = {};
  for (const [i, parameter] of row.schema.args.entries()) {
    const { name, alias, type } = parameter;
    const given = (args[i] ?? kwargs[name] ?? parameter.defaultValue ?? null) as EmitArg;
    // What is written is read through its base: the view itself is not made anew.
    all[name] = alias?.write ? asLastRead(given) : unwrap(given);
    if (alias?.write) Object.assign(views, bases.describe(`_${name}`, given, type.list));
    else kept[name] = canonicalArgument(all[name]!, type);
  }
  const values = bases.tensors.map((base) => base.sync());
  const own = tracer.fakeResult(row, [], all as Record<string, UnboundArg>);
  const results = row.schema.returns.length > 1 ? (own as readonly MetaValue[]) : [own ?? null];
  const outputs = tracer.record(
    TARGET,
    [{ kind: "operator", target: row.target }],
    { ...kept, ...views, _all_bases: values },
    [...results, ...values.map((value) => new FakeTensor(value))],
  ) as readonly MetaValue[];
  bases.tensors.forEach((base, i) => {
    hidden?.written(base.storage);
    base.replace(outputs[results.length + i] as FakeTensor);
  });
  if (row.schema.returns.length === 0) return null;
  return row.schema.returns.length === 1 ? outputs[0]! : outputs.slice(0, results.length);
}

function asLastRead(value: EmitArg): EmitArg {
  if (value instanceof FunctionalTensor) return value.lastValue;
  return Array.isArray(value) ? (value as readonly EmitArg[]).map(asLastRead) : value;
}

/** The tensors that written arguments are views of, each once. */
class Bases {
  readonly tensors: FunctionalTensor[] = [];

  /**
   * Returns the keywords that say which base an argument is which view of
   * (`write_view_information_to_args`). A list that is not given has no length.
   */
  describe(prefix: string, value: EmitArg, isList = false): Record<string, UnboundArg> {
    if (isList && value === null) return { [`${prefix}_length`]: null };
    if (Array.isArray(value)) {
      const items = (value as readonly EmitArg[]).map((item, i) => this.describe(`${prefix}_${i}`, item));
      return Object.assign({ [`${prefix}_length`]: value.length }, ...items) as Record<string, UnboundArg>;
    }
    if (!(value instanceof FunctionalTensor)) return { [`${prefix}_base_index`]: null };
    const base = value.base;
    const at = this.tensors.findIndex(
      (one) => one === base || (one.isBase && base.isBase && one.storage === base.storage),
    );
    const index = at < 0 ? this.tensors.push(base) - 1 : at;
    const view = value === base ? {} : viewOf(base, value);
    const keys = Object.entries(view).map(([key, part]) => [`${prefix}_${key}`, part] as const);
    return { [`${prefix}_base_index`]: index, ...Object.fromEntries(keys) };
  }
}

function viewOf(base: FakeTensor, tensor: FakeTensor): Record<string, UnboundArg> {
  const { shape, strides, storageOffset } = tensor;
  const alike = same(strides, base.strides);
  if (alike && same(shape, base.shape) && symEquals(storageOffset, base.storageOffset))
    return { alias: true };
  const differing = shape.flatMap((size, d) => (symEquals(size, base.shape[d] ?? 0) ? [] : [d]));
  const [dim] = differing;
  if (alike && shape.length === base.ndim && dim !== undefined && differing.length === 1) {
    const slice = sliceOf(storageOffset, strides[dim]!, shape[dim]!);
    if (slice !== undefined) return { slice_dim: dim, slice_start: slice[0], slice_end: slice[1] };
  }
  const sizes = (items: readonly IntLike[]): UnboundArg => ({ kind: "tuple", items }) as UnboundArg;
  return { size: sizes(shape), stride: sizes(strides), storage_offset: storageOffset };
}

function sliceOf(offset: IntLike, stride: IntLike, size: IntLike): readonly [number, number] | undefined {
  if (typeof offset !== "number" || typeof stride !== "number" || typeof size !== "number") return undefined;
  return offset % stride === 0 ? [offset / stride, offset / stride + size] : undefined;
}

const same = (a: readonly IntLike[], b: readonly IntLike[]): boolean =>
  a.length === b.length && a.every((value, i) => symEquals(value, b[i]!));
