/** @file The sizes for which the calls of a program are proved to hold. */
import type { ExportedProgram, Node, RangeConstraint } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { SizeChecks } from "@sconce/passes";

/** Ranges of symbols by their names, both ends included. */
export type SizeBox = ReadonlyMap<string, { readonly min: number; readonly max: number }>;

/** What is proved. */
export interface ProvedSizes {
  /** Calls that do not hold for all sizes in any box. */
  readonly open: readonly Node[];
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
  const prove = (
    ranges: ReadonlyMap<string, RangeConstraint>,
  ): { readonly open: readonly Node[]; readonly box: SizeBox } => {
    const proofs = programs.map((program) =>
      new SizeChecks(
        program.with({ rangeConstraints: new Map([...program.rangeConstraints, ...ranges]) }),
        operators,
      ).prove(),
    );
    const box = new Map(proofs.flatMap((proof) => [...proof.ranges]));
    return { open: proofs.flatMap(({ open }) => [...open]), box };
  };
  const usual = prove(rangeConstraints);
  if (usual.open.length > 0) return { open: usual.open, boxes: [] };
  // A range that begins above 2 was declared so.
  const small = [...rangeConstraints]
    .filter(([name, { min }]) => usual.box.has(name) && min <= 2)
    .slice(0, MOST_SYMBOLS);
  const checks = programs.map((program) => new SizeChecks(program, operators));
  const boxes = smallBoxes(small).filter((box) => {
    const known = new Map([...box].flatMap(([name, { min, max }]) => (min === max ? [[name, min]] : [])));
    return checks.every((one) => one.openAt(known).length === 0);
  });
  return { open: [], boxes: [usual.box, ...boxes.map((box) => new Map([...usual.box, ...box]))] };
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
