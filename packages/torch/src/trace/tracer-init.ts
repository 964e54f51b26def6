/** @file What a `Tracer` is made from, and what its calls of graphs are made from. */
import type { MetaValue } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { AnyFunction } from "@sconce/source-check";
import type { ShapeEnv } from "@sconce/symbolic";
import type { Tensor } from "@sconce/tensor";
import type { ExampleRun } from "./example-run.js";
import type { SourceFunctions } from "./source-functions.js";
import type { TraceArgument, TraceBody, TraceNode } from "./trace-node.js";

/** The parameters of a `Tracer`. */
export interface TracerInit {
  /** What is known of the sizes of the program. */
  readonly env: ShapeEnv;
  /** Operators that the program may call. @defaultValue all that are registered */
  readonly operators?: OperatorTable | undefined;
  /** Receives warnings. @defaultValue `console.warn` */
  readonly warn?: ((message: string) => void) | undefined;
  /** Runs the calls on the values of the example inputs, for a draft. */
  readonly example?: ExampleRun | undefined;
  /** The functions that a strict export notes; undefined where it is not strict. */
  readonly sources?: SourceFunctions | undefined;
}

/** A call of graphs, such as of the branches of `cond`. */
export interface GraphCall {
  /** The operator: `cond`. */
  readonly name: string;
  /** The class that PyTorch has for it: `CondOp`. */
  readonly kind: string;
  /** The graphs, with the beginnings of their names. */
  readonly bodies: readonly (readonly [prefix: string, body: TraceBody])[];
  /** Returns the arguments of the call, given the nodes of the graphs. */
  readonly argumentsOf: (graphs: readonly TraceNode[]) => readonly TraceArgument[];
  /** Its keyword arguments. */
  readonly kwargs?: Readonly<Record<string, TraceArgument>>;
  /** The fake results of the call. */
  readonly results: readonly MetaValue[];
  /** The results of the example run, where it has them. */
  readonly exampleResults?: readonly (Tensor | undefined)[] | undefined;
}

/** A call of a function that control flow is given. */
export interface BodyCall {
  /** The operator as messages name it: `cond`. */
  readonly operator: string;
  /** The function, or a module. */
  readonly fn: AnyFunction;
  /** The arguments that it is traced with. */
  readonly args: readonly unknown[];
  /** The innermost module whose `forward` runs. */
  readonly module: object | undefined;
}
