/**
 * @file The edges that XNNPACK's quantizer of ExecuTorch prescribes
 * (`backends/xnnpack/quantizer/xnnpack_quantizer_utils.py`), on programs of the ATen dialect.
 */
import {
  type Argument,
  type ExportedProgram,
  FakeTensor,
  type Graph,
  isRef,
  itemsOf,
  type Node,
} from "@sconce/ir";
import { type LayerWeight, layerWeights } from "../weights/layers.js";
import type { AnnotationOptions, Quantizer } from "./quantizer.js";
import type { Annotation, EdgeSpec, QuantizationSpec } from "./spec.js";

const EPS = 2 ** -12;

const RELU = "aten.relu.default";
const LINEAR = /^aten\.(linear|addmm|mm)\.default$/;
const CONVOLUTION = /^aten\.(convolution\.default|conv[123]d\.\w+|conv_transpose\w+\.\w+)$/;
const AVERAGE_POOL = /^aten\._?adaptive_avg_pool2d\.default$/;

/** Operators that keep values or move them: their output has the parameters of their input. */
const SHARES =
  /^aten\.(relu|hardtanh|clamp|max_pool2d|mean|permute|permute_copy|squeeze|squeeze_copy|unsqueeze|_?adaptive_avg_pool2d|view|view_copy|_unsafe_view|reshape|slice|slice_copy|flatten|expand|t|transpose)\.(default|dim|dims|int|using_ints|Tensor)$/;

/**
 * The quantizer of XNNPACK: int8 activations, symmetric int8 weights with a scale for each channel.
 */
export const xnnpackQuantizer: Quantizer = Object.freeze({
  name: "xnnpack",
  symmetricWeights: true,
  annotate: (program: ExportedProgram, options: AnnotationOptions) => new Annotator(program, options).run(),
});

class Annotator {
  readonly #graph: Graph;
  readonly #activation: QuantizationSpec;
  readonly #isDynamic: boolean;
  readonly #isExcluded: (node: Node) => boolean;
  readonly #annotations = new Map<string, Annotation>();
  /** The weight that a layer reads. */
  readonly #weights = new Map<string, LayerWeight>();

  constructor(program: ExportedProgram, { isDynamic, observer, percentile, isExcluded }: AnnotationOptions) {
    this.#graph = program.graph;
    this.#isDynamic = isDynamic;
    this.#isExcluded = isExcluded;
    const base = { range: { min: -128, max: 127 }, isSymmetric: false, eps: EPS };
    this.#activation = isDynamic
      ? { ...base, isDynamic }
      : { ...base, observer, ...(observer === "percentile" && { percentile }) };
    for (const weight of layerWeights(program))
      for (const layer of weight.layers) this.#weights.set(layer, weight);
  }

