/** @file The reference interpreter: programs node by node, each operator by the dispatcher. */
import type { ExportedProgram, Node } from "@sconce/ir";
import {
  type CallArgument,
  type CallKwargs,
  Interpreter,
  type NodeArgument,
  type OperatorTable,
  type PreparedProgram,
  type RuntimeValue,
  refuseNames,
  type Steps,
} from "@sconce/ops";
import { DEFAULT_MAX_BYTES, type DType, withMemoryLimit } from "@sconce/tensor";
import { refuseConjugateWrites } from "./conjugate-writes.js";
import type { Dispatcher } from "./dispatch.js";

/** Given each node of the program's own graph with its value, which later nodes may write to. */
export type Seen = (node: Node, value: unknown) => void;

/** Runs programs with the kernels of a dispatcher. */
export class DispatchingInterpreter extends Interpreter {
  readonly #dispatcher: Dispatcher;
  readonly #operators: OperatorTable;
  readonly #maxBytes: number;
  /** The dtype of the autocast region that runs. */
  #autocast: DType | null = null;
  see: Seen | undefined;

  /** @param ready the program prepared; `conjugateWriteSteps` has checked it then */
  constructor(
    program: ExportedProgram,
    operators: OperatorTable,
    dispatcher: Dispatcher,
    maxBytes: number = DEFAULT_MAX_BYTES,
    ready?: PreparedProgram,
  ) {
    super(program, { operators }, ready);
    this.#maxBytes = maxBytes;
    if (ready === undefined) refuseConjugateWrites(program.graph, operators);
    this.#dispatcher = dispatcher;
    this.#operators = operators;
  }

  protected override callOperator(
    target: string,
    args: readonly CallArgument[],
    kwargs: CallKwargs,
  ): RuntimeValue {
    const dispatcher = this.#dispatcher;
    const schema = this.#operators.schemaOf(target);
    if (schema !== undefined) refuseNames(schema, args, kwargs);
    // Programs share dispatchers, and runs may pause.
    dispatcher.autocast = this.#autocast;
    return withMemoryLimit(this.#maxBytes - this.liveBytes, () => dispatcher.call(target, args, kwargs));
  }

  protected override *withAutocast(dtype: DType | null, body: Steps<RuntimeValue>): Steps<RuntimeValue> {
    const before = this.#autocast;
    this.#autocast = dtype;
    try {
      return yield* body;
    } finally {
      this.#autocast = before;
    }
  }

  protected override nodeRan(node: Node, value: NodeArgument): void {
    this.see?.(node, value);
  }
}
