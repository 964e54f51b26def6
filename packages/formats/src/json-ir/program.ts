/** @file The program that JSON IR describes, with the graph built anew. */
import {
  type ArgumentSpec,
  dictSpec,
  ExportedProgram,
  type InputSpec,
  type IntLike,
  LEAF,
  type ModuleCallEntry,
  type OperatorLookup,
  type OutputSpec,
  ref,
  tuple,
  tupleSpec,
  typeText,
} from "@sconce/ir";
import { dtypeInfo, Tensor } from "@sconce/tensor";
import { jsonIRGraph } from "../errors.js";
import { BuildContext, GraphReconstruction, sameType, type TensorType, textOf } from "./build-graph.js";
import type { JsonIR, JsonIRMutation, JsonIRTensor } from "./types.js";

/** How JSON IR becomes a program. */
export interface ProgramOptions {
  /** The table in which operators are looked up. */
  readonly operators: OperatorLookup;
}

/**
 * Builds the program that JSON IR describes: state without values, but for the constants of the
 * JSON. The types of values are those that the JSON names, with contiguous strides.
 * @throws SconceError `JSON_IR_GRAPH` with the path
 */
export function programOfIR(ir: JsonIR, { operators }: ProgramOptions): ExportedProgram {
  return new Reconstruction(ir, operators).program();
}

const ARGUMENT_KINDS = { SymInt: "symint", SymFloat: "symfloat", SymBool: "symbool" } as const;

/** Returns what a value is in the signature. */
const argumentOf = ({ name, scalar }: JsonIRTensor): ArgumentSpec => ({
  kind: scalar === undefined ? "tensor" : ARGUMENT_KINDS[scalar.kind],
  name,
});

/** JSON lists of no items do not say the sizes behind a size of 0: those are of the weight. */
const withShapeOf = ({ shape }: TensorType, value: Tensor | undefined): Tensor | undefined =>
  value !== undefined &&
  shape.length > value.ndim &&
  value.shape.at(-1) === 0 &&
  startsWith(shape, value.shape)
    ? Tensor.from([], shape.map(Number), value.dtype)
    : value;

const startsWith = (shape: readonly IntLike[], start: readonly number[]): boolean =>
  start.every((size, dim) => shape[dim] === size);

/** The kinds of state that mutations write to. */
const STATE_OF = { BUFFER_MUTATION: "BUFFER", PARAMETER_MUTATION: "PARAMETER" } as const;

class Reconstruction {
  readonly #ir: JsonIR;
  readonly #graph: GraphReconstruction;
  readonly #inputSpecs: InputSpec[] = [];
  readonly #stateDict = new Map<string, Tensor>();
  readonly #parameters = new Set<string>();
  readonly #constants = new Map<string, Tensor>();

  constructor(ir: JsonIR, operators: OperatorLookup) {
    this.#ir = ir;
    this.#graph = new GraphReconstruction(new BuildContext(operators, ir.symbols), ir);
  }

