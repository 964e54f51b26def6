/** @file Places that are a known number behind others: memory instructions add the number. */
import {
  forEachStatement,
  indexLiteral,
  type Kernel,
  type KernelBlock,
  type KernelOperand,
  type KernelValue,
  type LetContext,
  type LetStatement,
  rewriteValues,
} from "@sconce/codegen";

/** The greatest number that instructions add. */
const MOST = 1 << 20;

/** A place as a known number behind another one, or behind the first of all. */
export interface Place {
  readonly from?: KernelOperand;
  readonly known: number;
}

/** Adds known numbers last, so that copies of a loop's body share the rest of their places. */
export function withOffsets(kernel: Kernel): Kernel {
  const counts = countsIn(kernel.body);
  const sums = new WeakMap<LetContext, Map<KernelOperand, Map<KernelOperand, KernelValue>>>();
  return rewriteValues(kernel, (statement, context) => {
    if (statement.op !== "add" || statement.value.type !== "index") return undefined;
    const parts = statement.args.map((arg) => placeOf(arg, context.definition(arg), counts));
    const [a, b] = parts.flatMap(({ from }) => from ?? []);
    if (a === undefined || b === undefined || !counts.has(a) || !counts.has(b)) return undefined;
    const known = parts.reduce((sum, part) => sum + part.known, 0);
    const inBlock = sums.get(context) ?? new Map<KernelOperand, Map<KernelOperand, KernelValue>>();
    sums.set(context, inBlock);
    const ofA = inBlock.get(a) ?? new Map<KernelOperand, KernelValue>();
    inBlock.set(a, ofA);
    const sum = ofA.get(b) ?? context.emit("add", "index", [a, b]);
    ofA.set(b, sum);
    counts.add(sum);
    if (known === 0) return sum;
    const all = context.emit("add", "index", [sum, indexLiteral(known)]);
    counts.add(all);
    return all;
  });
}

/** Returns the places that are a known number behind others. */
export function knownPlaces(body: KernelBlock): (at: KernelOperand) => Place {
  const counts = countsIn(body);
  const sums = new Map<KernelOperand, LetStatement>();
  forEachStatement(body, (statement) => {
    if (statement.kind === "let" && statement.op === "add") sums.set(statement.value, statement);
  });
  return (at) => placeOf(at, sums.get(at), counts);
}

/**
 * Returns a place as an address and a known number. What is added to an address must not be less
 * than zero, which would be far behind the end.
 */
function placeOf(
  at: KernelOperand,
  sum: LetStatement | undefined,
  counts: ReadonlySet<KernelOperand>,
): Place {
  if (at.kind === "literal") return { known: Number(at.value) };
  const [from, literal] = sum?.op === "add" ? sum.args : [];
  const known = literal?.kind === "literal" ? Number(literal.value) : -1;
  return counts.has(from!) && known >= 0 && known <= MOST ? { from: from!, known } : { from: at, known: 0 };
}

const KEEPS: ReadonlySet<string> = new Set(["add", "mul", "max", "min", "udiv", "urem"]);
/** Values of kernels that are never less than zero, as far as that is simple to see. */
function countsIn(body: KernelBlock): Set<KernelOperand> {
  const found = new Set<KernelOperand>();
  const isCount = (operand: KernelOperand): boolean =>
    operand.kind === "literal" ? Number(operand.value) >= 0 : found.has(operand);
  forEachStatement(body, (statement) => {
    if (statement.kind === "for" && isCount(statement.start)) found.add(statement.counter);
    if (statement.kind !== "let" || statement.value.type !== "index") return;
    const { op, args, value } = statement;
    const isOne =
      op === "thread" ||
      (KEEPS.has(op) && args.every(isCount)) ||
      ((op === "max" || op === "bitwise_and") && args.some(isCount));
    if (isOne) found.add(value);
  });
  return found;
}
