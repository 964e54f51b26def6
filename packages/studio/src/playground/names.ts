/** @file Which names fit at a place in the text of the playground, and what a name there means. */
import type { SyntaxNode, Tree } from "@lezer/common";
import type { ApiData, ApiMember } from "./api.js";
import { Inference } from "./infer.js";
import { membersOf } from "./types.js";

/** Names for a place. */
export interface FittingNames {
  /** Where the name starts that is being written. */
  readonly from: number;
  readonly names: readonly FittingName[];
}

/** A name with what is known of it. */
export interface FittingName {
  readonly name: string;
  readonly kind: string;
  /** The declaration. */
  readonly text: string;
  readonly doc?: string | undefined;
}

/** Returns the names that fit at a place; undefined where none do. */
export function fittingNames(api: ApiData, tree: Tree, text: string, at: number): FittingNames | undefined {
  const node = tree.resolveInner(at, -1);
  if (/String|Comment/.test(node.name)) return undefined;
  const [word] = /[\w$]*$/.exec(text.slice(0, at))!;
  const from = at - word.length;
  const dot = /\??\.\s*$/.exec(text.slice(0, from));
  if (dot !== null) {
    const type = typeBefore(api, tree, text, dot.index);
    return type === undefined ? undefined : { from, names: memberNames(membersOf(api, type)) };
  }
  if (isWithin(node, "ImportDeclaration")) return { from, names: exportNames(api) };
  const object = node.name === "ObjectExpression" ? node : isKey(node) ? node.parent!.parent! : undefined;
  if (object !== undefined) {
    const type = new Inference(api, text).expectedOf(object);
    const names = type === undefined ? [] : memberNames(membersOf(api, type));
    if (names.length > 0) return { from, names };
  }
  if (word === "") return undefined;
  const local = [...new Set([...text.matchAll(/\b[A-Za-z_$][\w$]*/g)].map(([name]) => name))]
    .filter((name) => name !== word && !(name in api.exports))
    .map((name) => ({ name, kind: "variable", text: "" }));
  return { from, names: [...exportNames(api), ...local] };
}

/** Returns what the name at a place means. */
export function nameAt(
  api: ApiData,
  tree: Tree,
  text: string,
  at: number,
): (FittingName & { readonly from: number; readonly to: number }) | undefined {
  const node = tree.resolveInner(at, 1);
  const { from, to } = node;
  const name = text.slice(from, to);
  const found = meaningOf(api, node, text, name);
  return found === undefined ? undefined : { from, to, name, kind: "", text: found.text, doc: found.doc };
}

function meaningOf(api: ApiData, node: SyntaxNode, text: string, name: string): ApiMember | undefined {
  const inference = new Inference(api, text);
  if (node.name === "PropertyName" && node.parent?.name === "MemberExpression") {
    const type = inference.typeOf(node.parent.firstChild);
    return type === undefined ? undefined : membersOf(api, type)[name];
  }
  if (isKey(node)) {
    const type = inference.expectedOf(node.parent!.parent!);
    return type === undefined ? undefined : membersOf(api, type)[name];
  }
  if (!/^(Variable|Type)(Name|Definition)$/.test(node.name)) return undefined;
  const type = node.name === "VariableName" ? inference.typeOf(node) : undefined;
  const known = api.exports[name];
  if (known !== undefined) return known;
  return type === undefined ? undefined : { text: `${name}: ${type}` };
}

const isKey = (node: SyntaxNode): boolean =>
  (node.name === "PropertyDefinition" || node.name === "PropertyName") &&
  node.parent?.name === "Property" &&
  node.parent.parent?.name === "ObjectExpression";

/** Returns the type of the expression that ends at a place. */
function typeBefore(api: ApiData, tree: Tree, text: string, end: number): string | undefined {
  let node: SyntaxNode | null = tree.resolveInner(end, -1);
  let largest = node;
  // The largest expression that ends here, without what the dot makes of it.
  while (node?.parent?.to === end && /Expression$|^ArgList$/.test(node.parent.name)) {
    node = node.parent;
    if (node.name !== "ArgList") largest = node;
  }
  return new Inference(api, text).typeOf(largest);
}

function isWithin(node: SyntaxNode, name: string): boolean {
  for (let at: SyntaxNode | null = node; at !== null; at = at.parent) if (at.name === name) return true;
  return false;
}

const memberNames = (members: Readonly<Record<string, ApiMember>>): FittingName[] =>
  Object.entries(members).map(([name, { text, doc, type }]) => ({
    name,
    kind: type?.includes("=>") === true ? "method" : "property",
    text,
    doc,
  }));

const exportNames = (api: ApiData): FittingName[] =>
  Object.entries(api.exports).map(([name, { kind, text, doc }]) => ({
    name,
    kind: kind === "const" ? "constant" : kind,
    text,
    doc,
  }));
