/** @file What higher-order calls are given, and what they may ask of the interpreter. */
import type { Node } from "@sconce/ir";
import type { DType } from "@sconce/tensor";
import type { OperatorTable } from "../table/table.js";
import type { TensorAccess } from "./tensor-access.js";
import {
  type CallArgument,
  type CallKwargs,
  type NestedGraph,
  type NodeArgument,
  type NodeResult,
  Running,
  type RuntimeValue,
  type Steps,
} from "./values.js";

/** What a higher-order operator may ask of the interpreter. */
export interface GraphRunner<T> {
  readonly tensors: TensorAccess<T>;
  readonly operators: OperatorTable;
  /** Runs a nested graph; a graph that returns a tuple gives a list. */
  runGraph(graph: NestedGraph, inputs: readonly RuntimeValue<T>[]): Steps<RuntimeValue<T>>;
  /** Runs with an autocast dtype (null for none) in force. */
  withAutocast(dtype: DType | null, body: Steps<RuntimeValue<T>>): Steps<RuntimeValue<T>>;
  /** Counts an iteration of a loop. @throws SconceError `LOOP_LIMIT` */
  countIteration(): void;
  callOperator(
    target: string,
    args: readonly CallArgument<T>[],
    kwargs: CallKwargs<T>,
    node: Node,
  ): NodeResult<T>;
  /** Prints a line of the program. */
  print(text: string): void;
}

/** Runs one higher-order call. */
export type HigherOrder = <T>(
  runner: GraphRunner<T>,
  args: readonly NodeArgument<T>[],
  kwargs: CallKwargs<T>,
  node: Node,
) => Steps<RuntimeValue<T>>;

/** Values of a list, or of a call with several results. */
export type Values<T> = readonly RuntimeValue<T>[];

/** Resolves the value of a node, waiting for it if needed. */
export function* resolved<V>(value: V | Promise<V> | Running<V>): Steps<V> {
  if (value instanceof Running) return yield* value.steps;
  return value instanceof Promise ? ((yield value) as V) : value;
}

export const valuesOf = <T>(value: NodeArgument<T>): Values<T> =>
  Array.isArray(value) ? (value as Values<T>) : [value as RuntimeValue<T>];
export const orNone = <T>(value: NodeArgument<T>): Values<T> => valuesOf(value ?? ([] as NodeArgument<T>));
