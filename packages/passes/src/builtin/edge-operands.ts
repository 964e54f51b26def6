/**
 * @file Pointwise calls with operands of one dtype: type promotion as conversions, and numbers as
 * tensors.
 */
import { eachInPieces, type Work } from "@sconce/errors";
import {
  type Argument,
  dtypeLiteral,
  edit,
  FakeTensor,
  type Graph,
  type GraphEditor,
  isFloat,
  isInt,
  isRef,
  kindOf,
  type MetaValue,
  type NewNode,
  type Node,
  type OpSchema,
  ref,
  unwrapFloat,
} from "@sconce/ir";
import { promotedPlaces } from "@sconce/ir/verify";
import { metaOf, type OperatorTable, promoteOperands } from "@sconce/ops";
import { type DType, dtypeInfo, Tensor } from "@sconce/tensor";
import type { RetraceEnv } from "@sconce/trace";

const PASS = "to-edge";

/** Pointwise calls, with their operands in the dtype that the operator computes in. */
export function* withOneDType(graph: Graph, operators: OperatorTable, env: RetraceEnv): Work<Graph> {
  const mixed: (readonly [name: string, call: PointwiseCall])[] = [];
  yield* eachInPieces(graph.nodes(), (node) => {
    const schema = operators.schemaOf(node.target);
    if (node.op !== "call_function" || schema === undefined) return;
    if (!operators.tagsOf(node.target).includes("pointwise")) return;
    const call = new PointwiseCall(node, graph, schema, { operators, env });
    if (call.isMixed && call.keepsResult()) mixed.push([node.name, call]);
  });
  yield;
  return edit(graph, (editor) => {
    for (const [name, call] of mixed) editor.replaceNode(name, { args: call.explicit(editor) });
  });
}

/** What shape rules are run with. */
interface Rules {
  readonly operators: OperatorTable;
  readonly env: RetraceEnv;
}

/** A call, with the operands that its operator converts to their common dtype. */
class PointwiseCall {
  readonly #node: Node;
  readonly #graph: Graph;
  readonly #places: readonly number[];
  readonly #dtype: DType | undefined;

  readonly #rules: Rules;

  constructor(node: Node, graph: Graph, schema: OpSchema, rules: Rules) {
    this.#rules = rules;
    this.#node = node;
    this.#graph = graph;
    this.#places = promotedPlaces(schema).filter((place) => this.#operand(node.args[place]) !== undefined);
    const operands = this.#places.map((place) => this.#operand(node.args[place])!);
    this.#dtype = operands.some((operand) => operand instanceof FakeTensor)
      ? promoteOperands(operands as Parameters<typeof promoteOperands>[0])
      : undefined;
  }

  /** Whether an operand is not a tensor of the common dtype, and all can be. */
  get isMixed(): boolean {
    const dtype = this.#dtype;
    if (dtype === undefined) return false;
    const operands = this.#places.map((place) => this.#operand(this.#node.args[place])!);
    const isOne = operands.every((operand) => operand instanceof FakeTensor && operand.dtype === dtype);
    return !isOne && operands.every((operand) => operand instanceof FakeTensor || isExact(operand, dtype));
  }

  /** Returns whether the operator gives the same dtype for operands of the common one. */
  keepsResult(): boolean {
    const { target, args, kwargs, meta } = this.#node;
    const converted = args.map((value, i) => (this.#places.includes(i) ? this.#converted(value) : value));
    const val = this.#metaOf(target, converted as readonly Argument[], kwargs);
    return val instanceof FakeTensor && meta.val instanceof FakeTensor && val.dtype === meta.val.dtype;
  }

  #metaOf(target: string, args: readonly Argument[], kwargs: Node["kwargs"]): MetaValue {
    const { operators, env } = this.#rules;
    return metaOf(operators, target, args, kwargs, env, ({ name }) => this.#graph.node(name).meta.val);
  }

  /**
   * Returns the arguments, with new nodes in front of the call for those that are of another dtype.
   */
  explicit(editor: GraphEditor): readonly Argument[] {
    return this.#node.args.map((value, i) => {
      if (!this.#places.includes(i)) return value;
      const operand = this.#operand(value)!;
      const dtype = this.#dtype!;
      if (operand instanceof FakeTensor && operand.dtype === dtype) return value;
      const name = editor.freshName(operand instanceof FakeTensor ? "_to_copy" : "full");
      editor.insertBefore(this.#node.name, this.#made(name, value));
      return ref(name);
    });
  }

  #made(name: string, value: Argument): NewNode {
    const { stackTrace, nnModuleStack } = this.#node.meta;
    return {
      name,
      op: "call_function",
      ...(isRef(value)
        ? { target: "aten._to_copy.default", args: [value] }
        : { target: "aten.full.default", args: [[], value] }),
      kwargs: { dtype: dtypeLiteral(this.#dtype!) },
      meta: {
        val: this.#converted(value),
        ...(stackTrace !== undefined && { stackTrace }),
        ...(nnModuleStack !== undefined && { nnModuleStack }),
        origin: { pass: PASS, from: [this.#node.name] },
      },
    };
  }

  #converted(value: Argument): MetaValue {
    const dtype = this.#dtype!;
    return isRef(value)
      ? this.#metaOf("aten._to_copy.default", [value], { dtype: dtypeLiteral(dtype) })
      : new FakeTensor({ dtype, shape: [], strides: [] });
  }

  /** Returns the value of a tensor, or a number; undefined for what is neither. */
  #operand(value: Argument | undefined): FakeTensor | Argument | undefined {
    if (isRef(value)) {
      const { val } = this.#graph.node(value.name).meta;
      return val instanceof FakeTensor ? val : undefined;
    }
    return isInt(value) || isFloat(value) || typeof value === "boolean" ? value : undefined;
  }
}

/**
 * Returns whether a number stays what it is as a tensor of the dtype: smaller floats compute with
 * numbers in float32.
 */
function isExact(value: FakeTensor | Argument, dtype: DType): boolean {
  if (value instanceof FakeTensor || kindOf(value) === "complex") return false;
  const number = unwrapFloat(value as never) as number | bigint | boolean;
  const { kind } = dtypeInfo(dtype);
  if (kind === "float" && (dtype === "float32" || dtype === "float64")) return true;
  if (kind !== "float" && !(kind === "int" && isInt(value))) return false;
  return Number([...Tensor.from([Number(number)], [1], dtype)][0]) === Number(number);
}
