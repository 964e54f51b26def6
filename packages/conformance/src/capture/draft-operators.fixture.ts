/** @file Operators and values of the models for drafts. */
import { guard, library, type SymBool, torch } from "@sconce/capture";
import { Tensor } from "@sconce/tensor";

export const numbers = (count: number, start = 0): Tensor =>
  Tensor.from(
    Array.from({ length: count }, (_, i) => start + i),
    { dtype: "float32" },
  );
export const ints = (...values: readonly number[]): Tensor => Tensor.from([...values]);
export const grid = (): Tensor => numbers(12).view(4, 3);
/** Python's `bool(condition)` of a tensor. */
export const truth = (x: Tensor): boolean => guard(x.ne(0).item() as unknown as SymBool);
export const twice = (x: Tensor): Tensor => x.mul(2);

export const options = { schema: "(Tensor x) -> Tensor", mutatesArgs: [] } as const;
export const kept = library.customOp("drafts::kept", options, (x) => torch.maskedSelect(x, x.gt(0)));
export const pair = library.customOp(
  "drafts::pair",
  { schema: "(Tensor x, int n) -> (Tensor, Tensor)", mutatesArgs: [] },
  (x, n) => [x.sin(), x.mul(n).sum(0)],
);
export const turned = library.customOp("drafts::turned", options, (x) => x.t().contiguous().clone().t());
export const doubled = library
  .customOp("drafts::twice", options, (x) => torch.cat([x, x]))
  .registerFake((x) => torch.emptyLike(x));
export const wide = library
  .customOp("drafts::wide", options, (x) => x.to("float64"))
  .registerFake((x) => torch.emptyLike(x));
export const halves = library
  .customOp("drafts::halves", { schema: "(Tensor x) -> Tensor[]", mutatesArgs: [] }, (x) => [
    x.narrow(0, 0, 2).clone(),
    x.narrow(0, 2, 4).clone(),
  ])
  .registerFake((x) => [x.newEmpty([2]), x.newEmpty([2])]);
export const right = library
  .customOp("drafts::right", options, (x) => torch.maskedSelect(x, x.gt(0)))
  .registerFake((x) => x.newEmpty([library.getCtx().newDynamicSize()]));
export const fill = library.customOp(
  "drafts::fill",
  { schema: "(Tensor(a!) x, float value) -> ()", mutatesArgs: ["x"] },
  (x, value) => void x.fill_(value),
);
