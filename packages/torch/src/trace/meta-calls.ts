/** @file Operators that run at once on tensors of the `meta` device. */
import { isSconceError, type SconceError } from "@sconce/errors";
import { FakeTensor, isSymScalar, kindOf, type MetaValue } from "@sconce/ir";
import {
  type BoundArgs,
  bindArgs,
  emitFrom,
  metaOfBound,
  type OpDefinition,
  writtenArguments,
} from "@sconce/ops";
import { STATIC_ENV, SymExpr } from "@sconce/symbolic";
import { dtypeInfo, requiredBytes, Storage, Tensor } from "@sconce/tensor";
import { modelOperators } from "./custom-operators.js";
import { metaWithoutValues, mixedDevices } from "./errors.js";
import { hasMeta, isMeta, mayMix, metaTensor } from "./meta-tensors.js";
import { fakeOf } from "./real-tensor.js";
import { tensorsIn } from "./tensors-in.js";

/** Runs an operator on tensors with values. */
type Run = (target: string, args: readonly unknown[], kwargs: Readonly<Record<string, unknown>>) => unknown;

const onMeta = (value: unknown): boolean =>
  kindOf(value) === "device" && (value as { readonly type: string }).type === "meta";

/** Returns whether a call reads tensors on the `meta` device, or makes one. */
export const isMetaCall = (args: readonly unknown[], kwargs: Readonly<Record<string, unknown>>): boolean =>
  hasMeta(args) || args.some(onMeta) || Object.values(kwargs).some((v) => onMeta(v) || hasMeta([v]));

/** Operators that only look at the shape of a tensor, and make another. */
const NEW = /^aten\.(?:\w+_like|new_\w+)\./;

/**
 * Runs an operator by its shape rule. Nothing is computed, and no random numbers are drawn.
 *
 * @param run runs it where the result has values: `torch.zerosLike(x, { device: "cpu" })`
 * @throws SconceError `NO_VALUES` where the result depends on values, `TORCH_ARGUMENT` for
 * operands of different devices, and what the operator refuses
 */
export function metaCall(
  target: string,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>>,
  run: Run,
): unknown {
  const row = modelOperators().require(target);
  const bound = bindArgs(row.schema, args, kwargs);
  const { device } = bound;
  const place = device as { readonly type: string } | null | undefined;
  if (place !== null && place !== undefined && place.type !== "meta") {
    if (!NEW.test(target)) throw metaWithoutValues(target, "Cannot copy out of meta tensor; no data!");
    return run(target, args.map(withMemory), kwargs);
  }
  return new MetaCall().call(row, bound);
}

/** Returns a tensor of the same layout that has values. */
function withMemory(value: unknown): unknown {
  if (!(value instanceof Tensor) || !isMeta(value)) return value;
  const { dtype, shape, strides, storageOffset } = value;
  const bytes = requiredBytes(shape, strides, storageOffset, dtypeInfo(dtype).itemSize);
  return new Tensor({ dtype, shape, strides, storageOffset, storage: Storage.allocate(bytes) });
}

/** Returns the error for a result that depends on values. */
const unknownResult = (target: string): SconceError =>
  metaWithoutValues(
    target,
    /^aten\.(?:item|_local_scalar_dense)\./.test(target)
      ? "Tensor.item() cannot be called on meta tensors"
      : `\`${target}\` cannot be called on meta tensors: what it gives depends on values`,
  );

/** One call, with the fakes that represent its tensors while rules run. */
class MetaCall {
  readonly #reals = new Map<FakeTensor, Tensor>();
  readonly #fakes = new Map<Tensor, FakeTensor>();

  call(row: OpDefinition, bound: BoundArgs): unknown {
    refuseMixed(row, bound);
    const fakes: Record<string, unknown> = {};
    for (const name in bound) fakes[name] = this.#toFakes(bound[name]);
    try {
      const result = this.#resultOf(row, fakes);
      return row.schema.isMutable ? this.#written(row, bound, result) : this.#toReals(row, bound, result);
    } catch (error) {
      if (isSconceError(error) && /^DATA_DEPENDENT/.test(error.code)) throw unknownResult(row.target);
      throw error;
    }
  }

