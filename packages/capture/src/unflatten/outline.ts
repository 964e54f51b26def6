/**
 * @file Splits a flat graph into the modules of its nodes (`torch/export/unflatten.py`,
 * `_ModuleFrame`).
 */
import type { ModuleCallEntry } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { DraftGraph } from "./draft-graph.js";
import type { DraftModule } from "./draft-module.js";
import { noModuleStack } from "./errors.js";
import { moduleStackOf, type StackLevel, startsWith } from "./flat-graph.js";
import { ModuleFrame } from "./module-frame.js";
import type { Outline } from "./outline-parts.js";

/** Fills the root with the modules of a flat graph. @throws SconceError `NOT_UNFLATTENABLE` */
export function outlineModules(
  graph: DraftGraph,
  root: DraftModule,
  entries: readonly ModuleCallEntry[],
  operators: OperatorTable,
): Outline {
  const nodes = graph.nodes();
  const outline: Outline = {
    nodes,
    users: graph.users(),
    seen: new Map(),
    calls: new Map(),
    bodies: new Map(),
    created: new Map(),
    signatures: new Map(
      entries.flatMap(({ fqn, signature }) => (signature === null ? [] : [[fqn, signature] as const])),
    ),
    isWrite: (target) => operators.get(target)?.schema.isMutable === true,
    mutations: new Map(),
  };
  const top: StackLevel = { key: "", path: "", type: null, call: 0 };
  const frame = new ModuleFrame(outline, [top], root);
  let position = 0;
  while (nodes[position]!.op === "placeholder") frame.copy(nodes[position++]!);
  runFrom(outline, frame, position);
  frame.copy(nodes.at(-1)!);
  return outline;
}

/** Runs a frame from a position; returns that of the first node behind it. */
function runFrom(outline: Outline, frame: ModuleFrame, start: number): number {
  const depth = frame.stack.length;
  let position = start;
  while (position < outline.nodes.length) {
    const node = outline.nodes[position]!;
    if (node.op === "output") {
      if (depth > 1) frame.finish();
      return position;
    }
    const stack = moduleStackOf(node) ?? frame.stack;
    if (!startsWith(stack, frame.stack)) {
      if (depth === 1) throw noModuleStack(node);
      frame.finish();
      return position;
    }
    if (stack.length > depth) {
      position = runFrom(outline, new ModuleFrame(outline, stack.slice(0, depth + 1), frame), position);
      continue;
    }
    if (node.op === "get_attr") {
      const bodies = outline.bodies.get(frame.callFqn) ?? new Set();
      outline.bodies.set(frame.callFqn, bodies.add(node.target));
    }
    frame.copy(node);
    position++;
  }
  return position;
}
