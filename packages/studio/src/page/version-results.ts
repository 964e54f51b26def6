/** @file What was asked about the shown version: where it runs, what differs, what it costs. */
import { type ReadonlySignal, signal } from "@preact/signals";
import type {
  AttemptRow,
  ComparisonView,
  CostView,
  NoValue,
  PlacementView,
  ProfileView,
  RequestName,
  Requests,
  SliceStart,
  SliceView,
  ValueView,
} from "../engine/protocol.js";
import { SliceState } from "./slice-state.js";

/** What the engine gave for an item; undefined before it was asked. */
type ViewOf<T> = { readonly key: string; readonly view: T | undefined } | undefined;

/** How results are asked for. */
interface ResultsHost {
  /** The shown version. */
  readonly version: ReadonlySignal<number | undefined>;
  readonly work: <K extends RequestName>(
    title: string,
    name: K,
    args: Parameters<Requests[K]>,
  ) => Promise<ReturnType<Requests[K]> | undefined>;
  readonly ask: <K extends RequestName>(
    name: K,
    args: Parameters<Requests[K]>,
  ) => Promise<ReturnType<Requests[K]> | undefined>;
  readonly drawScene: () => Promise<void>;
}

/** Results of requests about the shown version; another version has none. */
export class VersionResults {
  readonly #host: ResultsHost;
  /** Where backends run the calls of the shown version, for those that were asked. */
  readonly placements = signal<ReadonlyMap<string, PlacementView>>(new Map());
  readonly comparison = signal<ComparisonView | undefined>(undefined);
  readonly profile = signal<ProfileView | undefined>(undefined);
  /** What the calls of an item cost. */
  readonly cost = signal<ViewOf<CostView>>(undefined);
  /** What rules say of a node. */
  readonly attempts = signal<{ readonly key: string; readonly rows: readonly AttemptRow[] } | undefined>(
    undefined,
  );
  /** The elements of a node. */
  readonly values = signal<{ readonly key: string; readonly view: ValueView | NoValue } | undefined>(
    undefined,
  );
  /** The part of them that is shown as a table. */
  readonly slices = new SliceState((...wanted) => this.#slice(...wanted));

  constructor(host: ResultsHost) {
    this.#host = host;
  }

  /** Compiles the version for a backend, and shows where its calls run. */
  async place(backend: string): Promise<void> {
    const version = this.#host.version.value;
    const view = await this.#workOnVersion(`Compile for ${backend}`, "placement", backend);
    if (view === undefined || version !== this.#host.version.value) return;
    this.placements.value = new Map([...this.placements.value, [backend, view]]);
  }

  /** Compares two backends, and marks the nodes that differ; undefined takes the marks away. */
  async compare(backends: readonly [string, string] | undefined): Promise<void> {
    const before = this.comparison.value;
    this.comparison.value =
      backends && (await this.#workOnVersion(`Compare ${backends.join(" and ")}`, "compare", backends));
    if (before !== undefined || this.comparison.value !== undefined) await this.#host.drawScene();
  }

  /** Runs the version on a backend, and shows what its calls took. */
  async runProfile(backend: string): Promise<void> {
    this.profile.value = await this.#workOnVersion(`Run on ${backend}`, "profile", backend);
  }

  /** Which rules fire at a node, and why others do not. */
  async explain(key: string): Promise<void> {
    const version = this.#host.version.value;
    if (version === undefined) return;
    const rows = await this.#host.ask("explain", [version, key]);
    if (rows !== undefined) this.attempts.value = { key, rows };
  }

  /** Counts the operations and bytes of an item. */
  async countCost(key: string): Promise<void> {
    const view = await this.#workOnVersion("Count operations", "cost", key);
    this.cost.value = { key, view };
  }

  /** Runs the program on the interpreter, and shows the elements of a node. */
  async loadValues(key: string): Promise<void> {
    const view = await this.#workOnVersion("Run on cpu", "values", key);
    if (view === undefined) return;
    this.values.value = { key, view };
    if (!("reason" in view)) await this.slices.load(key, ["cpu"]);
  }

  #slice(
    key: string,
    backends: readonly string[],
    start: SliceStart,
    isFirst: boolean,
  ): Promise<SliceView | undefined> {
    const args: Parameters<Requests["slice"]> = [this.#host.version.value!, key, backends, start];
    return isFirst
      ? this.#host.work(`Run on ${backends.join(" and ")}`, "slice", args)
      : this.#host.ask("slice", args);
  }

  #workOnVersion<K extends "placement" | "compare" | "profile" | "values" | "cost">(
    title: string,
    name: K,
    argument: Parameters<Requests[K]>[1],
  ): Promise<ReturnType<Requests[K]> | undefined> {
    const version = this.#host.version.value;
    if (version === undefined) return Promise.resolve(undefined);
    return this.#host.work(title, name, [version, argument] as Parameters<Requests[K]>);
  }

  /** Forgets everything: another version is shown. */
  forget(): void {
    this.placements.value = new Map();
    this.comparison.value = undefined;
    this.profile.value = undefined;
    this.attempts.value = undefined;
    this.cost.value = undefined;
    this.values.value = undefined;
    this.slices.forget();
  }
}
