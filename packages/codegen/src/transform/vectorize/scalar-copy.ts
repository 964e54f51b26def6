/** @file Copies of statements with other operands, whose values are new ones. */
import type {
  KernelBlock,
  KernelOperand,
  KernelStatement,
  KernelValue,
  KernelVariable,
} from "../../kernel/kernel.js";

/** Writes copies. A value of a statement is made again, so that a copy may stand beside another. */
export class ScalarCopy {
  #out: KernelStatement[];
  readonly #made = new Map<KernelOperand, KernelOperand>();
  readonly #outer: (operand: KernelOperand) => KernelOperand | undefined;

  /** @param outer what operands from outside are; themselves where it gives nothing */
  constructor(
    out: KernelStatement[],
    outer: (operand: KernelOperand) => KernelOperand | undefined = () => undefined,
  ) {
    this.#out = out;
    this.#outer = outer;
  }

  /** Has an operand represent another one. */
  set(operand: KernelOperand, becomes: KernelOperand): void {
    this.#made.set(operand, becomes);
  }
  /** Returns what an operand is in the copy. */
  of(operand: KernelOperand): KernelOperand {
    return this.#made.get(operand) ?? this.#outer(operand) ?? operand;
  }
  block(block: KernelBlock): void {
    for (const statement of block) {
      const copied = this.#copy(statement);
      this.#out.push(copied);
    }
  }

  #value(value: KernelValue): KernelValue {
    const made: KernelValue = { kind: "value", type: value.type };
    this.#made.set(value, made);
    return made;
  }
  #inner(block: KernelBlock): KernelBlock {
    const saved = this.#out;
    this.#out = [];
    this.block(block);
    const made = this.#out;
    this.#out = saved;
    return made;
  }
  #copy(statement: KernelStatement): KernelStatement {
    switch (statement.kind) {
      case "let": {
        const args = statement.args.map((arg) => this.of(arg));
        return { ...statement, args, value: this.#value(statement.value) };
      }
      case "load": {
        const at = this.of(statement.at);
        return { ...statement, at, value: this.#value(statement.value) };
      }
      case "store":
        return { ...statement, at: this.of(statement.at), value: this.of(statement.value) };
      case "variable": {
        const initial = this.of(statement.initial);
        const variable: KernelVariable = { kind: "variable", type: statement.variable.type };
        this.#made.set(statement.variable, variable);
        return { ...statement, variable, initial };
      }
      case "assign": {
        const variable = this.of(statement.variable) as KernelVariable;
        return { ...statement, variable, value: this.of(statement.value) };
      }
      case "for": {
        const [start, end] = [this.of(statement.start), this.of(statement.end)];
        const counter = this.#value(statement.counter);
        return { ...statement, start, end, counter, body: this.#inner(statement.body) };
      }
      case "loop":
        return { ...statement, body: this.#inner(statement.body) };
      case "if": {
        const condition = this.of(statement.condition);
        const [then, otherwise] = [this.#inner(statement.then), this.#inner(statement.otherwise)];
        return { ...statement, condition, then, otherwise };
      }
      case "break":
        return { ...statement, condition: this.of(statement.condition) };
      case "barrier":
        return statement;
    }
  }
}
