/** @file The slice of a value that the page shows. */
import { batch, signal } from "@preact/signals";
import type { SliceStart, SliceView } from "../engine/protocol.js";
import { parseSlice } from "../engine/slice-text.js";

/** Asks the engine for a slice of an item; the first request may run the program. */
type AskSlice = (
  key: string,
  backends: readonly string[],
  start: SliceStart,
  isFirst: boolean,
) => Promise<SliceView | undefined>;

/** A slice with what was asked for. */
interface ShownSlice {
  readonly key: string;
  readonly backends: readonly string[];
  readonly view: SliceView;
}

const FIRST: SliceStart = { index: [], row: 0, column: 0 };

/** The slice that is shown, and the text that chooses it. */
export class SliceState {
  readonly #ask: AskSlice;
  readonly shown = signal<ShownSlice | undefined>(undefined);
  /** Why the text names no slice. */
  readonly problem = signal<string | undefined>(undefined);
  #last = 0;

  constructor(ask: AskSlice) {
    this.#ask = ask;
  }

  forget(): void {
    this.#last++;
    batch(() => {
      this.shown.value = undefined;
      this.problem.value = undefined;
    });
  }

  /**
   * Runs the program where that is needed, and shows the same slice as before, or the first one.
   */
  async load(key: string, backends: readonly string[]): Promise<void> {
    const { value: before } = this.shown;
    await this.#show(key, backends, before?.key === key ? before.view.start : FIRST, true);
  }

  /** Shows another part of the same value. */
  async show(start: SliceStart): Promise<void> {
    const { value: before } = this.shown;
    if (before !== undefined) await this.#show(before.key, before.backends, start, false);
  }

  /** Shows what a text names: `x[0, 3]`. */
  async showText(text: string): Promise<void> {
    const { value: before } = this.shown;
    if (before === undefined) return;
    const { name, shape } = before.view;
    const parsed = parseSlice(text, name, shape);
    this.problem.value = parsed.problem;
    if (parsed.problem === undefined) await this.show(parsed.start);
  }

  async #show(key: string, backends: readonly string[], start: SliceStart, isFirst: boolean): Promise<void> {
    const request = ++this.#last;
    const view = await this.#ask(key, backends, start, isFirst);
    // Another slice, or another version, was asked for meanwhile.
    if (view === undefined || request !== this.#last) return;
    batch(() => {
      this.shown.value = { key, backends, view };
      this.problem.value = undefined;
    });
  }
}
