/** @file Links to what the page shows of a branch. */
import { type Branch, linkedPipeline } from "./branches.js";
import { linkText, type ViewLink } from "./link.js";

/** The address of a view; undefined for a file that only the user has. */
export function branchLink(
  branch: Branch | undefined,
  { step, item, code }: Pick<ViewLink, "step" | "item" | "code">,
): string | undefined {
  if (branch === undefined || branch.file === "")
    return code === "" ? undefined : linkText({ file: "", passes: "", step: 0, item: "", code });
  const { pipeline, steps } = linkedPipeline(branch);
  return linkText({ file: branch.file, passes: pipeline, step: Math.min(step, steps), item, code });
}
