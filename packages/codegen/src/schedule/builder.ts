/**
 * @file Makes kernels from the scalars and indices of nests. A value goes to the outermost block in
 * which it does not change, out of loops but not out of branches, and is computed there once.
 */

import { internalError } from "@sconce/errors";
import { type DType, isFloatDType } from "@sconce/tensor";
import { axesOf } from "../analysis/contraction.js";
import { AlwaysComputed } from "../ir/always.js";
import {
  add,
  atom,
  boundsOf,
  constant,
  fixedValue,
  forEachAtom,
  type Index,
  type IndexAtom,
  multiply,
  scale,
} from "../ir/index-expr.js";
import { placeOf } from "../ir/scalar.js";
import { COMPARE } from "../ir/scalar-functions.js";
import type { IndexTerm, Scalar } from "../ir/terms.js";
import {
  indexLiteral,
  type Kernel,
  type KernelMemory,
  type KernelOperand,
  type Launch,
  literal,
} from "../kernel/kernel.js";
import type { Target } from "../kernel/target.js";
import { BlockBuilder } from "./block-builder.js";
import { writeReduction } from "./reductions.js";
import { isHarmless } from "./speculation.js";

const COMPARISONS: ReadonlySet<string> = new Set(COMPARE);
/** Builds the body of one kernel. */
export class KernelBuilder extends BlockBuilder {
  readonly target: Target;
  readonly #memories: KernelMemory[] = [];
  readonly #buffers: (buffer: number) => KernelMemory;
  readonly #read = new Map<number, KernelMemory>();
  readonly #dependencies = new Map<Scalar, ReadonlySet<string>>();
  readonly #lazyAxes = new Map<string, () => KernelOperand>();
  readonly #followers = new Map<Scalar, (value: KernelOperand) => void>();
  readonly #sizes = new Map<string, Index>();
  readonly #always = new AlwaysComputed();

  /** @param buffers declares the memory of a buffer that is read, when it first is */
  constructor(target: Target, buffers: (buffer: number) => KernelMemory) {
    super();
    this.target = target;
    this.#buffers = buffers;
  }

  /** Returns the whole kernel. */
  kernel(launch: Launch): Kernel {
    return {
      memories: [...this.#read.values(), ...this.#memories],
      launch,
      body: this.stack[0]!.statements,
      ...(this.#sizes.size > 0 && { sizes: this.#sizes }),
    };
  }
  /** Declares memory that the kernel writes. */
  memory(memory: KernelMemory): KernelMemory {
    this.#memories.push(memory);
    return memory;
  }
  /** Returns the memory of a buffer of the program that is read. */
  buffer(id: number): KernelMemory {
    let memory = this.#read.get(id);
    if (memory === undefined) {
      memory = this.#buffers(id);
      this.#read.set(id, memory);
    }
    return memory;
  }

  // --- axes

  /** An axis with one value in the whole kernel, made when it is first needed. */
  defineAxis(name: string, value: () => KernelOperand): void {
    this.#lazyAxes.set(name, value);
  }
  #axis(name: string): KernelOperand {
    const known = this.axisValues.get(name);
    if (known !== undefined) return known;
    const make = this.#lazyAxes.get(name);
    if (make === undefined) throw internalError(`the axis ${name} has no loop`);
    const made = this.at(0, make);
    this.axisValues.set(name, made);
    return made;
  }
  #levelOfAxis(name: string): number {
    return Math.max(
      0,
      this.stack.findLastIndex(({ axes }) => axes.has(name)),
    );
  }

  // --- indices

