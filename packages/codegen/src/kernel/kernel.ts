/**
 * @file Kernels: loop nests after scheduling. A kernel is a tree of statements over values that are
 * computed once and variables that loops carry. A printer needs nothing else to write source.
 */
import type { DType } from "@sconce/tensor";
import { heldNumber } from "../ir/held-number.js";
import type { ScalarFn } from "../ir/scalar-functions.js";
import type { Index } from "../ir/terms.js";

/** What an element of a value is: a dtype, or `index` for places and counters. */
export type ElementType = DType | "index";
/** The type of a value: one element, or four of them side by side. */
export type KernelType = ElementType | `${ElementType}x4`;

/** A value that one statement computes; values are equal only if they are the same object. */
export interface KernelValue {
  readonly kind: "value";
  readonly type: KernelType;
}
/** A place for a value that statements change: a total, a choice, the bounds of a search. */
export interface KernelVariable {
  readonly kind: "variable";
  readonly type: KernelType;
}
/** A known number. */
export interface KernelLiteral {
  readonly kind: "literal";
  readonly type: KernelType;
  /** A bool is a boolean, an int64 beyond 2^53 a bigint. */
  readonly value: number | bigint | boolean;
}
/** What statements read. */
export type KernelOperand = KernelValue | KernelVariable | KernelLiteral;

/**
 * Operations besides those of elements.
 *
 * - `cast` converts as PyTorch's `to`; an int64 that is read as an index lies in its tensor.
 * - `select` gives the second operand where the first is true, else the third; both are computed.
 * - `lane` gives one of four elements, by the number in `detail`; `pack` makes four elements of
 *   four values, `splat` of one, and `ramp` of a place and the step from each lane to the next.
 * - `every` and `some` say whether all of four bools are true, or one of them.
 * - `udiv` and `urem` divide an index that is never negative by a positive number; `fdiv` rounds a
 *   quotient down that float32 division decides. `floor_div` and `remainder` take any index.
 * - `wide_add` is `a * b + c` and `wide_sub` is `c - a * b`, where the result is larger than the
 *   target's own integers.
 * - `thread`, `workgroup` and `local` say where the kernel runs: the place along the axis `detail`
 *   of the grid, the number of the workgroup, the place in it.
 * - `size` gives a size of the program that is known when the kernel runs, by its text in `detail`.
 * - `order` gives an index in the order of floats: zeros are equal, NaN is the greatest.
 * - `call` calls a function of the target's own library, by the name in `detail`.
 */
export const KERNEL_OPS = [
  "cast",
  "select",
  "lane",
  "pack",
  "splat",
  "ramp",
  "every",
  "some",
  "udiv",
  "urem",
  "fdiv",
  "wide_add",
  "wide_sub",
  "thread",
  "workgroup",
  "local",
  "size",
  "order",
  "call",
] as const;
/** The operation of a {@link LetStatement}. */
export type KernelOp = ScalarFn | (typeof KERNEL_OPS)[number];

/** Where a piece of memory lies, and who sees it. */
export type AddressSpace =
  /** A buffer of the program. */
  | "global"
  /** Shared by the threads of a workgroup. */
  | "workgroup"
  /** One thread's own. */
  | "private";
/** A piece of memory. */
export interface KernelMemory {
  /** Unique in its kernel. */
  readonly name: string;
  readonly space: AddressSpace;
  /** What the kernel does with it. Only memory that is read alone keeps what it holds. */
  readonly access: "read" | "write" | "read_write";
  /** The type of an element; of four when loads give four. */
  readonly type: KernelType;
  /** Elements, or groups of four. */
  readonly length: number;
  /** The elements, where their number is known when the kernel runs. */
  readonly elements?: Index | undefined;
  /** The buffer of the loop program, of global memory. */
  readonly buffer?: number | undefined;
}

