/** @file Changes of the text of a specification that a tool can apply. */
import { type ErrorEdit, editOf, nearestEdit } from "@sconce/errors";
import { isDerived, isNamedDim, type NamedDim } from "./dim.js";
import { isDimHint } from "./dim-hint.js";
import type { Edits } from "./errors.js";
import { dimCode, formulaCode, linearCode, type SuggestedFix } from "./suggested-fixes.js";
import { containerOf } from "./tree.js";

type Key = string | number;

/** How a program writes the specification: as an option of a call, or as a constant of a module. */
const OPTION = ["dynamicShapes: ", "dynamicShapes = "] as const;

const collected = (edits: readonly ErrorEdit[]): Edits => (edits.length === 0 ? {} : { edits });

const edited = (find: string | undefined, replace: string | undefined): readonly ErrorEdit[] =>
  find === undefined ? [] : (editOf(find, replace).edits ?? []);

const keyCode = (key: Key): string =>
  /^([\p{L}_$][\p{L}\p{N}_$]*|\d+)$/u.test(String(key)) ? String(key) : JSON.stringify(key);

/** Returns a specification of these inputs in which all sizes are static: `[null, { a: null }]`. */
function staticCode(input: unknown): string {
  const level = containerOf(input);
  if (level === undefined) return "null";
  const children = level.children.map(staticCode);
  if (level.kind !== "dict") return `[${children.join(", ")}]`;
  return objectCode(level.keys, children);
}

const objectCode = (keys: readonly Key[], values: readonly string[]): string =>
  keys.length === 0 ? "{}" : `{ ${keys.map((key, i) => `${keyCode(key)}: ${values[i]}`).join(", ")} }`;

/** Returns how a specification is usually written; undefined where that is not known. */
function specCode(spec: unknown, rootCode: (dim: NamedDim) => string): string | undefined {
  if (spec === null || spec === undefined) return "null";
  if (typeof spec === "number") return String(spec);
  if (isNamedDim(spec))
    return isDerived(spec) ? linearCode(rootCode(spec.root), spec.factor, spec.offset) : rootCode(spec);
  if (isDimHint(spec))
    return spec.min === undefined && spec.max === undefined ? `Dim.${spec.kind}` : undefined;
  const level = spec instanceof Map ? undefined : containerOf(spec);
  if (level === undefined) return undefined;
  const children = level.children.map((child) => specCode(child, rootCode));
  if (children.includes(undefined)) return undefined;
  if (level.kind === "dict") return objectCode(level.keys, children as string[]);
  return level.kind === "list" ? `[${children.join(", ")}]` : undefined;
}

/**
 * Returns the spellings of a specification: with dims in constants of their names, and with dims in
 * place.
 */
function specCodes(spec: unknown): readonly string[] {
  const codes = [specCode(spec, ({ name }) => name), specCode(spec, dimCode)];
  return [...new Set(codes.filter((code) => code !== undefined))];
}

/**
 * Returns what stands before the specification of a place: the option for all inputs, the key of an
 * entry; nothing that is known in a list.
 *
 * @param path the place as messages name it: `['x'][0]`; undefined below a registered class
 */
function prefixes(path: string | undefined): readonly string[] {
  if (path === "") return OPTION;
  const key = path === undefined ? undefined : /\['([^'\\]*)'\]$/.exec(path)?.[1];
  return key === undefined ? [""] : [`${keyCode(key)}: `];
}

/**
 * Returns the edits that add what a specification lacks at a place, or put an entry in the place of
 * null.
 */
export function missingEntryEdits(path: string | undefined, input: unknown, spec: unknown): Edits {
  const wanted = containerOf(input);
  if (wanted === undefined) return {};
  const before = prefixes(path);
  const texts = specCodes(spec);
  const changes = (find: (text: string) => string, replace: (text: string) => string): Edits =>
    collected(
      before.flatMap((start) => texts.flatMap((text) => edited(start + find(text), start + replace(text)))),
    );
  if (spec === null || spec === undefined)
    return before[0] === "" ? {} : changes(String, () => staticCode(input));
  const given = containerOf(spec);
  if (
    given === undefined ||
    given.kind === "registered" ||
    (given.kind === "dict") !== (wanted.kind === "dict")
  )
    return {};
  if (given.kind === "list") {
    const missing = wanted.children.slice(given.children.length).map(staticCode);
    if (missing.length === 0) return {};
    return changes(String, (text) => `${text.slice(0, -1)}, ${missing.join(", ")}]`);
  }
  return nameEdits(before, wanted.keys, wanted.children, spec);
}

/**
 * Returns the edits that give an object the keys of the inputs: misspelled names, and missing ones.
 */
function nameEdits(
  before: readonly string[],
  keys: readonly Key[],
  inputs: readonly unknown[],
  spec: unknown,
): Edits {
  const given = new Set(containerOf(spec)!.keys.map(String));
  const missing = new Map(keys.map((key, i) => [String(key), inputs[i]]));
  const unknown = [...given].filter((name) => !missing.delete(name));
  const renamed: ErrorEdit[] = [];
  for (const name of unknown) {
    const edit = nearestEdit(name, missing.keys()).edits?.[0];
    if (edit === undefined) return {};
    missing.delete(edit.replace);
    renamed.push({ find: `${keyCode(name)}: `, replace: `${keyCode(edit.replace)}: ` });
  }
  if (missing.size === 0 || spec instanceof Map) return collected(spec instanceof Map ? [] : renamed);
  const added = [...missing].map(([name, input]) => `${keyCode(name)}: ${staticCode(input)},`).join(" ");
  const inserted = before.flatMap((start) => (start === "" ? [] : edited(`${start}{`, `${start}{ ${added}`)));
  if (inserted.length > 0) return collected([...renamed, ...inserted]);
  if (renamed.length > 0) return {};
  return collected(
    specCodes(spec).flatMap((text) => edited(text, `${text.slice(0, -2)}, ${added.slice(0, -1)} }`)),
  );
}

/**
 * Returns the edits of fixes that a refusal suggests; nothing unless all of them concern dims with
 * names.
 */
export function fixEdits(fixes: readonly SuggestedFix[], dims: ReadonlyMap<string, NamedDim>): Edits {
  const roots = new Set([...dims.values()].filter(isDerived).map((dim) => dim.root.name));
  const rootCode = (name: string): string => {
    const fix = fixes.find((one) => one.name === name);
    return dimCode(
      fix?.kind === "bounds" ? fix : (dims.get(name) ?? { name, min: undefined, max: undefined }),
    );
  };
  const edits: ErrorEdit[] = [];
  for (const fix of fixes) {
    const dim = dims.get(fix.name);
    // A root that the fixes introduce stands in their formulas.
    if (dim === undefined && fix.kind === "bounds") continue;
    if (dim === undefined || isDerived(dim) || (fix.kind !== "bounds" && roots.has(fix.name))) return {};
    const code =
      fix.kind === "bounds"
        ? dimCode(fix)
        : fix.kind === "constant"
          ? String(fix.value)
          : formulaCode(fix.value, rootCode);
    edits.push(...edited(dimCode(dim), code));
  }
  return collected(edits);
}
