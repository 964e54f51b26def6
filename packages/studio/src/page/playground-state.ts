/** @file What the playground does: a text, the worker that runs it, and what came of it. */

import { batch, computed, signal } from "@preact/signals";
import { countText } from "@sconce/errors";
import { PLAYGROUND_EXAMPLES } from "../playground/examples.js";
import type { CodeProblem, FromPlayground, SentRun, ToPlayground } from "../playground/messages.js";
import { type PendingSteps, startOfPending } from "./branch-link.js";
import { type Branch, type OwnText, type RunPart, versionAt } from "./branches.js";
import type { StudioState } from "./state.js";

/** Most lines of output that are kept. */
const MOST_LINES = 1000;

/** How the playground gets a worker: each run has its own. */
export type StartWorker = () => Worker;

/** The playground of a page. */
export class PlaygroundState {
  readonly #studio: StudioState;
  readonly #start: StartWorker;
  /** The name of the shown text. */
  readonly name = computed(() => this.#studio.texts.shown.value ?? PLAYGROUND_EXAMPLES[0]!.name);
  /** The shown text: the user's own, or the example. */
  readonly source = computed(() => this.#sourceOf(this.name.value));
  /** Whether the user, or a link, changed the shown text. */
  readonly isChanged = computed(() => this.#studio.texts.changed.value.has(this.name.value));
  /** Whether the text came with a link, and the user did not run it yet. */
  readonly isLinked = computed(() => this.#studio.texts.linked.value.has(this.name.value));
  /** What keeps texts from running: a directive, or a reason; undefined where they run. */
  readonly forbidden = signal<string | undefined>(undefined);
  /** Ends the run; undefined when nothing runs. */
  readonly cancel = signal<(() => void) | undefined>(undefined);
  readonly problem = signal<CodeProblem | undefined>(undefined);
  readonly lines = signal<readonly string[]>([]);
  /** What the last run did, in words. */
  readonly result = signal<string | undefined>(undefined);

  constructor(studio: StudioState, start: StartWorker) {
    this.#studio = studio;
    this.#start = start;
  }

  #sourceOf(name: string): string {
    return this.#studio.texts.changed.value.get(name) ?? exampleOf(name);
  }

  /** Returns all texts, with whether the user changed them. */
  names(): { readonly name: string; readonly title: string; readonly isChanged: boolean }[] {
    const changed = this.#studio.texts.changed.value;
    const known = new Set(PLAYGROUND_EXAMPLES.map(({ name }) => name));
    const others = [...changed.keys()].filter((name) => !known.has(name));
    return [
      ...PLAYGROUND_EXAMPLES.map(({ name, title }) => ({ name, title, isChanged: changed.has(name) })),
      ...others.map((name) => ({ name, title: `Text of the link: ${name}`, isChanged: true })),
    ];
  }

  /** Shows another text. */
  choose(name: string): void {
    batch(() => {
      this.#studio.texts.shown.value = name;
      this.#forgetRun();
    });
  }

  /** Sets the shown text. */
  write(text: string): void {
    const { value: name } = this.name;
    this.#studio.texts.set(name, text === exampleOf(name) ? undefined : text);
  }

  /** Shows the example again in place of the user's text. */
  restore(): void {
    this.#studio.texts.set(this.name.value, undefined);
  }

  #forgetRun(): void {
    this.problem.value = undefined;
    this.result.value = undefined;
    this.lines.value = [];
  }

  /** Finds out whether texts can run, before the user writes one. */
  async probe(): Promise<void> {
    const run = this.#run(undefined);
    await run.done;
  }

  /** Runs the shown text on the shown version. */
  async run(): Promise<void> {
    const { name } = this;
    const { pending } = this.#studio;
    const isLast = pending.value?.steps.every((step) => "text" in step && step.text === name.value);
    const hasRun = await this.#runText(name.value, this.#base());
    // The only step of a link is done.
    if (hasRun && isLast === true) pending.value = undefined;
  }

  /** Runs the steps that a link brought, one behind the other, and shows what it names. */
  async runLinked(): Promise<void> {
    const studio = this.#studio;
    const { value: pending } = studio.pending;
    if (pending === undefined) return;
    if (pending.file !== "" && !(await this.#showStart(pending))) return;
    let step = pending.file === "" ? undefined : studio.step.value;
    for (const one of pending.steps) {
      if ("passes" in one) {
        studio.pipeline.value = one.passes;
        if (!(await studio.runPasses(step))) return;
        step = studio.step.value;
        continue;
      }
      const base = step === undefined ? undefined : baseAt(studio.branches.shown.value!, step);
      this.choose(one.text);
      if (!(await this.#runText(one.text, base))) return;
      step = Math.min((step ?? 0) + one.steps, studio.steps.value.length);
    }
    studio.pending.value = undefined;
    await studio.showStep(pending.step);
    if (pending.item !== "") await studio.find(pending.item);
  }

  /** Shows the program of a link after its pipeline; false where it is not open. */
  async #showStart(pending: PendingSteps): Promise<boolean> {
    const studio = this.#studio;
    const start = startOfPending(pending, studio.branches.all.value);
    if (start !== undefined) {
      await studio.showBranch(start.branch, start.step);
      return true;
    }
    if (studio.branches.showFile(pending.file)) {
      studio.pipeline.value = pending.passes;
      return studio.runPasses();
    }
    studio.fail("Run the steps of the link", new Error(`open ${pending.file} first`));
    return false;
  }

  /** Runs a text on a version; whether it ran. */
  async #runText(name: string, base: Base | undefined): Promise<boolean> {
    this.cancel.value?.();
    const own: OwnText = { name, source: this.#sourceOf(name) };
    const { source } = own;
    batch(() => {
      this.#studio.texts.markRun(name);
      this.#forgetRun();
    });
    const program = base && (await this.#studio.work("Copy the program", "pack", [base.version]));
    if (base !== undefined && program === undefined) return false;
    const run = this.#run({ source, program });
    this.cancel.value = run.cancel;
    const message = await run.done;
    if (this.cancel.value === run.cancel) this.cancel.value = undefined;
    if (message?.kind === "problem") this.problem.value = message.problem;
    else if (message?.kind === "ran" && base !== undefined) return this.#show(own, base, message.run);
    else if (message?.kind === "captured") {
      const info = await this.#studio.work("Open the model", "add", [message.name, message.program]);
      if (info === undefined) return false;
      await this.#studio.showProgram(info, message.name, "", own);
      this.result.value = `exported ${message.name}: ${countText(info.nodes, "node")}`;
      return true;
    }
    return false;
  }

  async #show(own: OwnText, base: Base, run: SentRun): Promise<boolean> {
    const made = await this.#studio.work("Show the change", "played", [base.version, run]);
    if (made === undefined) return false;
    const part: RunPart = { pipeline: run.pipeline, own, steps: made.length };
    await this.#studio.addRun(base.branch, base.step, part, made);
    // All passes of the text together, beside what they ran on.
    const last = made.at(-1)?.version ?? base.version;
    if (last !== base.version) await this.#studio.showVersion(last, base.version);
    this.result.value = made
      .map(({ pass, changed, added, removed, edited }) =>
        changed ? `${pass}: +${added} −${removed} ~${edited}` : `${pass}: no change`,
      )
      .join(", ");
    return true;
  }

  /**
   * Returns what the text runs on: a version that the playground made is left, and its beginning
   * taken.
   */
  #base(): Base | undefined {
    const branch = this.#studio.branches.shown.value;
    const shown = this.#studio.step.value;
    if (branch === undefined) return undefined;
    let step = 0;
    for (const part of branch.parts) {
      const isShown = shown > step && shown <= step + part.steps;
      if (isShown) {
        if (part.own === undefined) step = shown;
        break;
      }
      if (shown <= step) break;
      step += part.steps;
    }
    return baseAt(branch, step);
  }

  /** Returns a worker for one text, or to find out whether one can run. */
  #run(request: ToPlayground | undefined): {
    readonly done: Promise<FromPlayground | undefined>;
    readonly cancel: () => void;
  } {
    const worker = this.#start();
    let finish: (message: FromPlayground | undefined) => void;
    const done = new Promise<FromPlayground | undefined>((resolve) => {
      finish = (message) => {
        worker.terminate();
        resolve(message);
      };
    });
    worker.addEventListener("error", ({ message }) => {
      this.forbidden.value = `the worker does not start${message ? `: ${message}` : ""}`;
      finish(undefined);
    });
    worker.addEventListener("message", ({ data }: MessageEvent<FromPlayground>) => {
      if (data.kind === "log") this.lines.value = [...this.lines.value, data.text].slice(-MOST_LINES);
      else if (data.kind === "ready") {
        this.forbidden.value = data.policy;
        if (request === undefined || data.policy !== undefined) finish(data);
        else worker.postMessage(request);
      } else finish(data);
    });
    const cancel = (): void => {
      finish(undefined);
      this.cancel.value = undefined;
      this.result.value = "canceled";
    };
    return { done, cancel };
  }
}

/** Returns the text that an example begins with; texts of links may have other names. */
const exampleOf = (name: string): string =>
  PLAYGROUND_EXAMPLES.find((example) => example.name === name)?.source ?? "";

/** Where passes of the playground go on from. */
interface Base {
  readonly branch: number;
  readonly step: number;
  readonly version: number;
}

const baseAt = (branch: Branch, step: number): Base => ({
  branch: branch.id,
  step,
  version: versionAt(branch, step),
});
