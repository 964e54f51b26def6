/** @file The text form of kernels. `parseKernel` reads it again. */
import { DTYPES, type DType, dtypeInfo } from "@sconce/tensor";
import {
  elementOf,
  type Kernel,
  type KernelBlock,
  type KernelMemory,
  type KernelOperand,
  type KernelStatement,
  type KernelType,
  type KernelValue,
  type KernelVariable,
  widthOf,
} from "./kernel.js";

/** Returns a type as text: `f32`, `f32x4`, `index`. */
function typeText(type: KernelType): string {
  const element = elementOf(type);
  const text = element === "index" ? "index" : dtypeInfo(element).abbreviation;
  return widthOf(type) === 4 ? `${text}x4` : text;
}

/**
 * Prints a kernel: its memory, its launch and its statements. `%3` is a value, `$0` a variable,
 * `@b1` a piece of memory. Literals have their type where it is not `index`.
 */
export function printKernel({ memories, launch, body }: Kernel): string {
  const threads =
    launch.units === undefined ? `grid(${launch.grid.join(", ")})` : `units(${launch.units.text})`;
  const head = `kernel ${threads} size ${launch.size}`;
  const writer = new KernelWriter();
  const lines = [...memories.map(memoryText), ...writer.block(body)];
  return `${[`${head} {`, ...lines.map((line) => `  ${line}`), "}"].join("\n")}\n`;
}

function memoryText({ name, space, access, type, length, elements, buffer }: KernelMemory): string {
  const source = buffer === undefined ? "" : ` of b${buffer}`;
  return `@${name}: ${space} ${access} ${typeText(type)}[${elements?.text ?? length}]${source}`;
}

class KernelWriter {
  readonly #names = new Map<KernelValue | KernelVariable, string>();
  #values = 0;
  #variables = 0;

  block(block: KernelBlock): string[] {
    return block.flatMap((statement) => this.#statement(statement));
  }
  #inner(block: KernelBlock): string[] {
    return this.block(block).map((line) => `  ${line}`);
  }

  #define(value: KernelValue | KernelVariable): string {
    const name = value.kind === "value" ? `%${this.#values++}` : `$${this.#variables++}`;
    this.#names.set(value, name);
    return `${name}: ${typeText(value.type)}`;
  }
  #use(operand: KernelOperand): string {
    return operand.kind === "literal" ? literalText(operand) : (this.#names.get(operand) ?? "%?");
  }

  #statement(statement: KernelStatement): string[] {
    const use = (operand: KernelOperand): string => this.#use(operand);
    switch (statement.kind) {
      case "let": {
        const detail = statement.detail === undefined ? "" : ` ${statement.detail}`;
        const args = statement.args.map(use).join(", ");
        const text = `${statement.op}${detail}${args === "" ? "" : ` ${args}`}`;
        return [`${this.#define(statement.value)} = ${text}`];
      }
      case "load": {
        const from = `@${statement.memory.name}[${use(statement.at)}]`;
        return [`${this.#define(statement.value)} = load ${from}`];
      }
      case "store":
        return [`@${statement.memory.name}[${use(statement.at)}] = ${use(statement.value)}`];
      case "variable": {
        const initial = use(statement.initial);
        return [`var ${this.#define(statement.variable)} = ${initial}`];
      }
      case "assign":
        return [`${use(statement.variable)} = ${use(statement.value)}`];
      case "for": {
        const range = `${use(statement.start)} to ${use(statement.end)} step ${statement.step}`;
        return [`for ${this.#define(statement.counter)} = ${range} {`, ...this.#inner(statement.body), "}"];
      }
      case "loop":
        return ["loop {", ...this.#inner(statement.body), "}"];
      case "if": {
        const head = `if ${use(statement.condition)} {`;
        const then = this.#inner(statement.then);
        const otherwise = this.#inner(statement.otherwise);
        return [head, ...then, ...(otherwise.length === 0 ? [] : ["} else {", ...otherwise]), "}"];
      }
      case "break":
        return [`break if ${use(statement.condition)}`];
      case "barrier":
        return ["barrier"];
    }
  }
}

function literalText({ value, type }: Extract<KernelOperand, { kind: "literal" }>): string {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return type === "index" || type === "bool" ? text : `${text}:${typeText(type)}`;
}

/** The dtype of each abbreviation. */
export const BY_ABBREVIATION: ReadonlyMap<string, DType> = new Map(
  DTYPES.map((dtype) => [dtypeInfo(dtype).abbreviation, dtype]),
);
