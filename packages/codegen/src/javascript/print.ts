/** @file Kernels as JavaScript: the reference printer, which every dtype has. */
import { internalError } from "@sconce/errors";
import { type DType, dtypeInfo, isBigIntDType, isFloatDType } from "@sconce/tensor";
import { COMPARE } from "../ir/scalar-functions.js";
import {
  elementOf,
  indexLiteral,
  type Kernel,
  type KernelBlock,
  type KernelLiteral,
  type KernelMemory,
  type KernelOperand,
  type KernelStatement,
  type KernelValue,
  type KernelVariable,
  type LetStatement,
} from "../kernel/kernel.js";
import { ALL_INTEGERS, type Target } from "../kernel/target.js";
import type { Element } from "./functions.js";
import { javaScriptFunction } from "./named-function.js";
import { roundingOf } from "./rounding.js";

/** Values are numbers, bigints and booleans; one thread runs over all elements. */
export const JAVASCRIPT: Target = {
  name: "javascript",
  threads: "one",
  maxSide: Number.POSITIVE_INFINITY,
  exactIndex: Number.MAX_SAFE_INTEGER,
  dividesInFloats: false,
  sumsIn: "float64",
  hasInfinity: true,
  unroll: 1,
  speculation: { operations: 0, loads: false },
  integers: ALL_INTEGERS,
  maxReads: Number.POSITIVE_INFINITY,
};

/** Source, and the functions that it calls as `f[0]`, `f[1]`, ... */
export interface JavaScriptSource {
  /** The body of a function of `f`, of the readers `r` and of the writers `w` of the memories. */
  readonly source: string;
  readonly functions: readonly ((...args: Element[]) => Element)[];
}

/** A function that source calls: an operation, or `cast` between dtypes. */
export interface JavaScriptFunction {
  /** The operation. */
  readonly op: string;
  /** The dtype of its operands. */
  readonly from: DType;
  /** The dtype of its result. */
  readonly to: DType;
}

/** Texts of operations and of conversions; undefined for those that are called. */
export interface JavaScriptInline {
  /** Returns an operation of operands that are names or literals. */
  readonly operation: (op: string, from: DType, to: DType, operands: readonly string[]) => string | undefined;
  /** Returns a conversion. */
  readonly cast: (operand: string, from: DType, to: DType) => string | undefined;
}

/** How source reads, writes and calls what it does not compute itself. Texts are expressions. */
export interface JavaScriptNames {
  /** Returns the element at a place. */
  readonly load: (memory: KernelMemory, at: string) => string;
  /** Returns what writes an element. */
  readonly store: (memory: KernelMemory, at: string, value: string) => string;
  /** Returns the name of a function. */
  readonly call: (called: JavaScriptFunction) => string;
  /** Writes what needs no call; each operation is a call by default. */
  readonly inline?: JavaScriptInline;
  /** The number of the unit. */
  readonly unit?: string;
  /** A size that the kernel gets, by its text. */
  readonly size?: (text: string) => string;
}

/** Prints a kernel of one thread. Nothing but numbers reaches the source from outside. */
export function printJavaScript(kernel: Kernel): JavaScriptSource {
  const functions: ((...args: Element[]) => Element)[] = [];
  const known = new Map<string, string>();
  const place = (memory: KernelMemory): number => kernel.memories.indexOf(memory);
  const lines = javaScriptLines(kernel, {
    load: (memory, at) => `r[${place(memory)}](${at})`,
    store: (memory, at, value) => `w[${place(memory)}](${at}, ${value})`,
    call: (called) => {
      const key = `${called.op} ${called.from} ${called.to}`;
      let name = known.get(key);
      if (name === undefined) {
        const made = javaScriptFunction(called);
        if (made === undefined) throw internalError(`JavaScript has no ${key}`);
        name = `f[${functions.push(made) - 1}]`;
        known.set(key, name);
      }
      return name;
    },
  });
  return { source: `"use strict";\n${lines.join("\n")}\n`, functions };
}

/** Returns the lines of a kernel of one thread, or of one unit. */
export const javaScriptLines = (kernel: Kernel, names: JavaScriptNames): string[] =>
  new JavaScriptPrinter(names).block(kernel.body);

const INDEX: Readonly<Record<string, (a: string, b: string) => string>> = {
  add: (a, b) => `${a} + ${b}`,
  sub: (a, b) => `${a} - ${b}`,
  mul: (a, b) => `${a} * ${b}`,
  max: (a, b) => `Math.max(${a}, ${b})`,
  min: (a, b) => `Math.min(${a}, ${b})`,
  floor_div: (a, b) => `Math.floor(${a} / ${b})`,
  remainder: (a, b) => `((${a} % ${b}) + ${b}) % ${b}`,
  udiv: (a, b) => `Math.floor(${a} / ${b})`,
  urem: (a, b) => `${a} % ${b}`,
  eq: (a, b) => `${a} === ${b}`,
  ne: (a, b) => `${a} !== ${b}`,
  lt: (a, b) => `${a} < ${b}`,
  le: (a, b) => `${a} <= ${b}`,
  gt: (a, b) => `${a} > ${b}`,
  ge: (a, b) => `${a} >= ${b}`,
};
const COMPARISONS: ReadonlySet<string> = new Set(COMPARE);

