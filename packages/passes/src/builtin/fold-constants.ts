import { SconceError } from "@sconce/errors";
import {
  type Argument, type ExportedProgram, FakeTensor, forEachInput, Graph, type InputSpec, mapRefs, type Node, NO_KWARGS, ref, type Value,
} from "@sconce/ir";
import { dtypeInfo, Tensor } from "@sconce/tensor";
import { hasEffect } from "../decompose/dead-nodes.js";
import { CollisionNames } from "../decompose/naming.js";
import { callKey } from "./call-key.js";
import { definePass, type Evaluator, type PassContext } from "../pass.js";

/** `permute(w)` of a constant `w` becomes a constant. */
export const foldConstants = definePass({
  name: "fold-constants",
  doc: "Computes calls whose inputs are all constant, and lifts the results as tensor constants.",
  requires: "ATEN",
  options: {
    weights: { default: false, doc: "count parameters and buffers that nothing mutates as constants too (freezing)" },
    "max-bytes": { default: 1 << 20, doc: "largest result kept, in bytes, unless its inputs together are larger" },
  },
  run(program, context, options) {
    if (context.evaluate === undefined) {
      throw new SconceError({
        code: "NO_EVALUATOR",
        message: "constant folding needs a backend to compute with",
        fix: "run the pass through createSconce(), or give the pass manager's context an `evaluate`",
      });
    }
    const folder = new Folder(program, context, context.evaluate, options["weights"] === true, Number(options["max-bytes"]));
    return folder.run();
  },
});

class Folder {
  readonly #program: ExportedProgram;
  readonly #context: PassContext;
  readonly #evaluate: Evaluator;
  readonly #maxBytes: number;
  /** Values of constant nodes, computed when first needed. */
  readonly #known = new Map<string, Value | readonly Value[]>();
  /** Names of the first computed node by call, so that equal calls are computed and stored once. */
  readonly #first = new Map<string, string>();
  readonly #same = new Map<string, string>();
  /** Names of the nodes whose value is known to be constant because a tensor constant flows into them. */
  readonly #rooted = new Set<string>();

  constructor(program: ExportedProgram, context: PassContext, evaluate: Evaluator, weights: boolean, maxBytes: number) {
    this.#program = program;
    this.#context = context;
    this.#evaluate = evaluate;
    this.#maxBytes = maxBytes;
    const mutated = new Set(program.graphSignature.outputSpecs.map((spec) => spec.target));
    for (const spec of program.graphSignature.inputSpecs) {
      const constant = spec.kind === "CONSTANT_TENSOR" || (weights && (spec.kind === "PARAMETER" || spec.kind === "BUFFER"));
      const value = constant && spec.target !== null && !mutated.has(spec.target) ? program.tensor(spec.target) : undefined;
      if (value === undefined) continue;
      this.#known.set(spec.arg.name, value);
      this.#rooted.add(spec.arg.name);
    }
  }

  run(): ExportedProgram {
    const { graph } = this.#program;
    for (const node of graph.nodes()) this.#visit(node);
    const lifted = this.#lifted();
    return lifted.length === 0 ? this.#program : this.#rebuild(lifted);
  }

