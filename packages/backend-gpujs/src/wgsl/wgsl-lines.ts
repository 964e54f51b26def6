/**
 * @file The lines of a WGSL function as they are written: which values have names, and which stand
 * where they are read.
 */
import type { KernelLiteral, KernelOperand, KernelValue, KernelVariable } from "@sconce/codegen";

/** The deepest expression: parsers have limits. */
const DEEPEST = 12;

/** The text of a value that is read once and has no name yet. */
interface Pending {
  readonly text: string;
  readonly depth: number;
}

/** Lines under construction. */
export class WgslLines {
  readonly #names = new Map<KernelValue | KernelVariable, string>();
  readonly #pending = new Map<KernelOperand, Pending>();
  readonly #uses: ReadonlyMap<KernelOperand, number>;
  readonly #literal: (literal: KernelLiteral) => string;
  #lines: string[] = [];
  #next = 0;
  /** The depth of what the current statement reads. */
  #depth = 0;

  /** @param uses how often each operand is read */
  constructor(uses: ReadonlyMap<KernelOperand, number>, literal: (literal: KernelLiteral) => string) {
    this.#uses = uses;
    this.#literal = literal;
  }

  /** Returns the lines that `write` adds, without those around them. */
  block(write: () => void): string[] {
    const outer = this.#lines;
    this.#lines = [];
    write();
    this.flush();
    const lines = this.#lines;
    this.#lines = outer;
    return lines;
  }
  /** Starts a statement. */
  start(): void {
    this.#depth = 0;
  }
  /** Adds lines without naming anything before them. */
  push(...lines: readonly string[]): void {
    this.#lines.push(...lines);
  }
  /** A statement that changes something. */
  line(text: string): void {
    this.flush();
    this.#lines.push(text);
  }
  /** Returns a line that gives a text a name. */
  local(text: string): string {
    const name = `v${this.#next++}`;
    this.#lines.push(`let ${name} = ${text};`);
    return name;
  }

  /** Gives a variable or a counter a name. */
  define(value: KernelValue | KernelVariable): string {
    const name = `v${this.#next++}`;
    this.#names.set(value, name);
    return name;
  }
  /** A value that is this text wherever it is read. */
  alias(value: KernelValue, text: string): void {
    this.#names.set(value, text);
  }
  /** A value: its text follows where it is read, if that is once and before anything changes. */
  value(value: KernelValue, text: string): void {
    const depth = this.#depth + 1;
    if (this.#uses.get(value) === 1 && depth < DEEPEST) this.#pending.set(value, { text, depth });
    else this.#names.set(value, this.local(text));
  }
  /** Names what was not read yet: memory and variables change. */
  flush(): void {
    for (const [value, { text }] of this.#pending) this.#names.set(value as KernelValue, this.local(text));
    this.#pending.clear();
  }
  /** Returns the text of an operand, for one place. */
  use(operand: KernelOperand): string {
    if (operand.kind === "literal") return this.#literal(operand);
    const pending = this.#pending.get(operand);
    if (pending === undefined) return this.#names.get(operand)!;
    this.#pending.delete(operand);
    this.#depth = Math.max(this.#depth, pending.depth);
    return pending.text;
  }
  /** Returns a name, for what stands in several places. */
  name(operand: KernelOperand): string {
    const text = this.use(operand);
    if (operand.kind !== "value" || this.#names.has(operand)) return text;
    const name = this.local(text);
    this.#names.set(operand, name);
    return name;
  }
}
