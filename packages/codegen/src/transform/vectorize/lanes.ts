/** @file What the values of four iterations are. */
import {
  type ElementType,
  elementOf,
  forEachStatement,
  type KernelBlock,
  type KernelOp,
  type KernelOperand,
  type KernelStatement,
  type KernelType,
  type KernelVariable,
} from "../../kernel/kernel.js";

/** A loop with a counter. */
export type ForStatement = Extract<KernelStatement, { kind: "for" }>;
/** A branch. */
export type IfStatement = Extract<KernelStatement, { kind: "if" }>;

/** Says which operations a target has on four elements at once. */
export interface Vectors {
  /** Whether four elements of a type are one value. */
  readonly holds: (type: ElementType) => boolean;
  /** Whether an operation on elements of one type, with a result of another, is one. */
  readonly computes: (op: KernelOp, type: ElementType, result: ElementType) => boolean;
}

/** What a value of four iterations is. */
export type Lanes =
  | { readonly kind: "same"; readonly value: KernelOperand }
  | { readonly kind: "places"; readonly first: KernelOperand; readonly step: number }
  | { readonly kind: "vector"; readonly value: KernelOperand }
  | { readonly kind: "single"; readonly values: readonly KernelOperand[] };

/** A total, and what the lanes of each copy of the loop's body have of it. */
export interface Accumulator {
  readonly op: KernelOp;
  readonly parts: readonly Lanes[];
}

/** Four elements of a type. */
export const fourOf = (type: KernelType): KernelType => `${elementOf(type)}x4`;

/** Variables from outside that statements change. */
export function changedBy(block: KernelBlock): KernelVariable[] {
  const own = new Set<KernelVariable>();
  forEachStatement(block, (statement) => {
    if (statement.kind === "variable") own.add(statement.variable);
  });
  return assignedIn(block).filter((one) => !own.has(one));
}
/** Variables that statements change. */
function assignedIn(block: KernelBlock): KernelVariable[] {
  const found = new Set<KernelVariable>();
  forEachStatement(block, (statement) => {
    if (statement.kind === "assign") found.add(statement.variable);
  });
  return [...found];
}
