import { checkOptions, type OptionNames } from "@sconce/errors";
import type { Graph } from "../graph/graph.js";
import type { AnnotationOptions } from "./annotation.js";
import { generateCode } from "./code.js";

/** Options of {@link readableText}, as of `GraphModule.print_readable`. */
export interface ReadableOptions extends AnnotationOptions {
  /** Each parameter on a separate line. Nested graphs keep the short form, as in PyTorch. */
  readonly expandedDef?: boolean | undefined;
}

const READABLE: OptionNames<ReadableOptions> = {
  includeStride: true,
  includeDevice: true,
  expandedDef: true,
};

const ANNOTATIONS: OptionNames<AnnotationOptions> = { includeStride: true, includeDevice: true };

/**
 * `graph_module.print_readable()`: a class with the annotated code, nested graphs as nested
 * classes. Ends with a newline.
 */
export function readableText(graph: Graph, options: ReadableOptions = {}): string {
  checkOptions("readableText", options, READABLE);
  return `${readableLines(graph, options).join("\n")}\n`;
}

/** `print_readable()` of a module of another class than `GraphModule`. Ends with a newline. */
export function readableModule(name: string, graph: Graph, options: AnnotationOptions = {}): string {
  checkOptions("printReadable", options, ANNOTATIONS);
  const lines: string[] = [];
  appendClass(graph, name, { options, base: "", lines }, "");
  return `${lines.join("\n")}\n`;
}

/**
 * Returns the lines of {@link readableText}, all with a base indentation. Otherwise empty lines
 * carry none.
 */
export function readableLines(graph: Graph, options: ReadableOptions = {}, base = ""): string[] {
  const lines: string[] = [];
  appendClass(graph, "GraphModule", { options, base, lines }, base);
  return lines;
}

interface Target {
  readonly options: ReadableOptions;
  readonly base: string;
  readonly lines: string[];
}

function appendClass(graph: Graph, name: string, target: Target, indent: string): void {
  const { options, base, lines } = target;
  const { parameters, body } = generateCode(graph, {
    ...options,
    verbose: true,
    indent: `${indent}        `,
    blank: base,
  });
  lines.push(`${indent}class ${name}(torch.nn.Module):`);
  if (options.expandedDef === true) {
    lines.push(
      `${indent}    def forward(`,
      ...parameters.map((text) => `${indent}        ${text},`),
      `${indent}    ):`,
    );
  } else {
    lines.push(`${indent}    def forward(${parameters.join(", ")}):`);
  }
  for (const line of body) lines.push(line);
  const nested =
    options.expandedDef === true ? { ...target, options: { ...options, expandedDef: false } } : target;
  for (const [child, subgraph] of graph.subgraphs) {
    lines.push(base);
    appendClass(subgraph, child, nested, `${indent}    `);
  }
}
