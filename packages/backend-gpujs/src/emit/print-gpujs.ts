/**
 * @file Kernels as gpu.js source: a function in gpu.js's part of JavaScript, of numbers and own
 * names only. Values are expressions where they are read once, else locals; indices are always
 * expressions, since gpu.js holds locals as floats.
 */
import {
  forEachStatement,
  type Kernel,
  type KernelBlock,
  type KernelLiteral,
  type KernelMemory,
  type KernelOperand,
  type KernelStatement,
  type KernelValue,
  type KernelVariable,
  type LetStatement,
  placesOf,
  type ScalarFn,
} from "@sconce/codegen";
import { internalError } from "@sconce/errors";
import { type DType, isFloatDType } from "@sconce/tensor";
import { WgslModule } from "../wgsl/wgsl-text.js";
import type { Dialect } from "./dialect.js";
import { condition, type Expression, number, readBy, test } from "./expression.js";
import { callSource, type Locals, literalSource, narrowed, readsTwice, testSource } from "./functions.js";
import { indexAtom, indexNumber, indexText, wholeNumber } from "./index-text.js";

/** A kernel as source. */
export interface KernelSource {
  readonly source: string;
  /** Ids of the buffers that the parameters are, in order. */
  readonly reads: readonly number[];
  /** Elements along x, y and z. */
  readonly output: readonly number[];
  /** Functions of our own that it calls. */
  readonly functions: WgslModule;
}

/** Prints a kernel of a grid. Nothing but numbers reaches the source from outside. */
export function printGpujs({ memories, launch, body }: Kernel, dialect: Dialect): KernelSource {
  const read = memories.filter(({ access }) => access === "read");
  const printer = new GpujsPrinter(dialect, read, body);
  const lines = printer.body(body);
  const output = [...launch.grid];
  while (output.length > 1 && output.at(-1) === 1) output.pop();
  return {
    source: `function (${read.map((_, at) => `b${at}`).join(", ")}) {\n${lines.join("\n")}\n}`,
    reads: read.map(({ buffer }) => buffer!),
    output,
    functions: printer.functions,
  };
}

interface Scope {
  readonly lines: string[];
  /** Values that have no name, or the name of something else. */
  readonly pending: Map<KernelValue, Expression>;
  readonly parent: Scope | undefined;
}

const NAME = /^\w+$/;
const THREADS = ["this.thread.x", "this.thread.y", "this.thread.z"];
/** Returns the variables that a block changes. */
function changedIn(block: KernelBlock): ReadonlySet<KernelVariable> {
  const changed = new Set<KernelVariable>();
  forEachStatement(block, (statement) => {
    if (statement.kind === "assign") changed.add(statement.variable);
  });
  return changed;
}

class GpujsPrinter implements Locals {
  readonly dialect: Dialect;
  readonly functions = new WgslModule();
  readonly #read: readonly KernelMemory[];
  readonly #places: ReadonlyMap<KernelValue, number>;
  readonly #names = new Map<KernelOperand, string>();
  #next = 0;
  #scope: Scope = { lines: [], pending: new Map(), parent: undefined };

  constructor(dialect: Dialect, read: readonly KernelMemory[], body: KernelBlock) {
    this.dialect = dialect;
    this.#read = read;
    this.#places = placesOf(body, ({ type }) => type === "index");
  }

