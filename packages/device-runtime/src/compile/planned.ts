/** @file A prepared program with its plan: what is known before kernels are made. */
import { finishWithPauses } from "@sconce/errors";
import type { ExportedProgram, NodePlacement } from "@sconce/ir";
import { fixedPlaceholders } from "@sconce/ops";
import type { DeviceTarget } from "../plan/legality.js";
import { type ProgramPlan, planSteps } from "../plan/program-plan.js";
import { withFoldedWeights } from "../prepare/folded.js";
import type { Prepared } from "../prepare/prepare.js";

/** A program that a device runs, in steps. */
export interface PlannedProgram {
  /** The lowered program, with weights that may be dropped in place of those that were folded. */
  readonly program: ExportedProgram;
  readonly plan: ProgramPlan;
}

/** Divides a prepared program; its placements name the calls of the original program. */
export async function planPrepared(
  original: ExportedProgram,
  prepared: Extract<Prepared, { readonly program: ExportedProgram }>,
  target: DeviceTarget,
  signal?: AbortSignal,
): Promise<PlannedProgram> {
  const program = withFoldedWeights(prepared.program, original);
  const constants = fixedPlaceholders(program, target.operators);
  const planning = planSteps(program, { ...target, constants });
  const { steps, nodes } = await finishWithPauses(planning, "compilation", signal);
  const withSource = (placed: NodePlacement): NodePlacement => {
    const source = prepared.sources.get(placed.node);
    return source === undefined ? placed : { ...placed, source };
  };
  return { program, plan: { steps, nodes: nodes.map(withSource) } };
}
