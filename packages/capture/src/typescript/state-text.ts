/** @file The state of a model: its modules, parameters, buffers and constants, by name. */

import { scriptString } from "@sconce/errors";
import { type ExportedProgram, FakeTensor, type InputSpec, type MetaValue } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { Module } from "@sconce/torch";
import { notWritable } from "./errors.js";
import { keyText, memberText } from "./literals.js";
import type { ModuleFile } from "./module-file.js";
import { tensorText } from "./tensor-text.js";

/** A tensor of the state. */
interface Entry {
  readonly spec: InputSpec;
  readonly target: string;
  readonly fake: FakeTensor;
  /** The name of an entry before it that has the same tensor. */
  readonly tiedTo: string | undefined;
}

/** A module, with the modules and tensors that it holds. */
interface ModuleNode {
  readonly path: string;
  readonly children: Map<string, ModuleNode>;
  readonly tensors: [name: string, entry: Entry][];
}

/** The state of a model as text. */
export interface StateText {
  /** Declarations of properties. */
  readonly fields: readonly string[];
  /** Statements of the constructor. */
  readonly statements: readonly string[];
  /** Expressions for tensors, by their names in the state. */
  readonly places: ReadonlyMap<string, string>;
}

/** Writes the state of a program. */
export function stateText(program: ExportedProgram, file: ModuleFile): StateText {
  const entries = entriesOf(program);
  const root = treeOf(program, entries);
  const moved = firstMoved(root, entries);
  if (moved !== undefined) file.differ("input-order", moved.target);
  const places = new Map(entries.map(({ target }) => [target, placeOf(target)]));
  const fields = [...fieldsOf(root, file)].map(([name, type]) => `  declare ${name}: ${type};`);
  return { fields, statements: statementsOf(root, "this", file, places), places };
}

const placeOf = (target: string): string => target.split(".").reduce(memberText, "this");

function entriesOf(program: ExportedProgram): Entry[] {
  const { graph, graphSignature, stateDict, constants } = program;
  const names = new Map<Tensor, string>();
  return graphSignature.inputSpecs.flatMap((spec): Entry[] => {
    const { target, arg, kind } = spec;
    if (kind === "USER_INPUT") return [];
    if (target === null || kind === "CUSTOM_OBJ" || kind === "TOKEN")
      throw notWritable(`an input of the kind ${kind}`, arg.name, "remove it with a pass");
    const val: MetaValue | undefined = graph.find(arg.name)?.meta.val;
    if (!(val instanceof FakeTensor))
      throw notWritable(
        "a tensor of the state without a dtype and a shape",
        target,
        "check the program with `verify`",
      );
    const value = stateDict.get(target) ?? constants.get(target);
    const tiedTo = value === undefined ? undefined : names.get(value);
    if (value !== undefined && tiedTo === undefined) names.set(value, target);
    return [{ spec, target, fake: val, tiedTo }];
  });
}

function treeOf(program: ExportedProgram, entries: readonly Entry[]): ModuleNode {
  // Modules come in the order in which the signature lists their state. Where that of parameters
  // and that of buffers do not agree, the state dict has the modules in order of definition.
  const inOrder = treeFrom(entries, []);
  if (firstMoved(inOrder, entries) === undefined) return inOrder;
  return treeFrom(entries, [...program.stateDict.keys()]);
}

/**
 * Returns the first entry that a model with these modules lists in another place than the
 * signature.
 */
function firstMoved(root: ModuleNode, entries: readonly Entry[]): Entry | undefined {
  const listed: Entry[] = [];
  const visit = ({ children, tensors }: ModuleNode): void => {
    listed.push(...tensors.map(([, entry]) => entry));
    for (const child of children.values()) visit(child);
  };
  visit(root);
  const kinds = ["PARAMETER", "BUFFER"].flatMap((kind) => listed.filter(({ spec }) => spec.kind === kind));
  const wanted = entries.filter(({ spec: { kind } }) => kind === "PARAMETER" || kind === "BUFFER");
  return wanted.find((entry, i) => entry !== kinds[i]);
}

function treeFrom(entries: readonly Entry[], first: readonly string[]): ModuleNode {
  const root: ModuleNode = { path: "", children: new Map(), tensors: [] };
  const known = new Set(entries.map(({ target }) => target));
  for (const name of first) if (known.has(name)) ownerOf(root, name);
  for (const entry of entries) {
    const owner = ownerOf(root, entry.target);
    const name = lastOf(entry.target);
    if (owner.children.has(name))
      throw notWritable(
        `the name "${entry.target}" of both a tensor and a module`,
        entry.target,
        "rename one of them",
      );
    owner.tensors.push([name, entry]);
  }
  return root;
}

const lastOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1);

function ownerOf(root: ModuleNode, target: string): ModuleNode {
  let module = root;
  const parts = target.split(".");
  for (const part of parts) requireProperty(part, target);
  for (const part of parts.slice(0, -1)) {
    let next = module.children.get(part);
    if (next === undefined) {
      next = { path: module.path === "" ? part : `${module.path}.${part}`, children: new Map(), tensors: [] };
      module.children.set(part, next);
    }
    module = next;
  }
  return module;
}

/** A property of this name would hide one of the module itself. */
function requireProperty(name: string, target: string): void {
  if (name in Module.prototype || name === "training" || name === "load" || name === "")
    throw notWritable(
      `the name "${target}"`,
      target,
      "rename the part of the state: modules have a property of this name",
    );
}

function fieldsOf({ children, tensors }: ModuleNode, file: ModuleFile): Map<string, string> {
  const { use } = file;
  const fields = new Map<string, string>();
  for (const [name] of tensors) fields.set(keyText(name), use("Tensor"));
  for (const [name, child] of children) {
    const inner = [...fieldsOf(child, file)].map(([key, type]) => `${key}: ${type}`);
    fields.set(keyText(name), `${use("nn")}.Module & { ${inner.join("; ")} }`);
  }
  return fields;
}

function statementsOf(
  { children, tensors }: ModuleNode,
  owner: string,
  file: ModuleFile,
  places: ReadonlyMap<string, string>,
): string[] {
  const { use } = file;
  const lines = tensors.map(([name, { spec, fake, tiedTo }]) => {
    const key = scriptString(name);
    const made = tensorText(fake, use);
    const tied = tiedTo === undefined ? undefined : places.get(tiedTo);
    if (spec.kind === "PARAMETER") {
      const given = `${use("nn")}.Parameter(${made}${fake.requiresGrad ? "" : ", false"})`;
      return `${owner}.registerParameter(${key}, ${tied ?? `new ${given}`});`;
    }
    if (spec.kind === "BUFFER") {
      const options = spec.persistent === false ? ", { persistent: false }" : "";
      return `${owner}.registerBuffer(${key}, ${tied ?? made}${options});`;
    }
    return `Object.assign(${owner}, { ${keyText(name)}: ${tied ?? made} });`;
  });
  for (const [name, child] of children) {
    const variable = file.names.take(lastOf(child.path) === "" ? "module" : `m_${child.path}`);
    lines.push(
      `const ${variable} = new ${use("nn")}.Module();`,
      `${owner}.addModule(${scriptString(name)}, ${variable});`,
      ...statementsOf(child, variable, file, places),
    );
  }
  return lines;
}
