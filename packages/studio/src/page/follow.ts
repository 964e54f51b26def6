/** @file Opens the program of a link, and what the link shows of it. */
import type { Signal } from "@preact/signals";
import type { ViewLink } from "./link.js";
import { type Followed, linkProblem } from "./link-problem.js";
import { EXAMPLES, isOnServer } from "./sources.js";

/** What a link acts on: the state of the page. */
interface LinkTarget extends Followed {
  readonly isOneFile: boolean;
  readonly branches: { readonly shownLabel: { readonly value: string }; showFile(file: string): boolean };
  readonly address: Signal<string>;
  readonly isStart: Signal<boolean>;
  readonly failure: { value: unknown };
  readonly pipeline: Signal<string>;
  fail(title: string, error: unknown): void;
  openExample(name: string): Promise<boolean>;
  openAddress(address: string, file: string): Promise<boolean>;
  showStep(step: number): Promise<void>;
  runPasses(): Promise<boolean>;
  select(item: string | undefined): Promise<void>;
  find(item: string): Promise<void>;
}

/** Opens an example, or a file of the same server; runs its passes and selects its node. */
export async function followProgram(
  state: LinkTarget,
  { file, passes, step, item }: ViewLink,
): Promise<void> {
  if (file === "") return;
  const isExample = EXAMPLES.some(({ name }) => name === file);
  const isKnown = state.branches.showFile(file);
  if (!isKnown && state.isOneFile) {
    state.fail(
      "Follow the link",
      new Error(`this page holds ${state.branches.shownLabel.value} alone, and not ${file}`),
    );
    return;
  }
  if (!isKnown && !isExample && !isOnServer(file)) {
    // A link alone asks no other server.
    state.address.value = file;
    state.isStart.value = true;
    const fix = "press “Open address” to ask that server";
    state.fail("Follow the link", new Error(`${file} is not on the server of this page: ${fix}`));
    return;
  }
  if (isKnown) {
    state.isStart.value = false;
    state.failure.value = undefined;
    await state.showStep(0);
  } else {
    const isOpened = isExample ? await state.openExample(file) : await state.openAddress(file, file);
    if (!isOpened) return;
  }
  if (passes !== "") {
    state.pipeline.value = passes;
    await state.runPasses();
    await state.showStep(step);
  }
  await (item === "" ? state.select(undefined) : state.find(item));
  const problem = state.failure.value === undefined ? linkProblem(state, { passes, step, item }) : undefined;
  if (problem !== undefined) state.fail("Follow the link", new Error(problem));
}