  run(): ReadonlyMap<string, Annotation> {
    const nodes = this.#graph.calls().filter((node) => !this.#isExcluded(node));
    for (const node of nodes) if (LINEAR.test(node.target)) this.#layer(node);
    if (this.#isDynamic) return this.#annotations;
    for (const node of nodes) if (CONVOLUTION.test(node.target)) this.#layer(node);
    for (const node of nodes) if (AVERAGE_POOL.test(node.target)) this.#pool(node);
    for (const name of ["aten.add.Tensor", "aten.mul.Tensor"])
      for (const node of nodes) if (node.target === name) this.#arithmetic(node);
    for (const node of nodes) if (node.target === "aten.cat.default") this.#cat(node);
    for (const node of nodes) this.#share(node);
    return this.#annotations;
  }

  /**
   * Annotates the input and the weight of a layer; the output behind a `relu` that alone reads it.
   */
  #layer(node: Node): void {
    const weight = this.#weights.get(node.name);
    const input = this.#inputOf(node);
    if (weight === undefined || input === undefined || !this.#isFloat(input) || isGrouped(node)) return;
    const inputs = new Map<string, EdgeSpec>([[input, this.#activation]]);
    for (const placeholder of weight.placeholders) inputs.set(placeholder, weightSpec(weight));
    this.#withOutput(node, inputs, this.#isDynamic ? undefined : this.#activation);
  }

  /** Returns the input of a layer. */
  #inputOf({ target, args }: Node): string | undefined {
    const given = target === "aten.addmm.default" ? args[1] : args[0];
    return isRef(given) ? given.name : undefined;
  }

  #arithmetic(node: Node): void {
    const names = node.args.slice(0, 2).flatMap((arg) => (isRef(arg) ? [arg.name] : []));
    if (this.#annotations.has(node.name) || names.length === 0 || !names.every((name) => this.#isFloat(name)))
      return;
    this.#withOutput(node, new Map(names.map((name) => [name, this.#activation])), this.#activation);
  }

  /** Puts the output of a call on the `relu` that alone reads it, else on the call. */
  #withOutput(node: Node, inputs: ReadonlyMap<string, EdgeSpec>, output: QuantizationSpec | undefined): void {
    const users = this.#graph.users(node.name);
    const [relu] = users;
    const isFused =
      output !== undefined &&
      users.length === 1 &&
      relu!.target === RELU &&
      !this.#isExcluded(relu!) &&
      !this.#annotations.has(relu!.name);
    this.#annotations.set(node.name, { inputs, output: isFused ? undefined : output });
    if (isFused) this.#annotations.set(relu!.name, { inputs: new Map(), output });
  }

  #pool(node: Node): void {
    const [input] = node.args;
    if (this.#annotations.has(node.name) || !isRef(input) || !this.#isFloat(input.name)) return;
    const given = this.#annotations.get(input.name)?.output;
    const spec: EdgeSpec = given === undefined ? this.#activation : { node: input.name };
    const output = { from: input.name, to: node.name };
    this.#annotations.set(node.name, { inputs: new Map([[input.name, spec]]), output });
  }

  /** All inputs and the output have the parameters of the first input. */
  #cat(node: Node): void {
    const names = (itemsOf(node.args[0] as Argument) ?? []).flatMap((arg) => (isRef(arg) ? [arg.name] : []));
    const [first, ...rest] = [...new Set(names)];
    if (this.#annotations.has(node.name) || first === undefined) return;
    if (!names.every((name) => this.#isFloat(name))) return;
    const shared = { from: first, to: node.name };
    const inputs = new Map<string, EdgeSpec>([[first, this.#activation]]);
    for (const name of rest) inputs.set(name, shared);
    this.#annotations.set(node.name, { inputs, output: shared });
  }

  /** Passes the parameters of an annotated output on through calls that keep or move values. */
  #share(node: Node): void {
    const [input] = node.args;
    if (this.#annotations.has(node.name) || !isRef(input)) return;
    if (node.target === "operator.getitem") {
      this.#sharePooled(node, input.name);
      return;
    }
    if (!SHARES.test(node.target) || !this.#isFloat(node.name)) return;
    if (this.#annotations.get(input.name)?.output === undefined) return;
    const shared = { node: input.name };
    this.#annotations.set(node.name, { inputs: new Map([[input.name, shared]]), output: shared });
  }

  /** The values of `max_pool2d_with_indices` have the parameters of its input. */
  #sharePooled(item: Node, name: string): void {
    const pool = this.#graph.node(name);
    const [input] = pool.args;
    if (pool.target !== "aten.max_pool2d_with_indices.default" || item.args[1] !== 0 || !isRef(input)) return;
    if (this.#annotations.get(input.name)?.output === undefined) return;
    const shared = { node: input.name };
    this.#annotations.set(pool.name, { inputs: new Map([[input.name, shared]]) });
    this.#annotations.set(item.name, { inputs: new Map(), output: shared });
  }

  #isFloat(name: string): boolean {
    const { val } = this.#graph.node(name).meta;
    return val instanceof FakeTensor && val.dtype === "float32";
  }
}

/** Transposed convolutions in groups have no integer kernel. */
function isGrouped({ target, args }: Node): boolean {
  if (target === "aten.convolution.default") return args[6] === true && args[8] !== 1;
  return target.startsWith("aten.conv_transpose") && args[6] !== undefined && args[6] !== 1;
}

const weightSpec = ({ channelAxis }: LayerWeight): QuantizationSpec => ({
  range: { min: -127, max: 127 },
  isSymmetric: true,
  eps: EPS,
  channelAxis,
});
