/** @file Values of a running graph. */
import { markClass } from "@sconce/errors";
import type { Argument, ComplexLiteral, FloatLiteral, Graph } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { COPY } from "../this-copy.js";

/**
 * A value while a program runs; `T` is what represents a tensor. Python floats of integral value
 * stay wrapped (`{kind: "float", value: 2}`), so that promotion sees what Python saw.
 */
export type RuntimeValue<T = Tensor> =
  | T
  | number
  | bigint
  | boolean
  | string
  | null
  | FloatLiteral
  | ComplexLiteral
  | readonly RuntimeValue<T>[];

/**
 * What an operator may be given: a value, or a literal of its schema's types (dtype, device,
 * layout, ...).
 */
export type CallArgument<T = Tensor> = RuntimeValue<T> | Argument | undefined | readonly CallArgument<T>[];

/** Keyword arguments of a call. */
export type CallKwargs<T = Tensor> = Readonly<Record<string, CallArgument<T>>>;

/**
 * A nested graph as the value of the `get_attr` node that reads it: the operand of a higher-order
 * call.
 */
export interface NestedGraph {
  /** The name under which the outer graph holds it (`true_graph_0`). */
  readonly name: string;
  /** The graph, as the program holds it. */
  readonly graph: Graph;
}

/** An argument of a call as the interpreter gives it: higher-order calls also take graphs. */
export type NodeArgument<T = Tensor> = CallArgument<T> | NestedGraph;

/** Runs step by step. It yields where the run may pause, and yields promises that it waits for. */
export type Steps<V> = Generator<Promise<unknown> | undefined, V, unknown>;

/** A value that nested graphs compute: the interpreter runs its steps before it goes on. */
export class Running<V> {
  static {
    markClass(Running, "Running", COPY);
  }

  /** The computation, suspended where it waits for a promise. */
  readonly steps: Steps<V>;

  constructor(steps: Steps<V>) {
    this.steps = steps;
  }
}

/** The value of a node: at once, as a promise, or after nested graphs ran. */
export type NodeResult<T = Tensor> = NodeArgument<T> | Promise<NodeArgument<T>> | Running<NodeArgument<T>>;
