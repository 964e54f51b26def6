/** @file What the page shows, and what its controls do. Components read the signals. */
import { batch, computed, effect, signal, untracked } from "@preact/signals";
import type { ComponentType } from "preact";
import type { EngineClient } from "../engine/client.js";
import type {
  DifferenceView,
  FoundItem,
  ItemDetails,
  RequestName,
  Requests,
  RewriteInfo,
  SceneRequest,
  SceneView,
  StepInfo,
  TextFormat,
  VersionInfo,
} from "../engine/protocol.js";
import { branchLink, type PendingSteps, stepsOfLink } from "./branch-link.js";
import { BranchList } from "./branch-list.js";
import { nextStep, type OwnText, type RunPart, versionAt } from "./branches.js";
import { differingKeys } from "./differing.js";
import { type Failure, failureOf } from "./failure.js";
import { followProgram } from "./follow.js";
import type { ViewLink } from "./link.js";
import { reveal } from "./reveal.js";
import type { Busy, ViewPlace } from "./shown.js";
import { nameOf, pairedFiles } from "./sources.js";
import { type LinkedStep, PlaygroundTexts } from "./texts.js";
import { VersionResults } from "./version-results.js";

/** The parts beside the graph. */
export type Panel = "inspect" | "passes" | "compare" | "profile" | "text" | "code";

/** The component of the playground. */
export type PlaygroundView = ComponentType<{ readonly state: StudioState }>;

/** Loads the playground; pages in one file have none. */
export type LoadPlayground = () => Promise<{ readonly Playground: PlaygroundView }>;

/** The state of one page. */
export class StudioState {
  readonly #client: EngineClient;
  /** The opened programs, and the ways that passes went from them. */
  readonly branches = new BranchList();
  /** All versions that the page knows. */
  readonly versions = signal<readonly VersionInfo[]>([]);
  readonly version = signal<number | undefined>(undefined);
  /** Whether the page with examples is shown, though a program is open. */
  readonly isStart = signal(false);
  /** The address in the field of that page. */
  readonly address = signal("");
  readonly pipeline = signal("");
  /** The passes of the shown branch. */
  readonly steps = computed<readonly StepInfo[]>(() => this.branches.shown.value?.steps ?? []);
  /** The step that is shown: 0 for the opened program, n for the n-th pass. */
  readonly step = signal(0);
  /** The rewrites inside of the shown step, when they were asked for. */
  readonly rewrites = signal<readonly RewriteInfo[] | undefined>(undefined);
  /** How many of them are shown. */
  readonly rewrite = signal(0);
  /** The version whose nodes are compared with those shown. */
  readonly compareWith = signal<number | undefined>(undefined);
  readonly open = signal<ReadonlySet<string> | "all">(new Set());
  readonly modules = signal(true);
  readonly weights = signal(false);
  readonly scene = signal<SceneView | undefined>(undefined);
  /** Whether the version before is shown beside the one that is shown. */
  readonly sideBySide = signal(false);
  /** Where one of two views is, for the other to follow. */
  readonly beside = signal<ViewPlace | undefined>(undefined);
  /** Increases when a view beside another one is new, and needs the place of that one. */
  readonly askBeside = signal(0);
  /** The scene of the version before, where it is shown. */
  readonly before = signal<SceneView | undefined>(undefined);
  readonly selected = signal<string | undefined>(undefined);
  readonly details = signal<ItemDetails | undefined>(undefined);
  readonly panel = signal<Panel>("inspect");
  readonly found = signal<readonly FoundItem[] | undefined>(undefined);
  readonly query = signal("");
  readonly busy = signal<Busy | undefined>(undefined);
  readonly failure = signal<Failure | undefined>(undefined);
  readonly difference = signal<DifferenceView | undefined>(undefined);
  /** What was asked about the shown version. */
  readonly results: VersionResults = new VersionResults(this);
  /** Steps of a link that did not run yet. */
  readonly pending = signal<PendingSteps | undefined>(undefined);
  /** The texts of the playground that the user changed. */
  readonly texts = new PlaygroundTexts();
  /** Whether the playground is shown without a program. */
  readonly isWriting = signal(false);
  readonly text = signal("");
  readonly textFormat = signal<TextFormat>("program");
  readonly completions = signal<readonly string[]>([]);
  /** Increases when the canvas has to bring the selection into view. */
  readonly showSelected = signal(0);
  /** Increases when another program is shown, from its start. */
  readonly showStart = signal(0);

  readonly isOpen = computed(() => this.branches.shown.value !== undefined);

