/** @file The first node of a run whose result holds NaN or infinity. */
import {
  checkOptions,
  LONG_WORK,
  type LongWorkOptions,
  type OptionNames,
  ProgressReport,
  userCallback,
} from "@sconce/errors";
import {
  type Argument,
  type ExportedProgram,
  isFloat,
  isRef,
  type Node,
  type ScalarLiteral,
  toNumber,
  userLine,
  type Value,
} from "@sconce/ir";
import { HOST_TENSORS, memoryLimit, type NodeArgument, type NodeResult } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { DISPATCH, type Dispatching, type DispatchOptions } from "./dispatch-options.js";
import { DispatchingInterpreter } from "./interpreter.js";
import { hasNonfinite, type NonfiniteKind, summaryOf, type TensorSummary } from "./tensor-summary.js";

/** What counts as found, and how the program runs. */
export interface NonfiniteOptions extends DispatchOptions, LongWorkOptions {
  /**
   * `"any"` looks for NaN and infinities, `"nan"` for NaN only: masks hold infinities on purpose.
   * `"any"` when left out.
   */
  readonly kind?: NonfiniteKind;
}

const NONFINITE: OptionNames<NonfiniteOptions> = { ...DISPATCH, ...LONG_WORK, kind: true };

/** A value of a node by its name. */
export interface NamedSummary extends TensorSummary {
  /** The name of the node or of the state. */
  readonly name: string;
}

/** A call whose result holds NaN or infinity. */
export interface NonfiniteNode {
  /** The name of the node. */
  readonly node: string;
  /** What it calls. */
  readonly target: string;
  /** Names of the nested graphs that the node is in, outermost first. */
  readonly path: readonly string[];
  /** The line of the user's model, when the program has stack traces. */
  readonly line: string | undefined;
  /** Position among the results of a call that has several. */
  readonly result: number;
  /** A summary of the result. */
  readonly output: TensorSummary;
  /** What the call was given, as it was before the call. */
  readonly inputs: readonly NamedSummary[];
}

/** An input, parameter, buffer or constant that holds NaN or infinity before anything runs. */
export interface NonfiniteSource extends NamedSummary {
  /** Whether it is an input or state of the program. */
  readonly kind: "input" | "state";
}

/** Where NaN and infinity first appear in a run. */
export interface NonfiniteReport {
  /** Inputs and weights that hold such values already. */
  readonly sources: readonly NonfiniteSource[];
  /** The first call, in the order of the run, whose result does; undefined when none does. */
  readonly first: NonfiniteNode | undefined;
  /** How many calls ran, those of nested graphs in each iteration. */
  readonly calls: number;
}

/** See `firstNonfinite`. */
export async function nonfiniteIn(
  dispatching: (options: DispatchOptions) => Promise<Dispatching>,
  program: ExportedProgram,
  inputs: readonly Value[],
  options: NonfiniteOptions = {},
): Promise<NonfiniteReport> {
  checkOptions("firstNonfinite", options, NONFINITE);
  const { kind = "any", signal, onProgress, ...dispatch } = options;
  // Not `using`: bundlers warn of what TypeScript makes of it.
  const maxBytes = memoryLimit("firstNonfinite", options.maxBytes);
  const search = new Search(program, await dispatching(dispatch), maxBytes, kind);
  const progress = new ProgressReport("run", userCallback("firstNonfinite", onProgress));
  try {
    await search.run(inputs, { signal, ...(onProgress && { onProgress: progress.forward }) });
  } catch (error) {
    // The search ends the run by an error.
    if (search.first === undefined) throw error;
  } finally {
    search.dispose();
  }
  progress.end();
  const { sources, first, calls } = search;
  return { sources, first, calls };
}

class Search extends DispatchingInterpreter {
  readonly sources: NonfiniteSource[] = [];
  first: NonfiniteNode | undefined;
  calls = 0;
  readonly #kind: NonfiniteKind;

  constructor(
    program: ExportedProgram,
    { operators, dispatcher }: Dispatching,
    maxBytes: number,
    kind: NonfiniteKind,
  ) {
    super(program, operators, dispatcher, maxBytes);
    this.#kind = kind;
  }

  protected override runNode(node: Node): NodeResult {
    if (node.op === "placeholder" && this.graphPath.length === 0) return this.#source(node);
    if (node.op !== "call_function") return super.runNode(node);
    const given = this.#given(node);
    return this.whenDone(super.runNode(node), (value) => {
      this.calls++;
      for (const [i, one] of (Array.isArray(value) ? value : [value]).entries())
        if (hasNonfinite(one, this.#kind)) this.#found(node, i, one as Tensor | number, given);
      return value;
    });
  }

  #source(node: Node): NodeResult {
    return this.whenDone(super.runNode(node), (value) => {
      if (hasNonfinite(value, this.#kind)) {
        const at = this.program.graph.placeholders().findIndex(({ name }) => name === node.name);
        const spec = this.program.graphSignature.inputSpecs[at];
        const kind = spec === undefined || spec.kind === "USER_INPUT" ? "input" : "state";
        const summary = summaryOf(value as Tensor | number, this.#kind);
        this.sources.push({ kind, name: spec?.target ?? node.name, ...summary });
      }
      return value;
    });
  }

  /**
   * Arguments by the names of their nodes; an operator that writes to them gets copies to report.
   */
  #given(node: Node): ReadonlyMap<string, Tensor | number> {
    const { args, kwargs } = this.fetchArgsKwargsFromEnv(node);
    const isWritten = this.operators.schemaOf(node.target)?.isMutable === true;
    const given = new Map<string, Tensor | number>();
    const collect = (argument: Argument, value: NodeArgument): void => {
      if (isRef(argument)) {
        for (const one of Array.isArray(value) ? value : [value]) {
          if (one instanceof Tensor) given.set(argument.name, isWritten ? HOST_TENSORS.clone(one) : one);
          else if (typeof one === "number" || isFloat(one))
            given.set(argument.name, toNumber(one as ScalarLiteral));
        }
      } else if (Array.isArray(argument) && Array.isArray(value))
        for (const [i, item] of (argument as readonly Argument[]).entries())
          collect(item, value[i] as NodeArgument);
    };
    for (const [i, argument] of node.args.entries()) collect(argument, args[i]);
    for (const [name, argument] of Object.entries(node.kwargs)) collect(argument, kwargs[name]);
    return given;
  }

  #found(
    node: Node,
    result: number,
    value: Tensor | number,
    given: ReadonlyMap<string, Tensor | number>,
  ): never {
    this.first = {
      node: node.name,
      target: node.target,
      path: [...this.graphPath],
      line: userLine(node),
      result,
      output: summaryOf(value, this.#kind),
      inputs: [...given].map(([name, one]) => ({ name, ...summaryOf(one, this.#kind) })),
    };
    throw new Error("found");
  }
}
