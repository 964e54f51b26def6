import { isSconceError } from "@sconce/errors";
import {
  type Argument,
  FakeTensor,
  type InputKind,
  isRef,
  type MetaValue,
  Namespace,
  NO_KWARGS,
  type Node,
  type NodeRef,
  ref,
  symInt,
} from "@sconce/ir";
import { metaOf, type OperatorTable } from "@sconce/ops";
import { evaluateInt, type IntLike, isStatic, ShapeEnv, symbol } from "@sconce/symbolic";
import type { DType, Tensor } from "@sconce/tensor";
import { exactly, type Facts, withinLimits } from "./facts.js";
import { mix } from "./recipe.js";
import { gridTensor } from "./tensors.js";

/** The symbol of a dynamic batch. */
export const BATCH = symbol("s0");
/** No generated tensor has more elements than this. */
const MAX_ELEMENTS = 2048;
/** Samples of a dynamic batch go no further. */
export const MAX_BATCH = 12;

/** A tensor that later calls may read. */
export interface Val {
  readonly name: string;
  readonly fake: FakeTensor;
  /** Independent of the position, so that choices are stable when other values come or go. */
  readonly id: number;
  /** What is known of its elements; views of one storage share it. */
  readonly facts: Facts;
  /** The step that made it; -1 for inputs. */
  readonly step: number;
}

/** A lifted or given input of the draft. */
export interface DraftInput {
  readonly kind: InputKind;
  readonly val: Val;
  readonly target: string | null;
  readonly tensor: Tensor;
}

/** Thrown by makers that have nothing to offer for their choices; the step is then left out. */
export class Skip extends Error {}

/** A program under construction: calls are typed by the operators' own rules as they are added. */
export class Draft {
  readonly operators: OperatorTable;
  readonly mutable: boolean;
  readonly #maxNodes: number;
  readonly #names = new Namespace();
  #env: ShapeEnv;
  #calls: Node[] = [];
  #vals: Val[] = [];
  #inputs: DraftInput[] = [];
  #sizes: NodeRef | undefined;
  #step = -1;
  #key = 0;
  #made = 0;