  #visit(node: Node): void {
    if (node.op !== "call_function" || !this.#isFoldable(node)) return;
    let rooted = false;
    forEachInput(node, (name) => {
      rooted ||= this.#rooted.has(name);
    });
    const inputBytes = inputBytesOf(node, this.#known);
    const size = bytesOf(node.meta.val);
    if (size > Math.max(this.#maxBytes, inputBytes)) return;
    const key = callKey(node, (name) => this.#same.get(name) ?? name);
    const first = this.#first.get(key);
    if (first === undefined) this.#first.set(key, node.name);
    else this.#same.set(node.name, first);
    this.#known.set(node.name, first === undefined ? this.#compute(node) : this.#known.get(first)!);
    if (rooted) this.#rooted.add(node.name);
  }

  #isFoldable(node: Node): boolean {
    let constant = true;
    forEachInput(node, (name) => {
      constant &&= this.#known.has(name);
    });
    if (!constant || hasSymbols(node.meta.val)) return false;
    if (node.target === "operator.getitem") return true;
    const row = this.#context.operators.get(node.target);
    if (row === undefined || hasEffect(node, this.#context.operators)) return false;
    return !row.tags.includes("nondeterministic_seeded") && !node.target.startsWith("aten.empty");
  }

  #compute(node: Node): Value | readonly Value[] {
    const resolve = (argument: Argument): Argument => mapRefs(argument, (input) => this.#known.get(input.name) as Argument);
    const args = node.args.map(resolve);
    if (node.target === "operator.getitem") return (args[0] as unknown as readonly Value[])[Number(args[1])]!;
    const kwargs: Record<string, Argument> = {};
    for (const key in node.kwargs) kwargs[key] = resolve(node.kwargs[key]!);
    try {
      return this.#evaluate(node.target, args, kwargs);
    } catch (error) {
      throw error instanceof SconceError ? error.at(`%${node.name} = ${node.target}`) : error;
    }
  }

  /** Computed nodes that a node which stays reads; a factory alone is cheaper to run than to store. */
  #lifted(): Node[] {
    const needed = new Set<string>();
    for (const node of this.#program.graph.nodes()) {
      if (node.op === "placeholder" || this.#isComputed(node)) continue;
      forEachInput(node, (name) => needed.add(name));
    }
    return [...this.#program.graph.nodes()].filter((node) => needed.has(node.name) && this.#isComputed(node) && this.#known.get(node.name) instanceof Tensor);
  }

  #isComputed(node: Node): boolean {
    return node.op === "call_function" && this.#known.has(node.name) && this.#rooted.has(node.name);
  }

  #rebuild(lifted: readonly Node[]): ExportedProgram {
    const { graph, graphSignature } = this.#program;
    const names = new CollisionNames();
    for (const node of graph.nodes()) names.placeholder(node.name);
    const constants = new Map(this.#program.constants);
    const placeholders: Node[] = [];
    const specs: InputSpec[] = [];
    const renamed = new Map<string, string>();
    const freeKey = keyMaker(constants, this.#program);
    for (const node of lifted) {
      const first = this.#same.get(node.name) ?? node.name;
      const known = renamed.get(first);
      if (known !== undefined) {
        renamed.set(node.name, known);
        continue;
      }
      const target = freeKey();
      const name = names.rename(`c_${target}`);
      constants.set(target, this.#known.get(node.name) as Tensor);
      placeholders.push(placeholderOf(name, node));
      specs.push({ kind: "CONSTANT_TENSOR", arg: { kind: "tensor", name }, target, persistent: null });
      renamed.set(node.name, name).set(first, name);
    }
    const at = graphSignature.inputSpecs.findIndex((spec) => spec.kind === "USER_INPUT");
    const position = at === -1 ? graphSignature.inputSpecs.length : at;
    const computed = new Set([...graph.nodes()].filter((node) => this.#isComputed(node)).map((node) => node.name));
    const kept = [...graph.nodes()].filter((node) => !computed.has(node.name)).map((node) => withRenamed(node, renamed));
    const nodes = [...kept.slice(0, position), ...placeholders, ...kept.slice(position)];
    const inputSpecs = graphSignature.inputSpecs.slice();
    inputSpecs.splice(position, 0, ...specs);
    const outputSpecs = graphSignature.outputSpecs.map((spec) =>
      renamed.has(spec.arg.name) ? { ...spec, arg: { ...spec.arg, name: renamed.get(spec.arg.name)! } } : spec,
    );
    return this.#program.with({
      graph: new Graph(nodes, graph.subgraphs),
      graphSignature: { inputSpecs, outputSpecs },
      constants,
    });
  }
}

function withRenamed(node: Node, renamed: ReadonlyMap<string, string>): Node {
  const replace = (argument: Argument): Argument =>
    mapRefs(argument, (input) => (renamed.has(input.name) ? ref(renamed.get(input.name)!) : input));
  const kwargs: Record<string, Argument> = {};
  for (const key in node.kwargs) kwargs[key] = replace(node.kwargs[key]!);
  const args = node.args.map(replace);
  const same = args.every((arg, i) => arg === node.args[i]) && Object.keys(kwargs).every((key) => kwargs[key] === node.kwargs[key]);
  return same ? node : Object.freeze({ ...node, args, kwargs });
}

/** Gives `_folded_0`, `_folded_1`, ... past those in use. */
function keyMaker(constants: ReadonlyMap<string, unknown>, program: ExportedProgram): () => string {
  let count = 0;
  return () => {
    while (constants.has(`_folded_${count}`) || program.stateDict.has(`_folded_${count}`)) count++;
    return `_folded_${count++}`;
  };
}

const placeholderOf = (name: string, node: Node): Node =>
  Object.freeze({
    name, op: "placeholder", target: name, args: [], kwargs: NO_KWARGS,
    meta: { val: node.meta.val ?? null, origin: { pass: "fold-constants", from: [node.name] } },
  });

function hasSymbols(val: unknown): boolean {
  if (val instanceof FakeTensor) return val.shape.some((size) => typeof size !== "number");
  if (Array.isArray(val)) return val.some(hasSymbols);
  return typeof val === "object" && val !== null && "expr" in val && typeof (val as { expr: unknown }).expr === "object";
}

function bytesOf(val: unknown): number {
  if (Array.isArray(val)) return val.reduce((sum: number, item) => sum + bytesOf(item), 0);
  if (!(val instanceof FakeTensor)) return 0;
  return val.shape.reduce((product: number, size) => product * Number(size), dtypeInfo(val.dtype).itemSize);
}

function inputBytesOf(node: Node, known: ReadonlyMap<string, Value | readonly Value[]>): number {
  let bytes = 0;
  forEachInput(node, (name) => {
    const value = known.get(name);
    if (value instanceof Tensor) bytes += value.numel * dtypeInfo(value.dtype).itemSize;
  });
  return bytes;
}

