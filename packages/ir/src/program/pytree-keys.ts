/** @file Where a leaf lies in a tree of containers (`torch.utils._pytree` key paths). */
import { jsonRepr } from "../values/python-repr.js";
import { pythonJson } from "./pytree.js";

/** One step into a container: a key of a dict, an index of a list or tuple, a field of a class. */
export type PathKey =
  | { readonly kind: "mapping"; readonly key: unknown }
  | { readonly kind: "sequence"; readonly index: number }
  | { readonly kind: "attribute"; readonly name: string };

/** The way from a value to one of its leaves, outermost step first. */
export type KeyPath = readonly PathKey[];

/** Returns a step by a key of a dict (`MappingKey`), shown as `['k']`. */
export const mappingKey = (key: unknown): PathKey => ({ kind: "mapping", key });
/** Returns a step by an index (`SequenceKey`), shown as `[0]`. */
export const sequenceKey = (index: number): PathKey => ({ kind: "sequence", index });
/** Returns a step by a field (`GetAttrKey`), shown as `.a`. */
export const attributeKey = (name: string): PathKey => ({ kind: "attribute", name });

/** Returns a path as PyTorch shows it (`keystr`): `['k'][0].a`. */
export const keyPathText = (path: KeyPath): string => path.map(stepText).join("");

function stepText(step: PathKey): string {
  if (step.kind === "sequence") return `[${step.index}]`;
  if (step.kind === "attribute") return `.${step.name}`;
  return `[${Array.isArray(step.key) ? pythonJson(step.key) : jsonRepr(step.key)}]`;
}
