/** @file Shape propagation: the values of all nodes, computed anew from those of the inputs. */
import { finish, isSconceError, type Work } from "@sconce/errors";
import {
  type Argument,
  type ConstantValue,
  type CustomObject,
  type ExportedProgram,
  FakeTensor,
  forEachInput,
  type Graph,
  graphArgument,
  isOpaque,
  isRef,
  isSymScalar,
  itemsOf,
  type MetaValue,
  type Node,
  nodeWhere,
  type RangeConstraint,
  rebuild,
  type SymScalar,
  typeText,
} from "@sconce/ir";
import {
  argumentAt,
  constantValue,
  evaluateScalarFunction,
  isScalarFunction,
  metaOf,
  type OperatorTable,
} from "@sconce/ops";
import { type BoolLike, SymExpr } from "@sconce/symbolic";
import { compositeResult, type RetraceEnv, shapeEnvOf, symbolNames } from "@sconce/trace";
import { mapSubgraphSteps } from "../graphs/subgraphs.js";
import { opaqueInputs } from "../opaque/errors.js";
import { changeOf } from "../opaque/inputs.js";
import { type Bindings, bindingsOf, type NewSizes } from "./bindings.js";
import { REGIONS } from "./bodies.js";
import { contradiction, isRuleFault } from "./errors.js";
import { Refiner, substituted } from "./refine.js";

/**
 * Called with each call of an operator before its shape rule runs, and with what is known of its
 * arguments: values of nodes, literals as they are. It may throw.
 */
export type BeforeCall = (node: Node, value: (argument: Argument) => unknown) => void;

/**
 * Returns the program with every `meta.val` computed from those of the inputs, in bodies of control
 * flow too. What is known more precisely replaces what is known less: a symbol that must be a
 * number becomes one everywhere, an assertion narrows a range. The same program when nothing more
 * is known.
 *
 * With new sizes the program is specialized to them. Calls of operators without a shape rule keep
 * what is recorded; those of opaque operators only for arguments of the recorded dtypes and sizes.
 *
 * @throws SconceError `SHAPE_CONTRADICTION` at the node, `OPAQUE_INPUTS`
 */
export function propagateShapes(
  program: ExportedProgram,
  operators: OperatorTable,
  sizes: NewSizes = {},
  beforeCall?: BeforeCall,
): ExportedProgram {
  return finish(propagationSteps(program, operators, sizes, beforeCall));
}

/** As {@link propagateShapes}, in pieces. */
export function* propagationSteps(
  program: ExportedProgram,
  operators: OperatorTable,
  sizes: NewSizes,
  beforeCall?: BeforeCall,
): Work<ExportedProgram> {
  const bindings = bindingsOf(program, sizes);
  for (;;) {
    const run = new Propagation(program, operators, bindings, beforeCall);
    const graph = yield* run.graph(program.graph);
    yield;
    const learned = [...run.refiner.learned].filter(
      ([name]) => program.rangeConstraints.has(name) && !bindings.has(name),
    );
    if (learned.length === 0) return finished(program, graph, run, bindings);
    for (const [name, value] of learned) bindings.set(name, value);
  }
}

function finished(
  program: ExportedProgram,
  graph: Graph,
  { proven }: Propagation,
  bindings: Bindings,
): ExportedProgram {
  const rangeConstraints = rangesOf(program, proven, bindings);
  if (bindings.size === 0) return program.with({ graph, rangeConstraints });
  const symbolHints = new Map([...program.symbolHints].filter(([name]) => !bindings.has(name)));
  // Sample inputs of other sizes are none of this program's.
  const fits = [...bindings].every(([name, value]) => program.symbolHints.get(name) === value);
  const exampleInputs = fits ? program.exampleInputs : null;
  return program.with({ graph, rangeConstraints, symbolHints, exampleInputs });
}

/** Ranges as far as assertions prove them; those of symbols that are numbers now go. */
function rangesOf(
  program: ExportedProgram,
  proven: RetraceEnv,
  bindings: Bindings,
): ReadonlyMap<string, RangeConstraint> {
  const ranges = new Map<string, RangeConstraint>();
  let same = true;
  for (const [text, range] of program.rangeConstraints) {
    if ([...text.matchAll(/[A-Za-z_]\w*/g)].some(([name]) => bindings.has(name))) {
      same = false;
      continue;
    }
    const narrowed = proven.narrowed(text, range);
    same &&= narrowed === range;
    ranges.set(text, narrowed);
  }
  return same ? program.rangeConstraints : ranges;
}

const AUTOCAST = "higher_order.wrap_with_autocast";

/** Where bodies of control flow stand among the arguments, and where their operands begin. */
const BODIES: Readonly<
  Record<string, { readonly bodies: readonly number[]; operands: (node: Node) => readonly Argument[] }>
