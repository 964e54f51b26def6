/** @file Kernels as WGSL. */
import {
  elementOf,
  guardFloats,
  type Kernel,
  type KernelBlock,
  type KernelLiteral,
  type KernelMemory,
  type KernelStatement,
  type KernelType,
  type LetStatement,
  usesOf,
  widthOf,
} from "@sconce/codegen";
import { internalError } from "@sconce/errors";
import type { DType } from "@sconce/tensor";
import { callText, castText } from "./wgsl-functions.js";
import { WgslLines } from "./wgsl-lines.js";
import { intLiteral, laneOf, limitOf, WgslModule, type WgslType, wgslType } from "./wgsl-text.js";

/** What a pipeline is made of. Nothing in the source is named after anything in the program. */
export interface Shader {
  readonly source: string;
  /** WGSL of our own when left out. */
  readonly language?: "gpu.js";
  /**
   * The buffers of the program at bindings 0, 1, ...; the bindings of what it writes are after
   * them.
   */
  readonly reads: readonly number[];
  readonly workgroups: readonly [x: number, y: number, z?: number];
  /** What a uniform buffer at binding 0, before all others, holds; none when left out. */
  readonly uniform?: Uint32Array;
  /** What runs before, on the same buffers. */
  readonly first?: Pick<Shader, "source" | "workgroups"> | undefined;
  /** Elements of separate memory, bound after the output; none when left out. */
  readonly scratch?: number | undefined;
}

/** Prints a kernel, with floats kept exact. Only numbers reach the source from outside. */
export function printWgsl(kernel: Kernel): Shader {
  const guarded = guardFloats(kernel);
  const { memories, launch } = guarded;
  const bound = memories.filter(({ space }) => space === "global");
  const reads = bound.filter(({ access }) => access === "read");
  const writes = bound.filter(({ access }) => access !== "read");
  const own = memories.filter(({ space }) => space !== "global");
  return {
    source: new WgslPrinter(guarded, [...reads, ...writes, ...own]).source(),
    reads: reads.map(({ buffer }) => buffer!),
    workgroups: launch.grid,
    scratch: bound.find(({ buffer }) => buffer === undefined)?.length,
  };
}

/** Returns a size or count, checked to be one. */
function count(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) throw internalError(`${value} is not a count`);
  return String(value);
}
const LANES = ["x", "y", "z", "w"];
/** Indices are integers as int64 has them in a shader. */
const dtypeOf = (type: KernelType): DType => {
  const element = elementOf(type);
  return element === "index" ? "int64" : element;
};
const typeOf = (type: KernelType): WgslType => wgslType(dtypeOf(type))!;
const isBoolMemory = ({ type, space }: KernelMemory): boolean =>
  space === "global" && elementOf(type) === "bool";

class WgslPrinter {
  readonly #module = new WgslModule();
  readonly #memories: readonly KernelMemory[];
  readonly #kernel: Kernel;
  readonly #lines: WgslLines;

  /** @param memories those that are bound come first, in the order of their bindings */
  constructor(kernel: Kernel, memories: readonly KernelMemory[]) {
    this.#kernel = kernel;
    this.#memories = memories;
    this.#lines = new WgslLines(usesOf(kernel), (literal) => this.#literal(literal));
  }

