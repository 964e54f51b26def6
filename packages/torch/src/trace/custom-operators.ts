/** @file Operators that models may call besides those of Sconce: `library.customOp` adds them. */
import { defaultOperators, type OpDefinition, type OperatorTable } from "@sconce/ops";

/** An operator that a model defines. */
export interface CustomOperator {
  /** Its row: a trace records calls by it. It may change while no trace runs. */
  readonly row: OpDefinition;
  /** Runs it on tensors with values. */
  run(args: readonly unknown[], kwargs: Readonly<Record<string, unknown>>): unknown;
}

const custom = new Map<string, CustomOperator>();
let table: OperatorTable | undefined;

/** Adds an operator, or puts it in the place of that of the same name. */
export function addCustomOperator(target: string, operator: CustomOperator): void {
  custom.set(target, operator);
  table = undefined;
}

/** Takes note of a changed row. */
export function customOperatorsChanged(): void {
  table = undefined;
}

/** Returns the operator that a model defines under a target; undefined for those of Sconce. */
export const customOperator = (target: string): CustomOperator | undefined => custom.get(target);

/** Returns the operators that models may call: those of Sconce, and those that models define. */
export function modelOperators(): OperatorTable {
  if (custom.size === 0) return defaultOperators();
  table ??= defaultOperators().extend([...custom.values()].map(({ row }) => row));
  return table;
}
