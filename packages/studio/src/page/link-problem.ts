/** @file What a link names and the page does not have. */
import type { ReadonlySignal } from "@preact/signals";
import type { StepInfo } from "../engine/protocol.js";
import { LAST_STEP, type ViewLink } from "./link.js";

/** What a page shows after it followed a link. */
export interface Followed {
  readonly steps: ReadonlySignal<readonly StepInfo[]>;
  readonly selected: ReadonlySignal<string | undefined>;
}

/** Returns why the page does not show all that a link names; undefined where it does. */
export function linkProblem(
  { steps, selected }: Followed,
  { passes, step, item }: Pick<ViewLink, "passes" | "step" | "item">,
): string | undefined {
  const { length } = steps.value;
  const shown = passes === "" ? 0 : length;
  if (step > shown && step !== LAST_STEP)
    return passes === ""
      ? `the link names step ${step} and no passes: the program is shown as it was opened`
      : `the link names step ${step}, and ${passes} has ${shown}: the last one is shown`;
  if (item !== "" && selected.value !== item)
    return `the link names the node ${item.replace(/^:/, "")}, which this version of the program does not have`;
  return undefined;
}
