/** @file The sizes for which the calls of a program are proved to hold. */
import type { ExportedProgram, Node, RangeConstraint } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { SizeChecks } from "@sconce/passes";
import type { SizeDecision } from "@sconce/trace";

/** Ranges of symbols by their names, both ends included. */
export type SizeBox = ReadonlyMap<string, { readonly min: number; readonly max: number }>;

/** What is proved. */
export interface ProvedSizes {
  /** Calls that do not hold for all sizes in any box, and under no conditions. */
  readonly open: readonly Node[];
  /** What else has to hold in the boxes. */
  readonly conditions: readonly SizeDecision[];
  /** The sizes of a run lie in one of these. */
  readonly boxes: readonly SizeBox[];
}

/** Symbols whose sizes 0 and 1 are looked at by themselves. */
const MOST_SYMBOLS = 3;

/**
 * Proves the calls of programs of the same inputs. Rules treat sizes of 0 and 1 in other ways, so
 * that these are proved separately.
 */
export function provedSizes(programs: readonly ExportedProgram[], operators: OperatorTable): ProvedSizes {
  const { rangeConstraints } = programs[0]!;
  const checks = programs.map((program) => new SizeChecks(program, operators));
  const proofs = checks.map((one) => one.prove());
  const usual: SizeBox = new Map(proofs.flatMap((proof) => [...proof.ranges]));
  const [open, conditions]: [Node[], SizeDecision[]] = [[], []];
  for (const [at, proof] of proofs.entries())
    for (const node of proof.open) {
      const needed = checks[at]!.conditionsOf(node);
      if (needed === undefined) open.push(node);
      else conditions.push(...needed);
    }
  if (open.length > 0) return { open, conditions: [], boxes: [] };
  // A range that begins above 2 was declared so.
  const small = [...rangeConstraints]
    .filter(([name, { min }]) => usual.has(name) && min <= 2)
    .slice(0, MOST_SYMBOLS);
  const boxes = smallBoxes(small).filter((box) => {
    const known = new Map([...box].flatMap(([name, { min, max }]) => (min === max ? [[name, min]] : [])));
    return checks.every((one) => one.openAt(known).length === 0);
  });
  return { open: [], conditions, boxes: [usual, ...boxes.map((box) => new Map([...usual, ...box]))] };
}

/** Returns all ranges in which at least one symbol is 0 or 1. */
function smallBoxes(
  symbols: readonly (readonly [string, RangeConstraint])[],
): readonly Map<string, RangeConstraint>[] {
  let boxes: Map<string, RangeConstraint>[] = [new Map()];
  for (const [name, { max }] of symbols) {
    const ends = [0, 1].map((size) => ({ min: size, max: size }));
    boxes = boxes.flatMap((box) =>
      [{ min: 2, max }, ...ends].map((range) => new Map([...box, [name, range]])),
    );
  }
  return boxes.filter((box) => [...box.values()].some(({ min }) => min < 2));
}
