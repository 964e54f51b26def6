/** @file The program that JSON IR describes, with the graph built anew. */
import {
  type Argument,
  type ArgumentSpec,
  dictSpec,
  ExportedProgram,
  FakeTensor,
  GraphBuilder,
  type InputSpec,
  LEAF,
  type MetaValue,
  type ModuleCallEntry,
  mapRefs,
  NO_KWARGS,
  type Node,
  type NodeRef,
  type OperatorLookup,
  type OpSchema,
  type OutputSpec,
  ref,
  type SchemaArgument,
  type SymInt,
  type SymScalar,
  symContiguousStrides,
  tuple,
  tupleSpec,
  typeText,
} from "@sconce/ir";
import { freeSymbols, SymExpr, type SymValue } from "@sconce/symbolic";
import { dtypeInfo, Tensor } from "@sconce/tensor";
import { jsonIRGraph } from "../errors.js";
import { SymbolBindings } from "../pt2/unbacked.js";
import { bindCall, Misfit } from "./bind.js";
import {
  FUNCTION_ARGS,
  GETITEM,
  isScalarFunction,
  type JsonIR,
  type JsonIRAttribute,
  type JsonIRInput,
  type JsonIRMutation,
  type JsonIRNode,
  type JsonIRTensor,
  OUTPUT_NONES,
} from "./types.js";

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

type TensorType = Pick<JsonIRTensor, "dtype" | "shape" | "scalar">;

const fake = ({ dtype, shape, scalar }: JsonIRTensor): FakeTensor | SymScalar =>
  scalar ?? new FakeTensor({ dtype, shape, strides: symContiguousStrides(shape) });

const ARGUMENT_KINDS = { SymInt: "symint", SymFloat: "symfloat", SymBool: "symbool" } as const;

/** What a value is in the signature. */
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

const startsWith = (shape: readonly SymInt[], start: readonly number[]): boolean =>
  start.every((size, dim) => shape[dim] === size);

const textOf = (type: TensorType): string =>
  type.scalar === undefined ? typeText(type) : `${type.scalar.kind} ${String(type.scalar.expr)}`;
const sameType = (a: TensorType, b: TensorType): boolean => textOf(a) === textOf(b);

/** The kinds of state that mutations write to. */
const STATE_OF = { BUFFER_MUTATION: "BUFFER", PARAMETER_MUTATION: "PARAMETER" } as const;

/** What a name of the graph represents. */
interface Source {
  readonly outputs: readonly JsonIRTensor[];
  /** Whether the node gives several results, which are taken by position. */
  readonly isTuple: boolean;
  /** The position of each output among the results. */
  readonly positions: readonly number[];
}

class Reconstruction {
  readonly #ir: JsonIR;
  readonly #operators: OperatorLookup;
  readonly #builder: GraphBuilder;
  readonly #sources = new Map<string, Source>();
  /** Results of calls that give several, by their names. */
  readonly #results = new Map<string, { readonly node: JsonIRNode; readonly index: number }>();
  /** Sizes that only the data decide, by the nodes that give them first. */
  readonly #bindings = new SymbolBindings();
  readonly #inputSpecs: InputSpec[] = [];
  readonly #stateDict = new Map<string, Tensor>();
  readonly #parameters = new Set<string>();
  readonly #constants = new Map<string, Tensor>();

  constructor(ir: JsonIR, operators: OperatorLookup) {
    this.#ir = ir;
    this.#operators = operators;
    this.#builder = new GraphBuilder({ operators });
  }

