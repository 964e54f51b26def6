/**
 * @file Four iterations of a loop as one. Values are the same for all four, places with a fixed
 * step from one to the next, vectors, or four values by themselves.
 */
import { FLOAT_UNARY } from "../../ir/scalar-functions.js";
import {
  elementOf,
  indexLiteral,
  type KernelBlock,
  type KernelMemory,
  type KernelOp,
  type KernelOperand,
  type KernelStatement,
  type KernelType,
  type KernelValue,
  type KernelVariable,
  type LetStatement,
  literal,
} from "../../kernel/kernel.js";
import {
  type Accumulator,
  changedBy,
  type ForStatement,
  fourOf,
  type IfStatement,
  type Lanes,
  type Vectors,
} from "./lanes.js";
import { ScalarCopy } from "./scalar-copy.js";

const FOUR = [0, 1, 2, 3] as const;

/** What the copies of a loop's body share. */
export interface LoopContext {
  readonly vectors: Vectors;
  /** Statements before the loop. */
  readonly before: KernelStatement[];
  readonly splats: Map<KernelOperand, KernelOperand>;
  readonly accumulators: ReadonlyMap<KernelVariable, Accumulator>;
}
/** How much of a body is computed four at once. */
export interface Gain {
  vectors: number;
  singles: number;
}

/** Makes the body of four iterations. */
export class VectorLoop {
  readonly gain: Gain = { vectors: 0, singles: 0 };
  /** Whether there is something that has no form for four. */
  isRefused = false;
  readonly #context: LoopContext;
  /** Which of the copies of the body it is: each has accumulators for itself. */
  readonly #copy: number;
  readonly #lanes = new Map<KernelOperand, Lanes>();
  /** Memory that is read, or written, at places without a fixed step. */
  readonly #gathered = new Set<KernelMemory>();
  readonly #scattered = new Set<KernelMemory>();
  #out: KernelStatement[] = [];

  constructor(context: LoopContext, copy: number) {
    this.#context = context;
    this.#copy = copy;
  }

