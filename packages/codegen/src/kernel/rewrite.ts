/** @file Transforms of kernels: values are replaced, and what nothing reads goes. */
import {
  blocksOf,
  forEachStatement,
  type Kernel,
  type KernelBlock,
  type KernelOp,
  type KernelOperand,
  type KernelStatement,
  type KernelType,
  type KernelValue,
  type LetStatement,
  operandsOf,
} from "./kernel.js";

/** What a transform of values may ask and do. */
export interface LetContext {
  /** Loops around the statement. */
  readonly loops: number;
  /** Returns the statement that computed an operand; undefined for all that is not a `let`. */
  definition(operand: KernelOperand): LetStatement | undefined;
  /** Adds a statement before the one that is rewritten. */
  emit(op: KernelOp, type: KernelType, args: readonly KernelOperand[], detail?: number | string): KernelValue;
}

/**
 * Returns the kernel with values replaced as `rewrite` says for their statements; undefined
 * keeps a statement. Later statements read the replacements.
 */
export function rewriteValues(
  kernel: Kernel,
  rewrite: (statement: LetStatement, context: LetContext) => KernelOperand | undefined,
): Kernel {
  const rewriter = new ValueRewriter(rewrite);
  return withoutDead({ ...kernel, body: rewriter.block(kernel.body, 0) });
}

class ValueRewriter {
  readonly #rewrite: (statement: LetStatement, context: LetContext) => KernelOperand | undefined;
  readonly #becomes = new Map<KernelOperand, KernelOperand>();
  readonly #definitions = new Map<KernelOperand, LetStatement>();

  constructor(rewrite: (statement: LetStatement, context: LetContext) => KernelOperand | undefined) {
    this.#rewrite = rewrite;
  }

  block(block: KernelBlock, loops: number): KernelBlock {
    const made: KernelStatement[] = [];
    const context = this.#context(loops, made);
    for (const one of block) {
      const statement = this.#read(one, loops);
      const replacement = statement.kind === "let" ? this.#rewrite(statement, context) : undefined;
      if (replacement === undefined) {
        made.push(statement);
        if (statement.kind === "let") this.#definitions.set(statement.value, statement);
      } else this.#becomes.set((statement as LetStatement).value, replacement);
    }
    return made;
  }

  #context(loops: number, made: KernelStatement[]): LetContext {
    return {
      loops,
      definition: (operand) => this.#definitions.get(operand),
      emit: (op, type, args, detail) => {
        const value: KernelValue = { kind: "value", type };
        const emitted: LetStatement = {
          kind: "let",
          value,
          op,
          args,
          ...(detail !== undefined && { detail }),
        };
        made.push(emitted);
        this.#definitions.set(value, emitted);
        return value;
      },
    };
  }

  #operand<T extends KernelOperand>(operand: T): KernelOperand {
    return this.#becomes.get(operand) ?? operand;
  }
  /** Returns the statement with what its operands have become. */
  #read(statement: KernelStatement, loops: number): KernelStatement {
    const isOther = operandsOf(statement).some((operand) => this.#becomes.has(operand));
    if (!isOther && blocksOf(statement).length === 0) return statement;
    switch (statement.kind) {
      case "let":
        return { ...statement, args: statement.args.map((arg) => this.#operand(arg)) };
      case "load":
        return { ...statement, at: this.#operand(statement.at) };
      case "store":
        return { ...statement, at: this.#operand(statement.at), value: this.#operand(statement.value) };
      case "variable":
        return { ...statement, initial: this.#operand(statement.initial) };
      case "assign":
        return { ...statement, value: this.#operand(statement.value) };
      case "break":
        return { ...statement, condition: this.#operand(statement.condition) };
      case "for": {
        const [start, end] = [this.#operand(statement.start), this.#operand(statement.end)];
        return { ...statement, start, end, body: this.block(statement.body, loops + 1) };
      }
      case "loop":
        return { ...statement, body: this.block(statement.body, loops + 1) };
      case "if": {
        const condition = this.#operand(statement.condition);
        const blocks = [statement.then, statement.otherwise].map((one) => this.block(one, loops));
        const [then, otherwise] = blocks as [KernelBlock, KernelBlock];
        return { ...statement, condition, then, otherwise };
      }
      case "barrier":
        return statement;
    }
  }
}

/** Returns how often each value and variable is read. */
export function usesOf({ body }: Kernel): ReadonlyMap<KernelOperand, number> {
  const uses = new Map<KernelOperand, number>();
  forEachStatement(body, (statement) => {
    for (const operand of operandsOf(statement)) uses.set(operand, (uses.get(operand) ?? 0) + 1);
  });
  return uses;
}

/** Returns the kernel without values that nothing reads. */
export function withoutDead(kernel: Kernel): Kernel {
  const uses = new Map(usesOf(kernel));
  const swept = (block: KernelBlock): KernelBlock => {
    const kept: KernelStatement[] = [];
    for (const statement of [...block].reverse()) {
      const isValue = statement.kind === "let" || statement.kind === "load";
      if (isValue && (uses.get(statement.value) ?? 0) === 0) {
        for (const operand of operandsOf(statement)) uses.set(operand, uses.get(operand)! - 1);
        continue;
      }
      kept.push(blocksOf(statement).length === 0 ? statement : withBlocks(statement, swept));
    }
    return kept.reverse();
  };
  return { ...kernel, body: swept(kernel.body) };
}

function withBlocks(statement: KernelStatement, map: (block: KernelBlock) => KernelBlock): KernelStatement {
  if (statement.kind === "for" || statement.kind === "loop")
    return { ...statement, body: map(statement.body) };
  if (statement.kind !== "if") return statement;
  const [then, otherwise] = [map(statement.then), map(statement.otherwise)];
  return { ...statement, then, otherwise };
}
