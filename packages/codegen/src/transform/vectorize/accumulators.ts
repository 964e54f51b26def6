/** @file Totals that iterations of a loop add to: each lane has one for itself. */
import {
  forEachStatement,
  type KernelBlock,
  type KernelOp,
  type KernelOperand,
  type KernelStatement,
  type KernelValue,
  type KernelVariable,
  type LetStatement,
  literal,
  operandsOf,
} from "../../kernel/kernel.js";
import { type Accumulator, changedBy, fourOf, type Lanes, type Vectors } from "./lanes.js";

const FOLDS: ReadonlySet<string> = new Set(["add", "mul", "max", "min", "or", "and"]);

/**
 * Returns the totals of a loop with the operation that changes each; undefined where a variable
 * from outside is read in any other way, so that an iteration depends on those before it.
 */
export function totalsOf(body: KernelBlock): ReadonlyMap<KernelVariable, KernelOp> | undefined {
  const reads = new Map<KernelOperand, KernelStatement[]>();
  const assigned = new Map<KernelVariable, KernelOperand[]>();
  const definitions = new Map<KernelOperand, LetStatement>();
  forEachStatement(body, (statement) => {
    if (statement.kind === "let") definitions.set(statement.value, statement);
    if (statement.kind === "assign")
      assigned.set(statement.variable, [...(assigned.get(statement.variable) ?? []), statement.value]);
    for (const operand of operandsOf(statement))
      reads.set(operand, [...(reads.get(operand) ?? []), statement]);
  });
  const totals = new Map<KernelVariable, KernelOp>();
  for (const variable of changedBy(body)) {
    const [value, ...more] = assigned.get(variable)!;
    const fold = definitions.get(value!);
    const [read, ...others] = reads.get(variable) ?? [];
    const isFold =
      fold !== undefined && FOLDS.has(fold.op) && read === fold && others.length === 0 && more.length === 0;
    // A product of floats may overflow in one order, and in another one not.
    if (fold?.op === "mul" && variable.type.startsWith("float")) return undefined;
    if (!isFold || fold.args.filter((arg) => arg === variable).length !== 1) return undefined;
    if ((reads.get(fold.value) ?? []).length !== 1) return undefined;
    totals.set(variable, fold.op);
  }
  return totals;
}

/** Makes the parts of totals, before the loop. */
export function accumulatorsOf(
  totals: ReadonlyMap<KernelVariable, KernelOp>,
  copies: number,
  { holds }: Vectors,
  before: KernelStatement[],
): ReadonlyMap<KernelVariable, Accumulator> {
  const made = new Map<KernelVariable, Accumulator>();
  for (const [variable, op] of totals) {
    const isVector = holds(variable.type as Parameters<Vectors["holds"]>[0]);
    const type = isVector ? fourOf(variable.type) : variable.type;
    const initial = startOf(variable, op, type, before);
    const part = (): KernelVariable => {
      const one: KernelVariable = { kind: "variable", type };
      before.push({ kind: "variable", variable: one, initial });
      return one;
    };
    const parts = Array.from(
      { length: copies },
      (): Lanes =>
        isVector
          ? { kind: "vector", value: part() }
          : { kind: "single", values: [part(), part(), part(), part()] },
    );
    made.set(variable, { op, parts });
  }
  return made;
}
/**
 * Returns what changes nothing: zero, one, or the total so far where it may count several times.
 */
function startOf(
  variable: KernelVariable,
  op: KernelOp,
  type: KernelVariable["type"],
  before: KernelStatement[],
): KernelOperand {
  if (op === "add" || op === "mul") return literal(op === "add" ? 0 : 1, type);
  if (type === variable.type) return variable;
  const value: KernelValue = { kind: "value", type };
  before.push({ kind: "let", value, op: "splat", args: [variable] });
  return value;
}

/** Folds what the lanes have into the totals, after the loop. */
export function foldedInto(
  accumulators: ReadonlyMap<KernelVariable, Accumulator>,
  after: KernelStatement[],
): void {
  const emit = (
    op: KernelOp,
    type: KernelVariable["type"],
    args: readonly KernelOperand[],
    detail?: number,
  ) => {
    const value: KernelValue = { kind: "value", type };
    after.push({ kind: "let", value, op, args, ...(detail !== undefined && { detail }) });
    return value;
  };
  for (const [variable, { op, parts }] of accumulators) {
    const pairs = (values: readonly KernelOperand[]): KernelOperand => {
      if (values.length === 1) return values[0]!;
      const half = values.length / 2;
      const [a, b] = [pairs(values.slice(0, half)), pairs(values.slice(half))];
      return emit(op, a.type, [a, b]);
    };
    const lanes = parts.map((part) =>
      part.kind === "vector" ? [part.value] : part.kind === "single" ? part.values : [],
    );
    const width = lanes[0]!.length;
    const folded = Array.from({ length: width }, (_, at) => pairs(lanes.map((one) => one[at]!)));
    const values =
      width === 1 ? [0, 1, 2, 3].map((lane) => emit("lane", variable.type, [folded[0]!], lane)) : folded;
    const all = emit(op, variable.type, [variable, pairs(values)]);
    after.push({ kind: "assign", variable, value: all });
  }
}
