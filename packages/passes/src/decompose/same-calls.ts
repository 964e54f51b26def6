/** @file Whether a retrace lowered anything, or only gave the same calls other names. */
import { type Argument, type ExportedProgram, type Graph, isRef, mapRefs, type Node, ref } from "@sconce/ir";
import { sameArgument } from "../graphs/same-argument.js";

/**
 * True when the retraced program makes the calls of the program that it was made from, in their
 * order, whatever the nodes are called. Left out are what each retrace adds anew, in PyTorch too:
 * `writtenBack` names the copies that write to the caller's tensors, and `view.dtype` is followed
 * by one more `alias` (`detach`) each time.
 */
export function sameCalls(
  before: ExportedProgram,
  after: ExportedProgram,
  writtenBack: ReadonlySet<string>,
): boolean {
  const specs = ({ graphSignature: { inputSpecs, outputSpecs } }: ExportedProgram): string =>
    JSON.stringify([...inputSpecs, ...outputSpecs].map(({ kind, target }) => [kind, target]));
  return (
    before.dialect === after.dialect &&
    specs(before) === specs(after) &&
    sameGraph(before.graph, after.graph, writtenBack)
  );
}

function sameGraph(before: Graph, after: Graph, writtenBack: ReadonlySet<string>): boolean {
  /** By the names of nodes after: those of the nodes before that they represent. */
  const names = new Map<string, string>();
  const rename = (argument: Argument): Argument =>
    mapRefs(argument, ({ name }) => ref(names.get(name) ?? name));
  let i = 0;
  for (const node of after.nodes()) {
    const old = i < before.size ? before.nodeAt(i) : undefined;
    if (old !== undefined && sameNode(old, node, rename) && sameNested(old, node, before, after)) {
      names.set(node.name, old.name);
      i++;
      continue;
    }
    const value = writtenBack.has(node.name) ? node.args[1] : aliased(node);
    if (!isRef(value)) return false;
    names.set(node.name, names.get(value.name) ?? value.name);
  }
  return i === before.size;
}

const aliased = ({ target, args }: Node): Argument | undefined =>
  target === "aten.alias.default" || target === "aten.detach.default" ? args[0] : undefined;

function sameNode(old: Node, node: Node, rename: (argument: Argument) => Argument): boolean {
  if (old.op !== node.op) return false;
  if (old.op === "placeholder" || old.op === "get_attr") return true;
  // The rest is a message, which names nodes.
  const count = old.target === "aten._assert_scalar.default" ? 1 : old.args.length;
  const keys = Object.keys(old.kwargs);
  return (
    old.target === node.target &&
    old.args.length === node.args.length &&
    keys.length === Object.keys(node.kwargs).length &&
    old.args.slice(0, count).every((arg, i) => sameArgument(arg, rename(node.args[i]!))) &&
    keys.every((key) => key in node.kwargs && sameArgument(old.kwargs[key]!, rename(node.kwargs[key]!)))
  );
}

function sameNested(old: Node, node: Node, before: Graph, after: Graph): boolean {
  if (old.op !== "get_attr") return true;
  const [was, is] = [before.subgraphs.get(old.target), after.subgraphs.get(node.target)];
  return was === undefined || is === undefined ? was === is : sameGraph(was, is, NONE);
}

const NONE: ReadonlySet<string> = new Set();