> = {
  "higher_order.cond": { bodies: [1, 2], operands: ({ args }) => itemsOf(args[3] ?? null) ?? [] },
  "higher_order.wrap_with_set_grad_enabled": { bodies: [1], operands: ({ args }) => args.slice(2) },
  [AUTOCAST]: { bodies: [4], operands: ({ args }) => args.slice(5) },
  "higher_order.strict_mode": { bodies: [0], operands: ({ args }) => itemsOf(args[1] ?? null) ?? [] },
  "higher_order.hints_wrapper": { bodies: [0], operands: ({ args }) => itemsOf(args[1] ?? null) ?? [] },
  "higher_order.run_const_graph": { bodies: [0], operands: ({ args }) => itemsOf(args[1] ?? null) ?? [] },
  "higher_order.invoke_subgraph": { bodies: [0], operands: ({ args }) => args.slice(2) },
  ...Object.fromEntries(
    REGIONS.map((name) => [name, { bodies: [0], operands: ({ args }: Node) => args.slice(1) }]),
  ),
};

/** Nested graphs of one graph, with the operands that they were computed for. */
class Bodies {
  readonly graphs = new Map<string, Graph>();
  readonly #given = new Map<string, Set<string>>();

  /**
   * Returns whether a call gave the same before: few calls of calls would otherwise make very many.
   */
  isKnown(body: string, operands: readonly (MetaValue | undefined)[]): boolean {
    const text = operands.map(valueText).join("; ");
    const given = this.#given.get(body) ?? new Set<string>();
    this.#given.set(body, given);
    if (given.has(text)) return true;
    given.add(text);
    return false;
  }
}

/** Returns all that a shape rule reads of a value, as text. */
function valueText(value: MetaValue | undefined): string {
  if (value instanceof FakeTensor) {
    const { strides, storageOffset, device, layout, requiresGrad } = value;
    return `${typeText(value)} ${strides.join()} ${String(storageOffset)} ${graphArgument(device)} ${layout} ${requiresGrad}`;
  }
  if (Array.isArray(value)) return `(${(value as readonly MetaValue[]).map(valueText).join("; ")})`;
  if (isSymScalar(value)) return `${value.kind} ${String(value.expr)}`;
  if (value === undefined || value === null) return String(value);
  const { kind, ...rest } = value as ConstantValue | CustomObject;
  return `${kind} ${"value" in rest ? graphArgument(rest.value) : rest.name}`;
}

/** Nodes between two pauses. */
const NODES_A_PIECE = 256;

class Propagation {
  readonly refiner: Refiner;
  /** What assertions prove; what example values decide is not part of it. */
  readonly proven: RetraceEnv;
  readonly #env: RetraceEnv;
  readonly #operators: OperatorTable;
  readonly #bindings: Bindings;
  readonly #beforeCall: BeforeCall | undefined;
  readonly #seen = new Set<string>();
  /**
   * Within autocast operators compute in other dtypes than their rules say: what is recorded stays.
   */
  #mode: "plain" | "autocast" = "plain";

