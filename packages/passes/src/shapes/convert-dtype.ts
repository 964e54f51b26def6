/** @file A program computed in another float dtype. */
import { isSconceError } from "@sconce/errors";
import {
  type Argument,
  type ArgumentSpec,
  dtypeLiteral,
  type ExportedProgram,
  FakeTensor,
  Graph,
  type InputSpec,
  isRef,
  itemsOf,
  kindOf,
  type MetaValue,
  mapRefs,
  Namespace,
  type Node,
  type NodeRef,
  ref,
  tuple,
} from "@sconce/ir";
import { isScalarFunction, metaOf, type OperatorTable } from "@sconce/ops";
import { castTensor, type DType, isComplexDType, Tensor } from "@sconce/tensor";
import { mapArguments } from "../analysis/node-arguments.js";
import { withRenamed } from "../builtin/rename.js";
import { type RetraceEnv, shapeEnvOf } from "../decompose/shape-env.js";
import { hasTensors, retyped, touchesDtype } from "./retype.js";

export interface ConversionOptions {
  readonly to: DType;
  /** Operators and nodes that go on computing in float32. */
  readonly keep?: ReadonlySet<string>;
  /** Whether inputs and outputs are converted too. */
  readonly io?: boolean;
}

const FROM: DType = "float32";

/** Operators whose shape rules take halves, while PyTorch's CPU kernels compute in float32 and float64 only. */
const FULL_PRECISION =
  /^aten\.(_?cdist|_?pdist|_upsample_\w+2d_aa|special_(airy_ai|\w*bessel_\w+|erfcx|log_ndtr|ndtri))(_forward|_backward)?\./;

/**
 * The program with float32 values in `to`. Casts are made where a value is needed in the other dtype, once a value. Kept
 * calls, control flow with its bodies, and operators that do not take the dtype compute in float32; a weight that only
 * those read stays as it is. The same program when it has no float32 values.
 */
export function convertDtype(
  program: ExportedProgram,
  operators: OperatorTable,
  options: ConversionOptions,
): ExportedProgram {
  return new Converter(program, operators, options).run();
}

class Converter {
  readonly #program: ExportedProgram;
  readonly #operators: OperatorTable;
  readonly #to: DType;
  readonly #keep: ReadonlySet<string>;
  readonly #io: boolean;
  readonly #env: RetraceEnv;
  readonly #names = new Namespace();
  readonly #nodes: Node[] = [];
  /** Values of the new nodes, by name. */
  readonly #vals = new Map<string, MetaValue | undefined>();
  /** Casts made so far: by name of the value and dtype. */
  readonly #casts = new Map<string, string>();
  readonly #state = new Map<string, Tensor>();
  readonly #converted = new Map<Tensor, Tensor>();
  #changed = false;

  constructor(program: ExportedProgram, operators: OperatorTable, options: ConversionOptions) {
    this.#program = program;
    this.#operators = operators;
    this.#to = options.to;
    this.#keep = options.keep ?? new Set();
    this.#io = options.io ?? false;
    this.#env = shapeEnvOf(program);
    for (const node of program.graph.nodes()) this.#names.reserve(node.name);
  }

  run(): ExportedProgram {
    const { graph, graphSignature } = this.#program;
    let input = 0;
    for (const node of graph.nodes()) {
      if (node.op === "placeholder") this.#placeholder(node, graphSignature.inputSpecs[input++]);
      else if (node.op === "call_function")
        this.#add(this.#isKept(node) ? this.#wide(node) : this.#narrow(node));
      else if (node.op === "get_attr") this.#add(node);
    }
    const results = this.#results();
    if (!this.#changed) return this.#program;
    const output = { ...graph.outputNode(), args: [tuple(results)] };
    const vals = results.map((result) => (isRef(result) ? this.#vals.get(result.name) : undefined) ?? null);
    this.#add(output.meta.val === undefined ? output : this.#withVal(output, vals));
    return this.#finish(new Graph(this.#nodes, graph.subgraphs), results);
  }

  #isKept({ name, target }: Node): boolean {
    if (target.startsWith("higher_order.") || FULL_PRECISION.test(target)) return true;
    return this.#keep.has(name) || this.#keep.has(target);
  }

  #add(node: Node): void {
    this.#vals.set(node.name, node.meta.val);
    this.#nodes.push(Object.freeze(node));
  }

  /** Weights are converted unless only kept calls read them; user inputs by option. */
  #placeholder(node: Node, spec: InputSpec | undefined): void {
    const { val } = node.meta;
    const users = this.#program.graph.users(node.name);
    const isRead = users.some((user) => user.op === "call_function" && !this.#isKept(user));
    const converts = spec?.kind === "USER_INPUT" ? this.#io : spec?.target != null && isRead;
    if (!converts || !(val instanceof FakeTensor) || val.dtype !== FROM) {
      this.#add(node);
      return;
    }
    if (spec?.target != null) this.#convertState(spec.target);
    this.#changed = true;
    this.#add({ ...node, meta: { ...node.meta, val: new FakeTensor({ ...val, dtype: this.#to }) } });
  }

  #convertState(target: string): void {
    const tensor = this.#program.tensor(target);
    if (tensor === undefined) return;
    const converted = this.#converted.get(tensor) ?? castTensor(tensor, this.#to);
    this.#converted.set(tensor, converted);
    this.#state.set(target, converted);
  }

