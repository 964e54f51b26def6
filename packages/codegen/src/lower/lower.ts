import { checkOptions, eachInPieces, finish, type OptionNames, optionValue, type Work } from "@sconce/errors";
import {
  FakeTensor,
  forEachInput,
  type Graph,
  isRef,
  isSymScalar,
  itemsOf,
  type MetaValue,
  type Node,
  type NodeRef,
  type Reason,
} from "@sconce/ir";
import { bindArgs, isScalarFunction, type OpDefinition, type OperatorTable, type OpTag } from "@sconce/ops";
import { STATIC_ENV, type SymEnv } from "@sconce/symbolic";
import { isComplexDType } from "@sconce/tensor";
import { whyNotInside } from "../analysis/size-limits.js";
import type { LoopNest, LoopOutput, LoopProgram, NotLowered } from "../ir/loop-program.js";
import { readsOf } from "../ir/traverse.js";
import { CannotLower, cannot, shapeOf } from "./core/call.js";
import { type FusionLimits, type Layouts, LoweringContext } from "./core/context.js";
import { LazyTensor } from "./core/lazy.js";
import type { Lowered, Lowering, LoweringTable } from "./core/lowering.js";
import { notLowered } from "./errors.js";
import { Expander } from "./expand.js";
import { takesComplex } from "./families/complex.js";
import { joinsOf } from "./joins.js";
import { channelsLastLayouts } from "./layouts.js";
import { withReadParts } from "./read-parts.js";
import { LOWERINGS } from "./table.js";

/** How a graph is lowered to loops. */
export interface LowerToLoopsOptions {
  /** The operators, by which decompositions are found. */
  readonly operators: OperatorTable;
  /** How much one nest may take in. */
  readonly limits?: FusionLimits;
  /** The operator table; Sconce's own by default. */
  readonly lowerings?: LoweringTable;
  /**
   * Decides conditions on symbolic sizes in decompositions; those that assumptions leave open are
   * refused without it.
   */
  readonly env?: SymEnv;
  /**
   * Orders of dimensions in memory, by the names of nodes; `"channels-last"` takes those of
   * {@link channelsLastLayouts}. Other values, inputs and results of the graph are row-major, and
   * so are values of another rank than their order.
   */
  readonly layouts?: Layouts | "channels-last";
}

const LOWER: OptionNames<LowerToLoopsOptions> = {
  operators: true,
  limits: true,
  lowerings: true,
  env: true,
  layouts: true,
};

/**
 * Lowers a functional graph of core operators to loop nests, fusing as it goes: views become index
 * arithmetic, chains of pointwise operators join what reads or makes their operands, reductions and
 * products keep their epilogues. Operators without a rule are lowered by their decompositions.
 *
 * Shapes may be symbolic; sizes then stay in the index expressions until a program is run.
 *
 * @throws SconceError `NOT_LOWERED` that names every node that cannot be lowered
 */
export const lowerToLoops = (graph: Graph, options: LowerToLoopsOptions): LoopProgram =>
  finish(loweringSteps(graph, options));

/** As {@link lowerToLoops}, in pieces. */
export function* loweringSteps(given: Graph, options: LowerToLoopsOptions): Work<LoopProgram> {
  checkOptions("lowerToLoops", options, LOWER);
  checkLayouts(options.layouts);
  const graph = options.lowerings === undefined ? withReadParts(given) : given;
  const lowering = new GraphLowering(graph, options, yield* partsOf(graph, options, graph.nodes()));
  yield* lowering.run();
  if (lowering.refused.length > 0) throw notLowered(lowering.refused);
  yield;
  return lowering.program();
}

/**
 * Lowers one call whose operands are in memory. The outputs are the results that the graph reads,
 * by the names of their nodes. Returns the reason where the call has no loops.
 */
export function lowerCall(node: Node, graph: Graph, options: LowerToLoopsOptions): LoopProgram | Reason {
  if (node.op !== "call_function" || isStructural(node)) return NO_LOOPS;
  if (isScalarFunction(node.target)) return { reason: NO_SIZE };
  const parts = Array.isArray(node.meta.val) ? graph.users(node.name).filter(isPick) : [];
  const { layouts: _, ...alone } = options;
  const lowering = new GraphLowering(graph, alone, finish(partsOf(graph, options, [node, ...parts])));
  forEachInput(node, (name) => lowering.assume(graph.node(name)));
  try {
    const loops = lowering.alone([node, ...parts]);
    const reason = whyNotInside(loops);
    return reason === undefined ? loops : { reason };
  } catch (error) {
    if (error instanceof CannotLower) return { reason: error.message };
    throw error;
  }
}