  source(): string {
    const { launch, body } = this.#kernel;
    const lines = this.#block(body);
    const [x, y] = launch.grid;
    const group = y === 1 ? "at.x" : `at.y * ${count(x)}u + at.x`;
    const own = this.#memories.filter(({ space }) => space === "private");
    const shared = this.#memories.filter(({ space }) => space !== "private");
    const main = [
      `let group = i32(${group});`,
      "let local = i32(number);",
      ...own.map((memory) => `var ${this.#memory(memory)}: ${arrayText(memory)};`),
      ...lines,
    ];
    return `${shared.map((memory, at) => `${this.#declaration(memory, at)}\n`).join("")}${this.#module.functions}
@compute @workgroup_size(${count(launch.size)})
fn main(@builtin(workgroup_id) at: vec3<u32>, @builtin(local_invocation_index) number: u32) {
${main.map((line) => `  ${line}\n`).join("")}}
`;
  }
  #memory(memory: KernelMemory): string {
    return `m${this.#memories.indexOf(memory)}`;
  }
  #declaration(memory: KernelMemory, binding: number): string {
    const [name, { space, access }] = [this.#memory(memory), memory];
    if (space === "workgroup") return `var<workgroup> ${name}: ${arrayText(memory)};`;
    const mode = access === "read" ? "read" : "read_write";
    return `@group(0) @binding(${binding}) var<storage, ${mode}> ${name}: ${arrayText(memory)};`;
  }

  #block(block: KernelBlock): string[] {
    return this.#lines.block(() => {
      for (const statement of block) this.#statement(statement);
    });
  }
  #inner(head: string, block: KernelBlock): void {
    this.#lines.push(`${head} {`, ...this.#block(block).map((line) => `  ${line}`), "}");
  }

  #statement(statement: KernelStatement): void {
    this.#lines.start();
    switch (statement.kind) {
      case "let":
        this.#let(statement);
        break;
      case "load":
        this.#load(statement);
        break;
      case "store": {
        const value = this.#lines.use(statement.value);
        const text = isBoolMemory(statement.memory) ? `select(0i, 1i, ${value})` : value;
        this.#lines.line(`${this.#memory(statement.memory)}[${this.#lines.use(statement.at)}] = ${text};`);
        break;
      }
      case "variable": {
        const { variable } = statement;
        const initial = this.#lines.use(statement.initial);
        this.#lines.line(`var ${this.#lines.define(variable)}: ${typeText(variable.type)} = ${initial};`);
        break;
      }
      case "assign":
        this.#lines.line(`${this.#lines.use(statement.variable)} = ${this.#lines.use(statement.value)};`);
        break;
      case "break":
        this.#lines.line(`if (${this.#lines.use(statement.condition)}) { break; }`);
        break;
      case "barrier":
        this.#lines.line("workgroupBarrier();");
        break;
      default:
        this.#nested(statement);
    }
  }
  #nested(statement: Extract<KernelStatement, { kind: "for" | "loop" | "if" }>): void {
    if (statement.kind === "if") {
      const condition = this.#lines.use(statement.condition);
      this.#lines.flush();
      this.#inner(`if (${condition})`, statement.then);
      if (statement.otherwise.length > 0) this.#inner("else", statement.otherwise);
      return;
    }
    this.#lines.flush();
    if (statement.kind === "loop") this.#inner("loop", statement.body);
    else {
      const [start, end] = [this.#lines.use(statement.start), this.#lines.use(statement.end)];
      const counter = this.#lines.define(statement.counter);
      const step = intLiteral(statement.step);
      this.#inner(
        `for (var ${counter} = ${start}; ${counter} < ${end}; ${counter} += ${step})`,
        statement.body,
      );
    }
  }
  #load({ memory, value, at }: Extract<KernelStatement, { kind: "load" }>): void {
    const name = this.#memory(memory);
    const isOneOfFour = widthOf(memory.type) === 4 && widthOf(value.type) === 1;
    const place = isOneOfFour ? this.#lines.name(at) : this.#lines.use(at);
    const text = isOneOfFour ? `${name}[${place} >> 2u][${place} & 3i]` : `${name}[${place}]`;
    this.#lines.value(value, isBoolMemory(memory) ? `(${text} != 0i)` : text);
  }

  #let(statement: LetStatement): void {
    const { op, args, value } = statement;
    const place = this.#place(statement);
    if (place !== undefined) {
      this.#lines.alias(value, place);
      return;
    }
    // Of constants alone WGSL would make a constant expression, which must be finite and not divide
    // by zero.
    const isFixed = args.every(({ kind }) => kind === "literal");
    const texts = args.map((arg) =>
      isFixed
        ? this.#lines.local(this.#lines.use(arg))
        : op === "sign"
          ? this.#lines.name(arg)
          : this.#lines.use(arg),
    );
    this.#lines.value(value, this.#expression(statement, texts));
  }
  /** Returns what needs no statement: a lane of four, the number of a thread. */
  #place({ op, args, detail }: LetStatement): string | undefined {
    if (op === "lane") return `${this.#lines.name(args[0]!)}.${LANES[Number(detail)]!}`;
    if (op === "workgroup") return "group";
    return op === "local" ? "local" : undefined;
  }

  #expression({ op, args, value, detail }: LetStatement, [a, b, c]: readonly string[]): string {
    const [from, to] = [dtypeOf(args[0]?.type ?? value.type), dtypeOf(value.type)];
    switch (op) {
      case "select":
        return `select(${c}, ${b}, ${a})`;
      case "cast":
        return castText(this.#module, a!, from, to);
      case "udiv":
      case "urem":
        return `i32(u32(${a}) ${op === "udiv" ? "/" : "%"} u32(${b}))`;
      case "order":
        return this.#module.call("f_order", a!);
      case "call":
        return this.#module.call(String(detail), ...[a, b, c].filter((text) => text !== undefined));
      case "fdiv":
      case "wide_add":
      case "wide_sub":
      case "thread":
      case "lane":
      case "pack":
      case "splat":
      case "ramp":
      case "every":
      case "some":
      case "workgroup":
      case "local":
      case "size":
        throw internalError(`WGSL has no ${op} here`);
      default:
        return callText(
          this.#module,
          op,
          from,
          to,
          [a, b, c].filter((text) => text !== undefined),
        );
    }
  }

  #literal({ value, type }: KernelLiteral): string {
    switch (typeOf(type)) {
      case "bool":
        return String(Boolean(value));
      case "f32":
        return this.#module.float(Number(value));
      case "i32":
        return intLiteral(limitOf(Number(value)));
    }
  }
}

const typeText = (type: KernelType): string => (widthOf(type) === 4 ? `vec4<${typeOf(type)}>` : typeOf(type));
/** Memory that is bound has as many elements as its buffer. */
function arrayText(memory: KernelMemory): string {
  const { space, type, length } = memory;
  if (space !== "global") return `array<${typeText(type)}, ${count(length)}>`;
  return `array<${isBoolMemory(memory) ? laneOf("bool")! : typeText(type)}>`;
}
