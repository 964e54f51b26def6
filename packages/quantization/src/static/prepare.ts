/** @file Marks the edges that a backend computes in integers. */
import {
  type ExportedProgram,
  float,
  mapRefs,
  Namespace,
  type Node,
  type NodeRef,
  rebuild,
  ref,
} from "@sconce/ir";
import { mapArguments } from "@sconce/trace";
import type { AnnotationOptions, Quantizer } from "../annotate/quantizer.js";
import { type Annotation, isShared, specText } from "../annotate/spec.js";
import { xnnpackQuantizer } from "../annotate/xnnpack.js";
import { asymmetricWeight, unknownAnnotation } from "../errors.js";
import { type EdgeGroup, type EdgeGroups, edgeGroups } from "./edges.js";
import { OBSERVE } from "./observe.js";

/** The name of the pass. */
export const PREPARE = "prepare-quantization";

const DEFAULTS = { isDynamic: false, observer: "histogram", percentile: 0.9999 } as const;

/**
 * Returns the program with observers on the edges that a quantizer annotates: calls of
 * `quantization.observe`, which give their input. The same program when there is no such edge.
 * @throws SconceError `QUANTIZER` for annotations of nodes that are not there; `ASYMMETRIC_WEIGHT`
 */
export function prepareQuantization(
  program: ExportedProgram,
  options: Partial<AnnotationOptions> = {},
  quantizer: Quantizer = xnnpackQuantizer,
): ExportedProgram {
  const { graph, graphSignature } = program;
  // Codes of a value that is written to state would add up from run to run.
  const written = new Set(
    graphSignature.outputSpecs.flatMap(({ kind, arg }) => (kind.endsWith("_MUTATION") ? [arg.name] : [])),
  );
  const isExcluded = (node: Node): boolean => written.has(node.name) || options.isExcluded?.(node) === true;
  const annotations = quantizer.annotate(program, { ...DEFAULTS, ...options, isExcluded });
  for (const [name, { inputs }] of annotations)
    for (const part of [name, ...inputs.keys()])
      if (!graph.has(part)) throw unknownAnnotation(quantizer.name, part);
  refuseAsymmetric(program, annotations, quantizer);
  const preparer = new Preparer(program, edgeGroups(graph, annotations), weightsOf(program, annotations));
  const prepared = rebuild(graph, (node) => preparer.changed(node), { inherit: false });
  return preparer.count === 0 ? program : program.with({ graph: prepared });
}

/** Weights among the annotated inputs: state with a scale for each channel. */
function weightsOf(
  program: ExportedProgram,
  annotations: ReadonlyMap<string, Annotation>,
): ReadonlyMap<string, string> {
  const state = new Set(
    program.graphSignature.inputSpecs.flatMap(({ target, arg }) => (target === null ? [] : [arg.name])),
  );
  const found = new Map<string, string>();
  for (const { inputs } of annotations.values())
    for (const [name, spec] of inputs)
      if (!isShared(spec) && spec.channelAxis !== undefined && state.has(name))
        found.set(name, specText(spec));
  return found;
}

/** @throws SconceError `ASYMMETRIC_WEIGHT` */
function refuseAsymmetric(
  program: ExportedProgram,
  annotations: ReadonlyMap<string, Annotation>,
  { name: quantizer, symmetricWeights }: Quantizer,
): void {
  if (!symmetricWeights) return;
  for (const [node, { inputs }] of annotations)
    for (const [input, spec] of inputs)
      if (!isShared(spec) && spec.channelAxis !== undefined && !spec.isSymmetric)
        throw asymmetricWeight(quantizer, input, `%${node} = ${program.graph.node(node).target}`);
}

class Preparer {
  readonly #groups: EdgeGroups;
  readonly #weights: ReadonlyMap<string, string>;
  readonly #names: Namespace;
  readonly #program: ExportedProgram;
  /** Observers of a value by group: those of outputs, and those of single edges. */
  readonly #outputs = new Map<string, { readonly group: string; readonly name: string }>();
  readonly #inputs = new Map<string, string>();

  constructor(program: ExportedProgram, groups: EdgeGroups, weights: ReadonlyMap<string, string>) {
    this.#program = program;
    this.#groups = groups;
    this.#weights = weights;
    this.#names = new Namespace((name) => program.graph.has(name));
  }

  /** Returns a node that reads observed values, with its observers around it. */
  changed(node: Node): true | Node | readonly Node[] {
    const added: Node[] = [];
    const next = mapArguments(node, (argument) =>
      mapRefs(argument, (input) => this.#observed(input, node, added)),
    );
    const group = node.op === "call_function" ? this.#groups.ofOutput(node.name) : undefined;
    if (group === undefined) return next === node ? true : added.length === 0 ? next : [...added, next];
    const after = this.#observer(node.name, node.name, group.name, specText(group.spec));
    this.#outputs.set(node.name, { group: group.name, name: after.name });
    return [...added, next, after];
  }

  #observed(input: NodeRef, user: Node, added: Node[]): NodeRef {
    const weight = this.#weights.get(input.name);
    if (weight !== undefined) return this.#once(`${input.name} weight`, input.name, "weight", weight, added);
    const output = this.#outputs.get(input.name);
    const group: EdgeGroup | undefined = this.#groups.ofInput(input.name, user.name);
    if (group === undefined || group.name === output?.group)
      return output === undefined ? input : ref(output.name);
    const key = `${input.name} ${group.name}`;
    return this.#once(key, output?.name ?? input.name, group.name, specText(group.spec), added, input.name);
  }

  /** Adds an observer before the first node that needs it; later ones read the same. */
  #once(key: string, value: string, group: string, spec: string, added: Node[], source = value): NodeRef {
    let name = this.#inputs.get(key);
    if (name === undefined) {
      const node = this.#observer(value, source, group, spec);
      added.push(node);
      name = node.name;
      this.#inputs.set(key, name);
    }
    return ref(name);
  }

  /** The number of observers. */
  count = 0;

  #observer(value: string, source: string, group: string, spec: string): Node {
    this.count += 1;
    const { val, stackTrace, nnModuleStack } = this.#program.graph.node(source).meta;
    return {
      name: this.#names.create("observe"),
      op: "call_function",
      target: OBSERVE,
      args: [ref(value), group, spec, float(Number.POSITIVE_INFINITY), float(Number.NEGATIVE_INFINITY)],
      kwargs: {},
      meta: {
        ...(val !== undefined && { val }),
        ...(stackTrace !== undefined && { stackTrace }),
        ...(nnModuleStack !== undefined && { nnModuleStack }),
        origin: { pass: PREPARE, from: [source] },
      },
    };
  }
}
