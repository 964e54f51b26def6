import { Dim, map, nn, sym, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { floats, integers, type Twins, twin } from "./twin.fixture.js";

const F = nn.functional;
const n = Dim("n");
const both = { dynamicShapes: { x: { 0: n }, y: { 0: n } } };
const first = { dynamicShapes: { x: { 0: Dim.AUTO } } };
const two =
  (...sizes: number[]) =>
  () => [floats(...sizes), floats(...sizes)];

type Pair = (x: Tensor, y: Tensor) => Tensor;

const chosen: Pair = (x, y) => torch.where(x.gt(0), x, y);
const added: Pair = (x, y) => x.add(y).relu();
const inPlace: Pair = (x, y) => x.clone().add_(y);
const multiplied: Pair = (x, y) => torch.bmm(x, y.transpose(1, 2));
const mixed: Pair = (x, y) => torch.lerp(x, y, 0.25);
const weighted: Pair = (x, y) => torch.lerp(x, x.add(1), y);
const expanded: Pair = (x, y) => x.expandAs(y).add(1);
const copied: Pair = (x, y) => x.clone().copy_(y);
const contracted: Pair = (x, y) => torch.einsum("nij,nik->njk", x, y);
const pickedAll: Pair = (x, y) => x.at(y.argsort(0).at("...", 0, 0)).add(y);
const combined: Pair = (x, y) => torch.addcmul(x, x, y, { value: 0.5 });
const clamped: Pair = (x, y) => torch.clamp(x, { min: y });
const similar: Pair = (x, y) => F.cosineSimilarity(x, y, { dim: 1 });
const compared: Pair = (x, y) => F.mseLoss(x, y).add(F.smoothL1Loss(x, y));
const dotted: Pair = (x, y) => x.matmul(y.transpose(-1, -2)).sum(-1);
const filled: Pair = (x, y) => x.maskedFill(y.gt(0), 0);
const scattered: Pair = (x, y) => x.scatter(1, y.argsort(1), y);
const gathered: Pair = (x, y) => x.gather(0, y.argsort(0));
const mapped: Pair = (x, y) => map((row: Tensor, other: Tensor) => row.add(other), x, y);
const outer: Pair = (x, y) => torch.hypot(x, y).div(torch.maximum(x, y).abs().add(1));

const reshaped = (x: Tensor): Tensor => x.reshape(-1, 3, 2).sum(1);
const halved = (x: Tensor): Tensor => x.view(2, -1).sum(0);
const split = (x: Tensor): Tensor => x.unflatten(0, [-1, 2]).sum(1);
const short = (x: Tensor): Tensor =>
  torch.stft(x, 4, { hopLength: 2, window: torch.ones(4), returnComplex: true }).abs();
const tabled = (x: Tensor): Tensor => F.oneHot(x, 5).sum(0);
const trailing = (x: Tensor): Tensor => x.reshape(x.size(0), -1).sum(1);
const rows = (x: Tensor): Tensor => x.reshape(sym.mul(x.size(0), 2), x.shape[1] / 2);

export const SIZES: Twins = {
  chosen: twin(() => chosen, two(4, 3), both),
  added: twin(() => added, two(4, 3), both),
  in_place: twin(() => inPlace, two(4, 3), both),
  multiplied: twin(() => multiplied, two(4, 3, 2), both),
  mixed: twin(() => mixed, two(4, 3), both),
  weighted: twin(() => weighted, two(4, 3), both),
  expanded: twin(() => expanded, two(4, 3), both),
  copied: twin(() => copied, two(4, 3), both),
  contracted: twin(() => contracted, two(4, 3, 2), both),
  picked_all: twin(() => pickedAll, two(4, 3, 2), both),
  combined: twin(() => combined, two(4, 3), both),
  clamped: twin(() => clamped, two(4, 3), both),
  similar: twin(() => similar, two(4, 3), both),
  compared: twin(() => compared, two(4, 3), both),
  dotted: twin(() => dotted, two(4, 3, 2), both),
  filled: twin(() => filled, two(4, 3), both),
  scattered: twin(() => scattered, two(4, 3), both),
  gathered: twin(() => gathered, two(4, 3), both),
  mapped: twin(() => mapped, two(4, 3), both),
  outer: twin(() => outer, two(4, 3), both),
  reshaped: twin(
    () => reshaped,
    () => [floats(6, 2)],
    first,
  ),
  halved: twin(
    () => halved,
    () => [floats(6, 2)],
    first,
  ),
  split: twin(
    () => split,
    () => [floats(6, 2)],
    first,
  ),
  short: twin(
    () => short,
    () => [floats(12)],
    first,
  ),
  tabled: twin(
    () => tabled,
    () => [integers(5, 6)],
    first,
  ),
  trailing: twin(
    () => trailing,
    () => [floats(4, 3, 2)],
    { dynamicShapes: { x: { 0: n, 1: Dim("m") } } },
  ),
  rows: twin(
    () => rows,
    () => [floats(4, 6)],
    { dynamicShapes: { x: { 0: n } } },
  ),
};