  /** Loads the playground, where the page has one. */
  readonly loadPlayground: LoadPlayground | undefined;
  /** Whether the page is one file, without examples beside it. */
  readonly isOneFile: boolean;

  constructor(client: EngineClient, loadPlayground?: LoadPlayground) {
    this.#client = client;
    this.loadPlayground = loadPlayground;
    this.isOneFile = loadPlayground === undefined;
    effect(() => {
      const { changed, steps } = this.texts;
      steps.value = stepsOfLink(this.branches.shown.value, this.pending.value, changed.value);
    });
    let known = "";
    effect(() => {
      const packed = this.texts.packed.value;
      if (packed !== known) untracked(() => this.#writeLink());
      known = packed;
    });
  }

  /** Opens several files, and shows the last one. Tensors belong to the text of the same name. */
  async openFiles(files: readonly File[]): Promise<void> {
    for (const { file, tensors } of pairedFiles(files)) {
      if (tensors === undefined) await this.openFile(file, file.name);
      else {
        const info = await this.work(`Open ${file.name}`, "openPair", [file, tensors, file.name]);
        if (info !== undefined) await this.showProgram(info, file.name);
      }
    }
  }

  /** Opens a file that the user chose or dropped. */
  async openFile(source: Blob, name: string, file = ""): Promise<boolean> {
    const info = await this.work(`Open ${name}`, "open", [source, name]);
    if (info === undefined) return false;
    await this.showProgram(info, name, file);
    return true;
  }

  /** Shows a program that the engine has opened. */
  async showProgram(info: VersionInfo, name: string, file = "", own?: OwnText): Promise<void> {
    batch(() => {
      this.branches.open(info, name, file, own);
      this.isStart.value = false;
      this.versions.value = [...this.versions.value, info];
      this.version.value = info.id;
      this.step.value = 0;
      this.rewrites.value = undefined;
      this.compareWith.value = undefined;
      this.open.value = new Set();
      this.#select(undefined);
      this.found.value = undefined;
      this.query.value = "";
      this.difference.value = undefined;
      this.results.forget();
    });
    await this.drawScene(true);
    this.#writeLink();
  }

  /** Opens a file on a server that the user or a link names. */
  async openAddress(address: string, file: string): Promise<boolean> {
    const name = nameOf(address);
    let full: string;
    try {
      full = new URL(address, location.href).href;
    } catch (error) {
      this.fail(`Open ${name}`, error);
      return false;
    }
    const info = await this.work(`Open ${name}`, "openAddress", [full, name]);
    if (info !== undefined) await this.showProgram(info, name, file);
    return info !== undefined;
  }

  openExample(name: string): Promise<boolean> {
    return this.openAddress(`examples/${name}.pt2`, name);
  }

  /** Opens what a link names: an example, or a file of the same server. */
  async follow(link: ViewLink): Promise<void> {
    const steps = link.code === "" ? [] : await this.#takeTexts(link.code);
    try {
      await followProgram(this, link);
    } finally {
      this.pending.value = steps.length === 0 ? undefined : { ...link, steps };
      if (steps.length > 0) this.#writeLink();
    }
  }

  /** Texts of a link are shown in the playground; they run when the user says so. */
  async #takeTexts(code: string): Promise<readonly LinkedStep[]> {
    const steps = await this.texts.take(code);
    if (steps === undefined) {
      this.fail("Follow the link", new Error("the code of the playground in the link cannot be read"));
      return [];
    }
    this.isWriting.value = true;
    this.panel.value = "code";
    return steps;
  }

