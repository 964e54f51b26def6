/** @file Links to what the page shows of a branch, and steps of links that did not run yet. */
import { type Branch, type LinkStep, linkedPipeline, linkSteps } from "./branches.js";
import { linkText, type ViewLink } from "./link.js";
import type { LinkedStep, Texts } from "./texts.js";

/** Steps that a link brings behind its pipeline. They run when the user asks. */
export interface PendingSteps extends Pick<ViewLink, "file" | "passes" | "step" | "item"> {
  readonly steps: readonly LinkedStep[];
}

/**
 * Returns whether a link can open the program of a branch: a file that others have, or a model's
 * text.
 */
export const isLinkable = (branch: Branch | undefined): branch is Branch =>
  branch !== undefined && (branch.file !== "" || branch.own !== undefined);

/** Returns whether the steps of a link go on from what is shown. */
function isPendingOn(pending: PendingSteps, branch: Branch | undefined): boolean {
  if (branch === undefined) return true;
  return (
    isLinkable(branch) && pending.file === branch.file && pending.passes === linkedPipeline(branch).pipeline
  );
}

/**
 * Returns the steps that a link to a branch has behind its pipeline: those that ran, or that may
 * run.
 */
export function stepsOfLink(
  branch: Branch | undefined,
  pending: PendingSteps | undefined,
  texts: Texts,
): readonly LinkStep[] {
  const ran = isLinkable(branch) ? linkSteps(branch) : [];
  if (ran.length > 0 || pending === undefined || !isPendingOn(pending, branch)) return ran;
  return pending.steps.map((step) =>
    "passes" in step
      ? step
      : { own: { name: step.text, source: texts.get(step.text) ?? "" }, steps: step.steps },
  );
}

/** Where the steps of a link begin on the branches of a page; undefined where no branch fits. */
export function startOfPending(
  { file, passes }: PendingSteps,
  branches: readonly Branch[],
): { readonly branch: number; readonly step: number } | undefined {
  for (const branch of branches) {
    if (branch.file !== file) continue;
    const { pipeline, steps } = linkedPipeline(branch);
    if (passes === "") return { branch: branch.id, step: 0 };
    if (pipeline === passes) return { branch: branch.id, step: steps };
  }
  return undefined;
}

/** Returns the address of a view; undefined for a file that only the user has. */
export function branchLink(
  branch: Branch | undefined,
  pending: PendingSteps | undefined,
  { step, item, code }: Pick<ViewLink, "step" | "item" | "code">,
): string | undefined {
  const waits = code !== "" && pending !== undefined && isPendingOn(pending, branch);
  const hasRun = isLinkable(branch) && linkSteps(branch).length > 0;
  // The address of steps that wait is the one that brought them.
  if (waits && !hasRun) return linkText({ ...pending, item: item === "" ? pending.item : item, code });
  if (!isLinkable(branch))
    return code === "" ? undefined : linkText({ file: "", passes: "", step: 0, item: "", code });
  if (code === "" && branch.file === "") return undefined;
  const { pipeline, steps } = linkedPipeline(branch);
  const most = code === "" ? steps : branch.steps.length;
  return linkText({ file: branch.file, passes: pipeline, step: Math.min(step, most), item, code });
}
