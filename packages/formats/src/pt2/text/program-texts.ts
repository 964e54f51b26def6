/**
 * @file The texts of a program that PyTorch makes something of: each with its kind and its place,
 * before the program is written.
 */
import {
  type Argument,
  type ArgumentSpec,
  type ConstantValue,
  type ExportedProgram,
  FakeTensor,
  type Graph,
  isSymScalar,
  type MetaValue,
  type Node,
  type TreeSpec,
} from "@sconce/ir";
import { freeSymbols, type SymExpr } from "@sconce/symbolic";
import { stackEntries } from "../stack-entries.js";
import { targetText } from "../targets.js";
import { isAsciiIdentifier, LITERAL_NAMES } from "./identifiers.js";
import type { TextKind } from "./rules.js";
import { keyTexts, treeTexts } from "./tree-texts.js";

/** Takes one text: its kind, the text and where it is. */
export type TextVisitor = (kind: TextKind, text: string, where: () => string) => void;

/** Gives every text of a program to a visitor. Texts of one kind may come several times. */
export function visitProgramTexts(program: ExportedProgram, visit: TextVisitor): void {
  const { graphSignature, moduleCallGraph, rangeConstraints } = program;
  shadowTexts(program, visit);
  new GraphTexts(visit, inputNames(program)).graph(program.graph, "");
  for (const { arg, kind, target } of graphSignature.inputSpecs) {
    specTexts(arg, visit);
    if (arg.kind === "constant") constantTexts(arg.value, visit, () => "the graph signature");
    if (kind === "USER_INPUT" && arg.name !== "") visit("input", arg.name, () => "the graph signature");
    if (target !== null) visit("state", target, () => "the graph signature");
  }
  for (const { arg, kind, target } of graphSignature.outputSpecs) {
    specTexts(arg, visit);
    if (target !== null)
      visit(kind.includes("USER_INPUT") ? "input" : "state", target, () => "the graph signature");
  }
  for (const { fqn, signature } of moduleCallGraph) {
    const where = (): string => `the call of the module ${JSON.stringify(fqn)}`;
    visit("module", fqn, where);
    if (signature === null) continue;
    for (const spec of [...signature.inputs, ...signature.outputs]) specTexts(spec, visit);
    for (const name of signature.forwardArgNames ?? []) visit("keyword", name, where);
    for (const spec of [signature.inSpec, signature.outSpec]) visitTree(spec, visit, where);
    keyTexts(signature.inSpec, (kind, text) => visit(kind, text, where));
    for (const key of keywordsOf(signature.inSpec)) visit("keyword", key, where);
  }
  for (const name of program.stateDict.keys()) visit("state", name, () => "the state");
  for (const name of program.constants.keys()) visit("state", name, () => "the constants");
  for (const symbol of rangeConstraints.keys()) visit("expression", symbol, () => "the ranges");
  for (const [i, guard] of program.guardsCode.entries()) visit("guard", guard, () => `guard ${i}`);
  for (const name of Object.keys(program.opsetVersion)) visit("word", name, () => "the operator versions");
  visit("word", program.dialect, () => "the dialect");
  visit("word", program.torchVersion ?? "", () => "the version of PyTorch");
}

/** Inputs with the name of a literal, where a call of the graph holds such a literal. */
function shadowTexts(program: ExportedProgram, visit: TextVisitor): void {
  const [root] = program.moduleCallGraph;
  const names = new Set([...inputNames(program), ...(root?.signature?.forwardArgNames ?? [])]);
  const shadowing = [...names].filter((name) => LITERAL_NAMES.has(name));
  if (shadowing.length === 0) return;
  const literals = literalNames(program.graph);
  for (const name of shadowing) if (literals.has(name)) visit("shadow", name, () => "the graph signature");
}

/** Returns the names of literals in the calls of a graph, as they stand in Python. */
function literalNames(graph: Graph): ReadonlySet<string> {
  const names = new Set<string>();
  const look = (arg: Argument): void => {
    if (typeof arg === "number" && !Number.isFinite(arg)) names.add(Number.isNaN(arg) ? "nan" : "inf");
    if (typeof arg !== "object" || arg === null) return;
    if (Array.isArray(arg)) for (const item of arg as readonly Argument[]) look(item);
    else {
      const literal = arg as Exclude<typeof arg, readonly Argument[]>;
      if (literal.kind === "tuple") literal.items.forEach(look);
      else if (literal.kind === "dict") for (const [, item] of literal.entries) look(item);
      else if (LITERAL_NAMES.has(literal.kind)) names.add(literal.kind);
    }
  };
  for (const { args, kwargs } of graph.nodes()) {
    look(args);
    Object.values(kwargs).forEach(look);
  }
  return names;
}

/** Returns the inputs that users give: their names are those of the program's parameters. */
export const inputNames = ({ graphSignature }: ExportedProgram): ReadonlySet<string> =>
  new Set(graphSignature.inputSpecs.flatMap(({ kind, arg }) => (kind === "USER_INPUT" ? [arg.name] : [])));

/**
 * Returns the names of the arguments that the module is called with: keys of the second part of the
 * tree.
 */
function keywordsOf({ type, children }: TreeSpec): readonly string[] {
  const [args, kwargs] = children;
  if (type !== "builtins.tuple" || children.length !== 2 || args?.type !== "builtins.tuple") return [];
  if (kwargs?.type !== "builtins.dict" || !Array.isArray(kwargs.context)) return [];
  return kwargs.context.map(String);
}

