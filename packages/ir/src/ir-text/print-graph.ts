import type { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import { ExpressionWriter } from "./expressions.js";
import type { MetadataTable } from "./metadata.js";
import { typeText } from "./types.js";
import { nameText, pathText, valueText } from "./values.js";

/** What the lines of a graph are written with. */
export interface GraphTextContext {
  readonly writer: ExpressionWriter;
  /** Undefined to leave metadata out. */
  readonly metadata: MetadataTable | undefined;
}

/** Lines of `graph(...) { ... }`, nested graphs within. */
export function graphLines(graph: Graph, context: GraphTextContext, name = "", indent = ""): string[] {
  const nodes = graph.nodes();
  let inputs = 0;
  while (nodes[inputs]?.op === "placeholder") inputs++;
  const params = nodes.slice(0, inputs).map((node) => parameterText(node, context));
  const lines = [`${indent}graph${name === "" ? "" : ` ${pathText(name)}`}(${params.join(", ")}) {`];
  for (let i = inputs; i < nodes.length; i++) lines.push(`${indent}  ${statementText(nodes[i]!, context)}`);
  for (const [target, nested] of graph.subgraphs)
    lines.push("", ...graphLines(nested, context, target, `${indent}  `));
  lines.push(`${indent}}`);
  return lines;
}

/** Returns a node as a separate line, without metadata. */
export const nodeLine = (node: Node, writer: ExpressionWriter = new ExpressionWriter()): string =>
  statementText(node, { writer, metadata: undefined });

function parameterText(node: Node, context: GraphTextContext): string {
  const target = node.target === node.name ? "" : ` @ ${pathText(node.target)}`;
  const fallback = node.args.length === 0 ? "" : ` = ${valueText(node.args[0]!)}`;
  return `${nameText(node.name)}${target}${fallback}${valText(node, context)}${metaText(node, context)}`;
}

function statementText(node: Node, context: GraphTextContext): string {
  if (node.op === "output") {
    const name = node.name === "output" ? "" : `${nameText(node.name)} = `;
    const type = node.meta.val === undefined ? "" : ` -> ${typeText(node.meta.val, context.writer)}`;
    return `${name}return ${valueText(node.args[0] ?? null)}${type}${metaText(node, context)}`;
  }
  const left = `${nameText(node.name)}${valText(node, context)} = `;
  if (node.op === "placeholder") {
    const fallback = node.args.length === 0 ? "" : ` = ${valueText(node.args[0]!)}`;
    return `${left}placeholder ${pathText(node.target)}${fallback}${metaText(node, context)}`;
  }
  if (node.op === "get_attr") return `${left}get_attr ${pathText(node.target)}${metaText(node, context)}`;
  const target = node.op === "call_module" ? `call_module ${pathText(node.target)}` : pathText(node.target);
  const args = node.args.map(valueText);
  for (const key in node.kwargs) args.push(`${keywordText(key)}=${valueText(node.kwargs[key]!)}`);
  return `${left}${target}(${args.join(", ")})${metaText(node, context)}`;
}

const keywordText = (key: string): string =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) ? key : JSON.stringify(key);

const valText = (node: Node, context: GraphTextContext): string =>
  node.meta.val === undefined ? "" : `: ${typeText(node.meta.val, context.writer)}`;

const metaText = (node: Node, context: GraphTextContext): string =>
  context.metadata?.reference(node.meta) ?? "";