  /** Returns the body, whose last statement stores the element at the thread's own place. */
  body(body: KernelBlock): string[] {
    if (body.at(-1)?.kind !== "store") throw internalError("a kernel of a grid ends with its element");
    return this.#block(body);
  }
  #block(block: KernelBlock): string[] {
    const outer = this.#scope;
    this.#scope = { lines: [], pending: new Map(), parent: outer };
    for (const statement of block) this.#statement(statement);
    const { lines } = this.#scope;
    this.#scope = outer;
    return lines.map((text) => `  ${text}`);
  }

  #line(text: string): void {
    this.#scope.lines.push(text);
  }
  #local(expression: string): string {
    const name = `t${this.#next++}`;
    this.#line(`const ${name} = ${expression};`);
    return name;
  }
  readonly local = (expression: string): string =>
    NAME.test(expression) ? expression : this.#local(expression);
  readonly own = (name: string, ...args: readonly string[]): string => this.functions.call(name, ...args);

  #name(operand: KernelOperand, letter: string): string {
    const name = `${letter}${this.#next++}`;
    this.#names.set(operand, name);
    return name;
  }
  #use(operand: KernelOperand): Expression {
    if (operand.kind === "literal") return this.#literal(operand);
    const name = this.#names.get(operand);
    if (name !== undefined)
      return operand.kind === "variable" ? { ...indexAtom(name), reads: [operand] } : indexAtom(name);
    for (let scope: Scope | undefined = this.#scope; scope !== undefined; scope = scope.parent) {
      const found = scope.pending.get(operand as KernelValue);
      if (found === undefined) continue;
      if (this.#places.get(operand as KernelValue) === 1) scope.pending.delete(operand as KernelValue);
      return found;
    }
    throw internalError("a value is read before it is computed");
  }
  #literal({ value, type }: KernelLiteral): Expression {
    if (type === "index") return indexNumber(Number(value));
    if (type === "bool") return indexAtom(value ? "1" : "0");
    return indexAtom(literalSource(value, type as DType, this));
  }
  #keep(value: KernelValue, expression: Expression): void {
    const isExpression = value.type === "index" || this.#places.get(value) === 1;
    if (isExpression || NAME.test(expression.text)) this.#scope.pending.set(value, expression);
    else this.#names.set(value, this.#local(number(expression)));
  }
  /** Names what reads variables that change now. */
  #fix(changed: ReadonlySet<KernelVariable>): void {
    const { pending } = this.#scope;
    for (const [value, expression] of pending) {
      if (!expression.reads?.some((variable) => changed.has(variable))) continue;
      pending.delete(value);
      const name = this.#local(number(expression));
      if (value.type === "index") pending.set(value, wholeNumber(name, this.dialect));
      else this.#names.set(value, name);
    }
  }

  #statement(statement: KernelStatement): void {
    switch (statement.kind) {
      case "let":
      case "load":
        if (this.#places.get(statement.value) !== 0) this.#value(statement);
        return;
      case "variable": {
        const { initial, variable } = statement;
        const isNumber = initial.kind === "literal" && variable.type === "index";
        const source = isNumber ? String(Number(initial.value)) : number(this.#use(initial));
        this.#line(`let ${this.#name(variable, "a")} = ${source};`);
        return;
      }
      case "assign": {
        const source = number(this.#use(statement.value));
        this.#fix(new Set([statement.variable]));
        this.#line(`${this.#names.get(statement.variable)!} = ${source};`);
        return;
      }
      case "store":
        // A local is a float whatever it is made from, and so is the result.
        this.#line(`return ${this.local(number(this.#use(statement.value)))};`);
        return;
      case "for": {
        const [start, end] = [this.#use(statement.start), this.#use(statement.end)];
        this.#fix(changedIn(statement.body));
        const counter = this.#name(statement.counter, "k");
        const next =
          statement.step === 1 ? `${counter}++` : `${counter} += ${indexNumber(statement.step).text}`;
        this.#braces(
          `for (let ${counter} = ${start.text}; ${counter} < ${end.text}; ${next})`,
          statement.body,
        );
        return;
      }
      case "if": {
        const text = condition(this.#use(statement.condition));
        this.#fix(changedIn([...statement.then, ...statement.otherwise]));
        this.#braces(`if (${text})`, statement.then);
        if (statement.otherwise.length > 0) this.#braces("else", statement.otherwise);
        return;
      }
      default:
        throw internalError(`a kernel of a grid has no ${statement.kind}`);
    }
  }
  #braces(head: string, block: KernelBlock): void {
    const lines = this.#block(block);
    this.#scope.lines.push(`${head} {`, ...lines, "}");
  }

  #value(statement: Extract<KernelStatement, { kind: "let" | "load" }>): void {
    const operands = statement.kind === "let" ? statement.args : [statement.at];
    const args = operands.map((operand) => this.#use(operand));
    const expression =
      statement.kind === "let"
        ? this.#expression(statement, args)
        : indexAtom(`b${this.#read.indexOf(statement.memory)}[${this.#place(operands[0]!, args[0]!).text}]`);
    const reads = readBy(args);
    this.#keep(statement.value, reads === undefined ? expression : { ...expression, reads });
  }

  /** Returns a place: variables hold numbers. */
  #place({ kind }: KernelOperand, expression: Expression): Expression {
    return kind === "variable" ? wholeNumber(expression.text, this.dialect) : expression;
  }

  #expression({ op, args: operands, value, detail }: LetStatement, args: readonly Expression[]): Expression {
    const [a, b, c] = args as [Expression, Expression, Expression];
    switch (op) {
      case "thread":
        return indexAtom(THREADS[Number(detail)]!);
      case "call": {
        const text = this.own(String(detail), ...args.map((arg) => this.local(number(arg))));
        return value.type === "bool" ? test(text) : indexAtom(text);
      }
      case "cast":
        return this.#cast(a, operands[0]!.type as DType | "index", value.type as DType | "index");
      case "select":
        return indexAtom(`(${condition(a)} ? ${number(b)} : ${number(c)})`);
      case "and":
        return test(`(${condition(a)} && ${condition(b)})`);
      case "or":
        return test(`(${condition(a)} || ${condition(b)})`);
      case "not":
        return test(`(!${condition(a)})`);
      default:
    }
    if (value.type === "index") {
      const isExtreme = op === "max" || op === "min";
      const places = args.map((arg, at) => (isExtreme ? arg : this.#place(operands[at]!, arg)));
      return indexText(op, places, this.dialect);
    }
    const texts = args.map(number);
    const tested = testSource(op, texts, this);
    if (tested !== undefined) return test(tested);
    const names = readsTwice(op as ScalarFn) ? texts.map(this.local) : texts;
    const made = callSource(op as ScalarFn, names, value.type as DType, this);
    if (made === undefined) throw internalError(`no source for ${op} of ${value.type}`);
    return indexAtom(made);
  }

  #cast(value: Expression, from: DType | "index", to: DType | "index"): Expression {
    const { isStrict, hasOwnFunctions } = this.dialect;
    const text = number(value);
    // gpu.js takes what an index of a texture reads out of it, as a float whatever is made of it:
    // only names stay.
    if (to === "index") return wholeNumber(isStrict ? text : this.local(text), this.dialect);
    if (to === "bool") {
      if (from === "bool") return value;
      return test(hasOwnFunctions ? this.own("f_truth", this.local(text)) : `(${text} != 0)`);
    }
    // Counters of loops are integers in shaders, where nothing mixes with floats.
    if (from === "index") return indexAtom(isStrict ? this.local(text) : this.#local(text));
    if (isFloatDType(to)) {
      // Integers are floats here: a product of 0 and -3 is -0, and no integer is.
      if (!isFloatDType(from) && from !== "bool") return indexAtom(`(${text} + 0)`);
      return indexAtom(from === "float64" && to === "float32" ? `Math.fround(${text})` : text);
    }
    return indexAtom(isFloatDType(from) ? `Math.trunc(${text})` : narrowed(text, from, to, this));
  }
}