/** Returns why a call cannot be lowered to loops, or undefined; calls are judged one by one. */
export function whyNotLowered(node: Node, graph: Graph, options: LowerToLoopsOptions): string | undefined {
  const lowered = lowerCall(node, graph, options);
  return "reason" in lowered ? lowered.reason : undefined;
}

const NO_LOOPS: LoopProgram = { buffers: [], nests: [], inputs: [], outputs: [] };
const isPick = ({ target }: Node): boolean => target === "operator.getitem";
/** Calls that pick from results or compute sizes: nothing to lower. */
const isStructural = (node: Node): boolean =>
  isPick(node) || (isSizeValue(node.meta.val) && !readsTensor(node.target));
/** Floats and bools of sizes. */
const NO_SIZE = "it is a number computed from sizes, which no loop makes";
/** Returns whether a scalar comes from a tensor's elements: all others come from sizes. */
const readsTensor = (target: string): boolean => !isScalarFunction(target) && !target.startsWith("aten.sym_");
/** Rejects values that no nest can read or write, before a rule uses them. */
function checkOperand(value: unknown, { target, isView }: Lowering): void {
  if (isOtherNumber(value)) cannot("it reads a symbolic float or bool");
  for (const item of Array.isArray(value) ? (value as readonly unknown[]) : [value]) {
    if (!(item instanceof FakeTensor) || !isComplexDType(item.dtype)) continue;
    const isKnown = item.dtype !== "complex32" && (isView || takesComplex(target));
    if (!isKnown) cannot(`${target} of ${item.dtype} is not lowered to loops`);
  }
}
const isSizeValue = (value: unknown): boolean => isSymScalar(value) && value.kind === "SymInt";
/** Returns whether a value is a float or a bool that is computed from sizes. */
const isOtherNumber = (value: unknown): boolean => isSymScalar(value) && value.kind !== "SymInt";

/** Returns why an operator never lowers to loops, judged by its row in the table. */
function whyNever(row: OpDefinition | undefined): string | undefined {
  if (row === undefined) return undefined;
  const has = (tag: OpTag): boolean => row.tags.includes(tag);
  if (row.schema.isMutable) return "writes to its argument: functionalize the program first";
  if (has("dynamic_output_shape")) return "returns a data-dependent shape";
  if (has("nondeterministic_seeded")) return "draws random numbers";
  if (has("effect")) return "is a run-time check; no element depends on it";
  return undefined;
}

/** What lowering knows of all steps before the first. */
interface Parts {
  readonly expander: Expander;
  readonly steps: readonly Node[];
  readonly uses: ReadonlyMap<string, number>;
  readonly joins: ReadonlyMap<string, string>;
}

function* partsOf(graph: Graph, options: LowerToLoopsOptions, nodes: readonly Node[]): Work<Parts> {
  const { operators, env = STATIC_ENV, lowerings = LOWERINGS } = options;
  const expander = new Expander({ operators, env, lowerings }, (name) => graph.node(name).meta.val);
  const steps: Node[] = [];
  yield* eachInPieces(nodes, (node) => void steps.push(...expander.expand(node)));
  yield;
  const uses = consumers(steps, lowerings);
  yield;
  const joins = joinsOf(steps, operators);
  yield;
  return { expander, steps, uses, joins };
}

/** Rejects orders that leave a dimension out, or have one twice. */
function checkLayouts(layouts: LowerToLoopsOptions["layouts"] = new Map()): void {
  if (layouts === "channels-last") return;
  for (const [node, order] of layouts) {
    const isOrder = order.toSorted((a, b) => a - b).every((dim, at) => dim === at);
    if (!isOrder)
      throw optionValue("lowerToLoops", "layouts", order, `an order of the dimensions of "${node}"`);
  }
}

/** Returns the layouts that the options give. */
const layoutsOf = (
  graph: Graph,
  { layouts, operators, lowerings }: LowerToLoopsOptions,
): Layouts | undefined =>
  layouts === "channels-last" ? channelsLastLayouts(graph, operators, lowerings) : layouts;

