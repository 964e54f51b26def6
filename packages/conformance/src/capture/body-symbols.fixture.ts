/** @file Models with symbols of bodies, whose twins `oracle/lowering_twins.py` records. */
import { check, cond, map, sym, torch, whileLoop } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";

const x43 = [torch.arange(12, { dtype: "float32" }).reshape([4, 3])];
const positive = (x: Tensor): Tensor => x.at(x.gt(1)).sum();
const total = (x: Tensor): Tensor => x.sum();
const cosine = (x: Tensor): Tensor => x.cos();
const firstItem = (x: Tensor): ReturnType<Tensor["item"]> => x.sum().to("int64").item();
const isPositive = (x: Tensor): Tensor => x.sum().gt(0);

/** Models in whose bodies of control flow only the data decide sizes and numbers. */
export const SYMBOLS_OF_BODIES: Readonly<
  Record<string, { forward(self: unknown, x?: Tensor): unknown; args: Tensor[] }>
> = Object.fromEntries(
  Object.entries<(x: Tensor) => unknown>({
    "symbols of branches": (x) =>
      cond(isPositive(x), positive, (y: Tensor) => y.mul(firstItem(y) as number).sum(), [x]),
    "symbols around branches": (x) => {
      const y = x.at(x.gt(2));
      const z = cond(isPositive(x), positive, total, [x]);
      const w = x.at(x.gt(3));
      return [y.sum().max(z), w.cos(), cond(x.sum().gt(1), positive, (v: Tensor) => v.max(), [y])];
    },
    "symbols of nested branches": (x) =>
      cond(isPositive(x), (y: Tensor) => cond(y.max().gt(2), positive, total, [y]), total, [x]),
    "symbols of branches in a map": (x) =>
      map((v: Tensor) => cond(isPositive(v), positive, total, [v]).add(v), x),
    "symbols of a map in a branch": (x) =>
      cond(isPositive(x), (y: Tensor) => map((v: Tensor) => v.max(v.at(v.gt(0)).sum()), y), cosine, [x]),
    "symbols of a loop": (x) =>
      whileLoop(
        (i: Tensor, y: Tensor) => i.add(firstItem(y) as number).lt(3),
        (i: Tensor, y: Tensor) => [i.add(1), y.max(y.at(y.gt(0)).sum())] as const,
        [torch.tensor(0), x],
      ),
    "symbols of branches in a loop": (x) =>
      whileLoop(
        (i: Tensor) => i.lt(3),
        (i: Tensor, y: Tensor) =>
          [i.add(1), cond(isPositive(y), (v: Tensor) => v.max(positive(v)), cosine, [y])] as const,
        [torch.tensor(0), x],
      ),
    "several symbols of a branch": (x) =>
      cond(
        isPositive(x),
        (y: Tensor) =>
          positive(y)
            .max(y.at(y.gt(2)).sum())
            .pow(firstItem(y) as number),
        (y: Tensor) => y.at(y.lt(0)).sum(),
        [x],
      ),
    "checked symbol of a branch": (x) =>
      cond(
        isPositive(x),
        (y: Tensor) => {
          const n = firstItem(y) as number;
          check(sym.ge(n, 2));
          check(sym.le(n, 50));
          return torch.arange(n).sum();
        },
        (y: Tensor) => y.sum().to("int64"),
        [x],
      ),
    "float symbol of a branch": (x) =>
      cond(
        isPositive(x),
        (y: Tensor) => y.mul(y.sum().item() as number),
        (y: Tensor) => y.max(y.at(y.gt(0)).sum()),
        [x],
      ),
  }).map(([name, forward]) => [name, { forward: (_, x) => forward(x!), args: x43 }]),
);
