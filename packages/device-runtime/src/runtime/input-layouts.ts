/**
 * @file Inputs that lie in memory in another way than a program records: their views may not exist.
 */
import { type ExportedProgram, FakeTensor, symContiguousStrides, type Value } from "@sconce/ir";
import { type Bindings, type SymInt, symEquals } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { knownSize } from "./sizes.js";

/** An input of the user, as the program records it. */
interface Recorded {
  readonly name: string;
  /** Undefined for numbers. */
  readonly fake: FakeTensor | undefined;
}

/** The inputs of the user, in order. */
export const recordedInputs = ({ graph, graphSignature }: ExportedProgram): Recorded[] =>
  graph.placeholders().flatMap(({ name, meta: { val } }, at): Recorded[] => {
    const kind = graphSignature.inputSpecs[at]?.kind;
    if (kind !== undefined && kind !== "USER_INPUT") return [];
    return [{ name, fake: val instanceof FakeTensor ? val : undefined }];
  });

/** Whether strides differ where they matter. Those that are not known do. */
export const differ = ({ shape, strides }: Tensor, recorded: readonly SymInt[], sizes: Bindings): boolean =>
  shape.some((size, d) => size > 1 && strides[d] !== knownSize(recorded[d]!, sizes));

/** The recorded strides of the inputs of a program. */
export class InputLayouts {
  readonly #inputs: readonly (Recorded & { readonly isRowMajor: boolean })[];

  constructor(program: ExportedProgram) {
    this.#inputs = recordedInputs(program).map((one) => ({
      ...one,
      isRowMajor: one.fake !== undefined && isRowMajor(one.fake),
    }));
  }

  /** The inputs with other strides, by name; undefined if there are none. */
  others(inputs: readonly Value[], sizes: Bindings): ReadonlyMap<string, FakeTensor> | undefined {
    let found: Map<string, FakeTensor> | undefined;
    this.#inputs.forEach(({ name, fake, isRowMajor }, at) => {
      const input = inputs[at];
      if (fake === undefined || !(input instanceof Tensor)) return;
      if (isRowMajor ? input.isContiguous : !differ(input, fake.strides, sizes)) return;
      const { shape, strides, storageOffset } = input;
      found ??= new Map();
      found.set(name, new FakeTensor({ ...fake, shape, strides, storageOffset }));
    });
    return found;
  }
}

const isRowMajor = ({ shape, strides }: FakeTensor): boolean =>
  symContiguousStrides(shape).every((stride, d) => symEquals(stride, strides[d]!));