class JavaScriptPrinter {
  readonly #names = new Map<KernelValue | KernelVariable, string>();
  readonly #outer: JavaScriptNames;

  constructor(names: JavaScriptNames) {
    this.#outer = names;
  }

  block(block: KernelBlock): string[] {
    return block.flatMap((statement) => this.#statement(statement));
  }
  #inner(block: KernelBlock): string[] {
    return this.block(block).map((line) => `  ${line}`);
  }
  #define(value: KernelValue | KernelVariable): string {
    const name = `v${this.#names.size}`;
    this.#names.set(value, name);
    return name;
  }
  #use(operand: KernelOperand): string {
    return operand.kind === "literal" ? literalText(operand) : this.#names.get(operand)!;
  }

  #statement(statement: KernelStatement): string[] {
    switch (statement.kind) {
      case "let": {
        const text = this.#expression(statement);
        return [`const ${this.#define(statement.value)} = ${text};`];
      }
      case "load": {
        const text = this.#outer.load(statement.memory, this.#use(statement.at));
        return [`const ${this.#define(statement.value)} = ${text};`];
      }
      case "store": {
        const [at, value] = [this.#use(statement.at), this.#use(statement.value)];
        return [`${this.#outer.store(statement.memory, at, value)};`];
      }
      case "variable": {
        const initial = this.#use(statement.initial);
        return [`let ${this.#define(statement.variable)} = ${initial};`];
      }
      case "assign":
        return [`${this.#use(statement.variable)} = ${this.#use(statement.value)};`];
      case "for": {
        const [start, end] = [this.#use(statement.start), this.#use(statement.end)];
        const counter = this.#define(statement.counter);
        const step = literalText(indexLiteral(statement.step));
        const head = `for (let ${counter} = ${start}; ${counter} < ${end}; ${counter} += ${step}) {`;
        return [head, ...this.#inner(statement.body), "}"];
      }
      case "loop":
        return ["for (;;) {", ...this.#inner(statement.body), "}"];
      case "if": {
        const [then, otherwise] = [this.#inner(statement.then), this.#inner(statement.otherwise)];
        return [`if (${this.#use(statement.condition)}) {`, ...then, "} else {", ...otherwise, "}"];
      }
      case "break":
        return [`if (${this.#use(statement.condition)}) break;`];
      case "barrier":
        throw internalError("a kernel of one thread has no barrier");
    }
  }

  #expression({ op, args, value, detail }: LetStatement): string {
    const texts = args.map((arg) => this.#use(arg));
    const [from, to] = [args[0]?.type ?? "index", value.type];
    if (op === "select") return `${texts[0]} ? ${texts[1]} : ${texts[2]}`;
    if (op === "cast") return this.#cast(texts[0]!, from as DType, to as DType);
    const given = this.#given(op, detail);
    if (given !== undefined) return given;
    const infix = from === "index" && (to === "index" || COMPARISONS.has(op)) ? INDEX[op] : undefined;
    if (infix !== undefined) return infix(texts[0]!, texts[1]!);
    const [operand, out] = [from, to].map(elementOf) as [DType, DType];
    const inline = this.#outer.inline?.operation(op, operand, out, texts);
    if (inline !== undefined) return inline;
    const name = this.#outer.call({ op, from: operand, to: out });
    return `${name}(${texts.join(", ")})`;
  }
  /** Returns what a kernel gets when it runs; undefined for what it computes. */
  #given(op: LetStatement["op"], detail: LetStatement["detail"]): string | undefined {
    const { unit, size } = this.#outer;
    if (op === "thread" && unit !== undefined) return unit;
    if (op === "size" && size !== undefined) return size(String(detail));
    if (detail !== undefined) throw internalError(`${op} is not for one thread`);
    return undefined;
  }
  #cast(text: string, from: DType | "index", to: DType | "index"): string {
    if (from === "index") return isBigIntDType(to as DType) ? `BigInt(${text})` : text;
    if (to === "index") return `Number(${text})`;
    return (
      this.#outer.inline?.cast(text, from, to) ?? `${this.#outer.call({ op: "cast", from, to })}(${text})`
    );
  }
}

/** Returns a number, checked to be one. */
function literalText({ value, type }: KernelLiteral): string {
  const dtype = elementOf(type);
  if (typeof value === "boolean") return String(value);
  if (typeof value !== "number" && typeof value !== "bigint")
    throw internalError("a literal is not a number");
  if (dtype === "index") return String(Number(value));
  if (isFloatDType(dtype)) {
    const rounded = roundingOf(dtype)(Number(value));
    return Object.is(rounded, -0) ? "(-0)" : rounded < 0 ? `(${rounded})` : String(rounded);
  }
  if (dtype === "bool") return String(Boolean(value));
  const whole =
    typeof value === "bigint" ? value : Number.isFinite(value) ? BigInt(value) : limitOf(dtype, value);
  return isBigIntDType(dtype) ? `(${whole}n)` : `(${whole})`;
}
/** Returns an infinity as an integer: the greatest or the least. */
function limitOf(dtype: DType, value: number): bigint {
  const { itemSize, signed } = dtypeInfo(dtype);
  const bits = BigInt(itemSize * 8 - (signed ? 1 : 0));
  if (value > 0) return 2n ** bits - 1n;
  return signed ? -(2n ** bits) : 0n;
}
