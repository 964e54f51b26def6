import type { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import { attributePath, graphTarget, INFIX, PREFIX, targetKind } from "../graph/target.js";
import { forEachNodeRef } from "../graph/uses.js";
import { deadAfter } from "../support/liveness.js";
import type { Argument } from "../values/argument.js";
import { type AnnotationOptions, annotationText } from "./annotation.js";
import { codeArgument } from "./argument-text.js";
import { type CodeNames, codeNames } from "./code-names.js";
import { SourceComments } from "./source-comment.js";

/** The generated `forward` of one graph: its parameters and the lines of its body. */
export interface GeneratedCode {
  readonly parameters: readonly string[];
  readonly body: readonly string[];
}

/** What {@link generateCode} adds to the bare statements. */
export interface CodeOptions extends AnnotationOptions {
  /** Type annotations and comments with the source lines. */
  readonly verbose?: boolean | undefined;
  /** What every line of the body starts with. */
  readonly indent?: string | undefined;
  /** What an empty line consists of. */
  readonly blank?: string | undefined;
}

/** Returns the Python function that `torch.fx` generates for a graph. Linear in the graph. */
export function generateCode(graph: Graph, options: CodeOptions = {}): GeneratedCode {
  const names = codeNames(graph);
  const dead = lastUses(graph);
  const comments = new SourceComments();
  const { verbose = false, indent = "", blank = "" } = options;
  const parameters = ["self"];
  const body: string[] = [];
  let lastComment: string | undefined;
  let position = 0;
  for (const node of graph.nodes()) {
    const unused = dead[position++]!;
    const note = verbose ? annotationText(node.meta.val, options) : undefined;
    if (node.op === "placeholder") {
      parameters.push(parameter(node, note, names));
      const alias = names.node(node.name);
      const raw = node.target.replaceAll("*", "");
      if (alias !== raw) body.push(`${indent}${alias} = ${raw}`);
      continue;
    }
    if (verbose && node.op !== "output") {
      const comment = comments.of(node.meta);
      if (comment !== lastComment) {
        if (body.length > 0) body.push(blank);
        body.push(indent + comment);
        lastComment = comment;
      }
    }
    body.push(indent + statement(node, note, names) + deletions(node, unused, names));
  }
  if (graph.size === 0) body.push(`${indent}pass`);
  return { parameters, body };
}

function parameter(node: Node, note: string | undefined, names: CodeNames): string {
  const fallback = node.args.length > 0 ? ` = ${codeArgument(node.args[0]!, names.node)}` : "";
  return (note === undefined ? node.target : `${node.target}: "${note}"`) + fallback;
}

function statement(node: Node, note: string | undefined, names: CodeNames): string {
  if (node.op === "output") return `return ${codeArgument(node.args[0] ?? null, names.node)}`;
  // Python functions are named before the node, as torch.fx does: the order decides about numbers
  // behind clashing names.
  const right = node.op === "get_attr" ? attributePath("self", node.target) : expression(node, names);
  const name = names.node(node.name);
  return note === undefined ? `${name} = ${right}` : `${name}: "${note}" = ${right}`;
}

/** Operators of Python's as syntax, everything else as a call. */
function expression(node: Node, names: CodeNames): string {
  const { target, args } = node;
  if (args.length === 2) {
    const infix = INFIX.get(target);
    const [a, b] = args as readonly [Argument, Argument];
    if (infix !== undefined) return `${codeArgument(a, names.node)} ${infix} ${codeArgument(b, names.node)}`;
    if (target === "operator.getitem")
      return `${codeArgument(a, names.node)}[${codeArgument(b, names.node)}]`;
  }
  const prefix = args.length === 1 ? PREFIX.get(target) : undefined;
  if (prefix !== undefined) return prefix + codeArgument(args[0]!, names.node);
  const callee = node.op === "call_module" ? attributePath("self", target) : calleeName(target, names);
  let text = `${callee}(`;
  let separator = "";
  for (const arg of args) {
    text += separator + codeArgument(arg, names.node);
    separator = ", ";
  }
  for (const key in node.kwargs) {
    text += `${separator}${key} = ${codeArgument(node.kwargs[key]!, names.node)}`;
    separator = ", ";
  }
  return `${text})`;
}

function calleeName(target: string, names: CodeNames): string {
  switch (targetKind(target)) {
    case "python":
    case "math":
    case "builtin":
      return names.global(target);
    default:
      return graphTarget(target);
  }
}

/** By position, the names that nothing after the node uses. */
function lastUses(graph: Graph): readonly (readonly string[])[] {
  const nodes = graph.nodes();
  return deadAfter<string>(nodes.length, (position, use) => {
    const node = nodes[position]!;
    forEachNodeRef(node, use);
    use(node.name);
  });
}

function deletions({ op }: Node, unused: readonly string[], names: CodeNames): string {
  if (unused.length === 0 || op === "output") return "";
  let text = ";  ";
  for (const name of unused) text += `${names.node(name)} = `;
  return `${text}None`;
}

/** `graph_module.code`: statements only. */
export function codeText(graph: Graph): string {
  const { parameters, body } = generateCode(graph, { indent: "    " });
  const lines = body.length > 0 ? body : ["    "];
  return `\n\n\ndef forward(${parameters.join(", ")}):\n${lines.join("\n")}\n    `;
}
