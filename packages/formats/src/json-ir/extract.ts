/** @file Programs as JSON IR. */
import {
  type ExportedProgram,
  FakeTensor,
  forEachRef,
  type InputSpec,
  type MetaValue,
  type Node,
  nodeWhere,
  type OperatorLookup,
  type OpSchema,
  stringRepr,
} from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { jsonIRUnsupported } from "../errors.js";
import { nodeAttributes } from "./extract-call.js";
import {
  GETITEM,
  type JsonIR,
  type JsonIRInput,
  type JsonIRNode,
  type JsonIRTensor,
  OUTPUT_NONES,
} from "./types.js";

/** How a program becomes JSON IR. */
export interface ExtractOptions {
  /** The name of the model. @defaultValue `model` */
  readonly modelName?: string | undefined;
  /** The table in which operators are looked up. */
  readonly operators: OperatorLookup;
  /** Receives the warning about constants without values. @defaultValue `console.warn` */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/**
 * Describes a program as JSON IR. What only TypeScript or PyTorch can run is refused: dynamic
 * shapes, nested graphs, mutated state, values that are not tensors.
 * @throws SconceError `JSON_IR_UNSUPPORTED`, with the node
 */
export function extractProgram(program: ExportedProgram, options: ExtractOptions): JsonIR {
  return new Extraction(program, options).ir();
}

const STATE: readonly InputSpec["kind"][] = ["PARAMETER", "BUFFER", "CONSTANT_TENSOR"];
const GRAPH = "run the program itself, or leave that part of the model out of the JSON";

class Extraction {
  readonly #program: ExportedProgram;
  readonly #options: ExtractOptions;
  /** The placeholders of state, with the names that the model has for them. */
  readonly #state: ReadonlyMap<string, string>;
  readonly #targets = new Map<string, OpSchema>();
  /** Nodes that share memory with a placeholder, with its name. */
  readonly #views = new Map<string, string>();

  constructor(program: ExportedProgram, options: ExtractOptions) {
    this.#program = program;
    this.#options = options;
    this.#state = new Map(program.graphSignature.inputSpecs.flatMap(stateEntry));
  }

  ir(): JsonIR {
    const { graph, graphSignature } = this.#program;
    for (const { kind, arg } of graphSignature.inputSpecs)
      if (kind === "CUSTOM_OBJ" || kind === "TOKEN")
        throw jsonIRUnsupported(`the input "${arg.name}" is of kind ${kind}`, `input ${arg.name}`, GRAPH);
    const inputs: JsonIRTensor[] = [];
    const weights: JsonIRTensor[] = [];
    const nodes: JsonIRNode[] = [];
    for (const node of graph.nodes()) {
      if (node.op === "placeholder") this.#placeholder(node, inputs, weights);
      else if (node.op === "call_function") nodes.push(this.#call(node));
      else if (node.op === "get_attr")
        throw jsonIRUnsupported("the program has nested graphs", nodeWhere(node), GRAPH);
    }
    return {
      modelName: this.#options.modelName ?? "model",
      graphInputs: inputs,
      graphOutputs: this.#outputs(),
      weights,
      weightNameMapping: this.#state,
      nodes,
      constants: this.#constants(),
    };
  }

  #placeholder(node: Node, inputs: JsonIRTensor[], weights: JsonIRTensor[]): void {
    const { val } = node.meta;
    const target = this.#state.get(node.name);
    // Constants of the call have no place in the graph: nothing reads them.
    if (
      !(val instanceof FakeTensor) &&
      target === undefined &&
      this.#program.graph.users(node.name).length === 0
    )
      return;
    const tensor = this.#tensor(target ?? node.name, val, node);
    if (target === undefined) inputs.push(tensor);
    else weights.push(tensor);
  }

  #call(node: Node): JsonIRNode {
    const outputs = this.#results(node);
    const found = node.target === GETITEM ? undefined : this.#schema(node);
    const refs: string[] = [];
    const attrs = nodeAttributes(node, found, refs);
    this.#checkWrites(node, found, refs);
    const inputs = refs.flatMap((name) => this.#inputs(name, node));
    const nones = noneMask(node.meta.val);
    return {
      name: node.name,
      opType: node.target,
      inputs,
      outputs,
      attrs: nones === undefined ? attrs : new Map([...attrs, [OUTPUT_NONES, nones]]),
    };
  }

  /** Refuses a call that writes to an input or to state, also through a view. */
  #checkWrites(node: Node, schema: OpSchema | undefined, refs: readonly string[]): void {
    const aliased = schema === undefined ? refs : writtenOrViewed(node, schema);
    for (const name of aliased) {
      const source = this.#program.graph.node(name).op === "placeholder" ? name : this.#views.get(name);
      if (source === undefined) continue;
      if (schema?.isMutable === true) throw this.#written(source, node);
      this.#views.set(node.name, source);
    }
  }

