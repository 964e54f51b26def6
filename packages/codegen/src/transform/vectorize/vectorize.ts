/** @file Loops whose iterations are computed four at a time. */
import {
  blocksOf,
  forEachStatement,
  indexLiteral,
  type Kernel,
  type KernelBlock,
  type KernelOperand,
  type KernelStatement,
  type KernelValue,
} from "../../kernel/kernel.js";
import { withoutDead } from "../../kernel/rewrite.js";
import { accumulatorsOf, foldedInto, totalsOf } from "./accumulators.js";
import { FirstOfZeros } from "./first-of-zeros.js";
import type { ForStatement, Vectors } from "./lanes.js";
import { ScalarCopy } from "./scalar-copy.js";
import { type Gain, type LoopContext, VectorLoop } from "./vector-loop.js";

/** Iterations that one value has. */
const WIDTH = 4;
/** Copies of the body of a loop that only adds up: sums of one register wait for each other. */
const COPIES = 4;
/** Statements of a body of which there are copies. */
const SHORT_BODY = 40;
/** The same for a body without totals, of which copies only save the steps of the loop. */
const SHORTEST_BODY = 10;

/**
 * Returns a kernel whose loops compute four iterations at once, as far as that pays. Loads of
 * vectors may read beyond the end of memory, up to 12 bytes; stores never write there.
 */
export function vectorize(kernel: Kernel, vectors: Vectors): Kernel {
  return withoutDead({ ...kernel, body: new Vectorizer(vectors).block(kernel.body) });
}

interface Made {
  readonly statements: readonly KernelStatement[];
  readonly gain: Gain;
}

class Vectorizer {
  readonly #vectors: Vectors;

  constructor(vectors: Vectors) {
    this.#vectors = vectors;
  }

  block(block: KernelBlock): KernelBlock {
    return block.flatMap((statement) => this.#statement(statement));
  }
  #statement(statement: KernelStatement): readonly KernelStatement[] {
    if (statement.kind !== "for") return [this.#inside(statement)];
    const own = this.#loop(statement);
    if (own === undefined || !isWorth(own.gain)) return [this.#inside(statement)];
    const hasLoops = statement.body.some((one) => blocksOf(one).length > 0);
    if (!hasLoops || own.gain.singles === 0) return own.statements;
    // Loops inside may read what lies side by side, where this one does not.
    const inner = this.#inside(statement);
    return countFours(inner) > 0 ? [inner] : own.statements;
  }
  #inside(statement: KernelStatement): KernelStatement {
    switch (statement.kind) {
      case "for":
      case "loop":
        return { ...statement, body: this.block(statement.body) };
      case "if": {
        const [then, otherwise] = [this.block(statement.then), this.block(statement.otherwise)];
        return { ...statement, then, otherwise };
      }
      default:
        return statement;
    }
  }

  /** Returns a loop with its rest; undefined where iterations depend on each other. */
  #loop(loop: ForStatement): Made | undefined {
    const { counter, start, end, step, body } = loop;
    if (step !== 1 || isShort(loop)) return undefined;
    const totals = totalsOf(withFolds(body));
    if (totals === undefined || !isIndependent(body)) return undefined;
    const folded = { ...loop, body: withFolds(body) };
    const before: KernelStatement[] = [];
    const after: KernelStatement[] = [];
    const zeros = new FirstOfZeros(totals, before);
    if (zeros.isRefused) return undefined;
    const most = totals.size > 0 ? SHORT_BODY : SHORTEST_BODY;
    const copies = size(body) <= most && !isShort(loop, 2 * WIDTH * COPIES) ? COPIES : 1;
    const accumulators = accumulatorsOf(totals, copies, this.#vectors, before);
    const context: LoopContext = { vectors: this.#vectors, before, splats: new Map(), accumulators };
    const gain: Gain = { vectors: 0, singles: 0 };
    let from: KernelOperand = start;
    for (const count of copies === 1 ? [1] : [copies, 1]) {
      const width = count * WIDTH;
      const until = this.#wholeEnd(from, end, width, before);
      const made = this.#together(folded, from, until, count, context);
      if (made === undefined) return undefined;
      if (!isEqual(from, until)) after.push(made.loop);
      if (count === 1) Object.assign(gain, made.gain);
      from = until;
    }
    foldedInto(accumulators, after);
    if (!isEqual(from, end)) {
      const rest: KernelStatement[] = [];
      new ScalarCopy(rest).block([{ kind: "for", counter, start: from, end, step, body }]);
      after.push(...rest);
    }
    zeros.search(loop, after);
    return { statements: [...before, ...after], gain };
  }
  #together(
    loop: ForStatement,
    start: KernelOperand,
    end: KernelOperand,
    count: number,
    context: LoopContext,
  ) {
    const counter: KernelValue = { kind: "value", type: "index" };
    const body: KernelStatement[] = [];
    const gain: Gain = { vectors: 0, singles: 0 };
    for (let copy = 0; copy < count; copy++) {
      const writer = new VectorLoop(context, copy);
      let first: KernelOperand = counter;
      if (copy > 0) {
        first = { kind: "value", type: "index" };
        body.push({ kind: "let", value: first, op: "add", args: [counter, indexLiteral(copy * WIDTH)] });
      }
      body.push(...writer.body(loop, first));
      if (writer.isRefused) return undefined;
      gain.vectors += writer.gain.vectors;
      gain.singles += writer.gain.singles;
    }
    const made: ForStatement = { kind: "for", counter, start, end, step: count * WIDTH, body };
    return { loop: made, gain };
  }
  /** Returns the end of the iterations that come out even. */
  #wholeEnd(
    start: KernelOperand,
    end: KernelOperand,
    width: number,
    before: KernelStatement[],
  ): KernelOperand {
    if (start.kind === "literal" && end.kind === "literal") {
      const count = Math.max(0, Number(end.value) - Number(start.value));
      return indexLiteral(Number(start.value) + count - (count % width));
    }
    const emit = (op: "sub" | "add" | "max" | "bitwise_and", args: readonly KernelOperand[]): KernelValue => {
      const value: KernelValue = { kind: "value", type: "index" };
      before.push({ kind: "let", value, op, args });
      return value;
    };
    const count = emit("max", [emit("sub", [end, start]), indexLiteral(0)]);
    return emit("add", [start, emit("bitwise_and", [count, indexLiteral(-width)])]);
  }
}

