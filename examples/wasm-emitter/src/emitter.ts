/** @file A toy target: kernels of float32 as WebAssembly modules. */
import type { Kernel, KernelBlock, KernelOperand, KernelStatement, KernelValue, Target } from "sconce/loops";

/** One thread with 32-bit indices. */
export const TOY: Target = {
  name: "toy",
  threads: "one",
  maxSide: Number.POSITIVE_INFINITY,
  exactIndex: 2 ** 31,
  dividesInFloats: false,
  sumsIn: "float32",
  hasInfinity: true,
  unroll: 1,
  speculation: { operations: 0, loads: false },
  integers: { low: 0, high: 0, wraps: false },
  maxReads: 8,
};

// The math library: instructions of each type, by operation.
const TABLES: Record<string, Record<string, number>> = {
  index: {
    ...{ add: 0x6a, sub: 0x6b, mul: 0x6c, udiv: 0x6e, urem: 0x70 },
    ...{ eq: 0x46, ne: 0x47, lt: 0x48, gt: 0x4a, le: 0x4c, ge: 0x4e },
  },
  bool: { and: 0x71, or: 0x72, xor: 0x73, not: 0x45 },
  float32: {
    ...{ add: 0x92, sub: 0x93, mul: 0x94, div: 0x95, min: 0x96, max: 0x97 },
    ...{ abs: 0x8b, neg: 0x8c, ceil: 0x8d, floor: 0x8e, trunc: 0x8f, round: 0x90, sqrt: 0x91 },
    ...{ eq: 0x5b, ne: 0x5c, lt: 0x5d, gt: 0x5e, le: 0x5f, ge: 0x60 },
  },
};
/** Functions of one number that the module imports from `Math`. */
const IMPORTED = ["exp", "log", "sin", "cos", "tanh", "log1p", "expm1"];

// The binary format.
const bytes = (...parts: readonly (number | readonly number[])[]): number[] => parts.flat();
const unsigned = (value: number): number[] =>
  value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
function signed(value: number): number[] {
  const [low, rest] = [value & 127, value >> 7];
  return rest === (low & 64 ? -1 : 0) ? [low] : [low | 128, ...signed(rest)];
}
const float = (value: number): number[] => [0x43, ...new Uint8Array(Float32Array.of(value).buffer)];
const vector = (items: readonly (readonly number[])[]): number[] =>
  bytes(unsigned(items.length), items.flat());
const text = (name: string): number[] => vector([...name].map((letter) => [letter.charCodeAt(0)]));
const section = (id: number, content: readonly number[]): number[] =>
  bytes(id, unsigned(content.length), content);
const isFloat = (type: string): boolean => type === "float32";

class Emitter {
  readonly #locals = new Map<KernelOperand, number>();
  readonly #start: (buffer: number) => number;

  constructor(start: (buffer: number) => number) {
    this.#start = start;
  }

  /** A function: its locals and its code. */
  body(block: KernelBlock): number[] {
    const code = this.#block(block);
    const types = [...this.#locals.keys()].map(({ type }) => [1, isFloat(type) ? 0x7d : 0x7f]);
    const whole = bytes(vector(types), code, 0x0b);
    return bytes(unsigned(whole.length), whole);
  }

  #block(block: KernelBlock): number[] {
    return block.flatMap((statement) => this.#statement(statement));
  }
  #set(target: KernelOperand): number[] {
    if (!this.#locals.has(target)) this.#locals.set(target, this.#locals.size);
    return bytes(0x21, unsigned(this.#locals.get(target)!));
  }
  #get(operand: KernelOperand): number[] {
    if (operand.kind !== "literal") return bytes(0x20, unsigned(this.#locals.get(operand)!));
    const value = Number(operand.value);
    return isFloat(operand.type) ? float(value) : bytes(0x41, signed(value));
  }
  /** Four times the place; the start of the memory is in the instruction. */
  #address(at: KernelOperand): number[] {
    return bytes(this.#get(at), 0x41, 4, 0x6c);
  }

  #statement(one: KernelStatement): number[] {
    switch (one.kind) {
      case "let":
        return bytes(this.#value(one.op, one.args, one.value), this.#set(one.value));
      case "load": {
        const start = unsigned(this.#start(one.memory.buffer!));
        return bytes(this.#address(one.at), 0x2a, 2, start, this.#set(one.value));
      }
      case "store": {
        const start = unsigned(this.#start(one.memory.buffer!));
        return bytes(this.#address(one.at), this.#get(one.value), 0x38, 2, start);
      }
      case "variable":
        return bytes(this.#get(one.initial), this.#set(one.variable));
      case "assign":
        return bytes(this.#get(one.value), this.#set(one.variable));
      case "for": {
        const first = bytes(this.#get(one.start), this.#set(one.counter));
        const isOver = bytes(this.#get(one.counter), this.#get(one.end), 0x4e, 0x0d, 1);
        const next = bytes(this.#get(one.counter), 0x41, signed(one.step), 0x6a, this.#set(one.counter));
        const loop = bytes(0x03, 0x40, isOver, this.#block(one.body), next, 0x0c, 0, 0x0b);
        return bytes(first, 0x02, 0x40, loop, 0x0b);
      }
      case "if": {
        const [then, otherwise] = [this.#block(one.then), this.#block(one.otherwise)];
        return bytes(this.#get(one.condition), 0x04, 0x40, then, 0x05, otherwise, 0x0b);
      }
      default:
        throw new TypeError(`the toy has no ${one.kind}`);
    }
  }

  #value(op: string, args: readonly KernelOperand[], { type }: KernelValue): number[] {
    const from = args[0]?.type ?? "index";
    const texts = args.map((arg) => this.#get(arg));
    if (op === "select") return bytes(texts[1]!, texts[2]!, texts[0]!, 0x1b);
    if (op === "reciprocal") return bytes(float(1), texts[0]!, 0x95);
    if (op === "cast" && from === "bool" && isFloat(type)) return bytes(texts[0]!, 0xb2);
    const imported = IMPORTED.indexOf(op);
    if (imported >= 0 && isFloat(from)) return bytes(texts[0]!, 0x10, imported);
    const instruction = TABLES[from]?.[op];
    if (instruction === undefined) throw new TypeError(`the toy has no ${op} of ${from}`);
    return bytes(...texts, instruction);
  }
}

/** The bytes of a module that imports `memory` and the functions, and exports `run`. */
export function emitModule(kernel: Kernel, start: (buffer: number) => number): Uint8Array<ArrayBuffer> {
  const other = kernel.memories.find(({ type }) => !isFloat(type));
  if (other !== undefined) throw new TypeError(`the toy has no memory of ${other.type}`);
  const types = vector([bytes(0x60, 1, 0x7d, 1, 0x7d), bytes(0x60, 0, 0)]);
  const functions = IMPORTED.map((name) => bytes(text("math"), text(name), 0, 0));
  const imports = vector([...functions, bytes(text("env"), text("memory"), 2, 0, 0)]);
  const exported = vector([bytes(text("run"), 0, IMPORTED.length)]);
  const code = vector([new Emitter(start).body(kernel.body)]);
  const contents = [[1, types] as const, [2, imports] as const, [3, [1, 1]] as const];
  const all = [...contents, [7, exported] as const, [10, code] as const];
  const sections = all.flatMap(([id, content]) => section(id, content));
  return Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections]);
}
