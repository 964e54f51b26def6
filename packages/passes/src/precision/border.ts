/**
 * @file What a converted program takes and gives: inputs, weights, state, results, and their names
 * in the signature.
 */
import {
  type Argument,
  type ArgumentSpec,
  type ExportedProgram,
  type Graph,
  type InputSpec,
  isRef,
  itemsOf,
  type Node,
} from "@sconce/ir";
import { sameSizes } from "@sconce/symbolic";
import { castTensor, type DType, Tensor } from "@sconce/tensor";
import { withRenamed } from "../graphs/rename.js";
import type { Keep } from "./keep.js";

export interface BorderOptions {
  readonly from: DType;
  readonly to: DType;
  /**
   * Whether what the caller sees is converted too: inputs, results, and state that is written to.
   */
  readonly io: boolean;
  readonly isKept: Keep;
}

export class Border {
  readonly #program: ExportedProgram;
  readonly #options: BorderOptions;
  /** Targets of parameters and buffers, and names of inputs, that the program writes to. */
  readonly #written: ReadonlySet<string>;
  readonly #state = new Map<string, Tensor>();
  /** Tensors under several names stay one. */
  readonly #converted = new Map<Tensor, Tensor>();
  #isLaidAnew = false;

  constructor(program: ExportedProgram, options: BorderOptions) {
    this.#program = program;
    this.#options = options;
    const { outputSpecs } = program.graphSignature;
    this.#written = new Set(outputSpecs.filter(isMutation).map(({ target }) => target!));
  }

  /**
   * Returns whether a float input is of the other dtype afterwards: weights unless only kept calls
   * read them; what the caller sees, state that is written to among it, by option.
   */
  converts(node: Node, spec: InputSpec | undefined): boolean {
    const { io, isKept } = this.#options;
    if (spec?.kind === "USER_INPUT") return io;
    if (spec?.target == null || (!io && this.#written.has(spec.target))) return false;
    const users = this.#program.graph.users(node.name);
    return users.some((user) => user.op === "call_function" && !isKept(user));
  }

  /** The value of a weight in the other dtype. */
  convertState(target: string): void {
    const tensor = this.#program.tensor(target);
    if (tensor === undefined) return;
    const converted = this.#converted.get(tensor) ?? castTensor(tensor, this.#options.to);
    this.#converted.set(tensor, converted);
    this.#state.set(target, converted);
    this.#isLaidAnew ||=
      tensor.storageOffset !== converted.storageOffset || !sameSizes(tensor.strides, converted.strides);
  }

  /** Whether a converted weight has other strides or another offset, as one that was a view has. */
  get isLaidAnew(): boolean {
    return this.#isLaidAnew;
  }

  /** Results, each with the name of the input that it is written to, if it is. */
  results(): readonly { readonly value: Argument; readonly writes: string | undefined }[] {
    const { graph, graphSignature } = this.#program;
    const { inputSpecs, outputSpecs } = graphSignature;
    return (itemsOf(graph.outputArgument()) ?? []).map((value, i) => {
      const spec = outputSpecs[i]!;
      if (!isMutation(spec)) return { value, writes: undefined };
      const written = inputSpecs.find(({ target, arg }) => (target ?? arg.name) === spec.target);
      return { value, writes: written?.arg.name ?? "" };
    });
  }

  /** Returns the program with a new graph, whose results may go by other names. */
  finish(graph: Graph, results: readonly Argument[]): ExportedProgram {
    const { inputSpecs, outputSpecs } = this.#program.graphSignature;
    const named = outputSpecs.map((spec, i) => {
      const result = results[i]!;
      return isRef(result) ? { ...spec, arg: { ...spec.arg, name: result.name } as ArgumentSpec } : spec;
    });
    return withRenamed(this.#program, graph, this.#renamed(results)).with({
      graphSignature: { inputSpecs, outputSpecs: named },
      stateDict: this.#held(this.#program.stateDict),
      constants: this.#held(this.#program.constants),
      exampleInputs: this.#options.io ? this.#exampleInputs() : this.#program.exampleInputs,
    });
  }

  #renamed(results: readonly Argument[]): ReadonlyMap<string, string> {
    const renamed = new Map<string, string>();
    this.results().forEach(({ value, writes }, i) => {
      const result = results[i]!;
      if (writes === undefined && isRef(result) && isRef(value) && value.name !== result.name)
        renamed.set(value.name, result.name);
    });
    return renamed;
  }

  #held(all: ReadonlyMap<string, Tensor>): Map<string, Tensor> {
    return new Map([...all].map(([target, tensor]) => [target, this.#state.get(target) ?? tensor]));
  }

  #exampleInputs(): ExportedProgram["exampleInputs"] {
    const { exampleInputs } = this.#program;
    const { from, to } = this.#options;
    const cast = (leaf: unknown): unknown =>
      leaf instanceof Tensor && leaf.dtype === from ? castTensor(leaf, to) : leaf;
    return exampleInputs === null
      ? null
      : {
          get leaves() {
            return exampleInputs.leaves.map(cast) as typeof exampleInputs.leaves;
          },
        };
  }
}

const isMutation = ({ kind }: { readonly kind: string }): boolean => kind.endsWith("_MUTATION");
