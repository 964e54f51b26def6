/** @file Reads kernels from text, as `printKernel` writes it. */
import { dtypeInfo } from "@sconce/tensor";
import { BINARY, COMPARE, COMPLEX, TERNARY, UNARY } from "../ir/scalar-functions.js";
import { kernelText } from "./errors.js";
import {
  type AddressSpace,
  type ElementType,
  elementOf,
  KERNEL_OPS,
  type Kernel,
  type KernelBlock,
  type KernelMemory,
  type KernelOp,
  type KernelOperand,
  type KernelStatement,
  type KernelType,
  type KernelValue,
  type KernelVariable,
  literal,
} from "./kernel.js";
import { BY_ABBREVIATION } from "./print.js";

const OPS: ReadonlySet<string> = new Set([
  ...KERNEL_OPS,
  ...UNARY,
  ...BINARY,
  ...COMPARE,
  ...COMPLEX,
  ...TERNARY,
]);
/** Operations that have a detail before their operands. */
const DETAILED: ReadonlySet<string> = new Set(["lane", "thread", "call", "size"]);

const HEAD = /^kernel grid\((\d+), (\d+), (\d+)\) size (\d+) \{$/;
const MEMORY = /^@(\w+): (global|workgroup|private) (read|write|read_write) (\w+)\[(\d+)\](?: of b(\d+))?$/;
const STORE = /^@(\w+)\[(\S+)\] = (\S+)$/;
const LOAD = /^(%\w+): (\w+) = load @(\w+)\[(\S+)\]$/;
const LET = /^(%\w+): (\w+) = (\w+)(?: (.*))?$/;
const VARIABLE = /^var (\$\w+): (\w+) = (\S+)$/;
const ASSIGN = /^(\$\w+) = (\S+)$/;
const FOR = /^for (%\w+): (\w+) = (\S+) to (\S+) step (\d+) \{$/;
const IF = /^if (\S+) \{$/;

/** How deep blocks may nest: readers and printers call themselves for each. */
const DEEPEST = 200;

/**
 * Reads the text of a kernel. Names of values and variables are free.
 * @throws SconceError `KERNEL_TEXT` with the line
 */
export function parseKernel(text: string): Kernel {
  if (typeof text !== "string") throw kernelText(0, String(text), "a string is wanted");
  return new KernelReader(text).kernel();
}

/** Returns whether a type has a number. An infinity is the greatest or least of what has none. */
function isOf(value: number, element: ElementType): boolean {
  const kind = element === "index" ? "index" : dtypeInfo(element).kind;
  if (kind === "float" || kind === "complex" || Math.abs(value) === Number.POSITIVE_INFINITY) return true;
  return kind === "index" ? Number.isSafeInteger(value) : Number.isInteger(value);
}

class KernelReader {
  readonly #lines: readonly string[];
  readonly #names = new Map<string, KernelValue | KernelVariable>();
  readonly #memories = new Map<string, KernelMemory>();
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#lines = text.split("\n").map((line) => line.trim());
  }

  kernel(): Kernel {
    const head = HEAD.exec(this.#line()) ?? this.#fail("a kernel starts with its grid");
    const counts = head.slice(1).map((text) => this.#count(text));
    const [x, y, z, size] = counts as [number, number, number, number];
    for (let found = MEMORY.exec(this.#line()); found !== null; found = MEMORY.exec(this.#line()))
      this.#memory(found);
    this.#at--;
    const body = this.#block();
    if (this.#lines[this.#at - 1] !== "}") this.#fail("a kernel ends with }");
    if (this.#lines.slice(this.#at).some((line) => line !== "")) {
      this.#line();
      this.#fail("nothing follows a kernel");
    }
    return { memories: [...this.#memories.values()], launch: { grid: [x, y, z], size }, body };
  }

  #line(): string {
    return this.#lines[this.#at++] ?? "";
  }
  #fail(problem: string): never {
    throw kernelText(this.#at, this.#lines[this.#at - 1] ?? "", problem);
  }

  /** Returns a whole number that is exact. */
  #count(text: string, least = 0): number {
    const count = Number(text);
    return Number.isSafeInteger(count) && count >= least ? count : this.#fail(`${text} is not a count`);
  }

  #memory([, name, space, access, type, length, buffer]: readonly string[]): void {
    if (this.#memories.has(name!)) this.#fail(`@${name} is there already`);
    this.#memories.set(name!, {
      name: name!,
      space: space as AddressSpace,
      access: access as KernelMemory["access"],
      type: this.#type(type!),
      length: this.#count(length!),
      buffer: buffer === undefined ? undefined : this.#count(buffer),
    });
  }
  #type(text: string): KernelType {
    const [, element = text, four = ""] = /^(\w+?)(x4)?$/.exec(text) ?? [];
    const found = element === "index" ? "index" : BY_ABBREVIATION.get(element);
    return `${found ?? this.#fail(`there is no type ${element}`)}${four}` as KernelType;
  }

  #define<T extends KernelValue | KernelVariable>(name: string, made: T): T {
    if (this.#names.has(name)) this.#fail(`${name} is there already`);
    this.#names.set(name, made);
    return made;
  }
  #value(name: string, type: string): KernelValue {
    return this.#define(name, { kind: "value", type: this.#type(type) });
  }
  #known(name: string): KernelMemory {
    return this.#memories.get(name) ?? this.#fail(`there is no memory @${name}`);
  }

  #operand(text: string): KernelOperand {
    if (/^[%$]/.test(text)) return this.#names.get(text) ?? this.#fail(`${text} is not there yet`);
    if (text === "true" || text === "false") return literal(text === "true", "bool");
    const [number, type = "index"] = text.split(":") as [string, string?];
    const value = Number(number);
    if (number === "" || (Number.isNaN(value) && number !== "NaN")) this.#fail(`${text} has no value`);
    const isLarge = Number.isInteger(value) && !Number.isSafeInteger(value) && /^-?\d+$/.test(number);
    const found = this.#type(type);
    if (!isOf(value, elementOf(found))) this.#fail(`${text} is not a number of its type`);
    return literal(isLarge ? BigInt(number) : value, found);
  }
  #operands(text: string): KernelOperand[] {
    return text === "" ? [] : text.split(", ").map((one) => this.#operand(one));
  }

  /** Statements up to the line that closes the block, which is taken. */
  #block(): KernelBlock {
    const block: KernelStatement[] = [];
    if (++this.#depth > DEEPEST) this.#fail(`blocks nest more than ${DEEPEST} deep`);
    for (;;) {
      const line = this.#line();
      if (line === "}" || line === "} else {" || this.#at > this.#lines.length) break;
      if (line !== "") block.push(this.#statement(line));
    }
    this.#depth--;
    return block;
  }

  #statement(line: string): KernelStatement {
    if (line === "barrier") return { kind: "barrier" };
    if (line === "loop {") return { kind: "loop", body: this.#block() };
    if (line.startsWith("break if ")) return { kind: "break", condition: this.#operand(line.slice(9)) };
    return (
      this.#memoryStatement(line) ??
      this.#blockStatement(line) ??
      this.#valueStatement(line) ??
      this.#fail("there is no such statement")
    );
  }

  #memoryStatement(line: string): KernelStatement | undefined {
    const load = LOAD.exec(line);
    if (load !== null) {
      const [, name, type, memory, at] = load as unknown as string[];
      const operand = this.#operand(at!);
      return { kind: "load", value: this.#value(name!, type!), memory: this.#known(memory!), at: operand };
    }
    const store = STORE.exec(line);
    if (store === null) return undefined;
    const [memory, at, value] = store.slice(1) as [string, string, string];
    return {
      kind: "store",
      memory: this.#known(memory),
      at: this.#operand(at),
      value: this.#operand(value),
    };
  }

  #blockStatement(line: string): KernelStatement | undefined {
    const loop = FOR.exec(line);
    if (loop !== null) {
      const [, name, type, start, end, step] = loop as unknown as string[];
      const range = [this.#operand(start!), this.#operand(end!)] as const;
      const counter = this.#value(name!, type!);
      return {
        kind: "for",
        counter,
        start: range[0],
        end: range[1],
        step: this.#count(step!, 1),
        body: this.#block(),
      };
    }
    const test = IF.exec(line);
    if (test === null) return undefined;
    const condition = this.#operand(test[1]!);
    const then = this.#block();
    const hasElse = this.#lines[this.#at - 1] === "} else {";
    return { kind: "if", condition, then, otherwise: hasElse ? this.#block() : [] };
  }

  #valueStatement(line: string): KernelStatement | undefined {
    const made = VARIABLE.exec(line);
    if (made !== null) {
      const initial = this.#operand(made[3]!);
      const variable: KernelVariable = { kind: "variable", type: this.#type(made[2]!) };
      return { kind: "variable", variable: this.#define(made[1]!, variable), initial };
    }
    const assigned = ASSIGN.exec(line);
    if (assigned !== null) {
      const variable = this.#operand(assigned[1]!) as KernelVariable;
      return { kind: "assign", variable, value: this.#operand(assigned[2]!) };
    }
    const found = LET.exec(line);
    if (found === null) return undefined;
    const [, name, type, op, rest = ""] = found as unknown as string[];
    if (!OPS.has(op!)) this.#fail(`there is no operation ${op}`);
    const [word = "", ...more] = rest.split(" ");
    const detail = DETAILED.has(op!) ? (op === "call" || op === "size" ? word : Number(word)) : undefined;
    const args = this.#operands(detail === undefined ? rest : more.join(" "));
    return { kind: "let", value: this.#value(name!, type!), op: op as KernelOp, args, detail };
  }
}