  constructor(
    program: ExportedProgram,
    operators: OperatorTable,
    bindings: Bindings,
    beforeCall: BeforeCall | undefined,
  ) {
    this.#env = shapeEnvOf(program);
    this.proven = shapeEnvOf(program);
    this.refiner = new Refiner(this.#env);
    this.#operators = operators;
    this.#bindings = bindings;
    this.#beforeCall = beforeCall;
  }

  /** One graph; `inputs` are the operands' values, for a body whose call is known. */
  *graph(graph: Graph, inputs?: readonly (MetaValue | undefined)[]): Work<Graph> {
    const vals = new Map<string, MetaValue | undefined>();
    const bodies = new Bodies();
    let input = 0;
    const nodes = graph.nodes();
    const changed: (Node | true)[] = [];
    for (const [position, node] of nodes.entries()) {
      if (position % NODES_A_PIECE === 0) yield;
      if (node.op === "get_attr") {
        changed.push(true);
        continue;
      }
      const recorded = node.meta.val === undefined ? undefined : substituted(node.meta.val, this.#bindings);
      let val = recorded;
      if (node.op === "placeholder") {
        const given = inputs?.[input++];
        if (given !== undefined) val = this.refiner.join(recorded, given, node.name);
      } else if (node.op === "call_function") val = yield* this.#call(node, recorded, graph, vals, bodies);
      else val = this.#output(node, recorded, vals);
      vals.set(node.name, val);
      changed.push(val === node.meta.val ? true : { ...node, meta: { ...node.meta, val: val! } });
    }
    yield;
    const next = rebuild(graph, (_, position) => changed[position]!);
    const propagation = this;
    return yield* mapSubgraphSteps(next, function* (nested, target) {
      return bodies.graphs.get(target) ?? (yield* propagation.graph(nested));
    });
  }

  /** Exported programs record the values of the output too. */
  #output(
    node: Node,
    recorded: MetaValue | undefined,
    vals: ReadonlyMap<string, MetaValue | undefined>,
  ): MetaValue | undefined {
    const items = itemsOf(node.args[0]!);
    if (!Array.isArray(recorded) || items?.length !== recorded.length) return recorded;
    const given = items.map((item) => (isRef(item) ? vals.get(item.name) : undefined) ?? null);
    return this.refiner.join(recorded, given, node.name);
  }

  *#call(
    node: Node,
    recorded: MetaValue | undefined,
    graph: Graph,
    vals: ReadonlyMap<string, MetaValue | undefined>,
    bodies: Bodies,
  ): Work<MetaValue | undefined> {
    const { target } = node;
    if (target.startsWith("higher_order.")) {
      yield* this.#bodies(node, graph, vals, bodies);
      return recorded;
    }
    const value = (argument: Argument): unknown =>
      constantValue(isRef(argument) ? vals.get(argument.name) : argument);
    if (target === "operator.getitem") {
      const source = value(node.args[0]!);
      const item = Array.isArray(source) ? (source as MetaValue[])[Number(node.args[1])] : undefined;
      return item === undefined ? recorded : this.refiner.join(recorded, item, node.name, target);
    }
    if (target === "aten._assert_scalar.default") this.#assert(node, value);
    if (isOpaque(target, this.#operators)) this.#checkOpaque(node, graph, vals);
    // What follows from a value that only the data decide is not known either.
    let isOpen = false;
    forEachInput(node, (name) => {
      isOpen ||= vals.has(name) && vals.get(name) === undefined;
    });
    if (isOpen) return recorded;
    this.#beforeCall?.(node, value);
    const computed = this.#mode === "autocast" ? undefined : this.#compute(node, recorded, value);
    // A call without results has no value at all.
    const isKnown = computed !== undefined && (computed !== null || recorded !== undefined);
    return !isKnown ? recorded : this.refiner.join(recorded, computed, node.name, target);
  }

  /** Returns the value by the operator's rule; undefined when there is none. */
  #compute(
    node: Node,
    recorded: MetaValue | undefined,
    value: (argument: Argument) => unknown,
  ): MetaValue | undefined {
    const { target } = node;
    const names = symbolNames(recorded);
    const composite = compositeResult(node, this.#operators, value);
    this.#env.expect(recorded, (name) => this.#seen.has(name), composite);
    for (const name of names) this.#seen.add(name);
    try {
      if (isScalarFunction(target)) {
        const args = node.args.map((arg) => (Array.isArray(arg) ? arg.map(value) : value(arg)));
        return evaluateScalarFunction(target, args as SymScalar[], (size) => this.#env.range(size));
      }
      const row = this.#operators.get(target);
      if (row?.meta === undefined && row?.decompose === undefined) return undefined;
      return metaOf(this.#operators, target, node.args, node.kwargs, this.#env, value);
    } catch (error) {
      if (!isSconceError(error)) throw error;
      if (error.code === "DATA_DEPENDENT_GUARD" || error.code === "OPERATOR_WITHOUT_META") return undefined;
      if (isRuleFault(error)) throw error.at(nodeWhere(node));
      throw contradiction(`${target} rejects its inputs: ${error.message}`, nodeWhere(node), error.fix);
    }
  }

  /**
   * Results of an opaque call are known for the recorded arguments, with new sizes put in place of
   * their symbols.
   */
  #checkOpaque(node: Node, graph: Graph, vals: ReadonlyMap<string, MetaValue | undefined>): void {
    forEachInput(node, (input) => {
      const { val } = graph.node(input).meta;
      const recorded = val === undefined ? undefined : substituted(val, this.#bindings);
      const change = changeOf(recorded, vals.get(input), this.#env);
      if (change !== undefined) throw opaqueInputs(node, input, change);
    });
  }

  /** Bodies get the values of their operands. */
  *#bodies(
    node: Node,
    graph: Graph,
    vals: ReadonlyMap<string, MetaValue | undefined>,
    bodies: Bodies,
  ): Work<void> {
    const shape = BODIES[node.target];
    if (shape === undefined) return;
    const before = this.#mode;
    if (node.target === AUTOCAST) this.#mode = "autocast";
    const operands = shape.operands(node).map((arg) => (isRef(arg) ? vals.get(arg.name) : undefined));
    for (const index of shape.bodies) {
      const body = node.args[index];
      const target = isRef(body) ? graph.node(body.name).target : "";
      const nested = graph.subgraphs.get(target);
      if (nested === undefined || bodies.isKnown(`${this.#mode} ${target}`, operands)) continue;
      bodies.graphs.set(target, yield* this.graph(bodies.graphs.get(target) ?? nested, operands));
    }
    this.#mode = before;
  }

  /** What a run-time assertion says holds for the rest of the program. */
  #assert(node: Node, value: (argument: Argument) => unknown): void {
    const { schema } = this.#operators.require(node.target);
    const condition = value(argumentAt(node, schema, 0));
    if (!isSymScalar(condition) || condition.kind !== "SymBool") return;
    const { expr } = condition as { readonly expr: BoolLike };
    const never = `the assertion "${graphArgument(argumentAt(node, schema, 1))}" never holds`;
    if (expr === false) throw contradiction(never, nodeWhere(node));
    if (!(expr instanceof SymExpr)) return;
    try {
      this.proven.addAxiom(expr);
      this.#env.addAxiom(expr);
    } catch (error) {
      if (!isSconceError(error)) throw error;
      throw contradiction(`${never}: ${error.message}`, nodeWhere(node));
    }
  }
}
