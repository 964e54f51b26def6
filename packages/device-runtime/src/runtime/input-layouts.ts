/**
 * @file Inputs that lie in memory in another way than a program records: their views may not exist.
 */
import { type ExportedProgram, FakeTensor, symContiguousStrides, type Value } from "@sconce/ir";
import { type Bindings, evaluateInt, freeSymbols, SymExpr, type SymInt, symEquals } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";

/** An input of the user, as the program records it. */
interface Recorded {
  readonly name: string;
  readonly fake: FakeTensor | undefined;
  readonly isRowMajor: boolean;
}

/** The recorded strides of the inputs of a program. */
export class InputLayouts {
  readonly #inputs: readonly Recorded[];

  constructor({ graph, graphSignature }: ExportedProgram) {
    this.#inputs = graph.placeholders().flatMap(({ name, meta: { val } }, at): Recorded[] => {
      const kind = graphSignature.inputSpecs[at]?.kind;
      if (kind !== undefined && kind !== "USER_INPUT") return [];
      const fake = val instanceof FakeTensor ? val : undefined;
      return [{ name, fake, isRowMajor: fake !== undefined && isRowMajor(fake) }];
    });
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

function differ({ shape, strides }: Tensor, recorded: readonly SymInt[], sizes: Bindings): boolean {
  return shape.some((size, d) => {
    const stride = recorded[d]!;
    const isKnown =
      !(stride instanceof SymExpr) || [...freeSymbols(stride).keys()].every((name) => sizes.has(name));
    return size > 1 && isKnown && strides[d] !== evaluateInt(stride, sizes);
  });
}