  /** Returns what the rule gives: a composite is run, so that its views share memory. */
  #resultOf(row: OpDefinition, fakes: BoundArgs): MetaValue {
    const { decompose, tags } = row;
    if (decompose === undefined || !tags.includes("composite"))
      return metaOfBound(modelOperators(), row, fakes, STATIC_ENV);
    row.meta?.(fakes, { env: STATIC_ENV });
    const emit = emitFrom(STATIC_ENV, (target, args, kwargs) => {
      const given = args.map((arg) => this.#real(arg));
      const named = Object.fromEntries(Object.entries(kwargs).map(([key, arg]) => [key, this.#real(arg)]));
      const inner = modelOperators().require(target);
      return this.#toFakes(this.call(inner, bindArgs(inner.schema, given, named))) as MetaValue;
    });
    return decompose(emit, fakes);
  }

  #toFakes(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#toFakes(item));
    if (!(value instanceof Tensor)) return value;
    const known = this.#fakes.get(value);
    if (known !== undefined) return known;
    const fake = fakeOf(value, false);
    this.#fakes.set(value, fake);
    this.#reals.set(fake, value);
    return fake;
  }

  #real(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#real(item));
    return value instanceof FakeTensor ? this.#reals.get(value) : isSymScalar(value) ? value.expr : value;
  }

  /** Returns the values of a result: tensors that a rule made are new, or views. */
  #toReals(row: OpDefinition, bound: BoundArgs, value: MetaValue): unknown {
    if (Array.isArray(value))
      return (value as readonly MetaValue[]).map((item) => this.#toReals(row, bound, item));
    if (value instanceof FakeTensor) return this.#reals.get(value) ?? this.#made(row, bound, value);
    if (!isSymScalar(value)) return value;
    if (!(value.expr instanceof SymExpr)) return value.expr;
    throw unknownResult(row.target);
  }

  #made(row: OpDefinition, bound: BoundArgs, fake: FakeTensor): Tensor {
    const layout = layoutOf(row.target, fake);
    const base = row.schema.isView ? viewedTensor(row, bound) : undefined;
    const made = base === undefined ? metaTensor(layout) : new Tensor({ ...layout, storage: base.storage });
    this.#reals.set(fake, made);
    this.#fakes.set(made, fake);
    return made;
  }

  /** Gives the written tensors the sizes that the call gives them, and returns what it returns. */
  #written(row: OpDefinition, bound: BoundArgs, result: MetaValue): unknown {
    const { schema } = row;
    const written = new Map(
      writtenArguments(schema).flatMap(({ name, alias }) => [[alias!.set, bound[name]] as const]),
    );
    const results = schema.returns.length === 1 ? [result] : ((result ?? []) as readonly MetaValue[]);
    const returned = schema.returns.map(({ alias }, i) => {
      const target = alias === undefined ? undefined : written.get(alias.set);
      if (target === undefined) return this.#toReals(row, bound, results[i]!);
      if (target instanceof Tensor && results[i] instanceof FakeTensor) adopt(row.target, target, results[i]);
      return target;
    });
    return returned.length === 1 ? returned[0] : returned.length === 0 ? null : returned;
  }
}

/** The layout of a fake whose sizes are numbers. */
function layoutOf(target: string, { dtype, shape, strides, storageOffset }: FakeTensor) {
  const isNumber = (size: unknown): size is number => typeof size === "number";
  if (shape.every(isNumber) && strides.every(isNumber) && isNumber(storageOffset))
    return { dtype, shape, strides, storageOffset };
  throw unknownResult(target);
}

/** Gives a written tensor another shape: `t_`, `resize_`, and outputs of other sizes. */
function adopt(target: string, tensor: Tensor, fake: FakeTensor): void {
  const { shape, strides, storageOffset } = layoutOf(target, fake);
  if (shape.join() === tensor.shape.join() && !/_\.|^aten\.(?:resize|set)/.test(target)) return;
  const bytes = requiredBytes(shape, strides, storageOffset, dtypeInfo(tensor.dtype).itemSize);
  const { storage } =
    bytes > tensor.storage.byteLength
      ? metaTensor({ dtype: tensor.dtype, shape, strides, storageOffset })
      : tensor;
  Object.assign(tensor, { shape, strides, storageOffset, storage });
}

/** Returns the operand whose memory the results share. */
function viewedTensor({ schema }: OpDefinition, bound: BoundArgs): Tensor | undefined {
  const viewed = schema.args.find(({ alias }) => alias !== undefined && !alias.write) ?? schema.args[0];
  const tensor = viewed && bound[viewed.name];
  return tensor instanceof Tensor ? tensor : undefined;
}

/** Refuses operands of the CPU beside those of `meta`, but for those of one element. */
function refuseMixed({ target, schema }: OpDefinition, bound: BoundArgs): void {
  const written = new Set(writtenArguments(schema).flatMap(({ name }) => tensorsIn(bound[name])));
  const all = Object.values(bound).flatMap(tensorsIn);
  if (!all.some(isMeta)) return;
  const others = all.filter((tensor) => !isMeta(tensor));
  if (others.some((tensor) => written.has(tensor)))
    throw metaWithoutValues(target, "Cannot copy out of meta tensor; no data!");
  if (!mayMix(target, others)) throw mixedDevices(target);
}
