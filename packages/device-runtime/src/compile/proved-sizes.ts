/** @file The sizes for which the calls of a program are proved to hold. */
import {
  areStatic,
  type ExportedProgram,
  FakeTensor,
  inputsOf,
  type Node,
  type NodePlacement,
  type RangeConstraint,
} from "@sconce/ir";
import { isScalarFunction, type OperatorTable } from "@sconce/ops";
import { SizeChecks } from "@sconce/passes";
import { printExpr, substitute } from "@sconce/symbolic";
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

/** Symbols whose sizes 0 and 1 are looked at by themselves: each of them triples the proofs. */
const MOST_SYMBOLS = 4;
/** The same in programs of many calls. */
const FEW_SYMBOLS = 3;
const MANY_CALLS = 200;

const DATA_TAGS: readonly string[] = ["data_dependent_output", "dynamic_output_shape"];

/**
 * Returns the calls whose results the data decide, and which the interpreter checks in a run: no
 * proof for all sizes says more of them.
 */
export function decidedInRun(
  original: ExportedProgram,
  program: ExportedProgram,
  nodes: readonly NodePlacement[],
  operators: OperatorTable,
): ReadonlySet<Node> {
  const onDevice = new Set(nodes.flatMap(({ node, place }) => (place === "device" ? [node] : [])));
  const isDecided =
    ({ graph }: ExportedProgram) =>
    (node: Node): boolean => {
      const isFixed = (name: string): boolean => {
        const { val } = graph.node(name).meta;
        return !(val instanceof FakeTensor) || areStatic(val.shape);
      };
      return (
        isScalarFunction(node.target) ||
        operators.tagsOf(node.target).some((tag) => DATA_TAGS.includes(tag)) ||
        inputsOf(node).every(isFixed)
      );
    };
  return new Set([
    ...original.graph.calls().filter(isDecided(original)),
    ...program.graph.calls().filter((node) => !onDevice.has(node.name) && isDecided(program)(node)),
  ]);
}

/**
 * Proves the calls of programs of the same inputs. Rules treat sizes of 0 and 1 in other ways, so
 * that these are proved separately.
 *
 * @param decided calls that a run decides
 */
export function provedSizes(
  programs: readonly ExportedProgram[],
  operators: OperatorTable,
  decided: ReadonlySet<Node> = new Set(),
): ProvedSizes {
  const declared = new Map(programs.flatMap(({ rangeConstraints }) => [...rangeConstraints]));
  const whole = proofFor(programs, operators, declared, decided);
  const calls = programs.reduce((count, { graph }) => count + graph.calls().length, 0);
  const most = calls > MANY_CALLS ? FEW_SYMBOLS : MOST_SYMBOLS;
  if (isComplete(whole)) return withSmall(whole, declared, most);
  const large = proofFor(programs, operators, new Map([...declared].map(fromTwo)), decided);
  const best = isComplete(large) ? large : [whole, large].find(({ open }) => open.length === 0);
  return best === undefined
    ? { open: whole.open, conditions: [], boxes: [] }
    : withSmall(best, declared, most);
}

/** A proof for ranges of symbols. */
interface RangeProof {
  readonly open: readonly Node[];
  readonly conditions: readonly SizeDecision[];
  readonly box: SizeBox;
  /** Returns whether all calls are proved where some symbols have known values. */
  readonly holdsAt: (known: ReadonlyMap<string, number>) => boolean;
}

const isComplete = ({ open, conditions }: RangeProof): boolean => open.length + conditions.length === 0;

const fromTwo = ([name, range]: readonly [string, RangeConstraint]): [string, RangeConstraint] => [
  name,
  range.min < 2 && range.max >= 2 ? { ...range, min: 2 } : range,
];

function proofFor(
  programs: readonly ExportedProgram[],
  operators: OperatorTable,
  ranges: ReadonlyMap<string, RangeConstraint>,
  decided: ReadonlySet<Node>,
): RangeProof {
  const isOpen = (node: Node): boolean => !decided.has(node);
  const checks = programs.map(
    (program) =>
      new SizeChecks(
        program.with({ rangeConstraints: new Map([...program.rangeConstraints, ...ranges]) }),
        operators,
      ),
  );
  const proofs = checks.map((one) => one.prove());
  const [open, conditions]: [Node[], SizeDecision[]] = [[], []];
  for (const [at, proof] of proofs.entries())
    for (const node of [...proof.open].filter(isOpen)) {
      const needed = checks[at]!.conditionsOf(node);
      if (needed === undefined) open.push(node);
      else conditions.push(...needed);
    }
  return {
    open,
    conditions,
    box: new Map(proofs.flatMap((proof) => [...proof.ranges])),
    holdsAt: (known) =>
      checks.every((one) =>
        one
          .openAt(known)
          .filter(isOpen)
          .every((node) => one.conditionsOf(node, known)?.every(isImplied(conditions, known)) === true),
      ),
  };
}

/** Returns whether a condition is one of those that hold, where some symbols have known values. */
function isImplied(
  conditions: readonly SizeDecision[],
  known: ReadonlyMap<string, number>,
): (decision: SizeDecision) => boolean {
  const textOf = ({ condition, truth }: SizeDecision): string =>
    `${printExpr(substitute(condition, known))} ${truth}`;
  const texts = new Set(conditions.map(textOf));
  return (decision) => texts.has(textOf(decision));
}

/** Adds the sizes 0 and 1 for which the proof holds too. */
function withSmall(
  { box: usual, conditions, holdsAt }: RangeProof,
  declared: ReadonlyMap<string, RangeConstraint>,
  most: number,
): ProvedSizes {
  // A range that begins above 2 was declared so.
  const small = [...declared].filter(([name, { min }]) => usual.has(name) && min <= 2).slice(0, most);
  const boxes = smallBoxes(small).filter((box) =>
    holdsAt(new Map([...box].flatMap(([name, { min, max }]) => (min === max ? [[name, min]] : [])))),
  );
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
