/** @file Statements of a kernel, in blocks that are under construction. */

import type { Scalar } from "../ir/terms.js";
import {
  indexLiteral,
  type KernelBlock,
  type KernelMemory,
  type KernelOp,
  type KernelOperand,
  type KernelStatement,
  type KernelType,
  type KernelValue,
  type KernelVariable,
} from "../kernel/kernel.js";
import type { LoopRange } from "./loop-range.js";

/** A block under construction. */
interface OpenBlock {
  readonly kind: "root" | "loop" | "branch";
  readonly statements: KernelStatement[];
  /** Axes that have another value in each run of the block. */
  readonly axes: ReadonlySet<string>;
  readonly scalars: Map<Scalar, KernelOperand>;
  /** Values by the text of their operation. */
  readonly known: Map<string, KernelValue>;
}
const openBlock = (kind: OpenBlock["kind"], axes: Iterable<string> = []): OpenBlock => ({
  kind,
  statements: [],
  axes: new Set(axes),
  scalars: new Map(),
  known: new Map(),
});

/** Writes statements; an operation that an open block has already is not written again. */
export class BlockBuilder {
  /** The open blocks, outermost first. */
  protected stack: OpenBlock[] = [openBlock("root")];
  /** Values of axes by name: counters of loops, among others. */
  protected readonly axisValues = new Map<string, KernelOperand>();
  readonly #ids = new Map<KernelOperand, number>();

  /** The innermost open block. */
  protected get block(): OpenBlock {
    return this.stack.at(-1)!;
  }
  #put(statement: KernelStatement): void {
    this.block.statements.push(statement);
  }
  /** Writes to an outer block, before the statement that is being made there. */
  protected at<T>(level: number, write: () => T): T {
    const saved = this.stack;
    if (level === saved.length - 1) return write();
    this.stack = saved.slice(0, level + 1);
    const result = write();
    this.stack = saved;
    return result;
  }

  /** Returns a new value in the current block, or the one that is known there to be the same. */
  op(op: KernelOp, type: KernelType, args: readonly KernelOperand[], detail?: number | string): KernelValue {
    const isFixed = args.every(({ kind }) => kind !== "variable");
    let key = isFixed ? `${op} ${detail ?? ""} ${type}` : "";
    if (isFixed) {
      for (const arg of args) key += ` ${this.#keyOf(arg)}`;
      for (const { known } of this.stack) {
        const found = known.get(key);
        if (found !== undefined) return found;
      }
    }
    const value: KernelValue = { kind: "value", type };
    this.#put(
      detail === undefined ? { kind: "let", value, op, args } : { kind: "let", value, op, args, detail },
    );
    if (isFixed) this.block.known.set(key, value);
    return value;
  }
  #keyOf(operand: KernelOperand): string {
    if (operand.kind === "literal")
      return `${Object.is(operand.value, -0) ? "-0" : operand.value}:${operand.type}`;
    let id = this.#ids.get(operand);
    if (id === undefined) {
      id = this.#ids.size;
      this.#ids.set(operand, id);
    }
    return `%${id}`;
  }

  load(memory: KernelMemory, at: KernelOperand, type: KernelType = memory.type): KernelValue {
    const key = `${memory.name} ${type} ${this.#keyOf(at)}`;
    const isFixed = memory.access === "read";
    if (isFixed) {
      for (const { known } of this.stack) {
        const found = known.get(key);
        if (found !== undefined) return found;
      }
    }
    const value: KernelValue = { kind: "value", type };
    this.#put({ kind: "load", value, memory, at });
    if (isFixed) this.block.known.set(key, value);
    return value;
  }
  store(memory: KernelMemory, at: KernelOperand, value: KernelOperand): void {
    this.#put({ kind: "store", memory, at, value });
  }
  variable(type: KernelType, initial: KernelOperand): KernelVariable {
    const variable: KernelVariable = { kind: "variable", type };
    this.#put({ kind: "variable", variable, initial });
    return variable;
  }
  assign(variable: KernelVariable, value: KernelOperand): void {
    this.#put({ kind: "assign", variable, value });
  }
  barrier(): void {
    this.#put({ kind: "barrier" });
  }
  breakIf(condition: KernelOperand): void {
    this.#put({ kind: "break", condition });
  }

  /** Statements that run only where the condition holds. */
  when(condition: KernelOperand, yes: () => void, no: () => void = () => {}): void {
    // Both are made before the statement is put down: what moves out of them comes before it.
    const [then, otherwise] = [yes, no].map((write) => this.#inner(openBlock("branch"), write)) as [
      KernelBlock,
      KernelBlock,
    ];
    this.#put({ kind: "if", condition, then, otherwise });
  }
  /** A loop whose counter is the place along an axis. */
  loop(range: LoopRange, body: (counter: KernelValue) => void): void {
    const { axis, start = indexLiteral(0), end, step = 1 } = range;
    const counter: KernelValue = { kind: "value", type: "index" };
    if (axis !== undefined) this.axisValues.set(axis, counter);
    const inner = openBlock("loop", axis === undefined ? range.changes : [axis]);
    const statements = this.#inner(inner, () => body(counter));
    this.#put({ kind: "for", counter, start, end, step, body: statements });
  }
  /** A loop that runs until it breaks. */
  forever(body: () => void): void {
    this.#put({ kind: "loop", body: this.#inner(openBlock("loop"), body) });
  }
  #inner(inner: OpenBlock, write: () => void): KernelBlock {
    this.stack.push(inner);
    write();
    this.stack.pop();
    return inner.statements;
  }
}