  program(): ExportedProgram {
    this.#placeholders();
    this.#graph.nodes();
    const { mutations = [], graphOutputs } = this.#ir;
    const written = mutations.map((mutation, i) => this.#mutation(mutation, `mutations[${i}]`));
    const outputs = graphOutputs.map((output, i) =>
      argumentOf({ ...output, name: this.#graph.output(output, `graph_outputs[${i}]`) }),
    );
    const graph = this.#graph.end(
      tuple([...written.map(({ arg }) => arg), ...outputs].map(({ name }) => ref(name))),
    );
    return new ExportedProgram({
      graph,
      graphSignature: {
        inputSpecs: this.#inputSpecs,
        outputSpecs: [
          ...written,
          ...outputs.map((arg): OutputSpec => ({ kind: "USER_OUTPUT", arg, target: null })),
        ],
      },
      stateDict: this.#stateDict,
      parameterNames: this.#parameters,
      constants: this.#constants,
      rangeConstraints: new Map(
        [...(this.#ir.symbols ?? [])].map(([name, { hint: _, ...range }]) => [name, range]),
      ),
      symbolHints: new Map(
        [...(this.#ir.symbols ?? [])].flatMap(([name, { hint }]) =>
          hint === undefined ? [] : [[name, hint]],
        ),
      ),
      moduleCallGraph: this.#callingConvention(outputs),
      dialect: "TRAINING",
    });
  }

  #placeholders(): void {
    const weights = new Map<string, JsonIRTensor>();
    this.#ir.weights.forEach((weight, i) => {
      const known = weights.get(weight.name);
      if (known !== undefined && !sameType(known, weight))
        throw jsonIRGraph(`${JSON.stringify(weight.name)} has two types`, `weights[${i}]`);
      weights.set(weight.name, weight);
    });
    for (const [placeholder, name] of this.#ir.weightNameMapping) {
      const where = `weight_name_mapping[${JSON.stringify(placeholder)}]`;
      const weight = weights.get(name);
      if (weight === undefined) throw jsonIRGraph(`${JSON.stringify(name)} is not one of the weights`, where);
      this.#weight(placeholder, weight, where);
    }
    const mapped = new Set(this.#ir.weightNameMapping.values());
    // Weights that no placeholder is mapped to go by their own names.
    for (const weight of weights.values())
      if (!mapped.has(weight.name)) this.#weight(weight.name, weight, "weights");
    this.#ir.graphInputs.forEach((input, i) => {
      this.#graph.placeholder(input.name, input, `graph_inputs[${i}]`);
      this.#inputSpecs.push({
        kind: "USER_INPUT",
        arg: argumentOf(input),
        target: null,
        persistent: null,
      });
    });
    for (const name of this.#ir.constants.keys())
      if (!this.#constants.has(name))
        throw jsonIRGraph(
          `${JSON.stringify(name)} is not one of the weights`,
          `constants[${JSON.stringify(name)}]`,
        );
  }

  #weight(placeholder: string, weight: JsonIRTensor, where: string): void {
    const { name } = weight;
    this.#graph.placeholder(placeholder, weight, where);
    const value = withShapeOf(weight, this.#ir.constants.get(name));
    if (value !== undefined && !sameType(value, weight))
      throw jsonIRGraph(
        `the value is ${typeText(value)}, and the weight ${typeText(weight)}`,
        `constants[${JSON.stringify(name)}]`,
      );
    const kind = kindOf(placeholder, weight, value !== undefined);
    if (weight.scalar !== undefined || !weight.shape.every((size) => typeof size === "number"))
      throw jsonIRGraph(`${JSON.stringify(name)} is ${textOf(weight)}: state has fixed sizes`, where);
    const tensor = value ?? Tensor.withoutValues({ dtype: weight.dtype, shape: weight.shape });
    const persistent = kind === "BUFFER" ? value === undefined : null;
    if (kind === "CONSTANT_TENSOR" || persistent === false) this.#constants.set(name, tensor);
    else this.#stateDict.set(name, tensor);
    if (kind === "PARAMETER") this.#parameters.add(name);
    this.#inputSpecs.push({ kind, arg: { kind: "tensor", name: placeholder }, target: name, persistent });
  }

  /** Returns a value that is written back. */
  #mutation(mutation: JsonIRMutation, where: string): OutputSpec {
    const { kind, target } = mutation;
    const isThere = this.#inputSpecs.some((spec) =>
      kind === "USER_INPUT_MUTATION"
        ? spec.kind === "USER_INPUT" && spec.arg.name === target
        : spec.kind === STATE_OF[kind] && spec.target === target,
    );
    if (!isThere) throw jsonIRGraph(`"${target}" is not what a ${kind} writes to`, `${where}.target`);
    return { kind, arg: argumentOf({ ...mutation, name: this.#graph.output(mutation, where) }), target };
  }

  #callingConvention(outputs: readonly ArgumentSpec[]): readonly ModuleCallEntry[] {
    const inputs = this.#ir.graphInputs.map(argumentOf);
    const signature = {
      inputs,
      outputs,
      inSpec: tupleSpec([tupleSpec(inputs.map(() => LEAF)), dictSpec([])]),
      outSpec: tupleSpec(outputs.map(() => LEAF)),
      forwardArgNames: inputs.map(({ name }) => name),
    };
    return [{ fqn: "", signature }];
  }
}

/** Returns what kind of state a placeholder is, by PyTorch's prefixes. */
function kindOf(placeholder: string, { dtype }: JsonIRTensor, hasValue: boolean): InputSpec["kind"] {
  if (placeholder.startsWith("b_")) return "BUFFER";
  if (hasValue || placeholder.startsWith("c_")) return "CONSTANT_TENSOR";
  const { kind } = dtypeInfo(dtype);
  return kind === "float" || kind === "complex" ? "PARAMETER" : "BUFFER";
}
