/** @file The user's line of a node: what errors and reports point at. */

import type { NodeMeta } from "../values/meta.js";
import type { Graph } from "./graph.js";
import { forEachInput, type Node } from "./node.js";

/** One frame of a Python stack trace. */
export interface SourceFrame {
  /** The path of the file, as Python recorded it. */
  readonly file: string;
  /** The line, counted from 1. */
  readonly line: number;
  /** The function that the line is in. */
  readonly function: string;
  /** The line of code, trimmed; empty when the trace has none. */
  readonly code: string;
}

const FRAME = /^[ \t]*File "([^"\n]*)", line (\d+), in ([^\n]+)(?:\n[ \t]*(?!File ")([^\n]*))?/gm;

/**
 * Modules of PyTorch by their paths, in an installed package, a checkout or relative to either;
 * generated code, too.
 */
const PYTORCH =
  /^<|[\\/](?:site|dist)-packages[\\/](?:torch|functorch)[\\/]|(?:^|[\\/])torch[\\/](?:_\w+|ao|amp|autograd|export|func|functional|fx|jit|linalg|nn|optim|overrides|random|special|utils)(?:[\\/]|\.py$)/;

/** Any installed package, and Python's own library. */
const PACKAGE = /[\\/](?:site|dist)-packages[\\/]|[\\/]lib[\\/]python\d/;

/**
 * Returns the frame of a stack trace that the user wrote: the last one outside of installed
 * packages. A model of a package, such as torchvision, has no such frame; then it is the last one
 * that is not PyTorch's. Undefined for a trace without frames.
 */
export function userFrame(stackTrace: string): SourceFrame | undefined {
  const frames = [...stackTrace.matchAll(FRAME)].map(
    ([, file, line, name, code]): SourceFrame => ({
      file: file!,
      line: Number(line),
      function: name!.trim(),
      code: code?.trim() ?? "",
    }),
  );
  const others = frames.filter(({ file }) => !PYTORCH.test(file));
  const own = others.filter(({ file }) => !PACKAGE.test(file));
  return own.at(-1) ?? others.at(-1) ?? frames.at(-1);
}

/** Returns the user's line of a node, `model.py:12`; undefined without a stack trace. */
export function sourceLine(node: { readonly meta: NodeMeta } | undefined): string | undefined {
  const trace = node?.meta?.stackTrace;
  const frame = typeof trace === "string" ? userFrame(trace) : undefined;
  return frame === undefined ? undefined : `${frame.file}:${frame.line}`;
}

/**
 * Returns the user's line that a node of a graph points at. A node without a stack trace, such as
 * the output, represents what it reads: the first of its operands that has one.
 */
export function lineOf(graph: Graph | null | undefined, name: string): string | undefined {
  const node = graph?.find?.(name);
  if (node === undefined) return undefined;
  let line = sourceLine(node);
  if (line !== undefined || node.op === "placeholder") return line;
  forEachInput(node, (input) => {
    line ??= sourceLine(graph!.find(input));
  });
  return line;
}

/**
 * `place, model.py:12`: the place of an error with the user's line; the place alone where no line
 * is known.
 */
export const withLine = (place: string, line: string | undefined): string =>
  line === undefined ? place : `${place}, ${line}`;

/** `node "mul" (aten.mul.Tensor), model.py:12`: a node with the user's line, as errors name it. */
export const nodePlace = (node: Pick<Node, "name" | "target" | "meta">): string =>
  withLine(`node "${node.name}" (${node.target})`, sourceLine(node));

/**
 * `%mul = aten.mul.Tensor, model.py:12`: a call with the user's line, as errors of passes name it.
 */
export const callPlace = (node: Pick<Node, "name" | "target" | "meta">): string =>
  withLine(`%${node.name} = ${node.target}`, sourceLine(node));

/**
 * `mul, model.py:12`: the name of a node with the user's line, for `where` of errors; the name
 * alone without a trace.
 */
export const nodeWhere = (node: Pick<Node, "name" | "meta">): string => withLine(node.name, sourceLine(node));

/**
 * Returns the line of the user's model that a node comes from, with its code:
 * `File: model.py:3 in forward, code: return x + 1`.
 */
export function userLine({ meta: { stackTrace } }: { readonly meta: NodeMeta }): string | undefined {
  const frame = stackTrace === undefined ? undefined : userFrame(stackTrace);
  return frame === undefined
    ? undefined
    : `File: ${frame.file}:${frame.line} in ${frame.function}, code: ${frame.code}`;
}
