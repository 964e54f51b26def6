import { internalError, isSconceError } from "@sconce/errors";
import { FakeTensor, type MetaValue, type OpSchema } from "@sconce/ir";
import {
  atNode,
  type BoundArgs,
  bindArgs,
  type CallArgument,
  type CallKwargs,
  type Emit,
  emitFrom,
  fakeEmit,
  functionalArguments,
  hasKernelLayout,
  kernelResult,
  leavesInput,
  type OpDefinition,
  type OperatorTable,
  type RuntimeValue,
  refuseDTypes,
  refusedCall,
  refuseOverlap,
  refuseScalars,
  refuseSettings,
  writtenArguments,
} from "@sconce/ops";
import { type IntLike, STATIC_ENV, type SymEnv, SymExpr, symbol } from "@sconce/symbolic";
import { type DType, dtypeInfo, requiredBytes, Storage, Tensor, type TensorLayout } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { noKernel, outOfStorage } from "../kernel/errors.js";
import { type AnyKernel, emptyStrided, type KernelTable, type RandomSource } from "../kernel/kernel.js";
import { numbersOf } from "../kernel/meta-number.js";
import { autocastArguments } from "./autocast.js";
import { FakePairs, symbolicOf } from "./fakes.js";
import type { Refusal } from "./refusals.js";

/** Sizes are numbers, except those that only the kernel will know. */
const RUNTIME_ENV: SymEnv = {
  ...STATIC_ENV,
  freshUnbackedInt: () => symbol("u0", { integer: true, unbacked: true }) as SymExpr,
  freshUnbackedFloat: () => symbol("zuf0", { float: true, unbacked: true }) as SymExpr,
};
const META_CONTEXT = { env: RUNTIME_ENV };

/** What a dispatcher is made of. */
export interface DispatcherParts {
  readonly operators: OperatorTable;
  readonly kernels: KernelTable;
  readonly random: RandomSource;
  /** Calls that are refused before anything else, by target. */
  readonly refusals?: ReadonlyMap<string, Refusal>;
  /** Operators whose kernels were given; they may take other dtypes than PyTorch's. */
  readonly replaced?: ReadonlySet<string>;
}

/**
 * Runs single operators on real tensors. In this order: a kernel; the functional overload and a
 * copy into `self` for in-place overloads; the decomposition of composites; a view of the
 * argument's storage, as the meta rule gives it; any other decomposition.
 */
export class Dispatcher {
  readonly #operators: OperatorTable;
  readonly #kernels: KernelTable;
  readonly #random: RandomSource;
  readonly #refusals: ReadonlyMap<string, Refusal>;
  readonly #replaced: ReadonlySet<string> | undefined;
  /** The dtype of the autocast region that calls are in. */
  autocast: DType | null = null;

  constructor(parts: DispatcherParts) {
    this.#operators = parts.operators;
    this.#kernels = parts.kernels;
    this.#random = parts.random;
    this.#refusals = parts.refusals ?? new Map();
    this.#replaced = parts.replaced;
  }

  /** @throws SconceError `UNKNOWN_OPERATOR`, `NO_KERNEL`, and what the operator's rules refuse */
  call(target: string, args: readonly CallArgument[], kwargs: CallKwargs = {}): RuntimeValue {
    const definition = this.#operators.require(target);
    return this.callBound(definition, bindArgs(definition.schema, args, kwargs));
  }

  /** True when {@link call} would find a way to run the target. */
  supports(target: string): boolean {
    return this.describeSupport(target) !== undefined;
  }

