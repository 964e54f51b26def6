/**
 * @file Inputs that lie in memory in another way than a program records: their views may not exist.
 */
import { type ExportedProgram, FakeTensor, symContiguousStrides, type Value } from "@sconce/ir";
import { type Bindings, type IntLike, symEquals } from "@sconce/symbolic";
import { copyInto, dtypeInfo, Storage, Tensor } from "@sconce/tensor";
import { inMemory } from "./region-memory.js";
import { knownSize } from "./sizes.js";

/** An input of the user, as the program records it. */
interface Recorded {
  readonly name: string;
  /** Undefined for numbers. */
  readonly fake: FakeTensor | undefined;
}

/** Returns the inputs of the user, in order. */
export const recordedInputs = ({ graph, graphSignature }: ExportedProgram): Recorded[] =>
  graph.placeholders().flatMap(({ name, meta: { val } }, at): Recorded[] => {
    const kind = graphSignature.inputSpecs[at]?.kind;
    if (kind !== undefined && kind !== "USER_INPUT") return [];
    return [{ name, fake: val instanceof FakeTensor ? val : undefined }];
  });

/** Returns whether strides differ where they matter. Those that are not known do. */
export const differ = ({ shape, strides }: Tensor, recorded: readonly IntLike[], sizes: Bindings): boolean =>
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

  /** Returns the inputs with other strides, by name; undefined if there are none. */
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

/** Returns whether elements lie in rows without gaps, at all sizes. */
export const isRowMajor = ({ shape, strides }: FakeTensor): boolean =>
  symContiguousStrides(shape).every((stride, d) => symEquals(stride, strides[d]!));

/** Returns the same elements with other strides; the value itself where these are not known. */
export function layOut(name: string, value: Tensor, recorded: readonly IntLike[], sizes: Bindings): Tensor {
  if (value.numel === 0 || !differ(value, recorded, sizes)) return value;
  const strides: number[] = [];
  for (const stride of recorded) {
    const known = knownSize(stride, sizes);
    if (known === undefined) return value;
    strides.push(known);
  }
  const { dtype, shape } = value;
  const last = shape.reduce((sum, size, d) => sum + (size - 1) * strides[d]!, 0);
  const storage = inMemory(`%${name}`, () => Storage.allocate((last + 1) * dtypeInfo(dtype).itemSize));
  const made = new Tensor({ dtype, shape, strides, storage });
  copyInto(made, value);
  return made;
}