class GraphLowering {
  readonly refused: NotLowered[] = [];
  readonly #graph: Graph;
  readonly #options: LowerToLoopsOptions;
  readonly #context: LoweringContext;
  readonly #table: LoweringTable;
  readonly #expander: Expander;
  /** The graph's nodes, or the steps that they decompose into. */
  readonly #steps: readonly Node[];
  /** The steps by name. */
  readonly #stepOf: ReadonlyMap<string, Node>;
  readonly #values = new Map<string, Lowered>();
  readonly #inputs: (number | undefined)[] = [];

  constructor(graph: Graph, options: LowerToLoopsOptions, { expander, steps, uses, joins }: Parts) {
    this.#graph = graph;
    this.#options = options;
    this.#table = options.lowerings ?? LOWERINGS;
    this.#expander = expander;
    this.#steps = steps;
    this.#stepOf = new Map(steps.map((step) => [step.name, step]));
    const facts = { uses, joins, origins: expander.origins, layouts: layoutsOf(graph, options) };
    this.#context = new LoweringContext(facts, options.limits);
  }

  *run(): Work<void> {
    yield* eachInPieces(this.#steps, (node) => {
      if (node.op === "placeholder") this.#inputs.push(this.assume(node));
      else if (node.op === "call_function") this.#attempt(node);
      else if (node.op === "get_attr") this.#refuse(node.name, "nested graphs are not lowered to loops");
      else if (node.op === "output") this.#checkOutputs(node);
    });
  }

  /** Results are tensors, sizes and constants; other numbers are computed outside of the loops. */
  #checkOutputs(output: Node): void {
    forEachInput(output, (name) => {
      if (isOtherNumber(this.#fakeOf(name))) this.#refuse(name, NO_SIZE);
    });
  }

  #attempt(node: Node): void {
    try {
      this.call(node);
    } catch (error) {
      if (!(error instanceof CannotLower)) throw error;
      this.#refuse(this.#expander.origins.get(node.name) ?? node.name, error.message);
      this.assume(node);
    }
  }

  /** The first reason of a node represents those that follow from it. */
  #refuse(node: string, reason: string): void {
    if (!this.refused.some((known) => known.node === node)) this.refused.push({ node, reason });
  }

  /** Treats a node's value as an input in memory. */
  assume({ name, meta: { val } }: Node): number | undefined {
    const tensors = Array.isArray(val) ? (val as readonly unknown[]) : [val];
    const given = tensors.map((fake) =>
      fake instanceof FakeTensor ? this.#context.input(name, fake.dtype, shapeOf(fake)) : null,
    );
    if (Array.isArray(val)) this.#values.set(name, given);
    else if (given[0]) this.#values.set(name, given[0]);
    return given[0]?.buffer;
  }

  /**
   * Returns the loops of one call whose operands are given, for those results. @throws CannotLower
   */
  alone(results: readonly Node[]): LoopProgram {
    for (const step of this.#steps) this.call(step);
    return this.#program(results.flatMap(({ name }) => this.#tensorOutput(name) ?? []));
  }

  /** @throws CannotLower */
  call(node: Node): void {
    if (isScalarFunction(node.target)) return;
    if (isSizeValue(node.meta.val)) {
      if (readsTensor(node.target)) cannot(`${node.target} reads a data-dependent number`);
      return;
    }
    if (node.target === "operator.getitem") {
      this.#pick(node);
      return;
    }
    const lowering = this.#table[node.target] ?? cannot(this.#unknown(node));
    forEachInput(node, (name) => checkOperand(this.#fakeOf(name), lowering));
    checkOperand(node.meta.val, lowering);
    const schema = this.#options.operators.schemaOf(node.target) ?? cannot(`${node.target} has no schema`);
    const args = bindArgs(schema, node.args, node.kwargs, (ref) => this.#resolve(ref));
    const { name, target, meta } = node;
    const result = lowering.rule(args, {
      context: this.#context,
      node: name,
      target,
      value: meta.val as MetaValue,
      fakes: () => bindArgs(schema, node.args, node.kwargs, (ref) => this.#fakeOf(ref.name)),
    });
    this.#checkResults(node, result);
    for (const tensor of [result].flat()) if (tensor !== null) this.#context.bound(tensor);
    this.#values.set(name, result);
  }

  /** Rejects a call if the graph reads a result that loops do not compute. */
  #checkResults({ name }: Node, result: Lowered): void {
    if (!Array.isArray(result)) return;
    const items = result as readonly (LazyTensor | null)[];
    for (const { target, args, meta } of this.#graph.users(name)) {
      const at = target === "operator.getitem" ? Number(args[1]) : -1;
      if (items[at] === null && meta.val instanceof FakeTensor)
        cannot(`loops do not compute its result ${at}`);
    }
  }

  #unknown({ name, target }: Node): string {
    const { operators } = this.#options;
    const general = whyNever(operators.get(target));
    if (general !== undefined) return `${target} ${general}`;
    const why = this.#expander.reasons.get(name);
    return `no loops are known for ${target}${why === undefined ? "" : `, and it does not decompose: ${why}`}`;
  }

  #pick(node: Node): void {
    if (node.meta.val === null || node.meta.val === undefined) return;
    const [from, at] = node.args as readonly [NodeRef, number];
    const items = this.#values.get(from.name);
    const item = Array.isArray(items) ? (items as readonly (LazyTensor | null)[])[at] : undefined;
    this.#values.set(node.name, item ?? cannot(`"${from.name}" has no result ${at} that loops compute`));
  }

  #resolve({ name }: NodeRef): unknown {
    return this.#values.get(name) ?? this.#fakeOf(name);
  }
  /** Returns the metadata of a value in the graph, or of a step of a decomposition. */
  #fakeOf(name: string): MetaValue | undefined {
    return (this.#graph.find(name) ?? this.#stepOf.get(name))?.meta.val;
  }

  program(): LoopProgram {
    return this.#program(this.#outputs());
  }
  #program(outputs: readonly LoopOutput[]): LoopProgram {
    const { buffers, nests } = this.#context;
    const assumptions = [...this.#expander.assumptions, ...this.#context.assumptions];
    const program = { buffers, nests: neededOf(nests, outputs), inputs: this.#inputs, outputs };
    return assumptions.length === 0 ? program : { ...program, assumptions };
  }

  #outputs(): LoopOutput[] {
    const output = this.#graph.nodes().find(({ op }) => op === "output");
    return flat(output?.args ?? []).map((item): LoopOutput => {
      if (!isRef(item)) return { kind: "constant", value: item as string | number | null };
      const tensor = this.#tensorOutput(item.name);
      if (tensor !== undefined) return tensor;
      const { val } = this.#graph.node(item.name).meta;
      return isSymScalar(val) && val.kind === "SymInt"
        ? { kind: "size", value: val.expr }
        : { kind: "constant", value: null };
    });
  }

  /** Returns a tensor in memory, which it is given here. */
  #tensorOutput(node: string): LoopOutput | undefined {
    const value = this.#values.get(node);
    if (!(value instanceof LazyTensor)) return undefined;
    return { kind: "buffer", buffer: this.#context.buffer(value), shape: value.shape, node };
  }
}