  /**
   * Returns how {@link call} executes the target: `kernel`, `view`, `shape rule`, `decomposition`,
   * `from` another operator.
   */
  describeSupport(target: string): string | undefined {
    const definition = this.#operators.get(target);
    const kernel = Object.hasOwn(this.#kernels, target) ? "kernel" : undefined;
    if (definition === undefined) return kernel;
    const { decompose, meta, schema, tags, functional } = definition;
    const composite = tags.includes("composite") && decompose !== undefined;
    if (kernel !== undefined && !(composite && schema.isView)) return kernel;
    if (functional !== undefined) return this.supports(functional) ? `from ${functional}` : undefined;
    if (schema.isView && meta !== undefined && !composite) return "view";
    if (decompose !== undefined) return "decomposition";
    const isPlain = schema.isMutable || SCALAR_RETURNS.has(schema.returns[0]?.type.base ?? "");
    return meta !== undefined && isPlain ? "shape rule" : undefined;
  }

  callBound(definition: OpDefinition, bound: BoundArgs): RuntimeValue {
    try {
      return this.#run(definition, bound);
    } catch (error) {
      throw refusedCall(error, definition, bound);
    }
  }

  #run(definition: OpDefinition, bound: BoundArgs): RuntimeValue {
    const { target, schema, tags } = definition;
    const composite = tags.includes("composite") && definition.decompose !== undefined;
    if (this.autocast !== null) {
      const cast = autocastArguments(target, bound, this.autocast, this.#castTo);
      if (cast !== undefined) return this.#withoutAutocast(() => this.callBound(definition, cast));
      const { kernelCalls } = definition;
      const called = kernelCalls && this.#runRule(definition, bound, kernelCalls);
      if (called !== undefined) return called;
      // Autocast sees what a composite is made of.
      if (composite) return this.#runDecomposition(definition, bound);
    }
    if (this.#replaced?.has(target) !== true) {
      refuseDTypes(definition, bound);
      refuseScalars(definition, bound);
      refuseSettings(definition, bound);
    }
    this.#refusals.get(target)?.(bound);
    if (schema.isMutable) refuseOverlap(definition, bound, asTensor);
    // Whether a composite returns a view or new memory depends on the call: only its decomposition
    // knows.
    const kernel = composite && schema.isView ? undefined : this.#kernels[target];
    if (kernel !== undefined) return this.#runKernel(kernel, definition, bound);
    if (definition.functional !== undefined) return this.#runMutating(definition, bound);
    if (schema.isView && definition.meta !== undefined && !composite) return runView(definition, bound);
    if (definition.decompose === undefined) return plainResult(definition, bound);
    // PyTorch's kernel of an operator that is not a composite makes no calls that autocast sees.
    return this.#withoutAutocast(() => this.#runDecomposition(definition, bound));
  }

  #withoutAutocast(run: () => RuntimeValue): RuntimeValue {
    const before = this.autocast;
    this.autocast = null;
    try {
      return run();
    } finally {
      this.autocast = before;
    }
  }

  readonly #castTo = (tensor: Tensor, dtype: DType): Tensor =>
    this.#withoutAutocast(() => this.call("aten._to_copy.default", [tensor], { dtype })) as Tensor;

  #runKernel(kernel: AnyKernel, definition: OpDefinition, bound: BoundArgs): RuntimeValue {
    const fakes = fakeArgs(bound, new FakePairs());
    const { target } = definition;
    const context = { target, meta: this.#metaOf(definition, fakes), random: this.#random };
    try {
      return kernel(bound, context);
    } catch (error) {
      throw isSconceError(error) ? error : atNode(error, target);
    }
  }

  /** Returns the outputs as fakes: by the meta rule, or by the decomposition run on fakes. */
  #metaOf({ target, meta, decompose }: OpDefinition, fakes: BoundArgs): MetaValue {
    if (meta !== undefined) return kernelResult(target, fakes, meta(fakes, META_CONTEXT), RUNTIME_ENV);
    return decompose === undefined ? null : decompose(fakeEmit(this.#operators, RUNTIME_ENV), fakes);
  }

  /**
   * In-place and `out=` overloads: the functional overload's results are copied into the written
   * arguments.
   */
  #runMutating(definition: OpDefinition, bound: BoundArgs): RuntimeValue {
    const functional = this.#operators.require(definition.functional!);
    if (functional.schema.isView) {
      const view = this.callBound(functional, bound) as Tensor;
      return restride(bound[functional.schema.args[0]!.name] as Tensor, view);
    }
    definition.meta?.(fakeArgs(bound, new FakePairs()), META_CONTEXT);
    // Autocast has no kernels of overloads that write.
    const result = this.#withoutAutocast(() =>
      this.callBound(functional, functionalArguments(definition.schema, functional, bound)),
    );
    return writeResults(definition.schema, bound, result);
  }

  #runDecomposition(definition: OpDefinition, bound: BoundArgs): RuntimeValue {
    return this.#runRule(definition, bound, definition.decompose!)!;
  }

  /** Runs the calls that a rule emits; undefined where it emits none for these arguments. */
  #runRule(
    definition: OpDefinition,
    bound: BoundArgs,
    rule: (emit: Emit, args: BoundArgs) => MetaValue | undefined,
  ): RuntimeValue | undefined {
    const pairs = new FakePairs();
    const fakes = fakeArgs(bound, pairs);
    // Also for what it refuses: the rule need not check the same.
    const meta = definition.meta?.(fakes, META_CONTEXT);
    const result = rule(this.#emitter(pairs), fakes);
    if (result === undefined) return undefined;
    const { target, schema } = definition;
    const real = realResult(pairs, result);
    if (schema.isView || schema.isMutable) return real;
    // The result itself has the sizes that depend on data.
    const wanted = meta === undefined || hasKernelLayout(target) ? result : meta;
    return laidOut(real, kernelResult(target, fakes, wanted, RUNTIME_ENV), bound);
  }

  #emitter(pairs: FakePairs): Emit {
    const emit = emitFrom(RUNTIME_ENV, (target, args, kwargs) => {
      const realKwargs: Record<string, CallArgument> = {};
      for (const key in kwargs) if (kwargs[key] !== undefined) realKwargs[key] = pairs.toReals(kwargs[key]);
      return fakeResult(
        pairs,
        this.call(
          target,
          args.map((arg) => pairs.toReals(arg)),
          realKwargs,
        ),
      );
    });
    return Object.assign(emit, { runsKernels: true });
  }
}