  /** Draws the shown version; from its start, where another program or view is new. */
  async drawScene(isStart = false): Promise<void> {
    const version = this.version.value;
    if (version === undefined) return;
    const view = await this.ask("scene", [this.#request(version, this.compareWith.value)]);
    // Another version was chosen meanwhile.
    if (view === undefined || version !== this.version.value) return;
    batch(() => {
      this.scene.value = view;
      if (isStart) this.showStart.value++;
    });
    await this.#drawBefore();
  }

  async #drawBefore(): Promise<void> {
    const [version, other] = [this.compareWith.value, this.version.value];
    if (!this.sideBySide.value || version === undefined) {
      this.before.value = undefined;
      return;
    }
    const view = await this.ask("scene", [this.#request(version, other)]);
    if (version === this.compareWith.value) this.before.value = view;
  }

  #request(version: number, compareWith: number | undefined): SceneRequest {
    const open = this.open.value;
    return {
      version,
      compareWith,
      differing: version === this.version.value ? differingKeys(this.results.comparison.value) : undefined,
      open: open === "all" ? "all" : [...open],
      modules: this.modules.value,
      state: this.weights.value,
    };
  }

  async setSideBySide(isOn: boolean): Promise<void> {
    this.sideBySide.value = isOn;
    await this.#drawBefore();
  }

  /** Opens another program, and marks in what it differs from the version that is shown. */
  async compareWithFile(source: Blob, name: string): Promise<void> {
    const other = this.version.value;
    if (other === undefined || !(await this.openFile(source, name))) return;
    const own = this.version.value!;
    // Weights are read with a progress bar first; the scene and the list find them loaded.
    const difference = await this.work(`Compare with ${name}`, "difference", [other, own]);
    if (difference !== undefined) await this.showVersion(own, other);
  }

  /** Shows what is known of an item. */
  async select(key: string | undefined): Promise<void> {
    this.#select(key);
    const version = this.version.value;
    this.#writeLink();
    if (key === undefined || version === undefined) return;
    const details = await this.ask("details", [version, key]);
    if (this.selected.value === key) this.details.value = details;
  }

  #select(key: string | undefined): void {
    this.selected.value = key;
    this.details.value = undefined;
  }

  /** Selects an item, opens the groups around it, and brings it into view. */
  async find(key: string): Promise<void> {
    const version = this.version.value;
    if (version === undefined) return;
    const details = await this.ask("details", [version, key]);
    if (details === undefined) return;
    await reveal(this, key, details.groups);
    batch(() => {
      this.selected.value = key;
      this.details.value = details;
      this.showSelected.value++;
    });
    this.#writeLink();
  }

  /** Opens a closed group, or closes an open one. */
  async toggle(key: string): Promise<void> {
    const { scene, items } = this.scene.value ?? { scene: { boxes: [] }, items: [] };
    const shown = new Map(items);
    const now = this.open.value;
    const open =
      now === "all"
        ? new Set(scene.boxes.filter(({ isOpen }) => isOpen).map(({ item }) => shown.get(item)!.key))
        : new Set(now);
    if (!open.delete(key)) open.add(key);
    this.open.value = open;
    await this.drawScene();
  }

  async setOpen(open: "all" | "none"): Promise<void> {
    this.open.value = open === "all" ? "all" : new Set();
    await this.drawScene(true);
  }

  async setModules(modules: boolean): Promise<void> {
    this.modules.value = modules;
    await this.drawScene(true);
  }

  async setWeights(weights: boolean): Promise<void> {
    this.weights.value = weights;
    await this.drawScene();
  }

  async search(text: string): Promise<void> {
    this.query.value = text;
    const version = this.version.value;
    if (version === undefined || text.trim() === "") {
      this.found.value = undefined;
      return;
    }
    const found = await this.ask("search", [version, text]);
    if (this.query.value === text) this.found.value = found;
  }

  async complete(text: string): Promise<void> {
    this.pipeline.value = text;
    const completions = await this.ask("complete", [text], true);
    if (this.pipeline.value === text) this.completions.value = completions ?? [];
  }

  /** Runs the pipeline on the program after a step, or on the opened one; whether it ran. */
  async runPasses(step = 0): Promise<boolean> {
    const branch = this.branches.shown.value;
    const pipeline = this.pipeline.value.trim();
    if (branch === undefined || pipeline === "") return false;
    const made = await this.work(`Run ${pipeline}`, "runPasses", [versionAt(branch, step), pipeline]);
    if (made !== undefined) await this.addRun(branch.id, step, { pipeline, steps: made.length }, made);
    return made !== undefined;
  }

  /** Shows what passes left that ran after a step of a branch. */
  async addRun(branch: number, step: number, run: RunPart, made: readonly StepInfo[]): Promise<void> {
    const known = new Set(this.versions.value.map(({ id }) => id));
    const ids = [...new Set(made.map(({ version }) => version))].filter((id) => !known.has(id));
    const infos = await Promise.all(ids.map((id) => this.ask("version", [id])));
    batch(() => {
      this.versions.value = [...this.versions.value, ...infos.filter((info) => info !== undefined)];
      this.branches.add(branch, step, run, made);
      this.completions.value = [];
    });
    await this.showStep(step + made.length);
  }

  /** Shows a branch, at its end unless a step is named. */
  async showBranch(id: number, step?: number): Promise<void> {
    this.branches.show(id);
    await this.showStep(step ?? this.steps.value.length);
  }

  /** Goes to the version before the shown one, or to the one behind it. */
  async moveBy(direction: -1 | 1): Promise<void> {
    const branch = this.branches.shown.value;
    if (branch === undefined) return;
    const step = nextStep(branch, this.step.value, direction);
    if (step !== undefined) await this.showStep(step);
  }

  /** Shows the program after the n-th pass, beside the one before it; 0 for the opened program. */
  async showStep(step: number): Promise<void> {
    const branch = this.branches.shown.value;
    if (branch === undefined) return;
    const at = Math.min(Math.max(step, 0), branch.steps.length);
    const id = versionAt(branch, at);
    const before = at === 0 ? undefined : versionAt(branch, at - 1);
    batch(() => {
      this.step.value = at;
      this.rewrites.value = undefined;
    });
    await this.showVersion(id, before === id ? undefined : before);
  }

  /** Lists the rewrites inside of the shown step, and shows the last one. */
  async loadRewrites(): Promise<void> {
    const step = this.steps.value[this.step.value - 1];
    if (step === undefined) return;
    const rewrites = await this.ask("rewrites", [step.before, step.call]);
    if (rewrites === undefined) return;
    this.rewrites.value = rewrites;
    if (rewrites.length > 0) await this.showRewrite(rewrites.length);
  }

  /** Shows the program after the n-th rewrite inside of the step, beside the one before it. */
  async showRewrite(count: number): Promise<void> {
    const step = this.steps.value[this.step.value - 1];
    if (step === undefined) return;
    this.rewrite.value = count;
    const versions = await Promise.all([
      this.ask("afterRewrites", [step.before, step.call, Math.max(0, count - 1)]),
      this.ask("afterRewrites", [step.before, step.call, count]),
    ]);
    const [before, after] = versions;
    if (before === undefined || after === undefined || this.rewrite.value !== count) return;
    const known = this.versions.value;
    if (!known.some(({ id }) => id === after.id)) this.versions.value = [...known, after];
    await this.showVersion(after.id, count === 0 ? undefined : before.id);
  }

  async showVersion(id: number, compareWith?: number): Promise<void> {
    batch(() => {
      this.version.value = id;
      this.compareWith.value = compareWith;
      this.difference.value = undefined;
      this.results.forget();
    });
    await this.drawScene();
    const key = this.selected.value;
    if (key !== undefined) await this.select(key);
    this.found.value = undefined;
    this.difference.value =
      compareWith === undefined ? undefined : await this.ask("difference", [compareWith, id]);
    if (this.panel.value === "text") await this.loadText(this.textFormat.value);
    this.#writeLink();
  }

  async loadText(format: TextFormat): Promise<void> {
    this.textFormat.value = format;
    const version = this.version.value;
    if (version === undefined) return;
    const text = await this.ask("text", [version, format]);
    if (this.textFormat.value === format) this.text.value = text ?? "";
  }

  /** Work with progress, which the user can cancel; undefined where it fails, which is shown. */
  async work<K extends RequestName>(
    title: string,
    name: K,
    args: Parameters<Requests[K]>,
  ): Promise<ReturnType<Requests[K]> | undefined> {
    const controller = new AbortController();
    const cancel = (): void => controller.abort();
    this.busy.value?.cancel();
    const own: Busy = { title, progress: undefined, cancel };
    this.busy.value = own;
    this.failure.value = undefined;
    let current = own;
    try {
      return await this.#client.request(name, args, {
        signal: controller.signal,
        onProgress: (progress) => {
          if (this.busy.value !== current) return;
          current = { title, progress, cancel };
          this.busy.value = current;
        },
      });
    } catch (error) {
      if (!controller.signal.aborted) this.fail(title, error);
      return undefined;
    } finally {
      if (this.busy.value === current) this.busy.value = undefined;
    }
  }

  /**
   * Returns the answer to a request without progress; undefined if it fails, which the page shows
   * unless the request is quiet.
   */
  async ask<K extends RequestName>(
    name: K,
    args: Parameters<Requests[K]>,
    isQuiet = false,
  ): Promise<ReturnType<Requests[K]> | undefined> {
    try {
      return await this.#client.request(name, args);
    } catch (error) {
      if (!isQuiet) this.fail(name, error);
      return undefined;
    }
  }

  /** Shows a failure. */
  fail(title: string, error: unknown): void {
    this.failure.value = failureOf(title, error);
  }

  /** Returns the address of the view; undefined for a file that only the user has. */
  link(): string | undefined {
    const code = this.texts.packed.value;
    const view = { step: this.step.value, item: this.selected.value ?? "", code };
    return branchLink(this.branches.shown.value, this.pending.value, view);
  }

  #writeLink(): void {
    history.replaceState(undefined, "", this.link() ?? location.pathname);
  }
}
