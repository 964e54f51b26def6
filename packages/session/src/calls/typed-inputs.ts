/** @file Typed arrays and images in the place of tensors, where the program says what they are. */
import { countText, describeValue, isRawBytes, platformClass, withArticle } from "@sconce/errors";
import { type ExportedProgram, FakeTensor, typeText, type Value } from "@sconce/ir";
import { type Leaf, userLeaves } from "@sconce/ops";
import { dtypeInfo, holdsDType, type NumericArray, numericArrayName, Tensor } from "@sconce/tensor";
import { inputArrayRefused } from "./errors.js";

/**
 * Returns a function that replaces typed arrays among flat inputs by tensors over their memory. The
 * class of an array has to be the one that holds the dtype of the input, and its length has to
 * leave one shape: all sizes are fixed, or all but one. An `ImageData` represents uint8 of the
 * shape `[height, width, 4]`.
 */
export function typedInputs(program: ExportedProgram): (inputs: readonly unknown[]) => Value[] {
  const leaves = userLeaves(program);
  const fakes = leaves.map(({ name }) => {
    const val = program.graph.find(name)?.meta.val;
    return val instanceof FakeTensor ? val : undefined;
  });
  return (inputs) =>
    inputs.map((input, i) => {
      const fake = fakes[i];
      if (fake === undefined || input instanceof Tensor) return input as Value;
      if (numericArrayName(input) !== undefined) return tensorOver(input as NumericArray, fake, leaves[i]!);
      if (isImage(input)) return tensorOfImage(input, fake, leaves[i]!);
      if (isRawBytes(input)) throw rawBytes(input, fake, leaves[i]!);
      return input as Value;
    });
}

/** Returns whether a value represents one tensor, as far as its class says. */
export const isTensorLike = (value: unknown): boolean =>
  value instanceof Tensor || numericArrayName(value) !== undefined || isRawBytes(value) || isImage(value);

/** Pixels of a canvas, in rows: red, green, blue and alpha of each, from 0 to 255. */
export interface ImagePixels {
  readonly data: Uint8ClampedArray;
  readonly width: number;
  readonly height: number;
}

/** Packages that bring a canvas to Node have their own class of this name. */
const isImage = (value: unknown): value is ImagePixels =>
  typeof value === "object" &&
  value !== null &&
  (platformClass(value) === "ImageData" || value.constructor?.name === "ImageData") &&
  numericArrayName((value as Partial<ImagePixels>).data) !== undefined;

/** @throws SconceError `INPUT_ARRAY` for inputs that are not pixels as an image has them */
function tensorOfImage({ data, width, height }: ImagePixels, fake: FakeTensor, leaf: Leaf): Tensor {
  const shape = [height, width, 4];
  const fits =
    fake.dtype === "uint8" &&
    numericArrayName(data) === "Uint8ClampedArray" &&
    fake.shape.length === shape.length &&
    fake.shape.every((size, d) => typeof size !== "number" || size === shape[d]);
  if (fits) return Tensor.fromData(data, "uint8", shape);
  throw inputArrayRefused(
    "ImageData",
    inputOf(leaf, fake),
    `it is uint8[${shape.join(", ")}]: the rows, the pixels of a row, and red, green, blue and alpha from 0 to 255`,
    `Tensor.from(image.data, [${shape.join(", ")}], "${fake.dtype}"), with the channels, the scale and the order of dimensions that the model was trained with`,
  );
}

function rawBytes(value: unknown, fake: FakeTensor, leaf: Leaf): Error {
  const { dtype } = fake;
  const { name } = dtypeInfo(dtype).array as { readonly name?: string };
  const buffer = platformClass(value) === "DataView" ? "view.buffer, view.byteOffset" : "buffer";
  return inputArrayRefused(
    platformClass(value)!,
    inputOf(leaf, fake),
    `${describeValue(value)} does not say what its bytes are`,
    `Tensor.fromData(new ${name}(${buffer}), "${dtype}", [${sizesText(fake)}])`,
  );
}

const inputOf = ({ name, place }: Leaf, fake: FakeTensor): { name: string; place: string; type: string } => ({
  name,
  place,
  type: typeText(fake),
});

/** @throws SconceError `INPUT_ARRAY` with the code to write where the tensor is not clear */
function tensorOver(data: NumericArray, fake: FakeTensor, leaf: Leaf): Tensor {
  const { dtype } = fake;
  const got = numericArrayName(data)!;
  if (!holdsDType(got, dtype))
    throw inputArrayRefused(
      "typed array",
      inputOf(leaf, fake),
      `${withArticle(got)} does not hold elements of ${dtype}`,
      `Tensor.from(data, [${sizesText(fake)}], "${dtype}")`,
    );
  const elements = data.length / dtypeInfo(dtype).lanes;
  const shape = shapeFor(elements, fake);
  if (typeof shape !== "string") return Tensor.fromData(data, dtype, shape);
  const needed = neededElements(fake);
  throw inputArrayRefused(
    "typed array",
    inputOf(leaf, fake),
    `${countText(elements, "element")} ${shape}`,
    `${needed === undefined ? "" : `with ${needed}, `}Tensor.fromData(data, "${dtype}", [${sizesText(fake)}])`,
  );
}

const sizesText = ({ shape }: FakeTensor): string => shape.join(", ");

const isFixed = (size: unknown): size is number => typeof size === "number";

/** Returns how many elements fill the shape: `6 elements`; undefined where any number may. */
function neededElements({ shape }: FakeTensor): string | undefined {
  const fixed = shape.filter(isFixed).reduce((count, size) => count * size, 1);
  if (shape.every(isFixed)) return countText(fixed, "element");
  return fixed > 1 ? `a multiple of ${fixed} elements` : undefined;
}

/** Returns the only shape of so many elements, or why there is none. */
function shapeFor(elements: number, { shape }: FakeTensor): readonly number[] | string {
  const open = shape.filter((size) => !isFixed(size)).length;
  if (open > 1) return `do not say which of the ${open} dynamic sizes is which`;
  const fixed = shape.filter(isFixed).reduce((count, size) => count * size, 1);
  const rest = elements / fixed;
  if (open === 0 ? elements !== fixed : !Number.isInteger(rest)) return "do not fill the shape";
  return shape.map((size) => (isFixed(size) ? size : rest));
}