  #written(placeholder: string, node: Node): Error {
    return jsonIRUnsupported(
      `the program writes to "${this.#state.get(placeholder) ?? placeholder}"`,
      nodeWhere(node),
      "export the model in evaluation mode, or run the program itself",
    );
  }

  #schema(node: Node): OpSchema {
    const { target } = node;
    const known = this.#targets.get(target);
    if (known !== undefined) return known;
    const schema = this.#options.operators.schemaOf(target);
    if (schema === undefined)
      throw jsonIRUnsupported(
        `${target} has no schema, so its arguments have no names`,
        nodeWhere(node),
        target.includes("higher_order") ? GRAPH : "give the operator in a plugin of the session",
      );
    this.#targets.set(target, schema);
    return schema;
  }

  /** What a node takes where it names another one. */
  #inputs(name: string, user: Node): JsonIRInput[] {
    const source = this.#program.graph.node(name);
    const isState = this.#state.has(name);
    if (isState) return [this.#tensor(name, source.meta.val, user)];
    const tensors = this.#results(source);
    if (tensors.length !== 1 && user.target !== GETITEM)
      throw jsonIRUnsupported(`the node takes "${name}", which is not one tensor`, nodeWhere(user), GRAPH);
    return tensors.map((tensor, index) => ({ ...tensor, producerNode: name, producerOutputIdx: index }));
  }

  #results(node: Node): JsonIRTensor[] {
    const { val } = node.meta;
    if (val === undefined || val === null) return [];
    if (!Array.isArray(val)) return [this.#tensor(node.name, val, node)];
    return (val as readonly MetaValue[]).flatMap((item, index) =>
      item === null ? [] : [this.#tensor(`${node.name}_${index}`, item, node)],
    );
  }

  #tensor(name: string, val: MetaValue | undefined, node: Node): JsonIRTensor {
    if (!(val instanceof FakeTensor))
      throw jsonIRUnsupported(`the value of "${node.name}" is not a tensor`, nodeWhere(node), GRAPH);
    const { dtype, shape } = val;
    const dynamic = shape.find((size) => typeof size !== "number");
    if (dynamic !== undefined)
      throw jsonIRUnsupported(
        `the tensor "${name}" has the dynamic size ${String(dynamic)}`,
        nodeWhere(node),
        `export the model without dynamic shapes, or fix the sizes first: propagate-shapes{sizes=[${String(dynamic)}=4]}`,
      );
    return { name, shape: shape as readonly number[], dtype };
  }

  #outputs(): JsonIRTensor[] {
    const { graph, graphSignature } = this.#program;
    const written = graphSignature.outputSpecs.find(
      ({ kind }) => kind !== "USER_OUTPUT" && kind !== "LOSS_OUTPUT",
    );
    if (written !== undefined)
      throw jsonIRUnsupported(
        `the program writes to its state or its inputs (${written.kind} ${written.target ?? written.arg.name})`,
        `output ${written.arg.name}`,
        GRAPH,
      );
    return graphSignature.outputSpecs.flatMap(({ arg }) => {
      if (arg.kind === "constant") return [];
      const node = graph.node(arg.name);
      return [this.#tensor(arg.name, node.meta.val, node)];
    });
  }

  /** Values of the constants and of the buffers that the state dict does not have. */
  #constants(): Map<string, Tensor> {
    const { constants } = this.#program;
    const known = new Map<string, Tensor>();
    const skipped: string[] = [];
    for (const name of new Set(this.#state.values())) {
      const tensor = constants.get(name);
      if (tensor === undefined) continue;
      if (tensor.hasValues) known.set(name, tensor);
      else skipped.push(name);
    }
    if (skipped.length > 0) {
      const names = skipped.map(stringRepr).join(", ");
      const warn = this.#options.onWarning ?? ((message: string) => console.warn(message));
      warn(`Skipping ${skipped.length} meta-device constant(s) (shape/dtype already in weights): [${names}]`);
    }
    return known;
  }
}

const stateEntry = ({ kind, arg, target }: InputSpec): readonly (readonly [string, string])[] =>
  STATE.includes(kind) && target !== null ? [[arg.name, target]] : [];

/** The nodes of the arguments that a call writes to, or whose memory its result shares. */
function writtenOrViewed({ args, kwargs }: Node, schema: OpSchema): string[] {
  return schema.args.flatMap(({ name, alias }, i) => {
    const value =
      alias === undefined || (schema.isMutable && !alias.write) ? null : (args[i] ?? kwargs[name] ?? null);
    const names: string[] = [];
    forEachRef(value, (ref) => names.push(ref));
    return names;
  });
}

/** Which of several results are absent; undefined where none is. */
function noneMask(val: MetaValue | undefined): readonly boolean[] | undefined {
  if (!Array.isArray(val)) return undefined;
  const mask = (val as readonly MetaValue[]).map((item) => item === null);
  return mask.includes(true) ? mask : undefined;
}
