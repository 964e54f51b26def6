/** @file Observers become codes: `quantize`, `dequantize`, and int8 weights. */
import {
  type Argument,
  dtypeLiteral,
  type ExportedProgram,
  FakeTensor,
  float,
  mapRefs,
  Namespace,
  type Node,
  type NodeRef,
  rebuild,
  ref,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { withRuleLayouts } from "@sconce/passes";
import { mapArguments, type RetraceEnv, shapeEnvOf } from "@sconce/trace";
import { notPrepared, unobservedEdge } from "../errors.js";
import { CallMaker } from "../graphs/expansion.js";
import { chooseParameters } from "../numbers/parameters.js";
import { quantizeWeights } from "../weights/quantize-weights.js";
import { type GraphObserver, graphObservers, WEIGHT } from "./observers.js";

/** The name of the pass. */
export const CONVERT = "convert-quantization";

const PREFIX = "quantized_decomposed";

/**
 * Returns a calibrated program with codes on the observed edges: `quantize_per_tensor` behind the
 * value, and a `dequantize_per_tensor` before each node that reads it. Weights become int8 with a
 * scale for each channel. Dynamic edges choose their parameters in each run.
 * @throws SconceError `NOT_PREPARED`; `UNOBSERVED_EDGE` for an edge that no sample reached
 */
export function convertQuantization(program: ExportedProgram, operators: OperatorTable): ExportedProgram {
  const observers = graphObservers(program.graph);
  if (observers.length === 0) throw notPrepared(CONVERT);
  const unobserved = observers.find(
    ({ group, spec, low, high }) => group !== WEIGHT && spec.isDynamic !== true && !(low <= high),
  );
  if (unobserved !== undefined)
    throw unobservedEdge(unobserved.value, program.graph.node(unobserved.value).target);
  const converter = new Converter(program, operators, observers);
  const graph = rebuild(program.graph, (node) => converter.changed(node), {
    inherit: false,
    checkUses: false,
  });
  // Codes lie in memory in their own order: views of them have other strides.
  const converted = withRuleLayouts(program.with({ graph }), operators);
  return withWeights(converted, operators, program, observers);
}

/** Stores the observed weights as int8. */
function withWeights(
  converted: ExportedProgram,
  operators: OperatorTable,
  { graphSignature }: ExportedProgram,
  observers: readonly GraphObserver[],
): ExportedProgram {
  const weights = observers.filter(({ group }) => group === WEIGHT);
  const targets = new Map(graphSignature.inputSpecs.map(({ arg, target }) => [arg.name, target]));
  let program = converted;
  for (const symmetric of [true, false]) {
    const chosen = weights.filter(({ spec }) => spec.isSymmetric === symmetric);
    const include = chosen.flatMap(({ value }) => targets.get(value) ?? []);
    if (include.length === 0) continue;
    const { eps } = chosen[0]!.spec;
    const scheme = { bits: 8, group: "channel", symmetric, eps } as const;
    program = quantizeWeights(program, operators, { ...scheme, include }).program;
  }
  return program;
}

/** Returns whether calibration saw infinite values: see `calibrate`. */
const isInFloat = ({ group, spec, low }: GraphObserver): boolean =>
  group !== WEIGHT && spec.isDynamic !== true && low === Number.NEGATIVE_INFINITY;

/** A value in codes. */
interface Coded {
  readonly codes: NodeRef;
  /** Scale and zero point: numbers, or tensors that a run computes. */
  readonly parameters: readonly Argument[];
  readonly observer: GraphObserver;
}

class Converter {
  readonly #program: ExportedProgram;
  readonly #operators: OperatorTable;
  readonly #observers: ReadonlyMap<string, GraphObserver>;
  readonly #names: Namespace;
  readonly #env: RetraceEnv;
  readonly #coded = new Map<string, Coded>();
  /** What is read in place of observers of edges that stay in float. */
  readonly #floats = new Map<string, NodeRef>();

  constructor(program: ExportedProgram, operators: OperatorTable, observers: readonly GraphObserver[]) {
    this.#program = program;
    this.#operators = operators;
    this.#observers = new Map(observers.map((one) => [one.node.name, one]));
    this.#names = new Namespace((name) => program.graph.has(name));
    this.#env = shapeEnvOf(program);
  }

  changed(node: Node): true | Node | readonly Node[] {
    const observer = this.#observers.get(node.name);
    const added: Node[] = [];
    const own = new Map<string, NodeRef>();
    const read = (input: NodeRef): NodeRef => {
      const known = own.get(input.name) ?? this.#read(input, node, added);
      own.set(input.name, known);
      return known;
    };
    if (observer !== undefined) {
      const value = read(ref(observer.value));
      if (isInFloat(observer)) this.#floats.set(node.name, value);
      else if (observer.group !== WEIGHT) this.#code(observer, value, added);
      return added;
    }
    const next = mapArguments(node, (argument) => mapRefs(argument, read));
    return next === node ? true : added.length === 0 ? next : [...added, next];
  }

  /** Returns what a node reads in place of an observer: its value, expanded for this node. */
  #read(input: NodeRef, user: Node, added: Node[]): NodeRef {
    const observer = this.#observers.get(input.name);
    if (observer === undefined) return input;
    if (observer.group === WEIGHT) return ref(observer.value);
    const float = this.#floats.get(input.name);
    if (float !== undefined) return float;
    const { codes, parameters } = this.#coded.get(input.name)!;
    const calls = this.#calls(observer, user.op === "output" ? observer.node : user);
    this.#knowCodes(calls, codes, parameters, observer);
    const overload = observer.spec.isDynamic === true ? "tensor" : "default";
    const { min, max } = observer.spec.range;
    const args = [codes, ...parameters, min, max, dtypeLiteral("int8")];
    const result = calls.call(`${PREFIX}.dequantize_per_tensor.${overload}`, args);
    added.push(...calls.nodes);
    return result;
  }

  /** Adds the calls that give the codes of a value. */
  #code(observer: GraphObserver, value: NodeRef, added: Node[]): void {
    const { spec, node, low, high } = observer;
    const { min, max } = spec.range;
    const calls = this.#calls(observer, node);
    calls.know(value.name, this.#valueOf(observer));
    const int8 = dtypeLiteral("int8");
    let parameters: readonly Argument[];
    if (spec.isDynamic === true) {
      const name = `choose_qparams${spec.isSymmetric ? "_symmetric" : ""}`;
      const chosen = calls.call(`${PREFIX}.${name}.tensor`, [value, min, max, float(spec.eps), int8]);
      parameters = [0, 1].map((item) => calls.item(chosen, item));
    } else {
      const { scale, zero } = chooseParameters(low, high, spec.range, spec.isSymmetric, spec.eps);
      parameters = [float(scale), zero];
    }
    const overload = spec.isDynamic === true ? "tensor" : "default";
    const codes = calls.call(`${PREFIX}.quantize_per_tensor.${overload}`, [
      value,
      ...parameters,
      min,
      max,
      int8,
    ]);
    added.push(...calls.nodes);
    this.#coded.set(node.name, { codes, parameters, observer });
  }

  #knowCodes(
    calls: CallMaker,
    codes: NodeRef,
    parameters: readonly Argument[],
    observer: GraphObserver,
  ): void {
    const value = this.#valueOf(observer);
    calls.know(codes.name, new FakeTensor({ ...value, dtype: "int8" }));
    const like = { shape: [1], strides: [1], storageOffset: 0 };
    if (observer.spec.isDynamic !== true) return;
    calls.know((parameters[0] as NodeRef).name, new FakeTensor({ ...like, dtype: "float64" }));
    calls.know((parameters[1] as NodeRef).name, new FakeTensor({ ...like, dtype: "int64" }));
  }

  #valueOf({ node }: GraphObserver): FakeTensor {
    return node.meta.val as FakeTensor;
  }

  #calls({ value }: GraphObserver, { meta }: Node): CallMaker {
    const { stackTrace, nnModuleStack } = meta;
    return new CallMaker({
      operators: this.#operators,
      env: this.#env,
      names: this.#names,
      meta: {
        ...(stackTrace !== undefined && { stackTrace }),
        ...(nnModuleStack !== undefined && { nnModuleStack }),
        origin: { pass: CONVERT, from: [this.#program.graph.node(value).name] },
      },
    });
  }
}
