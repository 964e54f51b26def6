/**
 * @file The versions of a page as a tree: each branch is a way from an opened program to its last
 * version, and branches share their beginning.
 */
import type { StepInfo, VersionInfo } from "../engine/protocol.js";

/** A text of the playground that ran. */
export interface OwnText {
  /** Its name in the playground. */
  readonly name: string;
  readonly source: string;
}

/** What was run at once: a pipeline, or a text of the playground. */
export interface RunPart {
  /** The pipeline. */
  readonly pipeline: string;
  /** The text of the playground whose passes ran. */
  readonly own?: OwnText | undefined;
  /** Number of steps. */
  readonly steps: number;
}

/** A way from an opened program to a version. */
export interface Branch {
  readonly id: number;
  readonly name: string;
  /** The opened program. */
  readonly root: VersionInfo;
  /** What a link calls its file; empty for a file that only the user has. */
  readonly file: string;
  /** The name of its file. */
  readonly fileName: string;
  /** The text of the playground that the program was exported from. */
  readonly own?: OwnText | undefined;
  /** The passes that ran, in their order. */
  readonly steps: readonly StepInfo[];
  /** How they were run. */
  readonly parts: readonly RunPart[];
}

/**
 * Returns what the page calls opened programs, by their version: the names of their files. Those of
 * one name have their folder, where addresses have different ones, or a number.
 */
export function fileLabels(branches: readonly Branch[]): ReadonlyMap<number, string> {
  const byName = new Map<string, Map<number, Branch>>();
  for (const branch of branches) {
    const same = byName.get(branch.fileName) ?? new Map<number, Branch>();
    byName.set(branch.fileName, same.set(branch.root.id, branch));
  }
  const labels = new Map<number, string>();
  for (const [name, same] of byName) {
    const places = [...same.values()].map(({ file }) => file.split("/").slice(-2).join("/"));
    const areDistinct = new Set(places).size === same.size && places.every((place) => place.includes("/"));
    [...same.keys()].forEach((root, i) => {
      const numbered = i === 0 ? name : `${name} (${i + 1})`;
      labels.set(root, same.size > 1 && areDistinct ? decoded(places[i]!) : numbered);
    });
  }
  return labels;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A percent sign that starts no escape.
    return text;
  }
}

/** Returns the version after so many steps. */
export const versionAt = ({ root, steps }: Branch, step: number): number =>
  step === 0 ? root.id : steps[step - 1]!.version;

/** Returns the last version. */
export const tipOf = (branch: Branch): number => versionAt(branch, branch.steps.length);

/** Returns the next step in a direction that has another version; undefined at the end. */
export function nextStep(branch: Branch, now: number, direction: -1 | 1): number | undefined {
  for (let step = now + direction; step >= 0 && step <= branch.steps.length; step += direction)
    if (versionAt(branch, step) !== versionAt(branch, now)) return step;
  return undefined;
}

/** Returns what was run up to a step. A part that is cut there is the list of its passes. */
export function partsUpTo({ steps, parts }: Branch, step: number): RunPart[] {
  const kept: RunPart[] = [];
  let at = 0;
  for (const part of parts) {
    if (at >= step) break;
    const count = Math.min(part.steps, step - at);
    if (count === part.steps) kept.push(part);
    else {
      const pipeline = steps
        .slice(at, at + count)
        .map(({ call }) => call)
        .join(",");
      kept.push({ ...part, pipeline, steps: count });
    }
    at += count;
  }
  return kept;
}

/**
 * Returns what a branch becomes when passes run after a step: the same branch, longer, where it
 * ends there or where the same steps follow; else another one.
 */
export function withRun(branch: Branch, step: number, run: RunPart, made: readonly StepInfo[]): Branch {
  const steps = [...branch.steps.slice(0, step), ...made];
  return { ...branch, steps, parts: [...partsUpTo(branch, step), run] };
}

/**
 * Returns whether all steps of a branch are the first ones of another: passes with their results.
 */
export const beginsWith = (longer: Branch, branch: Branch): boolean =>
  longer.root.id === branch.root.id &&
  branch.steps.every(({ call, version }, i) => {
    const other = longer.steps[i];
    return other?.version === version && other.call === call;
  }) &&
  branch.steps.length <= longer.steps.length;

/** A step of a link behind its pipeline: a text of the playground, or a pipeline. */
export type LinkStep =
  | { readonly own: OwnText /** Passes of the text that ran. */; readonly steps: number }
  | { readonly passes: string };

/** Returns what made a branch, from the first text of the playground on. */
export function linkSteps({ own, parts }: Pick<Branch, "own" | "parts">): LinkStep[] {
  const first = own === undefined ? parts.findIndex((part) => part.own !== undefined) : 0;
  const rest = first < 0 ? [] : parts.slice(first);
  const steps = rest.map(
    (part): LinkStep =>
      part.own === undefined ? { passes: part.pipeline } : { own: part.own, steps: part.steps },
  );
  return own === undefined ? steps : [{ own, steps: 0 }, ...steps];
}

/**
 * Returns a link's pipeline: that of the parts before the first text of the playground, and their
 * steps.
 */
export function linkedPipeline({ own, parts }: Pick<Branch, "own" | "parts">): {
  readonly pipeline: string;
  readonly steps: number;
} {
  if (own !== undefined) return { pipeline: "", steps: 0 };
  const first = parts.findIndex(({ own }) => own !== undefined);
  const linked = first < 0 ? parts : parts.slice(0, first);
  return {
    pipeline: linked.map(({ pipeline }) => pipeline).join(","),
    steps: linked.reduce((sum, { steps }) => sum + steps, 0),
  };
}

/** A version in the tree, with those that were made from it. */
export interface TreeNode {
  readonly version: number;
  /** The pass that made it, or the name of the file. */
  readonly title: string;
  /** The branches that end here. */
  readonly branches: readonly Branch[];
  readonly children: readonly TreeNode[];
}

/** Returns the tree of branches that start at the same program, one for each opened program. */
export function treeOf(branches: readonly Branch[]): TreeNode[] {
  const roots = new Map<number, Way[]>();
  for (const branch of branches) {
    const way = { branch, made: branch.steps.filter(({ changed }) => changed) };
    const own = roots.get(branch.root.id);
    if (own === undefined) roots.set(branch.root.id, [way]);
    else own.push(way);
  }
  return [...roots].map(([version, own]) => nodeOf(version, own[0]!.branch.fileName, own, 0));
}

/** A branch with the steps that made versions. */
interface Way {
  readonly branch: Branch;
  readonly made: readonly StepInfo[];
}

function nodeOf(version: number, title: string, ways: readonly Way[], depth: number): TreeNode {
  const next = new Map<number, Way[]>();
  for (const way of ways) {
    const id = way.made[depth]?.version;
    if (id === undefined) continue;
    const known = next.get(id);
    if (known === undefined) next.set(id, [way]);
    else known.push(way);
  }
  return {
    version,
    title,
    branches: ways.filter(({ made }) => made.length === depth).map(({ branch }) => branch),
    children: [...next].map(([id, own]) => nodeOf(id, own[0]!.made[depth]!.call, own, depth + 1)),
  };
}
