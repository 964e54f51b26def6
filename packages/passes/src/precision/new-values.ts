/**
 * @file The values of the nodes of a program that is being converted, and the casts between them.
 */
import {
  dtypeLiteral,
  type ExportedProgram,
  FakeTensor,
  type MetaValue,
  Namespace,
  type Node,
  type NodeRef,
  ref,
} from "@sconce/ir";
import { metaOf, type OperatorTable } from "@sconce/ops";
import type { DType } from "@sconce/tensor";
import { type RetraceEnv, shapeEnvOf } from "@sconce/trace";

const CAST = "aten._to_copy.default";

export class NewValues {
  readonly nodes: Node[] = [];
  readonly #program: ExportedProgram;
  readonly #operators: OperatorTable;
  readonly #env: RetraceEnv;
  readonly #names: Namespace;
  readonly #vals = new Map<string, MetaValue | undefined>();
  /** Casts made so far: by name of the value and dtype. */
  readonly #casts = new Map<string, string>();

  constructor(program: ExportedProgram, operators: OperatorTable) {
    this.#program = program;
    this.#operators = operators;
    this.#env = shapeEnvOf(program);
    this.#names = new Namespace((name) => program.graph.has(name));
  }

  add(node: Node): void {
    this.#vals.set(node.name, node.meta.val);
    this.nodes.push(Object.freeze(node));
  }

  /** Returns the value of a node as it is now. */
  of(name: string): MetaValue | undefined {
    return this.#vals.get(name);
  }

  /** Returns the value that it had. */
  before(name: string): MetaValue | undefined {
    return this.#program.graph.node(name).meta.val;
  }

  /** Returns what a call gives, for its operands' values by default. */
  resultOf(
    { target, args, kwargs }: Pick<Node, "target" | "args" | "kwargs">,
    resolve = ({ name }: NodeRef): MetaValue | undefined => this.of(name),
  ): MetaValue {
    return metaOf(this.#operators, target, args, kwargs, this.#env, resolve);
  }

  /**
   * Returns a value that had a dtype in another one, cast before the node that wants it if need be.
   */
  as(input: NodeRef, from: DType, dtype: DType, user: Node): NodeRef {
    const { name } = input;
    const [val, original] = [this.of(name), this.before(name)];
    if (!(val instanceof FakeTensor) || !(original instanceof FakeTensor)) return input;
    if (original.dtype !== from || val.dtype === dtype) return input;
    const key = `${name} ${dtype}`;
    const cast = this.#casts.get(key) ?? this.#cast(name, dtype, user);
    this.#casts.set(key, cast);
    return ref(cast);
  }

  #cast(from: string, dtype: DType, user: Node): string {
    const name = this.#names.create("_to_copy");
    const source = user.op === "output" ? this.#program.graph.node(from) : user;
    const { val: _, unbackedBindings: __, ...meta } = source.meta;
    const call = { target: CAST, args: [ref(from)], kwargs: { dtype: dtypeLiteral(dtype) } };
    const origin = { pass: "convert-dtype", from: [from] };
    this.add({ name, op: "call_function", ...call, meta: { ...meta, val: this.resultOf(call), origin } });
    return name;
  }
}
