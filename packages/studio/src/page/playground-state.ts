/** @file What the playground does: a text, the worker that runs it, and what came of it. */
import { batch, signal } from "@preact/signals";
import { PLAYGROUND_EXAMPLES } from "../playground/examples.js";
import type { CodeProblem, FromPlayground, SentRun, ToPlayground } from "../playground/messages.js";
import type { RunPart } from "./branches.js";
import type { StudioState } from "./state.js";

/** Most lines of output that are kept. */
const MOST_LINES = 1000;

/** How the playground gets a worker: each run has its own. */
export type StartWorker = () => Worker;

/** The playground of a page. */
export class PlaygroundState {
  readonly #studio: StudioState;
  readonly #start: StartWorker;
  readonly source = signal(PLAYGROUND_EXAMPLES[0]!.source);
  /** Whether the text came with a link, and the user did not run it yet. */
  readonly isLinked = signal(false);
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

  /** Takes the text that a link brought. */
  takeLinked(): void {
    const text = this.#studio.linkedText.value;
    if (text === undefined) return;
    this.write(text);
    this.isLinked.value = true;
    this.#studio.linkedText.value = undefined;
  }

  /** Sets the text. */
  write(text: string): void {
    batch(() => {
      this.source.value = text;
      this.isLinked.value = false;
    });
  }

  /** Finds out whether texts can run, before the user writes one. */
  async probe(): Promise<void> {
    const run = this.#run(undefined);
    await run.done;
  }

  /** Runs the text on the shown version; see {@link baseOf}. */
  async run(): Promise<void> {
    this.cancel.value?.();
    const source = this.source.value;
    batch(() => {
      this.isLinked.value = false;
      this.problem.value = undefined;
      this.result.value = undefined;
      this.lines.value = [];
    });
    const base = this.#base();
    const program = base && (await this.#studio.work("Copy the program", "pack", [base.version]));
    if (base !== undefined && program === undefined) return;
    const run = this.#run({ source, program });
    this.cancel.value = run.cancel;
    const message = await run.done;
    if (this.cancel.value === run.cancel) this.cancel.value = undefined;
    if (message?.kind === "problem") this.problem.value = message.problem;
    else if (message?.kind === "ran" && base !== undefined) await this.#show(source, base, message.run);
    else if (message?.kind === "captured") {
      const info = await this.#studio.work("Open the model", "add", [message.name, message.program]);
      if (info === undefined) return;
      await this.#studio.showProgram(info, message.name, "", source);
      this.result.value = `exported ${message.name}: ${info.nodes} nodes`;
    }
  }

  async #show(source: string, base: Base, run: SentRun): Promise<void> {
    const made = await this.#studio.work("Show the change", "played", [base.version, run]);
    if (made === undefined) return;
    const part: RunPart = { pipeline: run.pipeline, source, steps: made.length };
    await this.#studio.addRun(base.branch, base.step, part, made);
    // All passes of the text together, beside what they ran on.
    const last = made.at(-1)?.version ?? base.version;
    if (last !== base.version) await this.#studio.showVersion(last, base.version);
    this.result.value = made
      .map(({ pass, changed, added, removed, edited }) =>
        changed ? `${pass}: +${added} −${removed} ~${edited}` : `${pass}: no change`,
      )
      .join(", ");
  }

  /** What the text runs on: a version that the playground made is left, and its beginning taken. */
  #base(): Base | undefined {
    const branch = this.#studio.branches.shown.value;
    const shown = this.#studio.step.value;
    if (branch === undefined) return undefined;
    let step = 0;
    for (const part of branch.parts) {
      const isShown = shown > step && shown <= step + part.steps;
      if (isShown) {
        if (part.source === undefined) step = shown;
        break;
      }
      if (shown <= step) break;
      step += part.steps;
    }
    const version = step === 0 ? branch.root.id : branch.steps[step - 1]!.version;
    return { branch: branch.id, step, version };
  }

  /** A worker for one text, or to find out whether one can run. */
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

/** Where passes of the playground go on from. */
interface Base {
  readonly branch: number;
  readonly step: number;
  readonly version: number;
}
