/**
 * @file Steps in a row, and regions that are divided again for a run whose values or sizes do not
 * fit the device.
 */
import { deadAfter, type ExportedProgram } from "@sconce/ir";
import type { Reasons, Step } from "../plan/program-plan.js";

/** Steps, and for each the values that nothing reads after it. */
export interface Sequence {
  readonly steps: readonly Step[];
  readonly dead: readonly (readonly string[])[];
}
/** Values that are needed when all steps are done: results, and inputs that they are written to. */
export const liveOutOf = ({ graphSignature }: ExportedProgram): Set<string> =>
  new Set(
    graphSignature.outputSpecs.flatMap(({ arg, target, kind }) =>
      kind === "USER_INPUT_MUTATION" ? [arg.name, target ?? ""] : [arg.name],
    ),
  );
/** Returns a sequence after which only the values of `liveOut` are needed. */
export const sequenceOf = (steps: readonly Step[], liveOut: Iterable<string>): Sequence => ({
  steps,
  dead: deadAfter<string>(
    steps.length,
    (at, use) => {
      for (const name of [...steps[at]!.outputs, ...steps[at]!.inputs]) use(name);
    },
    liveOut,
  ),
});
/** How many divisions of regions are kept. Beyond that, the host runs the whole region. */
const MOST_DIVISIONS = 64;

/** The divisions of an executable's regions, each made when a run first needs it. */
export class Divisions {
  readonly #known = new Map<string, Sequence>();
  readonly #added: (steps: readonly Step[]) => void;

  /** @param added called with steps that are new */
  constructor(added: (steps: readonly Step[]) => void) {
    this.#added = added;
  }

  /**
   * Returns the steps of a region whose refused nodes run on the host, and all nodes that the host
   * then runs.
   */
  without(step: Step, refused: Reasons): { readonly sequence: Sequence; readonly hosted: Reasons } {
    const key = `${step.name} without ${[...refused.keys()].sort().join(", ")}`;
    const known = this.#known.get(key);
    if (known !== undefined) return { sequence: known, hosted: refused };
    if (this.#known.size >= MOST_DIVISIONS) {
      const onHost = { ...step, name: `${step.name} on the host`, device: undefined };
      return { sequence: { steps: [onHost], dead: [[]] }, hosted: wholly(step, refused) };
    }
    const divided = step.device!.without(refused);
    const steps = divided.map((part) => ({ ...part, name: `${key}: ${part.name}` }));
    this.#added(steps);
    const sequence = sequenceOf(steps, [...step.inputs, ...step.outputs]);
    this.#known.set(key, sequence);
    return { sequence, hosted: refused };
  }
}

/** Returns every call of a region, with its reason to run on the host. */
function wholly(step: Step, refused: Reasons): Reasons {
  const reason = [...new Set(refused.values())].join("; ");
  const calls = step
    .device!.graph.nodes()
    .filter(({ op, target }) => op === "call_function" && target !== "operator.getitem");
  return new Map(calls.map(({ name }) => [name, refused.get(name) ?? reason]));
}
