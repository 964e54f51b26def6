/** @file The branches of a page, and the one that is shown. */
import { computed, signal } from "@preact/signals";
import type { StepInfo, VersionInfo } from "../engine/protocol.js";
import { type Branch, beginsWith, fileLabels, type OwnText, type RunPart, withRun } from "./branches.js";

/** All branches of the page. */
export class BranchList {
  /** In the order in which they were made. */
  readonly all = signal<readonly Branch[]>([]);
  readonly #shown = signal<number | undefined>(undefined);
  #last = 0;

  /** The branch that is shown; undefined before a program is opened. */
  readonly shown = computed(() => this.all.value.find(({ id }) => id === this.#shown.value));

  readonly #labels = computed(() => fileLabels(this.all.value));

  /**
   * Returns what the page calls the file of a branch: two files of one name have different labels.
   */
  label({ root, fileName }: Pick<Branch, "root" | "fileName">): string {
    return this.#labels.value.get(root.id) ?? fileName;
  }

  /** The label of the shown file. */
  readonly shownLabel = computed(() => (this.shown.value === undefined ? "" : this.label(this.shown.value)));

  /** A branch for a program that was opened. */
  open(root: VersionInfo, fileName: string, file: string, own?: OwnText): void {
    this.#put({ id: ++this.#last, name: "main", root, file, fileName, own, steps: [], parts: [] });
  }

  show(id: number): void {
    this.#shown.value = id;
  }

  /** Shows a branch of a file that a link names; false where there is none. */
  showFile(file: string): boolean {
    const known = file === "" ? undefined : this.all.value.find((branch) => branch.file === file);
    if (known !== undefined) this.#shown.value = known.id;
    return known !== undefined;
  }

  /**
   * Adds passes behind a step of a branch: to the branch itself, or to another one that goes the
   * same way, or as a new branch.
   */
  add(id: number, step: number, run: RunPart, made: readonly StepInfo[]): void {
    const branch = this.all.value.find((one) => one.id === id)!;
    const longer = withRun(branch, step, run, made);
    const ways = [branch, ...this.all.value];
    const same = ways.find((one) => beginsWith(one, longer));
    const shorter = ways.find((one) => beginsWith(longer, one));
    if (same !== undefined) this.#shown.value = same.id;
    else if (shorter !== undefined) this.#put({ ...longer, id: shorter.id, name: shorter.name });
    else this.#put({ ...longer, id: ++this.#last, name: this.#freeName(branch) });
  }

  rename(id: number, name: string): void {
    const branch = this.all.value.find((one) => one.id === id);
    if (branch !== undefined && name.trim() !== "") this.#put({ ...branch, name: name.trim() }, false);
  }

  /** Closes an opened program, with all of its branches. The last program stays open. */
  close(root: number): void {
    const rest = this.all.value.filter((branch) => branch.root.id !== root);
    if (rest.length === 0) return;
    const isShown = rest.some(({ id }) => id === this.#shown.value);
    this.all.value = rest;
    if (!isShown) this.#shown.value = rest.at(-1)!.id;
  }

  /** Takes a branch away; its versions that others have stay. The last one stays. */
  remove(id: number): void {
    const root = this.all.value.find((branch) => branch.id === id)?.root.id;
    const rest = this.all.value.filter((branch) => branch.id !== id);
    // The other branches of the same program come first.
    const next = rest.find((branch) => branch.root.id === root) ?? rest[0];
    if (next === undefined) return;
    this.all.value = rest;
    if (this.#shown.value === id) this.#shown.value = next.id;
  }

  #put(branch: Branch, isShown = true): void {
    const list = this.all.value;
    const at = list.findIndex(({ id }) => id === branch.id);
    this.all.value = at < 0 ? [...list, branch] : list.with(at, branch);
    if (isShown) this.#shown.value = branch.id;
  }

  #freeName({ root }: Branch): string {
    const names = new Set(this.all.value.filter((one) => one.root.id === root.id).map(({ name }) => name));
    for (let number = 2; ; number++) if (!names.has(`branch ${number}`)) return `branch ${number}`;
  }
}
