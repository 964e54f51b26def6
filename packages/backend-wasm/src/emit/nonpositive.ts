/** @file Exponentials of what is less the greatest of all: they need fewer operations. */
import type { Kernel, KernelBlock, KernelOperand, KernelStatement, KernelVariable } from "@sconce/codegen";

import { NONPOSITIVE } from "./core/types.js";

type ForStatement = Extract<KernelStatement, { kind: "for" }>;
type Definition = Extract<KernelStatement, { kind: "let" | "load" }>;

/** What a variable is the greatest of: a value in the iterations of a loop. */
interface Greatest {
  readonly loop: ForStatement;
  readonly value: KernelOperand;
}

/** Two loops, and the values in the first that are the same in the second. */
interface Compared {
  readonly inA: ForStatement;
  readonly inB: ForStatement;
  readonly known: Map<KernelOperand, KernelOperand>;
}

/** Returns the kernel with exponentials marked, as softmax has them: `exp(x - greatest x)`. */
export function withNonpositive(kernel: Kernel): Kernel {
  const finder = new Finder();
  const body = finder.block(kernel.body, []);
  return finder.count === 0 ? kernel : { ...kernel, body };
}

class Finder {
  /** How many exponentials were marked. */
  count = 0;
  readonly #definitions = new Map<KernelOperand, Definition>();
  readonly #starts = new Map<KernelVariable, KernelOperand>();
  readonly #greatest = new Map<KernelOperand, Greatest>();

  block(block: KernelBlock, loops: readonly ForStatement[]): KernelBlock {
    return block.map((statement) => this.#statement(statement, loops));
  }
  #statement(statement: KernelStatement, loops: readonly ForStatement[]): KernelStatement {
    switch (statement.kind) {
      case "let":
      case "load":
        this.#definitions.set(statement.value, statement);
        return this.#isNonpositive(statement, loops.at(-1)) ? this.#marked(statement) : statement;
      case "variable":
        this.#starts.set(statement.variable, statement.initial);
        return statement;
      case "assign":
        this.#assign(statement, loops.at(-1));
        return statement;
      case "for":
        return { ...statement, body: this.block(statement.body, [...loops, statement]) };
      case "loop":
        return { ...statement, body: this.block(statement.body, []) };
      case "if": {
        const [then, otherwise] = [this.block(statement.then, []), this.block(statement.otherwise, [])];
        return { ...statement, then, otherwise };
      }
      default:
        return statement;
    }
  }
  #marked(statement: Definition): KernelStatement {
    this.count++;
    return { ...statement, detail: NONPOSITIVE } as KernelStatement;
  }

  /** Notes `variable = max(variable, value)`; any other assignment makes it unknown. */
  #assign({ variable, value }: Extract<KernelStatement, { kind: "assign" }>, loop?: ForStatement): void {
    const max = this.#definitions.get(value);
    const start = this.#starts.get(variable);
    this.#starts.delete(variable);
    this.#greatest.delete(variable);
    if (loop === undefined || max?.kind !== "let" || max.op !== "max" || variable.type !== "float32") return;
    const isFromStart = start?.kind === "literal" && start.value === Number.NEGATIVE_INFINITY;
    const [first, other] = max.args;
    const operand = first === variable ? other : other === variable ? first : undefined;
    if (isFromStart && operand !== undefined) this.#greatest.set(variable, { loop, value: operand });
  }

  #isNonpositive(statement: Definition, loop: ForStatement | undefined): boolean {
    if (statement.kind !== "let" || statement.op !== "exp" || loop === undefined) return false;
    const difference = this.#definitions.get(statement.args[0]!);
    if (difference?.kind !== "let" || difference.op !== "sub" || difference.value.type !== "float32")
      return false;
    const greatest = this.#greatest.get(difference.args[1]!);
    if (greatest === undefined || greatest.loop === loop || !isSameRange(greatest.loop, loop)) return false;
    const loops = { inA: loop, inB: greatest.loop, known: new Map<KernelOperand, KernelOperand>() };
    return this.#isSame(difference.args[0]!, greatest.value, loops);
  }
  /**
   * Returns whether an operand has in an iteration of one loop what the other has in that of
   * another.
   */
  #isSame(a: KernelOperand, b: KernelOperand, loops: Compared): boolean {
    if (loops.known.get(a) === b) return true;
    const isSame = this.#isAlike(a, b, loops);
    if (isSame) loops.known.set(a, b);
    return isSame;
  }
  #isAlike(a: KernelOperand, b: KernelOperand, loops: Compared): boolean {
    const { inA, inB } = loops;
    if (a === b) return a.kind !== "variable";
    if (a === inA.counter) return b === inB.counter;
    if (a.kind === "literal") return b.kind === "literal" && Object.is(a.value, b.value) && a.type === b.type;
    const [one, two] = [this.#definitions.get(a), this.#definitions.get(b)];
    if (one === undefined || two === undefined || a.type !== b.type) return false;
    const isSame = (x: KernelOperand, y: KernelOperand): boolean => this.#isSame(x, y, loops);
    if (one.kind === "load")
      return (
        two.kind === "load" &&
        one.memory === two.memory &&
        one.memory.access === "read" &&
        isSame(one.at, two.at)
      );
    return (
      two.kind === "let" &&
      one.op === two.op &&
      one.detail === two.detail &&
      one.args.length === two.args.length &&
      one.args.every((arg, i) => isSame(arg, two.args[i]!))
    );
  }
}

const isSameRange = (a: ForStatement, b: ForStatement): boolean =>
  a.step === b.step && isEqual(a.start, b.start) && isEqual(a.end, b.end);
const isEqual = (a: KernelOperand, b: KernelOperand): boolean =>
  a === b ? a.kind !== "variable" : a.kind === "literal" && b.kind === "literal" && a.value === b.value;
