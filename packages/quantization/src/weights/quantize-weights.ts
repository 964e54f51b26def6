/** @file Weights in fewer bits, expanded where layers read them. */
import { checkOptions, finish, type OptionNames, type Work } from "@sconce/errors";
import {
  type ExportedProgram,
  FakeTensor,
  type InputSpec,
  mapRefs,
  missingValues,
  Namespace,
  NO_KWARGS,
  type Node,
  type NodeRef,
  noValues,
  rebuild,
  ref,
  updateModuleCalls,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { withRuleLayouts } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { liftedName, mapArguments, type RetraceEnv, shapeEnvOf } from "@sconce/trace";
import { noHessians } from "../errors.js";
import { CallMaker } from "../graphs/expansion.js";
import type { Distortion } from "../numbers/distortion.js";
import { refuseUnknown, type WeightChoice, weightChooser } from "./choose.js";
import { type LayerWeight, layerWeights, refuseWrites } from "./layers.js";
import type { WeightScheme } from "./scheme.js";
import { bytesOf, type StoredWeight, storedWeight } from "./stored.js";

/** The name of the pass, which new nodes have as their origin. */
export const QUANTIZE_WEIGHTS = "quantize-weights";

/** Which weights are stored how. */
export interface QuantizeWeightsOptions extends WeightScheme, Partial<WeightChoice> {
  /** What the scheme `gptq` knows of the inputs of layers: see `layerHessians`. */
  readonly hessians?: ReadonlyMap<string, Float64Array> | undefined;
  /** Takes what was left as it is, and why. */
  readonly note?: ((text: string) => void) | undefined;
}

/** What became of a weight. */
export interface QuantizedWeight {
  /** The fully qualified name. */
  readonly name: string;
  /** Calls of layers that read it. */
  readonly layers: readonly string[];
  /** The sizes. */
  readonly shape: readonly number[];
  /** Bits of an element: 16 for half-precision floats. */
  readonly bits: number;
  /** Elements that share a scale. */
  readonly group: number;
  /** Bytes before. */
  readonly bytesBefore: number;
  /** Bytes of everything that is stored. */
  readonly bytesAfter: number;
  /** How far the expanded weight is from the weight. */
  readonly distortion: Distortion;
}

/** A program with quantized weights. */
export interface WeightQuantization {
  /** The program; the same object when no weight was quantized. */
  readonly program: ExportedProgram;
  /** The weights, in order of the signature. */
  readonly weights: readonly QuantizedWeight[];
}

const OPTIONS: OptionNames<QuantizeWeightsOptions> = {
  bits: true,
  group: true,
  symmetric: true,
  scheme: true,
  dtype: true,
  eps: true,
  hessians: true,
  include: true,
  exclude: true,
  note: true,
};

/**
 * Returns the program with weights of linear, convolution and embedding layers in fewer bits:
 * `linear.weight` becomes the buffers `linear.weight_q` (codes), `linear.weight_scale` and, without
 * `symmetric`, `linear.weight_zero`; in half precision, `linear.weight_half`. The graph expands
 * them before the first layer that reads the weight. A tied weight is stored once. A weight that
 * would not get smaller stays as it is.
 * @throws SconceError `WEIGHT_MUTATED`, `WEIGHT_NOT_FINITE`, `PASS_OPTION`, `NO_VALUES`
 */
export function quantizeWeights(
  program: ExportedProgram,
  operators: OperatorTable,
  options: QuantizeWeightsOptions = {},
): WeightQuantization {
  return finish(weightSteps(program, operators, options));
}

/** As {@link quantizeWeights}, in pieces. */
export function* weightSteps(
  program: ExportedProgram,
  operators: OperatorTable,
  options: QuantizeWeightsOptions = {},
): Work<WeightQuantization> {
  checkOptions("quantizeWeights", options, OPTIONS);
  const { include = [], exclude = [], note } = options;
  const scheme = withDefaults(options);
  if (scheme.scheme === "gptq" && options.hessians === undefined) throw noHessians();
  const known = layerWeights(program);
  refuseUnknown(known, { include, exclude }, program);
  const chosen = known.filter(weightChooser({ include, exclude }));
  for (const weight of chosen) refuseWrites(program, operators, weight);
  refuseMissing(program, chosen);
  const replaced: Replaced[] = [];
  for (const weight of chosen) {
    yield;
    const stored = storedWeight(
      weight,
      scheme,
      scheme.scheme === "gptq" ? options.hessians?.get(weight.target) : undefined,
    );
    const [before, after] = [bytesOf([weight.tensor]), bytesOf(stored.tensors.values())];
    if (after < before) replaced.push({ weight, stored });
    else note?.(`${weight.target} stays as it is: it takes ${before} bytes, and ${after} when quantized`);
  }
  if (replaced.length === 0) return { program, weights: [] };
  return {
    program: new Replacer(program, operators, replaced).run(),
    weights: replaced.map((one) => factsOf(one, scheme)),
  };
}

const withDefaults = (options: QuantizeWeightsOptions): Required<WeightScheme> => {
  const { bits = 8, group = "auto", symmetric = true, scheme = "absmax", dtype = "int" } = options;
  return { bits, group, symmetric, scheme, dtype, eps: options.eps ?? 2 ** -23 };
};

/** @throws SconceError `NO_VALUES` */
function refuseMissing(program: ExportedProgram, chosen: readonly LayerWeight[]): void {
  const names = new Set(chosen.flatMap((weight) => weight.names));
  const missing = missingValues(program).filter(({ name }) => names.has(name));
  if (missing.length > 0) throw noValues(`the pass "${QUANTIZE_WEIGHTS}"`, missing, program);
}

interface Replaced {
  readonly weight: LayerWeight;
  readonly stored: StoredWeight;
}

const factsOf = ({ weight, stored }: Replaced, { dtype, bits }: Required<WeightScheme>): QuantizedWeight => ({
  name: weight.target,
  layers: weight.layers,
  shape: [...weight.tensor.shape],
  bits: dtype === "int" ? bits : 16,
  group: stored.group,
  bytesBefore: bytesOf([weight.tensor]),
  bytesAfter: bytesOf(stored.tensors.values()),
  distortion: stored.distortion,
});

/** Puts stored weights in the place of weights. */
class Replacer {
  readonly #program: ExportedProgram;
  readonly #operators: OperatorTable;
  readonly #names: Namespace;
  readonly #env: RetraceEnv;
  /** The stored weight that takes the place of a placeholder. */
  readonly #byPlaceholder = new Map<string, Replaced>();
  readonly #state: Map<string, Tensor>;
  readonly #specs: InputSpec[] = [];
  readonly #placeholders: Node[] = [];
  readonly #parts = new Map<Replaced, ReadonlyMap<string, NodeRef>>();
  readonly #expanded = new Map<Replaced, NodeRef>();

  constructor(program: ExportedProgram, operators: OperatorTable, replaced: readonly Replaced[]) {
    this.#program = program;
    this.#operators = operators;
    this.#names = new Namespace((name) => program.graph.has(name));
    this.#env = shapeEnvOf(program);
    this.#state = new Map(program.stateDict);
    for (const one of replaced) {
      for (const name of one.weight.placeholders) this.#byPlaceholder.set(name, one);
      this.#parts.set(one, this.#store(one));
    }
  }

  run(): ExportedProgram {
    const { graph, graphSignature, moduleCallGraph, parameterNames, constants } = this.#program;
    const last = graphSignature.inputSpecs.findLastIndex(({ kind }) => kind === "PARAMETER");
    const at = last < 0 ? 0 : last;
    const changed = rebuild(graph, (node, position) => this.#changed(node, position === at), {
      checkUses: false,
    });
    const goes = new Set([...this.#byPlaceholder.values()].flatMap(({ weight }) => weight.names));
    const kept = (spec: InputSpec): boolean => !this.#byPlaceholder.has(spec.arg.name);
    const { inputSpecs } = graphSignature;
    const specs = [
      ...inputSpecs.slice(0, at + 1).filter(kept),
      ...this.#specs,
      ...inputSpecs.slice(at + 1).filter(kept),
    ];
    const program = this.#program.with({
      graph: changed,
      graphSignature: { ...graphSignature, inputSpecs: specs },
      stateDict: without(this.#state, goes),
      parameterNames: new Set([...parameterNames].filter((name) => !goes.has(name))),
      constants: without(constants, goes),
      moduleCallGraph: updateModuleCalls(moduleCallGraph, changed),
    });
    return this.#isLaidAnew() ? withRuleLayouts(program, this.#operators) : program;
  }

  #changed(node: Node, isLast: boolean): true | false | Node | readonly Node[] {
    const isGone = this.#byPlaceholder.has(node.name);
    if (isLast) return [...(isGone ? [] : [node]), ...this.#placeholders];
    if (isGone) return false;
    const added: Node[] = [];
    const next = mapArguments(node, (argument) =>
      mapRefs(argument, (input) => this.#expansion(input, node, added)),
    );
    return next === node ? true : [...added, next];
  }

  /** Returns what takes the place of an input, expanded before the first node that reads it. */
  #expansion(input: NodeRef, user: Node, added: Node[]): NodeRef {
    const replaced = this.#byPlaceholder.get(input.name);
    if (replaced === undefined) return input;
    const known = this.#expanded.get(replaced);
    if (known !== undefined) return known;
    const { stackTrace, nnModuleStack } = user.meta;
    const meta = {
      ...(stackTrace !== undefined && { stackTrace }),
      ...(nnModuleStack !== undefined && { nnModuleStack }),
      origin: { pass: QUANTIZE_WEIGHTS, from: [input.name] },
    };
    const calls = new CallMaker({ operators: this.#operators, env: this.#env, names: this.#names, meta });
    const parts = this.#parts.get(replaced)!;
    for (const [suffix, { name }] of parts) calls.know(name, fakeOf(replaced.stored.tensors.get(suffix)!));
    const result = replaced.stored.expand(calls, parts);
    added.push(...calls.nodes);
    this.#expanded.set(replaced, result);
    return result;
  }

  /** Adds the tensors of a weight to the state, and their placeholders. */
  #store({ weight, stored }: Replaced): ReadonlyMap<string, NodeRef> {
    const parts = new Map<string, NodeRef>();
    for (const [suffix, tensor] of stored.tensors) {
      const target = this.#freshTarget(`${weight.target}_${suffix}`);
      const name = this.#names.create(liftedName("BUFFER", target));
      this.#state.set(target, tensor);
      this.#specs.push({ kind: "BUFFER", arg: { kind: "tensor", name }, target, persistent: true });
      const origin = { pass: QUANTIZE_WEIGHTS, from: [weight.placeholders[0]!] };
      this.#placeholders.push({
        name,
        op: "placeholder",
        target: name,
        args: [],
        kwargs: NO_KWARGS,
        meta: { val: fakeOf(tensor), origin },
      });
      parts.set(suffix, ref(name));
    }
    return parts;
  }

  #freshTarget(wanted: string): string {
    let target = wanted;
    for (let i = 1; this.#program.tensor(target) !== undefined || this.#state.has(target); i++)
      target = `${wanted}_${i}`;
    return target;
  }

  /** Returns whether an expanded weight has other strides than the weight had. */
  #isLaidAnew(): boolean {
    return [...this.#byPlaceholder.values()].some(
      ({ weight, stored }) =>
        !weight.tensor.isContiguous ||
        weight.tensor.storageOffset !== 0 ||
        (weight.channelAxis === 1 && stored.group > 1),
    );
  }
}

const without = <T>(all: ReadonlyMap<string, T>, names: ReadonlySet<string>): Map<string, T> =>
  new Map([...all].filter(([name]) => !names.has(name)));

const fakeOf = ({ dtype, shape, strides }: Tensor): FakeTensor =>
  new FakeTensor({ dtype, shape: [...shape], strides: [...strides], storageOffset: 0 });
