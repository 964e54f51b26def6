/** @file Calls that a pass adds to a graph, with the values that they give. */
import {
  type Argument,
  type MetaValue,
  type Namespace,
  type Node,
  type NodeMeta,
  type NodeRef,
  ref,
} from "@sconce/ir";
import { metaOf, type OperatorTable } from "@sconce/ops";
import type { RetraceEnv } from "@sconce/trace";

/** Where operators, sizes and names of calls come from, and the metadata of the calls. */
export interface CallParts {
  readonly operators: OperatorTable;
  readonly env: RetraceEnv;
  readonly names: Namespace;
  readonly meta: NodeMeta;
}

/** Adds calls one after the other. */
export class CallMaker {
  /** The calls made so far. */
  readonly nodes: Node[] = [];
  readonly #vals = new Map<string, MetaValue>();
  readonly #parts: CallParts;

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  /** Makes a value of the graph known. */
  know(name: string, val: MetaValue): NodeRef {
    this.#vals.set(name, val);
    return ref(name);
  }

  /** Adds a call and returns its result. */
  call(
    target: string,
    args: readonly Argument[],
    kwargs: Readonly<Record<string, Argument>> = {},
    candidate = target.split(".")[1]!,
  ): NodeRef {
    const { operators, env, names, meta } = this.#parts;
    const val = metaOf(operators, target, args, kwargs, env, ({ name }) => this.#vals.get(name));
    const name = names.create(candidate);
    this.nodes.push({ name, op: "call_function", target, args, kwargs, meta: { ...meta, val } });
    return this.know(name, val);
  }
}