  program(): ExportedProgram {
    this.#placeholders();
    this.#ir.nodes.forEach((node, i) => {
      this.#node(node, `nodes[${i}]`);
    });
    const { mutations = [], graphOutputs } = this.#ir;
    const written = mutations.map((mutation, i) => this.#mutation(mutation, `mutations[${i}]`));
    const outputs = graphOutputs.map((output, i) =>
      argumentOf({ ...output, name: this.#output(output, `graph_outputs[${i}]`) }),
    );
    this.#builder.output(tuple([...written.map(({ arg }) => arg), ...outputs].map(({ name }) => ref(name))), {
      val: [...mutations, ...graphOutputs].map(fake),
    });
    return new ExportedProgram({
      graph: this.#builder.build(),
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
        [...(this.#ir.symbols ?? [])].map(([name, { min, max }]) => [name, { min, max }]),
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

  /** Claims a name of the graph. @throws SconceError `JSON_IR_GRAPH` */
  #claim(name: string, source: Source, where: string): void {
    if (this.#sources.has(name) || name === "output")
      throw jsonIRGraph(`the name ${JSON.stringify(name)} is taken`, where);
    if (name === "") throw jsonIRGraph("the name is empty", where);
    for (const { shape, scalar } of source.outputs)
      for (const value of scalar === undefined ? shape : [scalar.expr]) this.#checkSymbols(value, where);
    this.#sources.set(name, source);
  }

  /** Checks that the symbols of a size are declared. @throws SconceError `JSON_IR_GRAPH` */
  #checkSymbols(value: SymValue, where: string): void {
    if (!(value instanceof SymExpr)) return;
    for (const symbol of freeSymbols(value).keys())
      if (this.#ir.symbols?.has(symbol) !== true)
        throw jsonIRGraph(
          `"${symbol}" is not one of the symbols`,
          where,
          "declare the range of each symbol of dynamic sizes in `symbols`",
        );
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
      this.#claim(input.name, { outputs: [input], isTuple: false, positions: [0] }, `graph_inputs[${i}]`);
      this.#builder.placeholder(input.name, { val: fake(input) });
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
    this.#claim(placeholder, { outputs: [weight], isTuple: false, positions: [0] }, where);
    this.#builder.placeholder(placeholder, { val: fake(weight) });
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

  #node(node: JsonIRNode, where: string): void {
    const positions = resultPositions(node, where);
    const isFunction = node.opType === GETITEM || isScalarFunction(node.opType);
    const schema = isFunction ? undefined : this.#schema(node, where);
    const isTuple = schema !== undefined && givesTuple(schema);
    if (!isTuple && node.outputs.length > 1)
      throw jsonIRGraph(`${node.opType} does not give ${node.outputs.length} results`, `${where}.outputs`);
    const call = this.#arguments(node, schema, where);
    this.#claim(node.name, { outputs: node.outputs, isTuple, positions }, `${where}.name`);
    node.outputs.forEach(({ name }, index) => {
      if (!this.#results.has(name)) this.#results.set(name, { node, index });
    });
    const val = isTuple ? tupleValue(node, positions) : node.outputs[0] && fake(node.outputs[0]);
    const unbackedBindings = this.#bindings.bind(val);
    const meta = val === undefined ? {} : { val, ...(unbackedBindings && { unbackedBindings }) };
    this.#builder.add({ name: node.name, op: "call_function", target: node.opType, ...call, meta });
  }

  #arguments(node: JsonIRNode, schema: OpSchema | undefined, where: string): Pick<Node, "args" | "kwargs"> {
    if (schema !== undefined) return this.#call(node, schema, where);
    return node.opType === GETITEM ? this.#getitem(node, where) : this.#scalarCall(node, where);
  }

  /** A function of Python on scalars. */
  #scalarCall({ attrs, outputs, inputs }: JsonIRNode, where: string): Pick<Node, "args" | "kwargs"> {
    const given = attrs.get(FUNCTION_ARGS);
    if (!Array.isArray(given) || attrs.size > 1)
      throw jsonIRGraph("a function of scalars takes the list args, and nothing else", `${where}.attrs`);
    if (inputs.length > 0) throw jsonIRGraph("a function of scalars takes no tensors", `${where}.inputs`);
    if (outputs.length !== 1 || outputs[0]!.scalar === undefined)
      throw jsonIRGraph("a function of scalars gives one scalar", `${where}.outputs`);
    const args = (given as readonly JsonIRAttribute[]).map((value, i) =>
      this.#scalars(value as Argument, `${where}.attrs.${FUNCTION_ARGS}[${i}]`),
    );
    return { args, kwargs: NO_KWARGS };
  }

  /** Checks the nodes among the values of an attribute: those of scalars that are there already. */
  #scalars(value: Argument, where: string): Argument {
    return mapRefs(value, ({ name }) => {
      const source = this.#sources.get(name);
      if (source?.isTuple === false && source.outputs[0]?.scalar !== undefined) return ref(name);
      throw jsonIRGraph(`no node before it gives the scalar "${name}"`, where);
    });
  }

  /** A value that is written back. */
  #mutation(mutation: JsonIRMutation, where: string): OutputSpec {
    const { kind, target } = mutation;
    const isThere = this.#inputSpecs.some((spec) =>
      kind === "USER_INPUT_MUTATION"
        ? spec.kind === "USER_INPUT" && spec.arg.name === target
        : spec.kind === STATE_OF[kind] && spec.target === target,
    );
    if (!isThere) throw jsonIRGraph(`"${target}" is not what a ${kind} writes to`, `${where}.target`);
    return { kind, arg: argumentOf({ ...mutation, name: this.#output(mutation, where) }), target };
  }

  #schema({ opType }: JsonIRNode, where: string): OpSchema {
    const schema = this.#operators.schemaOf(opType);
    const refusal = this.#operators.refusalOf?.(opType);
    if (refusal !== undefined) throw refusal.at(`${where}.op_type`);
    if (schema !== undefined) return schema;
    throw jsonIRGraph(
      `${JSON.stringify(opType)} is not an operator`,
      `${where}.op_type`,
      "give a custom operator in a plugin of the session; operators are written as `aten.add.Tensor`",
    );
  }

  #call(node: JsonIRNode, schema: OpSchema, where: string): Pick<Node, "args" | "kwargs"> {
    const bound = bindCall(schema, { inputs: node.inputs.length, attrs: node.attrs });
    if (bound instanceof Misfit) {
      const at = bound.attribute === undefined ? `${where}.inputs` : `${where}.attrs.${bound.attribute}`;
      throw jsonIRGraph(`node "${node.name}": ${bound.reason}`, at);
    }
    const inputs = node.inputs.map((input, i) => this.#input(input, node, `${where}.inputs[${i}]`));
    const resolve = ({ name }: NodeRef): Argument => inputs[Number(name)]!;
    const resolved = (value: Argument, { name, type }: SchemaArgument): Argument =>
      type.base === "Tensor" ? mapRefs(value, resolve) : this.#scalars(value, `${where}.attrs.${name}`);
    const args: Argument[] = [];
    const kwargs: [string, Argument][] = [];
    // Arguments behind one that is left out are given by name.
    let isPositional = true;
    for (const argument of schema.args) {
      const { name, kwargOnly, type } = argument;
      let value = bound.get(name);
      if (
        value === undefined &&
        type.optional &&
        isPositional &&
        !kwargOnly &&
        laterPositional(schema, name, bound)
      )
        value = null;
      if (value === undefined) isPositional = false;
      else if (isPositional && !kwargOnly) args.push(resolved(value, argument));
      else kwargs.push([name, resolved(value, argument)]);
    }
    return { args, kwargs: kwargs.length === 0 ? NO_KWARGS : Object.fromEntries(kwargs) };
  }

  #getitem(node: JsonIRNode, where: string): Pick<Node, "args" | "kwargs"> {
    const [first] = node.inputs;
    const index = node.attrs.get("index");
    const producer = first?.producerNode;
    const source = producer === undefined ? undefined : this.#sources.get(producer);
    if (source === undefined || node.inputs.some(({ producerNode }) => producerNode !== producer))
      throw jsonIRGraph(`node "${node.name}" takes an item of one node before it`, `${where}.inputs`);
    const taken = typeof index === "number" ? source.outputs[positionOf(index, source)] : undefined;
    if (!source.isTuple || taken === undefined)
      throw jsonIRGraph(`"${producer}" has no such result`, `${where}.attrs.index`);
    if (node.outputs.length !== 1 || !sameType(taken, node.outputs[0]!))
      throw jsonIRGraph(`the result is ${textOf(taken)}`, `${where}.outputs`);
    return { args: [ref(producer!), index as number], kwargs: NO_KWARGS };
  }

  /** The node that an input names. */
  #input(input: JsonIRInput, user: JsonIRNode, where: string): NodeRef {
    const { producerNode, producerOutputIdx = 0 } = input;
    const name = producerNode ?? input.name;
    const source = this.#sources.get(name);
    if (source === undefined)
      throw jsonIRGraph(
        producerNode === undefined
          ? `"${name}" is neither an input of the graph nor one of the weights`
          : `node "${user.name}" takes "${name}", which no node before it gives`,
        where,
        "write the nodes in the order in which they run",
      );
    const tensor = source.outputs[producerOutputIdx];
    if (tensor === undefined) throw jsonIRGraph(`"${name}" has no output ${producerOutputIdx}`, where);
    if (!sameType(tensor, input))
      throw jsonIRGraph(`"${name}" is ${textOf(tensor)}, not ${textOf(input)}`, where);
    return source.isTuple ? this.#item(name, source.positions[producerOutputIdx]!, tensor, where) : ref(name);
  }

  /** One of several results, taken by a separate node. */
  #item(name: string, position: number, tensor: JsonIRTensor, where: string): NodeRef {
    const item = `${name}_item_${position}`;
    if (!this.#sources.has(item)) {
      this.#claim(item, { outputs: [tensor], isTuple: false, positions: [0] }, where);
      this.#builder.call(item, GETITEM, [ref(name), position], NO_KWARGS, { val: fake(tensor) });
    }
    return ref(item);
  }

  #output(output: JsonIRTensor, where: string): string {
    const source = this.#sources.get(output.name);
    if (source !== undefined && !source.isTuple && source.outputs.length === 1) {
      if (!sameType(source.outputs[0]!, output))
        throw jsonIRGraph(`"${output.name}" is ${textOf(source.outputs[0]!)}, not ${textOf(output)}`, where);
      return output.name;
    }
    const made = this.#results.get(output.name);
    if (made === undefined) throw jsonIRGraph(`no node gives "${output.name}"`, where);
    const input = { ...output, producerNode: made.node.name, producerOutputIdx: made.index };
    return this.#input(input, made.node, where).name;
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

