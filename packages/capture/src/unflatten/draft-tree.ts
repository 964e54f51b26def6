/** @file The modules of a program, before they are registered (`UnflattenedModule.__init__`). */
import type { ExportedProgram, Graph } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { assignState, stateOfInputs } from "./assign-state.js";
import { DraftModule, pathOf, withoutCall } from "./draft-module.js";
import { lostModule, readPastArguments } from "./errors.js";
import { flatGraph, rootType, withTorchNames } from "./flat-graph.js";
import { liveGraph } from "./live-graph.js";
import { outlineModules } from "./outline.js";
import type { ModuleCall, Outline } from "./outline-parts.js";
import { dispatchCalls, shareEqualModules } from "./share-modules.js";
import { sinkState } from "./sink-state.js";

/** The modules of a program. */
export interface DraftTree {
  readonly root: DraftModule;
  /** The paths of modules whose calling conventions are those of the model. */
  readonly preserved: ReadonlySet<string>;
}

/** Builds the modules of a program. @throws SconceError `NOT_UNFLATTENABLE` */
export function draftTree(whole: ExportedProgram, operators: OperatorTable): DraftTree {
  const { graphSignature } = whole;
  const live = whole.with({ graph: liveGraph(whole.graph, operators), graphSignature });
  const program = withTorchNames(live);
  const root = new DraftModule("root");
  const flat = flatGraph(program);
  root.type = rootType(flat);
  const outline = outlineModules(flat, root, program.moduleCallGraph, operators);
  const calls = [...outline.calls.values()];
  writeMutations(calls, outline);
  copyBodies(root, program.graph, outline);
  assignState(root, program);
  sinkState(root, stateOfInputs(program));
  const redirected = shareEqualModules(calls);
  const preserved = dispatchCalls(root, program, redirected);
  const paths = program.moduleCallGraph
    .map(({ fqn }) => fqn)
    .filter((fqn) => !redirected.has(fqn) && !fqn.includes("@"));
  orderModules(root, paths);
  requireModules(root);
  return { root, preserved };
}

/** Every call has its module; equal calls that are dropped may take those of others with them. */
function requireModules(root: DraftModule): void {
  for (const [, module] of root.all())
    for (const owner of [module, ...module.calls])
      for (const { op, target } of owner.graph?.nodes() ?? [])
        if (op === "call_module" && owner.find(pathOf(target)) === undefined) throw lostModule(target);
}

/** Writes state where a functional value of it is computed that a preserved call reads. */
function writeMutations(calls: readonly (readonly ModuleCall[])[], { mutations }: Outline): void {
  for (const { fqn, module } of calls.flat()) {
    const names = mutations.get(fqn);
    if (names === undefined) continue;
    const graph = module.graph!;
    for (const node of graph.nodes()) {
      if (!names.has(node.name)) continue;
      const [written] = node.args;
      if (written === undefined) throw readPastArguments(fqn, node);
      const args = [written, node.ref];
      graph.at({ after: node }, () => {
        graph.add({ op: "call_function", target: "aten.copy_.default", args, meta: node.meta });
      });
    }
  }
}

/** Bodies of branches and loops belong to the modules that call those. */
function copyBodies(root: DraftModule, graph: Graph, { bodies }: Outline): void {
  for (const [fqn, names] of bodies) {
    const module = root.find(pathOf(fqn))!;
    for (const name of names) module.modules.set(name, bodyOf(graph.subgraphs.get(name)!));
  }
}

function bodyOf(graph: Graph): DraftModule {
  const module = new DraftModule("body", { body: graph });
  for (const [name, nested] of graph.subgraphs) module.modules.set(name, bodyOf(nested));
  return module;
}

/** Puts modules into the order of the model; those that were not called get no graph. */
function orderModules(root: DraftModule, paths: readonly string[]): void {
  const order = new Map(paths.map((path, i) => [path, i]));
  for (const [path] of root.all()) if (!order.has(path)) order.set(path, order.size);
  for (const path of [...order.keys()].slice(1))
    if (root.find(pathOf(path)) === undefined) root.set(path, new DraftModule("plain"));
  const sort = (module: DraftModule, prefix: string): void => {
    const ranked = [...module.modules].map(([name, child]) => {
      const fqn = prefix + name;
      sort(child, `${withoutCall(fqn)}.`);
      return { name, child, rank: order.get(fqn) ?? order.get(withoutCall(fqn)) ?? order.size };
    });
    module.modules.clear();
    for (const { name, child } of ranked.toSorted((a, b) => a.rank - b.rank)) module.modules.set(name, child);
  };
  sort(root, "");
}
