import { nn, slice, torch } from "@sconce/capture";
import { Tensor } from "@sconce/tensor";
import { floats, type Twin, type Twins, twin } from "../twins/twin.fixture.js";

interface Keywords {
  readonly scale?: number;
  readonly [more: string]: Tensor | number | undefined;
}

class Variadic extends nn.Module {
  override forward(x: Tensor, ...rest: readonly [...Tensor[], Keywords]): Tensor {
    let y = x;
    let scale = 1;
    for (const each of rest) {
      if (each instanceof Tensor) y = y.add(each);
      else
        for (const [name, value] of Object.entries(each)) {
          if (value instanceof Tensor) y = y.mul(value);
          else if (name === "scale") scale = value ?? 1;
        }
    }
    return y.mul(scale);
  }
}

/** Returns a twin whose keyword arguments are drawn behind the others. */
const withKeywords =
  (args: () => readonly unknown[], keywords: () => Readonly<Record<string, unknown>>): (() => Twin) =>
  () => {
    const { model, args: given } = twin(() => new Variadic(), args)();
    return { model, args: given, options: { kwargs: keywords() } };
  };

const ends = (): readonly unknown[] => [floats(4, 4), torch.tensor(1), torch.tensor(3)];
const end = (): readonly unknown[] => [floats(4, 4), torch.tensor(1)];
const column = (x: Tensor, a: Tensor, b: Tensor): Tensor => x.at(slice(a, b), 0);

/** Models with further arguments, and indices that tensors hold. */
export const CALLS: Twins = {
  variadic: withKeywords(
    () => [floats(4), floats(4), floats(4)],
    () => ({ scale: 2, gain: floats(4), bias: floats(4) }),
  ),
  variadic_without: withKeywords(
    () => [floats(4)],
    () => ({ gain: floats(4) }),
  ),
  sliced: twin(() => (x: Tensor, a: Tensor, b: Tensor) => x.at(slice(a, b)).sum(0), ends),
  sliced_from: twin(() => (x: Tensor, a: Tensor) => x.at(":", slice(a, null)).sum(), end),
  sliced_sums: twin(() => (x: Tensor, a: Tensor) => x.at(slice(a, a.add(2))), end),
  sliced_column: twin(() => column, ends),
};