  /**
   * Returns an index as a value; terms that do not change in a loop are added before it.
   *
   * @param isWide whether it counts more than the target's own integers; found from its bounds when
   * left out
   */
  index(index: Index, isWide = this.#reachesFar(index)): KernelOperand {
    if (index.terms.length === 0) return indexLiteral(index.constant);
    if (isWide) return this.#wide(index);
    const byLevel = new Map<number, IndexTerm[]>();
    for (const term of index.terms) {
      const level = this.#levelOf(term);
      byLevel.set(level, [...(byLevel.get(level) ?? []), term]);
    }
    let total: KernelOperand | undefined;
    for (const level of [...byLevel.keys()].sort((a, b) => a - b))
      total = this.at(level, () =>
        byLevel.get(level)!.reduce<KernelOperand | undefined>((sum, term) => this.#plus(sum, term), total),
      );
    // The constant comes last, so that indices which differ in it alone have the rest in common.
    if (index.constant === 0) return total!;
    if (isZero(total!)) return indexLiteral(index.constant);
    const constant = indexLiteral(Math.abs(index.constant));
    return this.op(index.constant < 0 ? "sub" : "add", "index", [total!, constant]);
  }
  #reachesFar(index: Index): boolean {
    const { min, max } = boundsOf(index);
    const { exactIndex } = this.target;
    return (min !== undefined && min <= -exactIndex) || (max !== undefined && max >= exactIndex);
  }
  /** The smallest terms are added by ordinary arithmetic, as far as they stay small together. */
  #wide({ terms, constant: whole }: Index): KernelOperand {
    const left = [...terms].sort((a, b) => Math.abs(a.coefficient) - Math.abs(b.coefficient));
    let small = constant(whole);
    while (left.length > 1) {
      const more = add(small, scale(left[0]!.atoms.map(atom).reduce(multiply), left[0]!.coefficient));
      const { min, max } = boundsOf(more);
      if (min === undefined || max === undefined || this.#reachesFar(more)) break;
      small = more;
      left.shift();
    }
    return left.reduce<KernelOperand>(
      (sum, { coefficient, atoms }) => {
        const product = atoms
          .map((item) => this.#atom(item))
          .reduce((a, b) => this.op("wide_add", "index", [a, b, indexLiteral(0)]));
        const size = indexLiteral(Math.abs(coefficient));
        return this.op(coefficient < 0 ? "wide_sub" : "wide_add", "index", [product, size, sum]);
      },
      this.index(small, false),
    );
  }
  /** Returns the outermost block in which all of a term is known. */
  #levelOf({ atoms }: IndexTerm): number {
    let level = 0;
    const visit = (item: IndexAtom): void => {
      if (item.kind === "axis") level = Math.max(level, this.#levelOfAxis(item.name));
      else if (item.kind === "value") level = Math.max(level, this.#home(item.scalar));
      else if (item.kind !== "size")
        for (const part of [item.numerator, item.denominator]) forEachAtom(part, visit);
    };
    for (const item of atoms) visit(item);
    return level;
  }
  #plus(sum: KernelOperand | undefined, { coefficient, atoms }: IndexTerm): KernelOperand {
    const [first, ...more] = atoms.map((item) => this.#atom(item));
    const factor = more.reduce<KernelOperand>(
      (product, one) => this.op("mul", "index", [product, one]),
      first!,
    );
    if (isZero(factor)) return sum ?? factor;
    const size = indexLiteral(Math.abs(coefficient));
    const isUnit = size.value === 1;
    const scaled = isUnit ? factor : this.op("mul", "index", [factor, size]);
    if (sum === undefined || isZero(sum))
      return coefficient < 0 ? this.op("sub", "index", [indexLiteral(0), scaled]) : scaled;
    return this.op(coefficient < 0 ? "sub" : "add", "index", [sum, scaled]);
  }
  #atom(item: IndexAtom): KernelOperand {
    switch (item.kind) {
      case "axis":
        return this.#axis(item.name);
      case "value":
        return this.op("cast", "index", [this.scalar(item.scalar)]);
      case "size": {
        const size = atom(item);
        this.#sizes.set(size.text, size);
        return this.at(0, () => this.op("size", "index", [], size.text));
      }
      default:
        return this.#division(item);
    }
  }
  #division({ kind, numerator, denominator }: Extract<IndexAtom, { numerator: Index }>): KernelOperand {
    const args = [this.index(numerator), this.index(denominator)];
    const { min, max } = boundsOf(numerator);
    const isQuotient = kind === "quotient";
    // No size is zero when such a kernel runs.
    const isOpen = fixedValue(denominator) === undefined && this.target.threads === "units";
    if (isOpen && min !== undefined && min >= 0) return this.op(isQuotient ? "udiv" : "urem", "index", args);
    if (fixedValue(denominator) !== undefined && min !== undefined) {
      const { dividesInFloats, exactIndex } = this.target;
      if (dividesInFloats && min > -exactIndex && max !== undefined && max < exactIndex) {
        const quotient = this.op("fdiv", "index", args);
        if (isQuotient) return quotient;
        return this.op("sub", "index", [args[0]!, this.op("mul", "index", [quotient, args[1]!])]);
      }
      if (!dividesInFloats && min >= 0) return this.op(isQuotient ? "udiv" : "urem", "index", args);
    }
    return this.op(isQuotient ? "floor_div" : "remainder", "index", args);
  }

  // --- scalars