/** Returns the nests that the outputs need: some results of a call may be unread. */
function neededOf(nests: readonly LoopNest[], outputs: readonly LoopOutput[]): LoopNest[] {
  const needed = new Set(outputs.flatMap((output) => (output.kind === "buffer" ? [output.buffer] : [])));
  const kept = [...nests].reverse().filter(({ output, value }) => {
    if (!needed.has(output)) return false;
    for (const read of readsOf(value)) needed.add(read);
    return true;
  });
  return kept.reverse().map((nest, id) => ({ ...nest, id }));
}

/** Leaves of the output's nested lists. */
const flat = (value: unknown): unknown[] => {
  const items = itemsOf(value as never);
  return items === undefined ? [value] : items.flatMap(flat);
};

/** Operators that look at the shape and dtype of their argument only. */
const READS_NO_ELEMENTS = /^aten\.((full|zeros|ones|empty|rand|randn)_like|new_(full|zeros|ones|empty))\./;

/**
 * Returns how many times a value is read, through views to what is behind them: an upper bound of
 * the kernels that would compute it.
 */
function consumers(nodes: readonly Node[], table: LoweringTable): Map<string, number> {
  const counts = new Map<string, number>();
  for (let at = nodes.length - 1; at >= 0; at--) {
    const node = nodes[at]!;
    const isView =
      node.op === "call_function" && (table[node.target]?.isView || node.target === "operator.getitem");
    const passes = isView ? (counts.get(node.name) ?? 0) : 1;
    if (isSizeValue(node.meta.val) || isScalarFunction(node.target) || READS_NO_ELEMENTS.test(node.target))
      continue;
    let isFirst = true;
    forEachInput(node, (name) => {
      // A view passes on its consumers to what it shows, not to sizes among its arguments.
      if (!isView || isFirst) counts.set(name, (counts.get(name) ?? 0) + passes);
      isFirst = false;
    });
  }
  return counts;
}
