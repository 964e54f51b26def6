/** @file Steps in a row, and stretches that are divided anew for a run whose values or sizes do not fit the device. */
import type { ExportedProgram, Node } from "@sconce/ir";
import type { Reasons } from "./blame.js";
import type { Step } from "./plan.js";

/** Steps, and for each the values that nothing reads after it. */
export interface Sequence {
  readonly steps: readonly Step[];
  readonly dead: readonly (readonly string[])[];
}
/** Values that are needed when all steps are done: results, and inputs that they are written to. */
export const lastingIn = ({ graphSignature }: ExportedProgram): Set<string> =>
  new Set(
    graphSignature.outputSpecs.flatMap(({ arg, target, kind }) =>
      kind === "USER_INPUT_MUTATION" ? [arg.name, target ?? ""] : [arg.name],
    ),
  );
/** For each step the values that no later step needs. */
export function deadAfter(steps: readonly Step[], lasting: ReadonlySet<string>): string[][] {
  const last = new Map<string, number>();
  steps.forEach(({ inputs, outputs }, at) => {
    for (const name of [...outputs, ...inputs]) last.set(name, at);
  });
  const dead = steps.map((): string[] => []);
  for (const [name, at] of last) if (!lasting.has(name)) dead[at]!.push(name);
  return dead;
}
/** Ways to divide stretches that are kept; where values ask for more, the host runs the whole stretch. */
const MOST_DIVISIONS = 64;

/** The divisions of an executable's stretches. */
export class Divisions {
  readonly #known = new Map<string, Sequence | undefined>();
  readonly #added: (steps: readonly Step[]) => void;

  /** @param added told of steps that were not there before */
  constructor(added: (steps: readonly Step[]) => void) {
    this.#added = added;
  }

  /** The steps of a stretch without the nodes that are the host's this time, and all nodes that are the host's by that. */
  without(step: Step, refused: Reasons): { readonly sequence: Sequence; readonly hosted: Reasons } {
    const key = `${step.name} without ${[...refused.keys()].sort().join(", ")}`;
    if (!this.#known.has(key) && this.#known.size < MOST_DIVISIONS)
      this.#known.set(key, this.#divide(step, refused, key));
    const sequence = this.#known.get(key);
    if (sequence !== undefined) return { sequence, hosted: refused };
    const onHost = { ...step, name: `${step.name} on the host`, device: undefined };
    return { sequence: { steps: [onHost], dead: [[]] }, hosted: wholly(step, refused) };
  }

  /** Undefined where the device would be given a node of those all the same. */
  #divide(step: Step, refused: Reasons, key: string): Sequence | undefined {
    const isRefused = ({ name, op }: Node): boolean => op === "call_function" && refused.has(name);
    const divided = step.device!.without(refused).steps;
    if (divided.some(({ device }) => device?.graph.nodes().some(isRefused))) return undefined;
    const steps = divided.map((part) => ({ ...part, name: `${key}: ${part.name}` }));
    this.#added(steps);
    return { steps, dead: deadAfter(steps, new Set([...step.inputs, ...step.outputs])) };
  }
}

/** Every call of a stretch with the reasons that there are. */
function wholly(step: Step, refused: Reasons): Reasons {
  const reason = [...new Set(refused.values())].join("; ");
  const calls = step
    .device!.graph.nodes()
    .filter(({ op, target }) => op === "call_function" && target !== "operator.getitem");
  return new Map(calls.map(({ name }) => [name, refused.get(name) ?? reason]));
}