/** Statements that run in order. */
export type KernelBlock = readonly KernelStatement[];
/** Computes a value; nothing else happens. */
export interface LetStatement {
  readonly kind: "let";
  readonly value: KernelValue;
  readonly op: KernelOp;
  readonly args: readonly KernelOperand[];
  /** The lane, the axis of the grid or the name of the function. */
  readonly detail?: number | string | undefined;
}
interface LoadStatement {
  readonly kind: "load";
  readonly value: KernelValue;
  readonly memory: KernelMemory;
  /**
   * The element, or the group of four if the memory has groups. A value of four from memory of
   * single elements has those from this one on; they may lie beyond the end, where they are unread.
   */
  readonly at: KernelOperand;
}
interface StoreStatement {
  readonly kind: "store";
  readonly memory: KernelMemory;
  /** As of loads. */
  readonly at: KernelOperand;
  readonly value: KernelOperand;
}
/** Makes a variable for the rest of the block. */
interface VariableStatement {
  readonly kind: "variable";
  readonly variable: KernelVariable;
  readonly initial: KernelOperand;
}
interface AssignStatement {
  readonly kind: "assign";
  readonly variable: KernelVariable;
  readonly value: KernelOperand;
}
/** Runs the body for `start <= counter < end`, every `step`. */
interface ForStatement {
  readonly kind: "for";
  readonly counter: KernelValue;
  readonly start: KernelOperand;
  readonly end: KernelOperand;
  readonly step: number;
  readonly body: KernelBlock;
}
/** Runs the body until it breaks. */
interface LoopStatement {
  readonly kind: "loop";
  readonly body: KernelBlock;
}
interface IfStatement {
  readonly kind: "if";
  readonly condition: KernelOperand;
  readonly then: KernelBlock;
  /** Empty when nothing happens. */
  readonly otherwise: KernelBlock;
}
/** Leaves the innermost loop if the condition holds. */
interface BreakStatement {
  readonly kind: "break";
  readonly condition: KernelOperand;
}
/** Waits for all threads of the workgroup, which must all come here. */
interface BarrierStatement {
  readonly kind: "barrier";
}
export type KernelStatement =
  | LetStatement
  | LoadStatement
  | StoreStatement
  | VariableStatement
  | AssignStatement
  | ForStatement
  | LoopStatement
  | IfStatement
  | BreakStatement
  | BarrierStatement;

/** How many threads run a kernel. */
export interface Launch {
  /** Workgroups along x, y and z; or threads, where the target has no workgroups. */
  readonly grid: readonly [x: number, y: number, z: number];
  /** Threads of a workgroup. */
  readonly size: number;
  /** The units, where their number is known when the kernel runs: the grid is empty. */
  readonly units?: Index | undefined;
}
/** A scheduled nest, or several. */
export interface Kernel {
  readonly memories: readonly KernelMemory[];
  readonly launch: Launch;
  readonly body: KernelBlock;
  /** The sizes that it gets when it runs, by their texts. Default: none. */
  readonly sizes?: ReadonlyMap<string, Index> | undefined;
}

/** Returns the type of one element of a value. */
export const elementOf = (type: KernelType): ElementType =>
  (type.endsWith("x4") ? type.slice(0, -2) : type) as ElementType;
/** Returns how many elements a value has. */
export const widthOf = (type: KernelType): 1 | 4 => (type.endsWith("x4") ? 4 : 1);

/** Returns a known number of a type; a half is rounded to its dtype. */
export const literal = (value: number | bigint | boolean, type: KernelType): KernelLiteral => ({
  kind: "literal",
  type,
  value: heldNumber(value, elementOf(type)),
});
/** Returns a known place or size. */
export const indexLiteral = (value: number): KernelLiteral => literal(value, "index");

/** Returns the blocks inside a statement. */
export function blocksOf(statement: KernelStatement): readonly KernelBlock[] {
  switch (statement.kind) {
    case "for":
    case "loop":
      return [statement.body];
    case "if":
      return [statement.then, statement.otherwise];
    default:
      return [];
  }
}

/** Returns what a statement itself reads, in order. */
export function operandsOf(statement: KernelStatement): readonly KernelOperand[] {
  switch (statement.kind) {
    case "let":
      return statement.args;
    case "load":
      return [statement.at];
    case "store":
      return [statement.at, statement.value];
    case "variable":
      return [statement.initial];
    case "assign":
      return [statement.value];
    case "for":
      return [statement.start, statement.end];
    case "if":
    case "break":
      return [statement.condition];
    case "loop":
    case "barrier":
      return [];
  }
}

/** Calls `visit` for each statement, outer ones before those inside. */
export function forEachStatement(
  block: KernelBlock,
  visit: (statement: KernelStatement, loops: number) => void,
  loops = 0,
): void {
  for (const statement of block) {
    visit(statement, loops);
    const inner = statement.kind === "for" || statement.kind === "loop" ? loops + 1 : loops;
    for (const one of blocksOf(statement)) forEachStatement(one, visit, inner);
  }
}