/**
 * Returns the new results of a decomposition with the strides of the operator: those of its parts
 * may be others. Arguments, and views of them, stay as they are.
 */
function laidOut(real: RuntimeValue, fake: MetaValue, bound: BoundArgs): RuntimeValue {
  if (Array.isArray(real)) {
    const items = Array.isArray(fake) ? (fake as readonly MetaValue[]) : [];
    return (real as readonly RuntimeValue[]).map((item, i) => laidOut(item, items[i] ?? null, bound));
  }
  if (!(real instanceof Tensor && fake instanceof FakeTensor) || real.ndim !== fake.ndim) return real;
  const differs = real.shape.some((size, d) => size > 1 && isOther(real.strides[d]!, fake.strides[d]!));
  if (!differs || real.numel === 0 || sharesStorage(real, bound)) return real;
  const out = emptyStrided(real.shape, numbersOf(fake.strides), real.dtype);
  copyInto(out, real);
  return out;
}

/** Returns whether a stride differs from the wanted one; strides that depend on data do not. */
const isOther = (stride: number, wanted: IntLike): boolean => typeof wanted === "number" && stride !== wanted;

const sharesStorage = ({ storage }: Tensor, bound: BoundArgs): boolean => {
  const shares = (value: unknown): boolean =>
    value instanceof Tensor ? value.storage === storage : Array.isArray(value) && value.some(shares);
  return Object.values(bound).some(shares);
};

const asTensor = (value: unknown): Tensor | undefined => (value instanceof Tensor ? value : undefined);

function fakeArgs(bound: BoundArgs, pairs: FakePairs): BoundArgs {
  const out: Record<string, unknown> = {};
  for (const name in bound) out[name] = pairs.toFakes(bound[name]);
  return out;
}

function fakeResult(pairs: FakePairs, value: RuntimeValue): MetaValue {
  if (value instanceof Tensor) return pairs.fake(value);
  if (Array.isArray(value)) return (value as readonly RuntimeValue[]).map((item) => fakeResult(pairs, item));
  return symbolicOf(value) as MetaValue;
}

function realResult(pairs: FakePairs, value: MetaValue): RuntimeValue {
  if (value instanceof FakeTensor && pairs.real(value) === undefined) {
    throw internalError("a decomposition returned a tensor that no operator made");
  }
  if (Array.isArray(value)) return (value as readonly MetaValue[]).map((item) => realResult(pairs, item));
  return pairs.toReals(value) as RuntimeValue;
}

/** Lists are written element by element. */
function writeList(targets: readonly Tensor[], values: readonly Tensor[]): void {
  for (const [i, target] of targets.entries()) copyInto(target, values[i]!);
}

/**
 * Copies the results of a functional overload into the arguments that its writing one writes, and
 * gives what the writing one returns: written arguments, and its own results, which come first in
 * `result`.
 */