  constructor(operators: OperatorTable, options: { mutable: boolean; maxNodes: number; batch: number }) {
    this.operators = operators;
    this.mutable = options.mutable;
    this.#maxNodes = options.maxNodes;
    this.#env = new ShapeEnv({
      ranges: new Map([[BATCH.name, { min: 2, max: MAX_BATCH }]]),
      hints: new Map([[BATCH.name, options.batch]]),
    });
  }

  get vals(): readonly Val[] {
    return this.#vals;
  }

  get calls(): readonly Node[] {
    return this.#calls;
  }

  get inputs(): readonly DraftInput[] {
    return this.#inputs;
  }

  /** Runs one step; what it did is undone when it cannot be finished. */
  attempt(step: number, key: number, make: () => void): void {
    const before = [this.#calls.slice(), this.#vals.slice(), this.#inputs.slice(), this.#sizes] as const;
    const facts = this.#vals.map((val) => ({ ...val.facts }));
    [this.#step, this.#key, this.#made] = [step, key, 0];
    try {
      make();
      if (this.#calls.length > this.#maxNodes) throw new Skip();
    } catch (error) {
      // A call that the operator's rule refuses is not generated. Any other error is a bug of the
      // rule.
      if (!(error instanceof Skip) && (!isSconceError(error) || error.code === "INTERNAL")) throw error;
      [this.#calls, this.#vals, this.#inputs, this.#sizes] = before;
      facts.forEach((old, i) => {
        Object.assign(this.#vals[i]!.facts, old);
      });
    }
  }

  /** Returns a user input, parameter, buffer or constant with elements on a grid. */
  input(
    kind: InputKind,
    spec: { dtype: DType; shape: readonly IntLike[]; tensor?: Tensor; bound?: number },
    seed: number,
  ): Val {
    const count = this.#inputs.filter((item) => item.kind === kind).length;
    const target = kind === "USER_INPUT" ? null : `${NAMES[kind]}.${count}`;
    const name = kind === "USER_INPUT" ? `x${count}` : `${NAMES[kind]![0]}_${NAMES[kind]}_${count}`;
    this.#names.reserve(name);
    const shape = spec.shape.map((size) => this.hint(size));
    const requiresGrad = kind === "PARAMETER";
    const tensor = spec.tensor ?? gridTensor(spec.dtype, shape, seed, requiresGrad);
    const fake = new FakeTensor({
      dtype: spec.dtype,
      shape: spec.shape,
      strides: symStrides(spec.shape),
      requiresGrad,
    });
    const home = kind === "BUFFER" ? "buffer" : kind === "USER_INPUT" ? "input" : "constant";
    const facts = { ...exactly(spec.bound ?? 2), home } as Facts;
    const val = { name, fake, id: mix(seed, count, kind.length), facts, step: this.#step };
    this.#inputs.push({ kind, val, target, tensor });
    if (kind === "USER_INPUT" || kind === "BUFFER") this.#vals.push(val);
    return val;
  }

  /** Returns a call with one tensor as result. */
  call(target: string, args: readonly Arg[], facts: Facts, kwargs?: Readonly<Record<string, Arg>>): Val {
    const val = this.#add(target, args, kwargs);
    if (!(val.meta.val instanceof FakeTensor)) throw new Skip();
    return this.#keep(val.name, val.meta.val, facts);
  }

  /** Returns a call with several tensors as results, unpacked. */
  many(target: string, args: readonly Arg[], facts: readonly Facts[] | Facts): Val[] {
    const node = this.#add(target, args);
    const results = node.meta.val as readonly MetaValue[];
    return results.map((fake, i) => {
      if (!(fake instanceof FakeTensor)) throw new Skip();
      const item = this.#node("operator.getitem", [ref(node.name), i], NO_KWARGS, fake);
      return this.#keep(item.name, fake, Array.isArray(facts) ? facts[i]! : (facts as Facts));
    });
  }

  /** Returns a size as an argument: the number, or for the batch the node that reads it. */
  size(size: IntLike): Argument {
    if (isStatic(size)) return size;
    if (size !== BATCH) throw new Skip();
    this.#sizes ??= this.#readBatch();
    return this.#sizes;
  }

  /** Returns the size in the example. */
  hint(size: IntLike): number {
    return evaluateInt(size, this.#env.hints);
  }

  /** Returns the largest size that the range allows. */
  most(size: IntLike): number {
    return this.#env.range(size).max;
  }

  #readBatch(): NodeRef {
    const source = this.#inputs.find(({ val }) => val.fake.shape[0] === BATCH);
    if (source === undefined) throw new Skip();
    const node = this.#node("aten.sym_size.int", [ref(source.val.name), 0], NO_KWARGS, symInt(BATCH));
    return ref(node.name);
  }

  #add(target: string, given: readonly Arg[], kwargs: Readonly<Record<string, Arg>> = NO_KWARGS): Node {
    const args = given.map(argument);
    const named = Object.fromEntries(Object.entries(kwargs).map(([key, value]) => [key, argument(value)]));
    // A call that holds only for some sizes would need a guard: it is left out.
    const env = this.#env.clone();
    const val = metaOf(this.operators, target, args, named, env, (node) => this.#meta(node.name));
    if (env.guards.length + env.assertions.length + env.replacements.size > 0) throw new Skip();
    for (const fake of [val].flat() as readonly MetaValue[]) this.#refuseSize(fake);
    return this.#node(target, args, named, val);
  }

  #meta(name: string): MetaValue {
    const node = this.#calls.find((call) => call.name === name);
    return node?.meta.val ?? this.#inputs.find(({ val }) => val.name === name)!.val.fake;
  }

  #refuseSize(fake: MetaValue): void {
    if (!(fake instanceof FakeTensor)) return;
    const elements = fake.shape.reduce<number>((product, size) => product * this.hint(size), 1);
    // Nothing has an average, and an index into nothing is refused.
    if (elements > MAX_ELEMENTS || elements === 0) throw new Skip();
  }

  #node(target: string, args: readonly Argument[], kwargs: Node["kwargs"], val: MetaValue): Node {
    const name = this.#names.create(target.split(".")[1]!);
    const stackTrace = `File "generated.py", line ${this.#step + 2}, in forward\n    ${target}`;
    const nnModuleStack = [["L__self__", "", "generated.Model"]] as const;
    const node: Node = Object.freeze({
      name,
      op: "call_function",
      target,
      args,
      kwargs,
      meta: { val, stackTrace, nnModuleStack },
    });
    this.#calls.push(node);
    return node;
  }

  #keep(name: string, fake: FakeTensor, facts: Facts): Val {
    if (!withinLimits(facts, fake.dtype)) throw new Skip();
    const val = { name, fake, id: mix(this.#key, this.#made++), facts, step: this.#step };
    this.#vals.push(val);
    return val;
  }
}

/** Arguments of calls: values represent references to them. */
export type Arg = Argument | Val | readonly (Argument | Val)[];

const NAMES: Readonly<Partial<Record<InputKind, string>>> = {
  PARAMETER: "parameter",
  BUFFER: "buffer",
  CONSTANT_TENSOR: "constant",
};

const isVal = (value: Arg): value is Val =>
  typeof value === "object" && value !== null && "fake" in value && !isRef(value);

function argument(value: Arg): Argument {
  if (isVal(value)) return ref(value.name);
  return Array.isArray(value) ? (value as readonly Arg[]).map(argument) : (value as Argument);
}

function symStrides(shape: readonly IntLike[]): IntLike[] {
  // Only the first size is symbolic, and strides do not depend on it.
  const strides: number[] = [];
  let step = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = step;
    if (d > 0) step *= Math.max(shape[d] as number, 1);
  }
  return strides;
}
