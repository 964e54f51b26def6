/**
 * @file Strides of what a program is lowered to. PyTorch's decompositions lay their results out in
 * another way than its kernels; where a lowered program runs in place of the program itself, the
 * results get the strides of the kernels.
 */
import { isSconceError } from "@sconce/errors";
import { FakeTensor, type MetaValue } from "@sconce/ir";
import {
  type BoundArgs,
  bindArgs,
  type Emit,
  type EmitArg,
  hasKernelLayout,
  kernelResult,
  type OpDefinition,
} from "@sconce/ops";
import {
  type BoolLike,
  envWith,
  eq,
  type IntLike,
  mul,
  STATIC_ENV,
  type SymEnv,
  symEquals,
  symMax,
} from "@sconce/symbolic";
import type { RetraceEnv } from "@sconce/trace";

type Kwargs = Readonly<Record<string, EmitArg>>;

/**
 * Returns an environment that decides by known facts and by the example, and notes nothing: a shape
 * rule is asked again, for strides only. New sizes belong to the call itself.
 */
function quiet(env: RetraceEnv): SymEnv {
  const { freshUnbackedInt, freshUnbackedFloat } = STATIC_ENV;
  const answer = (condition: BoolLike): boolean | undefined => {
    const hint = env.staticallyKnown(condition) ?? env.hint(condition);
    return typeof hint === "boolean" ? hint : undefined;
  };
  return envWith(env, {
    guard: (condition) => answer(condition) ?? STATIC_ENV.guard(condition),
    guardInt: (value) => {
      const hint = typeof value === "number" ? value : env.hint(value);
      return typeof hint === "number" ? hint : STATIC_ENV.guardInt(value);
    },
    orFalse: (condition) => answer(condition) ?? false,
    orTrue: (condition) => answer(condition) ?? true,
    check: (condition) => answer(condition) ?? true,
    addAxiom: () => {},
    markSizeLike: () => {},
    freshUnbackedInt,
    freshUnbackedFloat,
  });
}

/** Lays out results of calls as PyTorch's kernels do. */
export class KernelLayouts {
  readonly #emit: Emit;
  readonly #env: SymEnv;
  /** Decompositions that are being run, one within the other: the outermost decides. */
  #depth = 0;

  /** @param emit emits the calls that lay results out */
  constructor(emit: Emit, env: RetraceEnv) {
    this.#emit = emit;
    this.#env = quiet(env);
  }

  /** Returns the result of a decomposed call. */
  decomposed(
    row: OpDefinition,
    args: readonly EmitArg[],
    kwargs: Kwargs,
    decompose: () => MetaValue,
  ): MetaValue {
    // Parts lay themselves out where nothing says how the call does.
    if (row.meta === undefined && !hasKernelLayout(row.target)) return decompose();
    this.#depth++;
    let result: MetaValue;
    try {
      result = decompose();
    } finally {
      this.#depth--;
    }
    if (this.#depth > 0 || row.schema.isView || row.schema.isMutable) return result;
    const bound = bindArgs(row.schema, args, kwargs);
    return this.#laidOut(result, this.#wanted(row, bound, result), bound);
  }

  /** Returns the result of a call that is kept. */
  kept(row: OpDefinition, args: readonly EmitArg[], kwargs: Kwargs, result: MetaValue): MetaValue {
    if (this.#depth > 0 || !hasKernelLayout(row.target)) return result;
    const bound = bindArgs(row.schema, args, kwargs);
    return this.#laidOut(result, kernelResult(row.target, bound, result, this.#env), bound);
  }

  /** Returns a new value of a tensor that is written in place, which keeps its strides. */
  like(target: FakeTensor, value: FakeTensor): FakeTensor {
    return this.#laidOut(value, target, { target }) as FakeTensor;
  }

  /** Returns what the kernel gives; the result itself where only the run knows. */
  #wanted({ target, meta }: OpDefinition, bound: BoundArgs, result: MetaValue): MetaValue {
    try {
      const given = meta?.(bound, { env: this.#env }) ?? result;
      return kernelResult(target, bound, given, this.#env);
    } catch (error) {
      if (isSconceError(error)) return result;
      throw error;
    }
  }

  #laidOut(result: MetaValue, wanted: MetaValue, bound: BoundArgs): MetaValue {
    if (Array.isArray(result)) {
      const items = Array.isArray(wanted) ? (wanted as readonly MetaValue[]) : [];
      return (result as readonly MetaValue[]).map((item, i) => this.#laidOut(item, items[i] ?? null, bound));
    }
    if (!(result instanceof FakeTensor && wanted instanceof FakeTensor) || result.ndim !== wanted.ndim)
      return result;
    const given = Object.values(bound).flat();
    if (given.includes(result) || this.#sameStrides(result, wanted.strides)) return result;
    const order = this.#orderOf(result, wanted.strides);
    if (order !== undefined) return this.#inOrder(result, order);
    // With gaps: as an operand has them.
    const like = given.find(
      (one): one is FakeTensor =>
        one instanceof FakeTensor &&
        one.dtype === result.dtype &&
        one.ndim === result.ndim &&
        one.shape.every((size, d) => this.#isSame(size, result.shape[d]!)) &&
        this.#sameStrides(one, wanted.strides),
    );
    return like === undefined ? result : this.#emit("aten.copy.default", [like, result]);
  }

  #inOrder(tensor: FakeTensor, order: readonly number[]): FakeTensor {
    const emit = this.#emit;
    const format = { memory_format: "contiguous_format" };
    if (order.every((dim, at) => dim === at)) return emit("aten.clone.default", [tensor], format);
    const turned = emit("aten.permute.default", [tensor, order]);
    const dense = emit("aten.clone.default", [turned], format);
    return emit("aten.permute.default", [dense, order.map((_, dim) => order.indexOf(dim))]);
  }

  /** Returns whether strides are those of a tensor, where it has several elements. */
  #sameStrides({ shape, strides }: FakeTensor, wanted: readonly IntLike[]): boolean {
    return strides.every((stride, d) => this.#isSame(stride, wanted[d]!) || this.#isSame(shape[d]!, 1));
  }
  #isSame(a: IntLike, b: IntLike): boolean {
    return symEquals(a, b) || this.#env.knownTrue(eq(a, b));
  }

  /** Dimensions from the outermost on, where the strides are those of memory without gaps. */
  #orderOf({ shape }: FakeTensor, wanted: readonly IntLike[]): readonly number[] | undefined {
    const order: number[] = [];
    const left = new Set(shape.keys());
    const ones = [...left].filter((d) => this.#isSame(shape[d]!, 1));
    for (const d of ones) left.delete(d);
    // Of sizes that may be 0, strides are products either way: of the sizes, or of at least 1 each.
    let [step, longest]: [IntLike, IntLike] = [1, 1];
    while (left.size > 0) {
      const isNext = (d: number): boolean =>
        this.#isSame(wanted[d]!, step) || this.#isSame(wanted[d]!, longest);
      const next = [...left].reverse().find(isNext);
      if (next === undefined) return undefined;
      order.unshift(next);
      left.delete(next);
      step = mul(step, shape[next]!);
      longest = mul(longest, symMax(1, shape[next]!));
    }
    // Where elements of one lie does not matter.
    const isInRows = order.every((dim, at) => at === 0 || dim > order[at - 1]!);
    return isInRows ? [...shape.keys()] : [...ones, ...order];
  }
}
