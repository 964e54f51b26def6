/** @file Typed arrays in the place of tensors, where the program says what they are. */
import { countText, withArticle } from "@sconce/errors";
import { type ExportedProgram, FakeTensor, typeText, type Value } from "@sconce/ir";
import { type Leaf, userLeaves } from "@sconce/ops";
import { dtypeInfo, type NumericArray, numericArrayName, Tensor } from "@sconce/tensor";
import { typedArrayRefused } from "./errors.js";

/**
 * Returns a function that replaces typed arrays among flat inputs by tensors over their memory. The
 * class of an array has to be the one that holds the dtype of the input, and its length has to
 * leave one shape: all sizes are fixed, or all but one.
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
      const isArray = fake !== undefined && numericArrayName(input) !== undefined;
      return isArray ? tensorOver(input as NumericArray, fake, leaves[i]!) : (input as Value);
    });
}

/** @throws SconceError `INPUT_ARRAY` with the code to write where the tensor is not clear */
function tensorOver(data: NumericArray, fake: FakeTensor, leaf: Leaf): Tensor {
  const { dtype } = fake;
  const got = numericArrayName(data)!;
  const { lanes, array } = dtypeInfo(dtype);
  const input = { name: leaf.name, place: leaf.place, type: typeText(fake) };
  const isHeld =
    got === (array as { readonly name?: string }).name || (dtype === "float16" && got === "Float16Array");
  if (!isHeld)
    throw typedArrayRefused(
      input,
      `${withArticle(got)} does not hold elements of ${dtype}`,
      `Tensor.from(data, [${sizesText(fake)}], "${dtype}")`,
    );
  const elements = data.length / lanes;
  const shape = shapeFor(elements, fake);
  if (typeof shape !== "string") return Tensor.fromData(data, dtype, shape);
  throw typedArrayRefused(
    input,
    `${countText(elements, "element")} ${shape}`,
    `Tensor.fromData(data, "${dtype}", [${sizesText(fake)}])`,
  );
}

const sizesText = ({ shape }: FakeTensor): string => shape.join(", ");

/** The only shape of so many elements, or why there is none. */
function shapeFor(elements: number, { shape }: FakeTensor): readonly number[] | string {
  const isFixed = (size: unknown): size is number => typeof size === "number";
  const open = shape.filter((size) => !isFixed(size)).length;
  if (open > 1) return `do not say which of the ${open} dynamic sizes is which`;
  const fixed = shape.filter(isFixed).reduce((count, size) => count * size, 1);
  const rest = elements / fixed;
  if (open === 0 ? elements !== fixed : !Number.isInteger(rest)) return "do not fill the shape";
  return shape.map((size) => (isFixed(size) ? size : rest));
}