const isEqual = (a: KernelOperand, b: KernelOperand): boolean =>
  a.kind === "literal" && b.kind === "literal" ? a.value === b.value : a === b;
/** Returns whether a loop is known to have few iterations. */
const isShort = ({ start, end }: ForStatement, least = WIDTH): boolean =>
  start.kind === "literal" && end.kind === "literal" && Number(end.value) - Number(start.value) < least;
const isWorth = ({ vectors, singles }: Gain): boolean => vectors > 0 && vectors * 4 >= singles;
function size(block: KernelBlock): number {
  let count = 0;
  forEachStatement(block, () => {
    count++;
  });
  return count;
}
function countFours(statement: KernelStatement): number {
  let count = 0;
  forEachStatement([statement], (one) => {
    if ((one.kind === "let" || one.kind === "load") && one.value.type.endsWith("x4")) count++;
  });
  return count;
}

/** Returns whether iterations read nothing that others write. */
function isIndependent(body: KernelBlock): boolean {
  const read = new Map<unknown, Set<KernelOperand>>();
  const written = new Map<unknown, Set<KernelOperand>>();
  let isPlain = true;
  forEachStatement(body, (statement) => {
    if (statement.kind === "load" || statement.kind === "store") {
      const places = statement.kind === "load" ? read : written;
      places.set(statement.memory, (places.get(statement.memory) ?? new Set()).add(statement.at));
    }
    isPlain &&= !["loop", "break", "barrier"].includes(statement.kind);
  });
  for (const [memory, places] of written) {
    // One place of each iteration, where it is read and written.
    const all = new Set([...places, ...(read.get(memory) ?? [])]);
    if (all.size > 1) return false;
  }
  return isPlain;
}

/**
 * Returns the body with `if a { total = true }` as `total = total or a`: iterations fold what they
 * find.
 */
function withFolds(body: KernelBlock): KernelBlock {
  return body.flatMap((statement): readonly KernelStatement[] => {
    if (statement.kind === "for") return [{ ...statement, body: withFolds(statement.body) }];
    if (statement.kind !== "if") return [statement];
    const [only, ...more] = statement.then;
    const isFold =
      more.length === 0 &&
      statement.otherwise.length === 0 &&
      only?.kind === "assign" &&
      only.value.kind === "literal" &&
      only.value.type === "bool";
    if (!isFold) {
      const [then, otherwise] = [withFolds(statement.then), withFolds(statement.otherwise)];
      return [{ ...statement, then, otherwise }];
    }
    const { variable, value } = only as Extract<KernelStatement, { kind: "assign" }>;
    const isAny = (value as { value: unknown }).value === true;
    const made: KernelStatement[] = [];
    let test = statement.condition;
    if (!isAny) {
      const not: KernelValue = { kind: "value", type: "bool" };
      made.push({ kind: "let", value: not, op: "not", args: [test] });
      test = not;
    }
    const total: KernelValue = { kind: "value", type: "bool" };
    made.push({ kind: "let", value: total, op: isAny ? "or" : "and", args: [variable, test] });
    return [...made, { kind: "assign", variable, value: total }];
  });
}