  /** The call on float32 values, as it was. */
  #wide(node: Node): Node {
    return this.#withInputs(node, FROM);
  }

  /** The call in the other dtype; as it was where that is not possible. */
  #narrow(node: Node): Node {
    const { target, meta } = node;
    if (isScalarFunction(target) || target.startsWith("aten.sym_")) return node;
    if (!touchesDtype(node, this.#program.graph, FROM)) return node;
    if (this.#isBorder(node)) return node;
    // Assertions and reads of elements are about what was computed: the dtype that they name is float32.
    if (!hasTensors(meta.val ?? null)) return this.#wide(node);
    if (target === "operator.getitem") {
      const source = this.#vals.get((node.args[0] as NodeRef).name) as readonly MetaValue[];
      return this.#withVal(node, source[Number(node.args[1])]!);
    }
    if (!this.#takes(node)) return this.#wide(node);
    const called = this.#withInputs(this.#withDtypes(node), this.#to);
    return this.#withVal(called, this.#metaOf(called));
  }

  /** A conversion between the two dtypes that the program makes itself. */
  #isBorder({ target, args, meta }: Node): boolean {
    const source = target === "aten._to_copy.default" ? args[0] : undefined;
    if (!isRef(source) || !(meta.val instanceof FakeTensor)) return false;
    const given = this.#vals.get(source.name);
    const pair = [given instanceof FakeTensor ? given.dtype : "", meta.val.dtype];
    return pair.includes(FROM) && pair.includes(this.#to);
  }

  /** Whether the operator computes in the other dtype, and gives it for float32 and nothing new for the rest. */
  #takes(node: Node): boolean {
    const narrowed = (argument: NodeRef): MetaValue | undefined =>
      this.#asIf(this.#vals.get(argument.name), this.#program.graph.node(argument.name).meta.val);
    try {
      const { target, args, kwargs } = this.#withDtypes(node);
      const val = metaOf(this.#operators, target, args, kwargs, this.#env, narrowed);
      return this.#isExpected(node.meta.val!, val);
    } catch (error) {
      if (isSconceError(error)) return false;
      throw error;
    }
  }

  #isExpected(before: MetaValue, after: MetaValue): boolean {
    if (Array.isArray(before) && Array.isArray(after)) {
      const items = after as readonly MetaValue[];
      return (before as readonly MetaValue[]).every((item, i) => this.#isExpected(item, items[i]!));
    }
    if (!(before instanceof FakeTensor) || !(after instanceof FakeTensor)) return true;
    // Complex numbers of the other dtype are what few operators compute with.
    if (isComplexDType(after.dtype)) return false;
    return after.dtype === before.dtype || (before.dtype === FROM && after.dtype === this.#to);
  }

  /** A value as it would be in the other dtype. */
  #asIf(val: MetaValue | undefined, original: MetaValue | undefined): MetaValue | undefined {
    const isWide = val instanceof FakeTensor && val.dtype === FROM && original instanceof FakeTensor;
    return isWide ? new FakeTensor({ ...val, dtype: this.#to }) : val;
  }

  #metaOf({ target, args, kwargs }: Node): MetaValue {
    return metaOf(this.#operators, target, args, kwargs, this.#env, ({ name }) => this.#vals.get(name));
  }

  #withVal(node: Node, val: MetaValue): Node {
    const recorded = node.meta.val!;
    const next = retyped(recorded, val);
    if (next === recorded) return node;
    this.#changed = true;
    return { ...node, meta: { ...node.meta, val: next } };
  }

  /** `dtype=float32` becomes the other dtype. */
  #withDtypes(node: Node): Node {
    const convert = (argument: Argument): Argument =>
      kindOf(argument) === "dtype" && (argument as { dtype: DType }).dtype === FROM
        ? dtypeLiteral(this.#to)
        : argument;
    return mapArguments(node, convert);
  }

  /** The node with every float input in a dtype. */
  #withInputs(node: Node, dtype: DType): Node {
    const next = mapArguments(node, (argument) => mapRefs(argument, (input) => this.#as(input, dtype, node)));
    if (next !== node) this.#changed = true;
    return next;
  }

  /** A value in a dtype, cast before the node that wants it if need be. */
  #as(input: NodeRef, dtype: DType, user: Node): NodeRef {
    const { name } = input;
    const val = this.#vals.get(name);
    const original = this.#program.graph.node(name).meta.val;
    if (!(val instanceof FakeTensor) || !(original instanceof FakeTensor)) return input;
    if (original.dtype !== FROM || val.dtype === dtype) return input;
    const key = `${name} ${dtype}`;
    const known = this.#casts.get(key);
    if (known !== undefined) return ref(known);
    const cast = this.#names.create("_to_copy");
    this.#casts.set(key, cast);
    const {
      val: _,
      unbackedBindings: __,
      ...meta
    } = user.op === "output" ? this.#program.graph.node(name).meta : user.meta;
    const call = {
      target: "aten._to_copy.default",
      args: [ref(name)],
      kwargs: { dtype: dtypeLiteral(dtype) },
    };
    const result = metaOf(this.#operators, call.target, call.args, call.kwargs, this.#env, () => val);
    const origin = { pass: "convert-dtype", from: [name] };
    this.#add({ name: cast, op: "call_function", ...call, meta: { ...meta, val: result, origin } });
    this.#changed = true;
    return ref(cast);
  }

  /** Results in the dtypes that the caller, or what is written to, has. */
  #results(): Argument[] {
    const { graph, graphSignature } = this.#program;
    const { inputSpecs, outputSpecs } = graphSignature;
    const output = graph.outputNode();
    return (itemsOf(graph.outputArgument()) ?? []).map((result, i) => {
      const { kind, target } = outputSpecs[i]!;
      if (!isRef(result)) return result;
      if (!kind.endsWith("_MUTATION")) return this.#as(result, this.#io ? this.#to : FROM, output);
      const written = inputSpecs.find((spec) => (spec.target ?? spec.arg.name) === target);
      const val = this.#vals.get(written?.arg.name ?? "");
      return val instanceof FakeTensor ? this.#as(result, val.dtype, output) : result;
    });
  }

  #finish(graph: Graph, results: readonly Argument[]): ExportedProgram {
    const { inputSpecs, outputSpecs } = this.#program.graphSignature;
    const before = itemsOf(this.#program.graph.outputArgument()) ?? [];
    const renamed = new Map<string, string>();
    results.forEach((result, i) => {
      const old = before[i]!;
      const isUser = !outputSpecs[i]!.kind.endsWith("_MUTATION");
      if (isUser && isRef(result) && isRef(old) && old.name !== result.name)
        renamed.set(old.name, result.name);
    });
    const named = outputSpecs.map((spec, i) => {
      const result = results[i]!;
      return isRef(result) ? { ...spec, arg: { ...spec.arg, name: result.name } as ArgumentSpec } : spec;
    });
    const held = (all: ReadonlyMap<string, Tensor>): Map<string, Tensor> =>
      new Map([...all].map(([target, tensor]) => [target, this.#state.get(target) ?? tensor]));
    return withRenamed(this.#program, graph, renamed).with({
      graphSignature: { inputSpecs, outputSpecs: named },
      stateDict: held(this.#program.stateDict),
      constants: held(this.#program.constants),
      exampleInputs: this.#io ? this.#exampleInputs() : this.#program.exampleInputs,
    });
  }

  #exampleInputs(): ExportedProgram["exampleInputs"] {
    const { exampleInputs } = this.#program;
    const to = this.#to;
    return exampleInputs === null
      ? null
      : {
          get leaves() {
            return exampleInputs.leaves.map((leaf) =>
              leaf instanceof Tensor && leaf.dtype === FROM ? castTensor(leaf, to) : leaf,
            );
          },
        };
  }
}
