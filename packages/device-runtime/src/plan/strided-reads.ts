/**
 * @file Calls that read memory by strides (`as_strided`), in a program that a device runs. Values
 * come from a device without the memory around them, in row-major order. So the host computes such
 * a call and the views that it looks through, from a value in the recorded strides; kernels compute
 * those calls whose elements are all in their operand.
 */
import { type ExportedProgram, FakeTensor, type Graph, type Node, type Value } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { type MemoryRead, memoryReads } from "@sconce/passes";
import type { Bindings } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { differ, recordedInputs } from "../memory/input-layouts.js";
import { knownSize } from "../memory/sizes.js";

/** Reasons by the names of calls. */
type Reasons = ReadonlyMap<string, string>;

/** Returns why the host computes a view that kernels could compute. */
export const readThrough = (reader: string): string =>
  `the host computes "${reader}", which reads the memory behind it by strides`;
/** Why the host computes a whole run. */
const OTHER_STRIDES =
  "an input has other strides than the program records, and a call reads memory by strides";

/** How a program reads memory by strides. */
export class StridedReads {
  readonly #graph: Graph;
  readonly #reads: readonly MemoryRead[];
  /** Values that have to lie as the program records when the host reads them. */
  readonly #bases: ReadonlySet<string>;
  /**
   * Inputs whose strides decide: kernels of the calls, and views that they look through, are those
   * of the recorded strides.
   */
  readonly #inputs: readonly (FakeTensor | undefined)[];
  readonly #readsOffsets: boolean;

  constructor(program: ExportedProgram, operators: OperatorTable) {
    const { graph } = program;
    this.#graph = graph;
    this.#reads = memoryReads(graph, operators);
    const isComputed = (name: string): boolean => graph.node(name).op === "call_function";
    const deciding = this.#reads.filter((read) => !isSame(graph, read));
    this.#bases = new Set(this.#reads.flatMap(({ bases }) => [...bases].filter(isComputed)));
    this.#inputs = deciding.length === 0 ? [] : recordedInputs(program).map(({ fake }) => fake);
    this.#readsOffsets = deciding.some(({ reader }) => hasOffset(graph.node(reader)));
  }

  /**
   * Whether the strides of inputs, and the memory around their elements, may decide what it gives.
   */
  get readsInputs(): boolean {
    return this.#inputs.length > 0;
  }

  /** Refused calls, with the views that they have to look through on the host. */
  withViews(refused: Reasons): Reasons {
    const reads = this.#reads.filter(({ reader }) => refused.has(reader));
    if (reads.length === 0) return refused;
    const all = new Map(refused);
    for (const { reader, views } of reads)
      for (const view of views)
        if (!all.has(view) && this.#graph.node(view).target !== "operator.getitem")
          all.set(view, readThrough(reader));
    return all;
  }

  /** Returns why the host has to compute all of a run, if it does. */
  whyHosted(inputs: readonly Value[], sizes: Bindings): string | undefined {
    const differs = this.#inputs.some((recorded, at) => {
      const input = inputs[at];
      return recorded !== undefined && input instanceof Tensor && !this.#liesAs(input, recorded, sizes);
    });
    return differs ? OTHER_STRIDES : undefined;
  }
  #liesAs(input: Tensor, { strides, storageOffset }: FakeTensor, sizes: Bindings): boolean {
    if (this.#readsOffsets && input.storageOffset !== knownSize(storageOffset, sizes)) return false;
    return input.numel === 0 || !differ(input, strides, sizes);
  }

  /** Returns whether a call of the host reads the memory of a value by strides. */
  reads(name: string): boolean {
    return this.#bases.has(name);
  }
}

/** Returns whether it names a place of the storage; the bodies of a control-flow call may. */
const hasOffset = ({ target, args, kwargs }: Node): boolean =>
  target.startsWith("higher_order.") || (args[3] ?? kwargs.storage_offset ?? null) !== null;

/**
 * Returns whether a call gives its operand itself, with other strides of dimensions of one element.
 */
function isSame(graph: Graph, { reader, bases, views }: MemoryRead): boolean {
  const [base] = bases;
  const [own, val] = [graph.node(reader).meta.val, graph.node(base ?? reader).meta.val];
  if (bases.size !== 1 || views.size > 0 || graph.node(base!).op !== "call_function") return false;
  if (!(own instanceof FakeTensor && val instanceof FakeTensor)) return false;
  if (own.ndim !== val.ndim || hasOffset(graph.node(reader))) return false;
  return own.shape.every(
    (size, d) =>
      String(size) === String(val.shape[d]) &&
      (size === 1 || String(own.strides[d]) === String(val.strides[d])),
  );
}
