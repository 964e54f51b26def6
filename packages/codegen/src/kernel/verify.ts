/** @file The rules that every kernel keeps. */
import { isComplexDType, isFloatDType } from "@sconce/tensor";
import { partDType } from "../ir/complex.js";
import { COMPARE, FLOAT_UNARY, TERNARY, UNARY } from "../ir/scalar-functions.js";
import { kernelInvalid } from "./errors.js";
import {
  blocksOf,
  elementOf,
  type Kernel,
  type KernelBlock,
  type KernelOp,
  type KernelOperand,
  type KernelStatement,
  type KernelType,
  type KernelValue,
  type KernelVariable,
  type LetStatement,
  operandsOf,
  widthOf,
} from "./kernel.js";

/**
 * Checks a kernel: what is read was computed before, in the same block or around it; memory is used
 * as it is declared; types agree; barriers are met by all threads.
 * @throws SconceError `KERNEL_INVALID` with the statement
 */
export function verifyKernel(kernel: Kernel): void {
  new Verifier(kernel).block(kernel.body, { isDivergent: false, inLoop: false });
}

interface Place {
  /** Whether some threads of a workgroup may be elsewhere. */
  readonly isDivergent: boolean;
  readonly inLoop: boolean;
}

class Verifier {
  readonly #known = new Set<KernelValue | KernelVariable>();
  /** What may differ between the threads of a workgroup. */
  readonly #own = new Set<KernelOperand>();
  readonly #kernel: Kernel;

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  block(block: KernelBlock, place: Place): void {
    const defined: (KernelValue | KernelVariable)[] = [];
    for (const statement of block) {
      for (const operand of operandsOf(statement)) this.#read(operand, statement);
      const made = definedBy(statement);
      if (made !== undefined) {
        if (this.#known.has(made)) fail("a value is computed twice", statement);
        this.#known.add(made);
        defined.push(made);
      }
      this.#follow(statement, place);
      this.#check(statement, place);
      const isOwn = place.isDivergent || operandsOf(statement).some((one) => this.#own.has(one));
      const isLoop = statement.kind === "for" || statement.kind === "loop";
      const inner = { isDivergent: isOwn, inLoop: place.inLoop || isLoop };
      for (const one of blocksOf(statement)) this.block(one, inner);
    }
    for (const one of defined) this.#known.delete(one);
  }

  #read(operand: KernelOperand, statement: KernelStatement): void {
    if (operand.kind !== "literal" && !this.#known.has(operand))
      fail(`it reads a ${operand.kind} that is not computed before`, statement);
  }

  /** Notes what differs between threads. */
  #follow(statement: KernelStatement, { isDivergent }: Place): void {
    const isOwn = operandsOf(statement).some((one) => this.#own.has(one));
    const target = statement.kind === "assign" ? statement.variable : definedBy(statement);
    if (target === undefined) return;
    const isThread = statement.kind === "let" && (statement.op === "thread" || statement.op === "local");
    const isShared = statement.kind === "load" && statement.memory.access !== "read";
    if (isOwn || isThread || isShared || isDivergent) this.#own.add(target);
  }

  #check(statement: KernelStatement, { isDivergent, inLoop }: Place): void {
    switch (statement.kind) {
      case "let":
        checkLet(statement);
        return;
      case "load":
        this.#isDeclared(statement);
        if (statement.memory.access === "write") fail("it reads memory that is only written", statement);
        requireType(statement.at.type, "index", statement);
        if (elementOf(statement.memory.type) !== elementOf(statement.value.type))
          fail("the memory has elements of another type", statement);
        return;
      case "store":
        this.#isDeclared(statement);
        if (statement.memory.access === "read") fail("it writes memory that is only read", statement);
        requireType(statement.at.type, "index", statement);
        if (widthOf(statement.value.type) < widthOf(statement.memory.type))
          fail("it stores one of four", statement);
        requireNumber(elementOf(statement.value.type), elementOf(statement.memory.type), statement);
        return;
      case "variable":
        requireType(statement.initial.type, statement.variable.type, statement);
        return;
      case "assign":
        if (!this.#known.has(statement.variable)) fail("its variable is not there", statement);
        requireType(statement.value.type, statement.variable.type, statement);
        return;
      case "if":
        requireType(statement.condition.type, "bool", statement);
        return;
      case "break":
        if (!inLoop) fail("it is in no loop", statement);
        requireType(statement.condition.type, "bool", statement);
        return;
      case "barrier":
        if (isDivergent) fail("some threads of the workgroup may not come to it", statement);
        return;
      default:
        return;
    }
  }
  #isDeclared(statement: Extract<KernelStatement, { kind: "load" | "store" }>): void {
    if (!this.#kernel.memories.includes(statement.memory)) fail("its memory is not declared", statement);
  }
}

/** Returns what a statement makes for those after it; the counter of a loop. */
const definedBy = (statement: KernelStatement): KernelValue | KernelVariable | undefined => {
  switch (statement.kind) {
    case "let":
    case "load":
      return statement.value;
    case "variable":
      return statement.variable;
    case "for":
      return statement.counter;
    default:
      return undefined;
  }
};

const NONE: ReadonlySet<string> = new Set(["thread", "workgroup", "local", "size"]);
const ONE: ReadonlySet<string> = new Set([
  ...UNARY,
  "real",
  "imag",
  "cast",
  "lane",
  "order",
  "splat",
  "every",
  "some",
]);
const THREE: ReadonlySet<string> = new Set(["select", "wide_add", "wide_sub", ...TERNARY]);
/** Returns how many operands an operation has. */
const operandsOfOp = (op: KernelOp): number =>
  NONE.has(op) ? 0 : ONE.has(op) ? 1 : THREE.has(op) ? 3 : op === "pack" ? 4 : 2;

/** Operations of places alone, besides the arithmetic of any number. */
const OF_INDICES: ReadonlySet<string> = new Set(["udiv", "urem", "fdiv", "wide_add", "wide_sub"]);
const TO_BOOL: ReadonlySet<string> = new Set([...COMPARE, "isnan", "isinf"]);
const OF_FLOATS: ReadonlySet<string> = new Set([...FLOAT_UNARY, ...TERNARY]);

/** Checks how many operands an operation has, and the types of operands and value. */
function checkLet(statement: LetStatement): void {
  const { op, args, value, detail } = statement;
  // A function of a target's library has the types that the target gives it.
  if (op === "call") return;
  if (args.length !== operandsOfOp(op)) fail("it has another number of operands", statement);
  const [first = value, second = first, third = second] = args;
  const isFour = widthOf(value.type) === 4;
  if (NONE.has(op) || OF_INDICES.has(op) || op === "order") requireType(value.type, "index", statement);
  if (op === "thread" && ![0, 1, 2].includes(Number(detail))) fail("it names no axis", statement);
  switch (op) {
    case "cast":
      if (widthOf(first.type) !== widthOf(value.type))
        fail("it changes how many elements there are", statement);
      return;
    case "order":
      return;
    case "complex":
    case "real":
    case "imag":
      requireParts(statement);
      return;
    case "lane":
      requireType(first.type, `${elementOf(value.type)}x4`, statement);
      if (isFour || ![0, 1, 2, 3].includes(Number(detail))) fail("it names no lane", statement);
      return;
    case "splat":
    case "pack":
    case "ramp":
      for (const one of args) requireType(one.type, elementOf(value.type), statement);
      if (!isFour) fail("it makes four elements", statement);
      if (op === "ramp") requireType(first.type, "index", statement);
      return;
    case "every":
    case "some":
      requireType(first.type, "boolx4", statement);
      requireType(value.type, "bool", statement);
      return;
    case "select":
      requireType(elementOf(first.type), "bool", statement);
      requireNumber(second.type, value.type, statement);
      requireNumber(third.type, value.type, statement);
      return;
  }
  for (const one of args.slice(1)) requireNumber(one.type, first.type, statement);
  if (TO_BOOL.has(op)) requireType(value.type, isFour ? "boolx4" : "bool", statement);
  else requireNumber(first.type, value.type, statement);
  const element = elementOf(first.type);
  if (OF_FLOATS.has(op) && (element === "index" || !isFloatDType(element)))
    fail(`${element} has no ${op}`, statement);
}

/** A complex number is made of two floats of one type, and has parts of that type. */
function requireParts(statement: LetStatement): void {
  const { op, args, value } = statement;
  const [first = value, second = first] = args;
  const [whole, part] = op === "complex" ? [value, first] : [first, value];
  const element = elementOf(whole.type);
  if (element === "index" || !isComplexDType(element)) fail(`${element} is not complex`, statement);
  requireType(part.type, partDType(element), statement);
  if (op === "complex") requireType(second.type, first.type, statement);
}
const rounded = (type: KernelType): KernelType => (type === "float64" ? "float32" : type);
/**
 * The same type, or one rounded later: where arithmetic is in doubles, {@link roundFloats} reads a
 * float64 as float32, and memory of float32 rounds what is stored.
 */
const requireNumber = (type: KernelType, wanted: KernelType, statement: KernelStatement): void =>
  requireType(rounded(type), rounded(wanted), statement);
function requireType(type: KernelType, wanted: KernelType, statement: KernelStatement): void {
  if (type !== wanted) fail(`${type} is not ${wanted}`, statement);
}
function fail(problem: string, statement: KernelStatement): never {
  const name = statement.kind === "let" ? statement.op : statement.kind;
  throw kernelInvalid(problem, name);
}