function writeResults(schema: OpSchema, bound: BoundArgs, result: RuntimeValue): RuntimeValue {
  const written = writtenArguments(schema);
  // The only result of `_foreach_add` is a list.
  const isList = written.length === 1 && written[0]!.type.list;
  const results = Array.isArray(result) && !isList ? (result as readonly Tensor[]) : [result as Tensor];
  const first = results.length - written.length;
  const bySet = new Map<string, Tensor>();
  for (const [i, arg] of written.entries()) {
    if (leavesInput(schema, arg)) continue;
    if (arg.type.list) {
      writeList(bound[arg.name] as readonly Tensor[], results[first + i] as unknown as readonly Tensor[]);
      continue;
    }
    const [target, value] = [bound[arg.name] as Tensor, results[first + i]!];
    const { dtype, storageOffset } = target;
    if (arg.kwargOnly && !sameNumbers(target.shape, value.shape)) {
      restride(target, { dtype, storageOffset, shape: value.shape, strides: value.strides });
    }
    copyInto(target, value);
    bySet.set(arg.alias!.set, target);
  }
  let next = 0;
  const returned = schema.returns.map((ret) => (ret.alias ? bySet.get(ret.alias.set)! : results[next++]!));
  return returned.length === 1 ? returned[0]! : returned.length === 0 ? null : returned;
}

function runView(definition: OpDefinition, bound: BoundArgs): RuntimeValue {
  const pairs = new FakePairs();
  const meta = definition.meta!(fakeArgs(bound, pairs), META_CONTEXT);
  const base = viewedArgument(definition.schema, bound);
  const view = (value: MetaValue): RuntimeValue => {
    if (value instanceof FakeTensor) return pairs.real(value) ?? viewOf(base, value);
    if (Array.isArray(value)) return (value as readonly MetaValue[]).map(view);
    throw internalError(`${definition.target} is a view, but its shape rule gave no tensor`);
  };
  return view(meta);
}

/**
 * Sizes, strides and the like, and operators that return their argument: the meta rule's result is
 * the value.
 */
function plainResult(definition: OpDefinition, bound: BoundArgs): RuntimeValue {
  const { meta, schema, target } = definition;
  if (meta === undefined || !(SCALAR_RETURNS.has(schema.returns[0]?.type.base ?? "") || schema.isMutable))
    throw noKernel(target);
  const pairs = new FakePairs();
  const value = meta(fakeArgs(bound, pairs), META_CONTEXT);
  if (schema.isMutable && value instanceof FakeTensor && pairs.real(value) === undefined) {
    return restride(bound[schema.args[0]!.name] as Tensor, fakeView(value));
  }
  const result = value instanceof FakeTensor ? pairs.real(value) : (pairs.toReals(value) as RuntimeValue);
  // An expression: the value depends on the data, which only a kernel reads.
  if (result === undefined || result instanceof SymExpr) throw noKernel(target);
  return result;
}

const SCALAR_RETURNS: ReadonlySet<string> = new Set([
  "int",
  "SymInt",
  "bool",
  "SymBool",
  "float",
  "Scalar",
  "ScalarType",
]);

/** Returns the argument whose alias set the results share. */
function viewedArgument(schema: OpSchema, bound: BoundArgs): Tensor {
  const argument = schema.args.find((arg) => arg.alias !== undefined && !arg.alias.write) ?? schema.args[0];
  return bound[argument!.name] as Tensor;
}

const fakeView = ({ dtype, shape, strides, storageOffset }: FakeTensor): TensorLayout => ({
  dtype,
  shape: numbersOf(shape),
  strides: numbersOf(strides),
  storageOffset: numbersOf([storageOffset])[0]!,
});

function viewOf(base: Tensor, fake: FakeTensor): Tensor {
  const layout = fakeView(fake);
  if (bytesOf(layout) > base.storage.byteLength) throw outOfStorage(layout, base.storage.byteLength);
  return new Tensor({ ...layout, storage: base.storage });
}

const bytesOf = ({ dtype, shape, strides, storageOffset }: TensorLayout): number =>
  requiredBytes(shape, strides, storageOffset, dtypeInfo(dtype).itemSize);

const sameNumbers = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

/**
 * `squeeze_`, `t_`, `resize_` and the like: the tensor itself is seen differently, on more memory
 * if need be.
 */
function restride(self: Tensor, { dtype, shape, strides, storageOffset }: TensorLayout): Tensor {
  const bytes = bytesOf({ dtype, shape, strides, storageOffset });
  let { storage } = self;
  if (bytes > storage.byteLength) {
    storage = Storage.allocate(bytes);
    storage.bytes.set(self.storage.bytes);
  }
  return Object.assign(self, { shape, strides, storageOffset, storage });
}
