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

  /** Adds a `getitem` of a call with several results. */
  item(source: NodeRef, index: number): NodeRef {
    const val = (this.#vals.get(source.name) as readonly MetaValue[])[index]!;
    return this.#add("operator.getitem", [source, index], {}, val);
  }

  /** Adds a call and returns its result. */
  call(target: string, args: readonly Argument[], kwargs: Readonly<Record<string, Argument>> = {}): NodeRef {
    const { operators, env } = this.#parts;
    const val = metaOf(operators, target, args, kwargs, env, ({ name }) => this.#vals.get(name));
    return this.#add(target, args, kwargs, val);
  }

  #add(
    target: string,
    args: readonly Argument[],
    kwargs: Readonly<Record<string, Argument>>,
    val: MetaValue,
  ): NodeRef {
    const { names, meta } = this.#parts;
    const name = names.create(target.split(".")[1]!);
    this.nodes.push({ name, op: "call_function", target, args, kwargs, meta: { ...meta, val } });
    return this.know(name, val);
  }
}
