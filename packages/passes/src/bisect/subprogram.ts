/**
 * @file Parts of a program as programs: what they read from the rest becomes an input, with the
 * value that it had.
 */
import {
  type Argument,
  type ExportedProgram,
  FakeTensor,
  float,
  forEachInput,
  type Graph,
  GraphBuilder,
  isRef,
  isSymScalar,
  type Node,
  type OutputSpec,
  type ProgramRunner,
  ref,
  tuple,
  type Value,
} from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { snapshot } from "../checking/first-node.js";
import { copies, outcomeOf } from "../checking/outcome.js";
import { regionProgram } from "../regions/region-program.js";

/** A program with inputs to run it on. */
export interface Reproducer {
  /** The reduced program. */
  readonly program: ExportedProgram;
  /** Flat user inputs, as a run takes them. */
  readonly inputs: readonly Value[];
}

/** A program whose parts are taken. */
export class Parts {
  readonly #program: ExportedProgram;
  /** Values of all nodes, user inputs among them. */
  readonly #values = new Map<string, unknown>();
  readonly #mutations: readonly OutputSpec[];

  constructor(run: ProgramRunner | undefined, { program, inputs }: Reproducer) {
    this.#program = program;
    const user = program.graphSignature.inputSpecs.filter(({ kind }) => kind === "USER_INPUT");
    for (const [i, value] of copies(inputs).entries()) this.#values.set(user[i]!.arg.name, value);
    this.#mutations = program.graphSignature.outputSpecs.filter(({ kind }) => /MUTATION$/.test(kind));
    if (run === undefined) return;
    try {
      outcomeOf(run, program, inputs, (node, value) => this.#values.set(node.name, snapshot(value)));
    } catch {
      // What has no value cannot be made an input.
    }
  }

  /** All calls, in order. */
  get calls(): Node[] {
    return this.#program.graph.calls();
  }

  /**
   * Returns the program of some calls, without some of its results; undefined where they need a
   * value that cannot be an input. Results are those of the program and whatever nothing else
   * reads.
   */
  take(calls: ReadonlySet<string>, without: ReadonlySet<string> = new Set()): Reproducer | undefined {
    const nodes = this.#closed(calls);
    const kept = new Set(nodes.map(({ name }) => name));
    const outside = this.#outside(nodes, kept);
    const results = this.#results(nodes, kept).filter((name) => !without.has(name));
    const mutations = this.#mutations.filter(({ arg }) => kept.has(arg.name) && !without.has(arg.name));
    const inputs = this.#inputNames(outside, mutations);
    if (inputs.some((name) => !this.#canBeInput(name))) return undefined;
    const graph = this.#graph(inputs, outside, nodes, [...mutations.map(({ arg }) => arg.name), ...results]);
    const program = regionProgram(this.#program, { name: "", graph, inputs, outputs: results });
    const { inputSpecs, outputSpecs } = program.graphSignature;
    const given = inputSpecs
      .filter(({ kind }) => kind === "USER_INPUT")
      .map(({ arg }) => this.#values.get(arg.name) as Value);
    return withExamples({
      program: program.with({ graphSignature: { inputSpecs, outputSpecs: [...mutations, ...outputSpecs] } }),
      inputs: given.map(plainValue),
    });
  }

  /** Items of a list that is not there are not there either. */
  #closed(calls: ReadonlySet<string>): Node[] {
    const kept = new Set<string>();
    return this.calls.filter(({ name, target, args }) => {
      const source = args[0];
      const isItem = target === "operator.getitem" && isRef(source as Argument);
      if (!calls.has(name) || (isItem && !kept.has((source as { name: string }).name))) return false;
      kept.add(name);
      return true;
    });
  }

  #outside(nodes: readonly Node[], kept: ReadonlySet<string>): Set<string> {
    const outside = new Set<string>();
    for (const node of nodes) forEachInput(node, (name) => void (kept.has(name) || outside.add(name)));
    return outside;
  }

  #results(nodes: readonly Node[], kept: ReadonlySet<string>): string[] {
    const read = new Set<string>();
    for (const node of nodes) forEachInput(node, (name) => read.add(name));
    const own = new Set(this.#program.userOutputs.flatMap((value) => ("name" in value ? [value.name] : [])));
    const isValue = ({ meta: { val } }: Node): boolean => val instanceof FakeTensor || isSymScalar(val);
    return nodes
      .filter((node) => kept.has(node.name) && isValue(node) && (own.has(node.name) || !read.has(node.name)))
      .map(({ name }) => name);
  }

  /**
   * Inputs of the program in its order, those that a mutation is written to among them, then values
   * of calls.
   */
  #inputNames(outside: ReadonlySet<string>, mutations: readonly OutputSpec[]): string[] {
    const targets = new Set(mutations.map(({ target }) => target));
    const { graph, graphSignature } = this.#program;
    const own = graph.placeholders().filter(({ name }, i) => {
      const target = graphSignature.inputSpecs[i]?.target ?? name;
      return outside.has(name) || targets.has(target);
    });
    const cut = [...outside].filter((name) => graph.node(name).op === "call_function");
    return [...own.map(({ name }) => name), ...cut];
  }

  #canBeInput(name: string): boolean {
    const spec = this.#program.graphSignature.inputSpecs.find(({ arg }) => arg.name === name);
    if (spec !== undefined && spec.kind !== "USER_INPUT") return spec.kind !== "TOKEN";
    const value = this.#values.get(name);
    return value !== undefined && value !== null && !Array.isArray(value);
  }

  #graph(
    inputs: readonly string[],
    outside: ReadonlySet<string>,
    nodes: readonly Node[],
    results: readonly string[],
  ): Graph {
    const { graph } = this.#program;
    const builder = new GraphBuilder({ unknownTargets: "allow" });
    for (const name of inputs) {
      const node = graph.node(name);
      if (node.op === "placeholder") builder.add(node);
      else builder.placeholder(name, { val: node.meta.val! });
    }
    for (const name of outside) {
      const node = graph.node(name);
      if (node.op !== "get_attr") continue;
      builder.subgraph(node.target, graph.subgraphs.get(node.target)!);
      builder.add(node);
    }
    for (const node of nodes) builder.add(node);
    builder.output(tuple(results.map(ref)));
    return builder.build();
  }
}

/** Returns a scalar as callers give it. */
function plainValue(value: Value): Value {
  const tagged = value as { readonly kind?: unknown; readonly value?: unknown } | null;
  return typeof value === "object" && tagged?.kind === "float" ? Number(tagged.value) : value;
}

/** Returns the program with its inputs as example inputs, so that its text has them. */
export function withExamples({ program, inputs }: Reproducer): Reproducer {
  const { graph } = program;
  const user = program.graphSignature.inputSpecs.filter(({ kind }) => kind === "USER_INPUT");
  const leaves = inputs.map((value, i): Tensor | Argument => {
    const val = graph.find(user[i]!.arg.name)?.meta.val;
    const isFloat = typeof val === "object" && val !== null && "kind" in val && val.kind === "SymFloat";
    return typeof value === "number" && isFloat ? float(value) : (value as Tensor | Argument);
  });
  return { program: program.with({ exampleInputs: { leaves } }), inputs };
}
