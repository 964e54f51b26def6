/**
 * @file What a recorded program has that no call of a model says: the numbers in the names of its
 * nodes, and whether it was lowered. `typescriptText` writes it beside the model.
 */

import { checkOptions, type OptionNames } from "@sconce/errors";
import {
  type ArgumentSpec,
  type ExportedProgram,
  edit,
  type Graph,
  isRef,
  leafCount,
  mapModuleCalls,
  type Node,
  type NodeRef,
  parseTreeSpec,
  rebuild,
  renameNodes,
  type TreeSpec,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { FunctionParameter } from "@sconce/source-check";
import { type Module, modelOperators } from "@sconce/torch";
import { badRecording, otherTree } from "./errors.js";

/** Lowers a program by PyTorch's default table, as `runDecompositions` does. */
type Lower = (
  program: ExportedProgram,
  table: undefined,
  options: { readonly operators: OperatorTable },
) => ExportedProgram;

/** What {@link asRecorded} gives the exports of a model. */
export interface Recorded {
  /** What lowers the exports: `runDecompositions`. @defaultValue none */
  readonly lowered?: Lower | undefined;
  /**
   * The numbers in names of nodes, in the order of the graph, by the names without numbers:
   * `{ add: [null, 3] }` for the nodes `add` and `add_3`. Nodes of a nested graph have the name of
   * the graph in front: `true_graph_0.add`. @defaultValue counted
   */
  readonly numbers?: Readonly<Record<string, readonly (number | null)[]>> | undefined;
  /**
   * The nodes that messages of assertions name, in the order of the graph, by nested graphs.
   * @defaultValue the conditions that are asserted
   */
  readonly asserted?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * Arguments whose names cannot be those of variables, by the names in the source:
   * `{ const_: "const" }`. @defaultValue none
   */
  readonly arguments?: Readonly<Record<string, string>> | undefined;
  /**
   * The containers of the arguments and of the result as PyTorch's text of a tree, where JavaScript
   * has no such container: a `collections.deque` is an array here. @defaultValue those of the call
   */
  readonly inSpec?: string | undefined;
  /** As `inSpec`, of the result. */
  readonly outSpec?: string | undefined;
  /** Whether dynamic sizes have the symbols of a strict export. @defaultValue false */
  readonly strictSymbols?: boolean | undefined;
  /**
   * Inputs of parameters and buffers that have other names, by those that the export gives:
   * `{ p_a_weight: "p_b_weight" }`. @defaultValue none
   */
  readonly inputs?: Readonly<Record<string, string>> | undefined;
}

const RECORDED: OptionNames<Recorded> = {
  arguments: true,
  asserted: true,
  inputs: true,
  inSpec: true,
  outSpec: true,
  lowered: true,
  numbers: true,
  strictSymbols: true,
};

const recordings = new WeakMap<object, Recorded>();

/**
 * Lets the exports of a model have what a recorded program has and no call says: the numbers in the
 * names of its nodes, which depend on calls that are no longer in the program, and its dialect.
 * Returns the model. `typescriptText` writes such calls; `exportProgram` reports the numbers that
 * no longer fit a model that you changed, and counts anew.
 *
 * @throws SconceError `EXPORT_OPTION`
 */
export function asRecorded<M extends Module>(model: M, recorded: Recorded): M {
  checkOptions("asRecorded", recorded, RECORDED);
  for (const [base, numbers] of Object.entries(recorded.numbers ?? {}))
    if (!Array.isArray(numbers) || !numbers.every(isNumber)) throw badRecording(base);
  recordings.set(model, recorded);
  return model;
}

const isNumber = (value: unknown): boolean =>
  value === null || (Number.isSafeInteger(value) && (value as number) >= 0);

/** Returns the parameters of a model under the names that {@link asRecorded} gave them. */
export function withRecordedNames(
  model: Module | undefined,
  parameters: readonly FunctionParameter[] | undefined,
): readonly FunctionParameter[] | undefined {
  const names = model === undefined ? undefined : recordings.get(model)?.arguments;
  if (names === undefined) return parameters;
  return parameters?.map((parameter) =>
    parameter.name !== undefined && Object.hasOwn(names, parameter.name)
      ? { ...parameter, name: names[parameter.name]! }
      : parameter,
  );
}

/** Returns whether {@link asRecorded} gave a model the symbols of a strict export. */
export const hasStrictSymbols = (model: Module | undefined): boolean =>
  model !== undefined && recordings.get(model)?.strictSymbols === true;

/** Returns the exported program with what {@link asRecorded} gave its model. */
export function withRecorded(
  model: Module | undefined,
  exported: ExportedProgram,
  warn: (message: string) => void,
): ExportedProgram {
  const recorded = model === undefined ? undefined : recordings.get(model);
  if (recorded === undefined) return exported;
  const program = recorded.lowered === undefined ? exported : lowered(exported, recorded.lowered);
  const { graph, names } = new Renaming(recorded, warn).run(program.graph);
  return withTrees(renamedProgram(program, graph, names), recorded);
}

/**
 * Returns the program as it is after it was lowered: writes to inputs are what it returns for them.
 */
function lowered(exported: ExportedProgram, lower: Lower): ExportedProgram {
  const program = lower(exported, undefined, { operators: modelOperators() });
  const { graph } = program;
  const written = new Map<string, NodeRef>();
  for (const name of program.userInputsToMutate.keys()) {
    const { target, args } = graph.node(name);
    const value = args[1];
    const isCopy = target === "aten.copy.default" && isRef(args[0]) && isRef(value);
    if (isCopy && graph.users(name).every(({ op }) => op === "output")) written.set(name, value);
  }
  if (written.size === 0) return program;
  const copied = edit(graph, (editor) => {
    for (const [name, value] of written) {
      editor.replaceAllUses(name, value);
      editor.remove(name);
    }
  });
  return program.with({ graph: copied });
}

/** Returns the program with the containers of the recorded call. */
function withTrees(program: ExportedProgram, { inSpec, outSpec }: Recorded): ExportedProgram {
  if (inSpec === undefined && outSpec === undefined) return program;
  const read = (text: string | undefined, own: TreeSpec): TreeSpec => {
    const spec = text === undefined ? own : parseTreeSpec(text);
    if (leafCount(spec) !== leafCount(own)) throw otherTree(leafCount(spec), leafCount(own));
    return spec;
  };
  const moduleCallGraph = program.moduleCallGraph.map((entry) => {
    const { fqn, signature } = entry;
    if (fqn !== "" || signature === null) return entry;
    const specs = { inSpec: read(inSpec, signature.inSpec), outSpec: read(outSpec, signature.outSpec) };
    return { fqn, signature: { ...signature, ...specs } };
  });
  return program.with({ moduleCallGraph });
}

/** Returns a name without its number, and its number. */
export function nameParts(name: string): readonly [base: string, number: number | null] {
  const match = /^(.*)_(\d+)$/.exec(name);
  return match === null || String(Number(match[2])) !== match[2]
    ? [name, null]
    : [match[1]!, Number(match[2])];
}

/** Returns the key of a name in the table of numbers. */
export const numbersKey = (path: string, base: string): string => (path === "" ? base : `${path}.${base}`);

/** Returns the nodes of a graph whose numbers the table gives, by names without numbers. */
export function numberedNodes(graph: Graph, path: string): Map<string, Node[]> {
  const found = new Map<string, Node[]>();
  for (const node of graph.nodes()) {
    // Inputs of the program have the names of arguments.
    if (node.op === "output" || (node.op === "placeholder" && path === "")) continue;
    const [base] = nameParts(node.name);
    const nodes = found.get(base);
    if (nodes === undefined) found.set(base, [node]);
    else nodes.push(node);
  }
  return found;
}

export const ASSERT_SCALAR = "aten._assert_scalar.default";

/** The message of an assertion that a trace made, up to the name of the condition. */
export const ASSERTED = /^(Runtime assertion failed for expression .* on node ')(\w*)'$/s;

class Renaming {
  readonly #recorded: Recorded;
  readonly #warn: (message: string) => void;

  constructor(recorded: Recorded, warn: (message: string) => void) {
    this.#recorded = recorded;
    this.#warn = warn;
  }

  run(graph: Graph): { readonly graph: Graph; readonly names: ReadonlyMap<string, string> } {
    const names = new Map(Object.entries(this.#recorded.inputs ?? {}));
    return { graph: this.#graph(graph, "", names), names };
  }

  #graph(graph: Graph, path: string, names: Map<string, string>): Graph {
    const numbers = this.#recorded.numbers ?? {};
    for (const [base, nodes] of numberedNodes(graph, path)) {
      const wanted = numbers[numbersKey(path, base)];
      if (wanted === undefined) continue;
      if (wanted.length !== nodes.length)
        this.#warn(otherCount(numbersKey(path, base), wanted.length, nodes.length));
      else
        nodes.forEach(({ name }, i) => {
          names.set(name, wanted[i] === null ? base : `${base}_${wanted[i]}`);
        });
    }
    const fitting = this.#areUnique(graph, names, path) ? names : new Map<string, string>();
    if (fitting !== names) names.clear();
    const renamed = this.#withMessages(renameNodes(graph, fitting), path, fitting);
    if (renamed.subgraphs.size === 0) return renamed;
    const subgraphs = [...renamed.subgraphs].map(
      ([target, nested]) => [target, this.#graph(nested, numbersKey(path, target), new Map())] as const,
    );
    return rebuild(renamed, () => true, { subgraphs: new Map(subgraphs) });
  }

  #areUnique(graph: Graph, names: ReadonlyMap<string, string>, path: string): boolean {
    const all = [...graph.nodes()].map(({ name }) => names.get(name) ?? name);
    if (new Set(all).size === all.length) return true;
    this.#warn(
      `asRecorded gives two nodes${path === "" ? "" : ` of "${path}"`} one name; the nodes are counted anew. Remove the numbers from the table.`,
    );
    return false;
  }

  /** Messages of assertions name the condition. */
  #withMessages(graph: Graph, path: string, names: ReadonlyMap<string, string>): Graph {
    const asserted = this.#recorded.asserted?.[path];
    if (asserted === undefined && names.size === 0) return graph;
    let index = 0;
    return rebuild(graph, (node) => {
      const [condition, message] = node.args;
      const match =
        node.target === ASSERT_SCALAR && typeof message === "string" ? ASSERTED.exec(message) : null;
      if (match === null) return true;
      const name = asserted?.[index++] ?? names.get(match[2]!);
      return name === undefined ? true : { ...node, args: [condition!, `${match[1]}${name}'`] };
    });
  }
}

const otherCount = (base: string, wanted: number, count: number): string =>
  `asRecorded has ${wanted} numbers for nodes "${base}", and the model makes ${count}; they are counted anew. Remove "${base}" from the table.`;

function renamedProgram(
  program: ExportedProgram,
  graph: Graph,
  names: ReadonlyMap<string, string>,
): ExportedProgram {
  if (graph === program.graph) return program;
  const rename = <T extends ArgumentSpec>(arg: T): T => ({ ...arg, name: names.get(arg.name) ?? arg.name });
  const { inputSpecs, outputSpecs } = program.graphSignature;
  return program.with({
    graph,
    graphSignature: {
      inputSpecs: inputSpecs.map((spec) => ({ ...spec, arg: rename(spec.arg) })),
      outputSpecs: outputSpecs.map((spec) => ({ ...spec, arg: rename(spec.arg) })),
    },
    moduleCallGraph: mapModuleCalls(program.moduleCallGraph, rename),
  });
}
