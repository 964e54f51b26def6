/**
 * @file What the steps of the interpreter in a built module run by: kernels on tensors, views,
 * loops. It is bundled with the kernels of one program.
 */
import type { AnyKernel, KernelContext, KernelTable, RandomSource, Refusal } from "@sconce/backend-cpu";
import { FakeTensor, type FloatLiteral, float } from "@sconce/ir";
import {
  contiguousStrides,
  copyInto,
  type DType,
  dtypeInfo,
  laneReader,
  requiredBytes,
  Storage,
  Tensor,
} from "@sconce/tensor";
import type { HostTensor } from "../runtime/plan.js";
import { noBranch, notSingle } from "./errors.js";

type Value = Tensor | number | bigint | boolean;
type Body = (...operands: readonly Value[]) => readonly Value[];
type Fakes = FakeTensor | null | readonly Fakes[];

/** Runs kernels, and what lies between them. */
export class KernelRuntime {
  readonly #kernels: KernelTable;
  readonly #source: (seed: number) => RandomSource;
  readonly #refusals: ReadonlyMap<string, Refusal> | undefined;
  #random: RandomSource;

  constructor(
    kernels: KernelTable,
    source: (seed: number) => RandomSource,
    refusals?: ReadonlyMap<string, Refusal>,
  ) {
    this.#kernels = kernels;
    this.#refusals = refusals;
    this.#source = source;
    this.#random = source(0);
  }

  /** Starts random numbers from the beginning. */
  reset(): void {
    this.#random = this.#source(0);
  }

  /** Throws what the interpreter throws for operands that a call does not take. */
  refuse(target: string, args: Parameters<Refusal>[0]): void {
    this.#refusals!.get(target)!(args);
  }
  /** Runs a kernel on arguments by name. */
  call(target: string, args: Parameters<AnyKernel>[0], meta: Fakes): unknown {
    const kernel = this.#kernels[target] as AnyKernel;
    return kernel(args, { target, meta, random: this.#random } as KernelContext<never>);
  }
  fake(dtype: DType, shape: readonly number[], strides: readonly number[]): FakeTensor {
    return new FakeTensor({ dtype, shape, strides });
  }
  float(value: number): number | FloatLiteral {
    return float(value);
  }

  /** Returns a tensor with these strides of elements in row-major order. */
  tensor({ dtype, shape, data }: HostTensor, strides: readonly number[]): Tensor {
    const storage = new Storage(data.slice());
    return this.laid(new Tensor({ dtype: dtype as DType, shape, storage }), strides);
  }
  /** Returns the elements in row-major order. */
  raw(tensor: Tensor): HostTensor {
    const { dtype, shape, storage, storageOffset, numel } = tensor.contiguous();
    const { itemSize } = dtypeInfo(dtype);
    return {
      dtype,
      shape,
      data: storage.bytes.slice(storageOffset * itemSize, (storageOffset + numel) * itemSize),
    };
  }
  /** Returns a tensor with these strides: a copy where it has others. */
  laid(tensor: Tensor, strides: readonly number[]): Tensor {
    const { dtype, shape } = tensor;
    if (tensor.numel === 0 || shape.every((size, d) => size === 1 || tensor.strides[d] === strides[d]))
      return tensor;
    const bytes = requiredBytes(shape, strides, 0, dtypeInfo(dtype).itemSize);
    const copy = new Tensor({ dtype, shape, strides, storage: Storage.allocate(bytes) });
    copyInto(copy, tensor);
    return copy;
  }
  /** @param offset elements from the first one of the tensor */
  view(
    { storage, storageOffset }: Tensor,
    dtype: DType,
    shape: readonly number[],
    strides: readonly number[],
    offset: number,
  ): Tensor {
    return new Tensor({ dtype, shape, strides, storageOffset: storageOffset + offset, storage });
  }

  #row(tensor: Tensor, at: number): Tensor {
    const { shape, strides, storageOffset } = tensor;
    return tensor.asStrided(shape.slice(1), strides.slice(1), storageOffset + at * strides[0]!);
  }
  #rows(tensors: readonly Tensor[], at: number): readonly Tensor[] {
    return tensors.map((tensor) => this.#row(tensor, at));
  }
  /** Stacks the values of all rounds. */
  #columns(rounds: readonly (readonly Value[])[]): readonly Tensor[] {
    return rounds[0]!.map((value, column) => {
      const { shape, dtype } = value as Tensor;
      const out = Tensor.empty([rounds.length, ...shape], dtype);
      rounds.forEach((round, at) => {
        copyInto(this.#row(out, at), round[column] as Tensor);
      });
      return out;
    });
  }
  #copies(values: readonly Value[]): readonly Value[] {
    return values.map((value) =>
      value instanceof Tensor ? this.tensor(this.raw(value), contiguousStrides(value.shape)) : value,
    );
  }