  /** The value is already computed, and may change with each loop that is open. */
  known(scalar: Scalar, value: KernelOperand): void {
    this.#dependencies.set(scalar, new Set(this.stack.flatMap(({ axes }) => [...axes])));
    this.block.scalars.set(scalar, value);
  }
  /** Does something more wherever the scalar has been computed. */
  after(scalar: Scalar, write: (value: KernelOperand) => void): void {
    this.#followers.set(scalar, write);
  }
  /** Names of the axes that a value depends on. */
  axesOf(scalar: Scalar): ReadonlySet<string> {
    return axesOf(scalar, this.#dependencies);
  }

  /** Returns the value of a scalar. */
  scalar(scalar: Scalar): KernelOperand {
    if (scalar.kind === "constant") return literal(scalar.value, scalar.dtype);
    for (const { scalars } of this.stack) {
      const known = scalars.get(scalar);
      if (known !== undefined) return known;
    }
    return this.at(this.#home(scalar), () => {
      const value = this.#made(scalar);
      this.block.scalars.set(scalar, value);
      this.#followers.get(scalar)?.(value);
      return value;
    });
  }
  /**
   * Returns the outermost block, out of loops but not of branches, in which the scalar does not
   * change.
   */
  #home(scalar: Scalar): number {
    const axes = this.axesOf(scalar);
    let level = this.stack.length - 1;
    while (level > 0 && this.stack[level]!.kind === "loop") {
      if ([...this.stack[level]!.axes].some((axis) => axes.has(axis))) break;
      level--;
    }
    return level;
  }

  #made(scalar: Exclude<Scalar, { kind: "constant" }>): KernelOperand {
    switch (scalar.kind) {
      case "index": {
        const place = this.index(scalar.index);
        return place.kind === "literal"
          ? literal(place.value, scalar.dtype)
          : this.op("cast", scalar.dtype, [place]);
      }
      case "load": {
        const memory = this.buffer(scalar.buffer);
        const isLong = memory.length > this.target.exactIndex;
        return this.load(memory, this.index(scalar.index, isLong || undefined), scalar.dtype);
      }
      case "cast":
        return this.#cast(this.scalar(scalar.value), scalar.dtype);
      case "call":
        return this.op(scalar.fn, scalar.dtype, this.#operands(scalar));
      case "select":
        return this.#select(scalar);
      case "reduce":
        return writeReduction(scalar, this);
    }
  }
  /** Returns a conversion; small whole numbers are converted at once. */
  #cast(value: KernelOperand, dtype: DType): KernelOperand {
    const isWhole = value.kind === "literal" && !isFloatDType(value.type as DType);
    const number = value.kind === "literal" ? Number(value.value) : Number.NaN;
    if (isWhole && Math.abs(number) <= 2 ** 24 && (dtype === "float32" || dtype === "float64"))
      return literal(number, dtype);
    return this.op("cast", dtype, [value]);
  }
  /** Places are compared as indices: as values they might not be exact. */
  #operands({ fn, args }: Extract<Scalar, { kind: "call" }>): readonly KernelOperand[] {
    const places = args.map(placeOf);
    if (COMPARISONS.has(fn) && places.every((place) => place !== undefined) && args.some(isIndex))
      return places.map((place) => (typeof place === "number" ? indexLiteral(place) : this.index(place)));
    return args.map((arg) => this.scalar(arg));
  }

  /** Returns the value of a choice. What is not chosen is not computed, unless that is harmless. */
  #select(choice: Extract<Scalar, { kind: "select" }>): KernelOperand {
    const { condition, then, otherwise, dtype } = choice;
    const test = this.scalar(condition);
    const kernel = {
      target: this.target,
      isKnown: (part: Scalar) => this.stack.some(({ scalars }) => scalars.has(part)),
      buffer: (id: number) => this.buffer(id),
    };
    if ([then, otherwise].every((part) => isHarmless(part, kernel)))
      return this.op("select", dtype, [test, this.scalar(then), this.scalar(otherwise)]);
    // What both branches need is computed once, before them.
    for (const part of this.#always.inBoth(choice)) this.scalar(part);
    const result = this.variable(dtype, literal(dtype === "bool" ? false : 0, dtype));
    const [yes, no] = [then, otherwise].map((part) => () => this.assign(result, this.scalar(part)));
    this.when(test, yes!, no);
    return result;
  }
}

const isZero = (operand: KernelOperand): boolean => operand.kind === "literal" && operand.value === 0;
const isIndex = ({ kind }: Scalar): boolean => kind === "index";
