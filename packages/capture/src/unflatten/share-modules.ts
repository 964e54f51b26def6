/**
 * @file One module for calls of equal graphs, and one for calls whose conventions are preserved.
 */
import {
  type Argument,
  type ExportedProgram,
  graphArgument,
  type ModuleCallEntry,
  mapRefs,
  ref,
} from "@sconce/ir";
import type { DraftGraph } from "./draft-graph.js";
import { callName, DraftModule, pathOf, withoutCall } from "./draft-module.js";
import { relativePath } from "./module-frame.js";
import type { ModuleCall } from "./outline-parts.js";

/**
 * Drops the modules of calls whose graphs are those of earlier calls (`_deduplicate_modules`).
 * Returns the calls that are dropped, with those in their place.
 */
export function shareEqualModules(calls: Iterable<readonly ModuleCall[]>): Map<string, string> {
  const redirected = new Map<string, string>();
  for (const shared of calls) {
    const texts = shared.map(({ module }) => (shared.length > 1 ? graphKey(module.graph!) : ""));
    shared.forEach((call, i) => {
      const earlier = shared.slice(0, i).filter((_, at) => texts[at] === texts[i]);
      shareModule(call, earlier, redirected);
    });
  }
  return redirected;
}

function shareModule(
  call: ModuleCall,
  earlier: readonly ModuleCall[],
  redirected: Map<string, string>,
): void {
  const { fqn, parent, parentFqn, node } = call;
  const name = callName(fqn, call.index);
  const target = relativePath(parentFqn, name);
  let isShared = false;
  for (const seen of earlier) {
    if (seen.fqn === fqn) {
      parent.remove(target);
      const kept = callName(seen.fqn, seen.index);
      node.target = relativePath(parentFqn, kept);
      redirected.set(name, kept);
      return;
    }
    // Which of two paths was called stays visible in the graph of the parent.
    if (!isShared) parent.set(target, seen.module);
    isShared = true;
  }
}

/** Returns the graph without its names. */
function graphKey(graph: DraftGraph): string {
  const places = new Map<string, string>();
  const text = (value: Argument): string =>
    graphArgument(mapRefs(value, ({ name }) => ref(places.get(name)!)));
  const lines = graph.nodes().map(({ name, op, target, args, kwargs }, i) => {
    places.set(name, String(i));
    const named = Object.entries(kwargs).map(([key, value]) => `${key}=${text(value)}`);
    const shown = op === "call_function" || op === "get_attr" ? target : "";
    return `${op}[${shown}](${[...args.map(text), ...named].join("; ")})`;
  });
  return lines.join("\n");
}

/**
 * Puts one dispatcher in place of the modules of several preserved calls (`_dispatch_modules`).
 * Returns the paths of all modules whose calls are preserved.
 */
export function dispatchCalls(
  root: DraftModule,
  program: ExportedProgram,
  redirected: ReadonlyMap<string, string>,
): Set<string> {
  const called = calledModules(root, program.moduleCallGraph, redirected);
  for (const [fqn, calls] of called) {
    const modules = [...calls.values()];
    if (modules.length === 1 && calls.has(0)) continue;
    for (let i = 1; i <= Math.max(...calls.keys()) + 1; i++) {
      const name = callName(fqn, i);
      if (!redirected.has(name)) root.remove(name);
    }
    root.set(fqn, dispatcher(modules, fqn, program));
  }
  const dispatched = new Set(called.keys());
  for (const [fqn, module] of [...root.all()])
    for (const { graph } of [module, ...module.calls])
      if (graph !== undefined) dropCallNumbers(graph, fqn, dispatched);
  const preserved = program.moduleCallGraph.filter(({ fqn, signature }) => fqn !== "" && signature !== null);
  return new Set(preserved.map(({ fqn }) => withoutCall(fqn)));
}

/**
 * Returns the modules of preserved calls by their paths and numbers, in the order of the calls. A
 * call that nothing uses has left no graph.
 */
function calledModules(
  root: DraftModule,
  entries: readonly ModuleCallEntry[],
  redirected: ReadonlyMap<string, string>,
): Map<string, ReadonlyMap<number, DraftModule>> {
  const called = new Map<string, [number, DraftModule][]>();
  for (const { fqn, signature } of entries) {
    if (fqn === "" || signature === null) continue;
    const module = root.find(pathOf(redirected.get(fqn) ?? fqn));
    if (module?.graph === undefined) continue;
    const [base, number] = fqn.split("@") as [string, string?];
    const known = called.get(base) ?? [];
    called.set(base, known);
    known.push([Number(number ?? 0), module]);
  }
  return new Map([...called].map(([base, calls]) => [base, new Map(calls.toSorted(([a], [b]) => a - b))]));
}

function dispatcher(calls: readonly DraftModule[], fqn: string, program: ExportedProgram): DraftModule {
  const [first] = calls;
  const module = new DraftModule("dispatcher", { type: first!.type, calls });
  module.modules = first!.modules;
  const names = new Set(
    program.graphSignature.inputSpecs.flatMap(({ kind, target }) => {
      if (kind === "USER_INPUT" || target === null) return [];
      const dot = target.lastIndexOf(".");
      return target.slice(0, Math.max(dot, 0)) === fqn ? [target.slice(dot + 1)] : [];
    }),
  );
  for (const part of ["parameters", "buffers", "attributes"] as const)
    for (const [name, value] of first![part]) if (names.has(name)) module[part].set(name, value as never);
  return module;
}

/** Dispatchers count the calls themselves. */
function dropCallNumbers(graph: DraftGraph, fqn: string, dispatched: ReadonlySet<string>): void {
  for (const node of graph.nodes()) {
    if (node.op !== "call_module") continue;
    const name = withoutCall(node.target);
    if (dispatched.has(fqn === "" ? name : `${fqn}.${name}`)) node.target = name;
  }
}