/** Which output a result is; positions are in order, and mostly without gaps. */
const positionOf = (result: number, { positions }: Source): number =>
  positions[result] === result ? result : positions.indexOf(result);

/** What kind of state a placeholder is, by PyTorch's prefixes. */
function kindOf(placeholder: string, { dtype }: JsonIRTensor, hasValue: boolean): InputSpec["kind"] {
  if (placeholder.startsWith("b_")) return "BUFFER";
  if (hasValue || placeholder.startsWith("c_")) return "CONSTANT_TENSOR";
  const { kind } = dtypeInfo(dtype);
  return kind === "float" || kind === "complex" ? "PARAMETER" : "BUFFER";
}

/** Whether calls of an operator give a tuple or a list. */
const givesTuple = ({ returns }: OpSchema): boolean => returns.length > 1 || returns[0]?.type.list === true;

/** The positions of the outputs among the results. @throws SconceError `JSON_IR_GRAPH` */
function resultPositions(node: JsonIRNode, where: string): number[] {
  const mask = node.attrs.get(OUTPUT_NONES);
  if (mask === undefined) return node.outputs.map((_, i) => i);
  const positions = Array.isArray(mask) ? mask.flatMap((isNone, i) => (isNone === false ? [i] : [])) : [];
  if (positions.length !== node.outputs.length)
    throw jsonIRGraph(
      `the mask does not have ${node.outputs.length} results`,
      `${where}.attrs.${OUTPUT_NONES}`,
    );
  return positions;
}

function tupleValue({ outputs, attrs }: JsonIRNode, positions: readonly number[]): readonly MetaValue[] {
  const mask = attrs.get(OUTPUT_NONES);
  const vals: MetaValue[] = Array.from(
    { length: Array.isArray(mask) ? mask.length : outputs.length },
    () => null,
  );
  positions.forEach((position, i) => {
    vals[position] = fake(outputs[i]!);
  });
  return vals;
}

/** Whether a positional argument behind this one is given. */
function laterPositional(schema: OpSchema, name: string, bound: ReadonlyMap<string, Argument>): boolean {
  const from = schema.args.findIndex((argument) => argument.name === name);
  return schema.args.slice(from + 1).some((argument) => !argument.kwargOnly && bound.has(argument.name));
}