  /** Returns the statements for four iterations from `first` on. */
  body({ counter, body }: ForStatement, first: KernelOperand): KernelBlock {
    this.#lanes.set(counter, { kind: "places", first, step: 1 });
    for (const variable of this.#context.accumulators.keys())
      this.#lanes.set(variable, this.#context.accumulators.get(variable)!.parts[this.#copy]!);
    return this.#block(body);
  }

  #block(block: KernelBlock): KernelStatement[] {
    const saved = this.#out;
    this.#out = [];
    for (const statement of block) this.#statement(statement);
    const made = this.#out;
    this.#out = saved;
    return made;
  }
  #put(statement: KernelStatement): void {
    this.#out.push(statement);
  }
  #branch(condition: KernelOperand, then: KernelBlock, otherwise: KernelBlock): void {
    this.#put(branch(condition, then, otherwise));
  }
  #let(
    op: KernelOp,
    type: KernelType,
    args: readonly KernelOperand[],
    detail?: number | string,
  ): KernelValue {
    const value: KernelValue = { kind: "value", type };
    this.#put({ kind: "let", value, op, args, ...(detail !== undefined && { detail }) });
    return value;
  }

  /** Returns what an operand is; all from before the loop is the same for all. */
  #of(operand: KernelOperand): Lanes {
    return this.#lanes.get(operand) ?? { kind: "same", value: operand };
  }
  #isSame(operand: KernelOperand): boolean {
    return this.#of(operand).kind === "same";
  }
  #same(operand: KernelOperand): KernelOperand {
    const lanes = this.#of(operand);
    if (lanes.kind !== "same") this.isRefused = true;
    return lanes.kind === "same" ? lanes.value : operand;
  }

  /** Returns the value of one iteration. */
  #lane(operand: KernelOperand, lane: number): KernelOperand {
    const lanes = this.#of(operand);
    switch (lanes.kind) {
      case "same":
        return lanes.value;
      case "places":
        if (lane * lanes.step === 0) return lanes.first;
        return this.#let("add", "index", [lanes.first, indexLiteral(lane * lanes.step)]);
      case "vector":
        return this.#let("lane", elementOf(lanes.value.type), [lanes.value], lane);
      case "single":
        return lanes.values[lane]!;
    }
  }
  /** Returns the values of four iterations as one. */
  #vector(operand: KernelOperand): KernelOperand {
    const lanes = this.#of(operand);
    switch (lanes.kind) {
      case "vector":
        return lanes.value;
      case "places":
        return this.#let("ramp", "indexx4", [lanes.first, indexLiteral(lanes.step)]);
      case "single":
        this.gain.singles++;
        return this.#let("pack", fourOf(lanes.values[0]!.type), lanes.values);
      case "same":
        return this.#splat(lanes.value, !this.#lanes.has(operand));
    }
  }
  #splat(value: KernelOperand, isBefore: boolean): KernelOperand {
    const type = fourOf(value.type);
    if (value.kind === "literal" && value.type !== "bool") return literal(value.value, type);
    if (!isBefore || value.kind === "variable") return this.#let("splat", type, [value]);
    let made = this.#context.splats.get(value);
    if (made === undefined) {
      made = { kind: "value", type };
      this.#context.before.push({ kind: "let", value: made, op: "splat", args: [value] });
      this.#context.splats.set(value, made);
    }
    return made;
  }

  #statement(statement: KernelStatement): void {
    switch (statement.kind) {
      case "let":
        this.#lanes.set(statement.value, this.#compute(statement));
        return;
      case "load":
        this.#lanes.set(statement.value, this.#load(statement));
        return;
      case "store":
        this.#store(statement);
        return;
      case "variable":
        this.#variable(statement.variable, statement.initial);
        return;
      case "assign":
        this.#assign(statement.variable, statement.value);
        return;
      case "if":
        this.#if(statement);
        return;
      case "for":
        this.#for(statement);
        return;
      default:
        this.isRefused = true;
    }
  }

  #compute(statement: LetStatement): Lanes {
    const { op, args, value, detail } = statement;
    if (args.every((arg) => this.#isSame(arg))) {
      const same = args.map((arg) => this.#same(arg));
      return { kind: "same", value: this.#let(op, value.type, same, detail) };
    }
    if (value.type === "index") return this.#places(statement) ?? this.#singles(statement);
    const [operand = value] = op === "select" ? args.slice(1) : args;
    const { computes } = this.#context.vectors;
    if (!computes(op, elementOf(operand.type), elementOf(value.type))) return this.#singles(statement);
    this.gain.vectors += COSTLY.has(op) ? 4 : 1;
    const isChoice = op === "select" && this.#isSame(args[0]!);
    const vectors = args.map((arg, at) => (isChoice && at === 0 ? this.#same(arg) : this.#vector(arg)));
    return { kind: "vector", value: this.#let(op, fourOf(value.type), vectors, detail) };
  }
  /** Arithmetic on places that keeps a fixed step; undefined for any other. */
  #places({ op, args, value }: LetStatement): Lanes | undefined {
    const parts = args.map((arg) => this.#of(arg));
    const steps = parts.map((part) =>
      part.kind === "places" ? part.step : part.kind === "same" ? 0 : undefined,
    );
    if (steps.includes(undefined)) return undefined;
    const [a, b] = steps as [number, number];
    const first = (): KernelOperand =>
      this.#let(
        op,
        value.type,
        parts.map((part) => (part.kind === "places" ? part.first : (part as { value: KernelOperand }).value)),
      );
    if (op === "add") return { kind: "places", first: first(), step: a + b };
    if (op === "sub") return { kind: "places", first: first(), step: a - b };
    if (op !== "mul") return undefined;
    const factor = args.find((arg) => arg.kind === "literal");
    if (factor === undefined) return undefined;
    return { kind: "places", first: first(), step: (a + b) * Number((factor as { value: number }).value) };
  }
  #singles({ op, args, value, detail }: LetStatement): Lanes {
    this.gain.singles += 4;
    const values = FOUR.map((lane) => {
      const own = args.map((arg) => this.#lane(arg, lane));
      return this.#let(op, value.type, own, detail);
    });
    return { kind: "single", values };
  }

  #load({ value, memory, at }: Extract<KernelStatement, { kind: "load" }>): Lanes {
    const place = this.#of(at);
    const load = (type: KernelType, where: KernelOperand): KernelValue => {
      const made: KernelValue = { kind: "value", type };
      this.#put({ kind: "load", value: made, memory, at: where });
      return made;
    };
    if (place.kind === "same") return { kind: "same", value: load(value.type, place.value) };
    const isOne = place.kind === "places" && place.step === 1;
    if (isOne && this.#context.vectors.holds(elementOf(value.type))) {
      this.gain.vectors++;
      return { kind: "vector", value: load(fourOf(value.type), place.first) };
    }
    this.gain.singles += 4;
    this.#mayMeet(memory, place, this.#gathered, this.#scattered);
    return { kind: "single", values: FOUR.map((lane) => load(value.type, this.#lane(at, lane))) };
  }
  /**
   * Refuses memory that is read and written at places that data give: two of four iterations may
   * have one place, where the second has to read what the first wrote.
   */
  #mayMeet(memory: KernelMemory, { kind }: Lanes, own: Set<KernelMemory>, other: Set<KernelMemory>): void {
    if (kind === "places") return;
    own.add(memory);
    if (other.has(memory)) this.isRefused = true;
  }
  #store({ value, memory, at }: Extract<KernelStatement, { kind: "store" }>): void {
    const place = this.#of(at);
    const element = elementOf(memory.type);
    const isOne = place.kind === "places" && place.step === 1;
    if (isOne && this.#context.vectors.holds(element) && elementOf(value.type) === element) {
      this.gain.vectors++;
      this.#put({ kind: "store", memory, at: place.first, value: this.#vector(value) });
      return;
    }
    // The last of four stores to one place would be right, and so would be the first only.
    if (place.kind === "same") this.isRefused = true;
    this.#mayMeet(memory, place, this.#scattered, this.#gathered);
    this.gain.singles += 4;
    for (const lane of FOUR) {
      const [where, what] = [this.#lane(at, lane), this.#lane(value, lane)];
      this.#put({ kind: "store", memory, at: where, value: what });
    }
  }

  #variable(variable: KernelVariable, initial: KernelOperand): void {
    if (this.#context.vectors.holds(elementOf(variable.type))) {
      const made: KernelVariable = { kind: "variable", type: fourOf(variable.type) };
      this.#put({ kind: "variable", variable: made, initial: this.#vector(initial) });
      this.#lanes.set(variable, { kind: "vector", value: made });
      return;
    }
    const values = FOUR.map((lane) => {
      const made: KernelVariable = { kind: "variable", type: variable.type };
      this.#put({ kind: "variable", variable: made, initial: this.#lane(initial, lane) });
      return made;
    });
    this.#lanes.set(variable, { kind: "single", values });
  }
  #assign(variable: KernelVariable, value: KernelOperand): void {
    const lanes = this.#of(variable);
    if (lanes.kind === "vector")
      this.#put({ kind: "assign", variable: lanes.value as KernelVariable, value: this.#vector(value) });
    else if (lanes.kind === "single")
      for (const lane of FOUR)
        this.#put({
          kind: "assign",
          variable: lanes.values[lane] as KernelVariable,
          value: this.#lane(value, lane),
        });
    else this.isRefused = true;
  }

  #for(statement: ForStatement): void {
    const [start, end] = [this.#same(statement.start), this.#same(statement.end)];
    const counter: KernelValue = { kind: "value", type: "index" };
    this.#lanes.set(statement.counter, { kind: "same", value: counter });
    this.#put({ ...statement, counter, start, end, body: this.#block(statement.body) });
  }

  #if(statement: IfStatement): void {
    const { condition, then, otherwise } = statement;
    if (this.#isSame(condition)) {
      const blocks = [this.#block(then), this.#block(otherwise)] as const;
      this.#branch(this.#same(condition), ...blocks);
      return;
    }
    const mask = this.#vector(condition);
    const all = this.#let("every", "bool", [mask]);
    const some = this.#let("some", "bool", [mask]);
    const together = this.#block(then);
    const none = this.#block(otherwise);
    const each = this.#each(statement);
    this.#branch(all, together, [branch(some, each, none)]);
  }
  /** Returns the branches of four iterations, one after the other. */
  #each({ condition, then, otherwise }: IfStatement): KernelBlock {
    const saved = this.#out;
    this.#out = [];
    const changed = changedBy([...then, ...otherwise]);
    const temporaries = new Map<KernelVariable, KernelVariable[]>();
    for (const variable of changed)
      temporaries.set(
        variable,
        FOUR.map((lane) => {
          const made: KernelVariable = { kind: "variable", type: variable.type };
          this.#put({ kind: "variable", variable: made, initial: this.#lane(variable, lane) });
          return made;
        }),
      );
    for (const lane of FOUR) {
      const test = this.#lane(condition, lane);
      const copied = (block: KernelBlock): KernelBlock => {
        const inner = this.#out;
        this.#out = [];
        const copy = new ScalarCopy(this.#out, (operand) => {
          const own = temporaries.get(operand as KernelVariable)?.[lane];
          return own ?? (this.#lanes.has(operand) ? this.#lane(operand, lane) : undefined);
        });
        copy.block(block);
        const made = this.#out;
        this.#out = inner;
        return made;
      };
      this.#branch(test, copied(then), copied(otherwise));
    }
    for (const [variable, values] of temporaries) {
      const lanes = this.#of(variable);
      if (lanes.kind === "vector")
        this.#put({
          kind: "assign",
          variable: lanes.value as KernelVariable,
          value: this.#let("pack", fourOf(variable.type), values),
        });
      else if (lanes.kind === "single")
        for (const lane of FOUR)
          this.#put({ kind: "assign", variable: lanes.values[lane] as KernelVariable, value: values[lane]! });
      else this.isRefused = true;
    }
    const made = this.#out;
    this.#out = saved;
    return made;
  }
}

const COSTLY: ReadonlySet<string> = new Set([...FLOAT_UNARY, "pow", "atan2", "div"]);
const branch = (condition: KernelOperand, then: KernelBlock, otherwise: KernelBlock): IfStatement => ({
  kind: "if",
  condition,
  then,
  otherwise,
});