  /** @param empty what a loop without rounds gives */
  map(
    body: Body,
    xs: readonly Tensor[],
    operands: readonly Value[],
    empty: readonly FakeTensor[],
  ): readonly Value[] {
    const count = xs[0]?.shape[0] ?? 0;
    if (count === 0) return empty.map(({ dtype, shape }) => Tensor.empty(shape as readonly number[], dtype));
    const rounds = Array.from({ length: count }, (_, at) => body(...this.#rows(xs, at), ...operands));
    return this.#columns(rounds);
  }
  /** Runs a loop; `passed` receives the values after each round. */
  loop(
    condition: Body,
    body: Body,
    carried: readonly Value[],
    additional: readonly Value[],
    passed: (values: readonly Value[]) => void = () => {},
  ): readonly Value[] {
    let carry = carried;
    for (let rounds = 0; ; rounds++) {
      if (!this.#holds(condition(...carry, ...additional)[0]!))
        return rounds > 0 ? carry : this.#copies(carry);
      carry = body(...carry, ...additional);
      passed(carry);
    }
  }
  /**
   * Runs a loop, and stacks the values of all rounds; those that it begins with without a round.
   */
  rounds(
    condition: Body,
    body: Body,
    carried: readonly Value[],
    additional: readonly Value[],
  ): readonly Value[] {
    const rounds: (readonly Value[])[] = [];
    const last = this.loop(condition, body, carried, additional, (values) => void rounds.push(values));
    return this.#columns(rounds.length === 0 ? [last] : rounds);
  }
  /** Returns the branch of an index. */
  branch(index: Value, branches: readonly Body[]): Body {
    const at = index instanceof Tensor ? lanesOf(index)[0]! : Number(index);
    const branch = branches[Math.trunc(at)];
    if (branch === undefined) throw noBranch(at, branches.length);
    return branch;
  }
  /** Combines each row with the result of those before it. */
  cumulate(combine: Body, xs: readonly Tensor[], additional: readonly Value[]): readonly Value[] {
    const count = xs[0]?.shape[0] ?? 0;
    if (count < 2) return xs;
    const rounds: (readonly Value[])[] = [this.#rows(xs, 0)];
    for (let at = 1; at < count; at++)
      rounds.push(combine(...rounds[at - 1]!, ...this.#rows(xs, at), ...additional));
    return this.#columns(rounds);
  }
  scan(
    combine: Body,
    init: readonly Value[],
    xs: readonly Tensor[],
    additional: readonly Value[],
  ): readonly Value[] {
    if (xs.length === 0) return init;
    const count = xs[0]!.shape[0] ?? 0;
    let carry = init;
    const rounds: (readonly Value[])[] = [];
    for (let at = 0; at < Math.max(count, 1); at++) {
      // Without rows zeros show the sizes of the results.
      const row =
        count > 0 ? this.#rows(xs, at) : xs.map(({ shape, dtype }) => Tensor.empty(shape.slice(1), dtype));
      const results = combine(...carry, ...row, ...additional);
      carry = results.slice(0, carry.length);
      rounds.push(results.slice(carry.length));
    }
    if (count > 0) return [...carry, ...this.#columns(rounds)];
    const columns = rounds[0]!.map((value) => {
      const { shape, dtype } = value as Tensor;
      return Tensor.empty([0, ...shape], dtype);
    });
    return [...init, ...columns];
  }
  #holds(value: Value): boolean {
    return value instanceof Tensor ? lanesOf(value).some((lane) => lane !== 0) : Boolean(value);
  }
}

/** Returns the lanes of the only element of a tensor. */
function lanesOf({ dtype, shape, numel, data, storageOffset }: Tensor): readonly number[] {
  if (numel !== 1) throw notSingle(shape);
  const { lanes } = dtypeInfo(dtype);
  const read = laneReader(dtype, data);
  return Array.from({ length: lanes }, (_, lane) => Number(read(storageOffset * lanes + lane)));
}