const visitTree = (spec: TreeSpec, visit: TextVisitor, where: () => string): void =>
  treeTexts(spec, (kind, text) => visit(kind, text, where));

/** Names of values stand in the graph; what is left are texts of constants and of classes. */
function specTexts(arg: ArgumentSpec, visit: TextVisitor): void {
  const where = (): string => "the graph signature";
  if (arg.kind === "custom_obj") visit("word", arg.classFqn, where);
  else if (arg.kind === "constant" && typeof arg.value === "string") visit("text", arg.value, where);
}

/** The text of an input: PyTorch compares what is given with it. */
function constantTexts(value: Argument, visit: TextVisitor, where: () => string): void {
  if (typeof value === "string") visit("constant", value, where);
}

/** Returns a name in a place: quoted where it could be read as something else. */
const shown = (name: string): string => (isAsciiIdentifier(name) ? name : JSON.stringify(name));

const isConstant = (val: MetaValue | undefined): val is ConstantValue =>
  typeof val === "object" && val !== null && "kind" in val && val.kind === "constant";

class GraphTexts {
  readonly #visit: TextVisitor;
  readonly #inputs: ReadonlySet<string>;
  /** What many nodes share, and was given already. */
  readonly #known = new Set<object>();
  readonly #stacks = new Set<string>();

  constructor(visit: TextVisitor, inputs: ReadonlySet<string>) {
    this.#visit = visit;
    this.#inputs = inputs;
  }

  graph(graph: Graph, path: string): void {
    for (const node of graph.nodes()) {
      const where = (): string => `${path === "" ? "" : `${path}, `}node ${shown(node.name)}`;
      if (node.op === "output") {
        this.#argument(node.args, where);
        continue;
      }
      const isInput = node.op === "placeholder" && path === "" && this.#inputs.has(node.name);
      this.#visit(isInput ? "input" : "value", node.name, where);
      if (node.op === "get_attr") this.#visit("graph", node.target, where);
      if (node.op === "call_function") this.#call(node, where);
      this.#meta(node, where);
      const { val } = node.meta;
      if (node.op === "placeholder" && path === "" && isConstant(val))
        constantTexts(val.value, this.#visit, where);
    }
    for (const [name, nested] of graph.subgraphs)
      this.graph(nested, path === "" ? `graph ${shown(name)}` : `${path}.${shown(name)}`);
  }

  #call({ target, args, kwargs, meta: { callForm } }: Node, where: () => string): void {
    if (target !== "operator.getitem") this.#visit("target", targetText(target), where);
    const kind = target.split(".").length === 3 ? "argument" : "keyword";
    for (const [name, arg] of Object.entries(kwargs)) {
      this.#visit(kind, name, where);
      this.#argument(arg, where);
    }
    this.#argument(args, where);
    for (const name of callForm?.argNames ?? []) this.#visit("argument", name, where);
    if (callForm?.name !== undefined) this.#visit("value", callForm.name, where);
  }

  #argument(arg: Argument, where: () => string): void {
    if (typeof arg === "string") this.#visit("text", arg, where);
    if (typeof arg !== "object" || arg === null) return;
    if (Array.isArray(arg)) {
      for (const item of arg as readonly Argument[])
        if (typeof item !== "number") this.#argument(item, where);
      return;
    }
    const literal = arg as Exclude<typeof arg, readonly Argument[]>;
    if (literal.kind === "operator") this.#visit("target", targetText(literal.target), where);
    else if (literal.kind === "device") this.#visit("device", literal.type, where);
    else if (literal.kind === "tuple") this.#argument(literal.items, where);
    else if (literal.kind === "dict")
      for (const [key, item] of literal.entries) {
        this.#visit("text", key, where);
        this.#argument(item, where);
      }
  }

  #meta({ meta: { val, nnModuleStack, extra } }: Node, where: () => string): void {
    if (val !== undefined) this.#value(val, where);
    const stack = nnModuleStack ?? stackEntries(extra?.["nn_module_stack"] ?? "");
    if (stack.length === 0 || this.#known.has(stack)) return;
    this.#known.add(stack);
    for (const entry of stack) {
      const [, path = ""] = entry;
      for (const part of entry) {
        if (this.#stacks.has(part)) continue;
        this.#stacks.add(part);
        this.#visit("stack", part, where);
      }
      this.#visit("module", path, where);
    }
  }

  #value(val: MetaValue, where: () => string): void {
    if (val instanceof FakeTensor) {
      for (const size of val.shape) if (typeof size !== "number") this.#symbols(size, where);
      for (const stride of val.strides) if (typeof stride !== "number") this.#symbols(stride, where);
      if (typeof val.storageOffset !== "number") this.#symbols(val.storageOffset, where);
      this.#visit("device", val.device.type, where);
    } else if (Array.isArray(val)) for (const item of val as readonly MetaValue[]) this.#value(item, where);
    else if (isSymScalar(val)) {
      if (typeof val.expr === "object") this.#symbols(val.expr, where);
    } else if (val !== null && "kind" in val && val.kind === "custom_obj") {
      this.#visit("word", val.name, where);
      this.#visit("word", val.classFqn, where);
    }
  }

  #symbols(expr: SymExpr, where: () => string): void {
    if (this.#known.has(expr)) return;
    this.#known.add(expr);
    for (const name of freeSymbols(expr).keys()) this.#visit("symbol", name, where);
  }
}
