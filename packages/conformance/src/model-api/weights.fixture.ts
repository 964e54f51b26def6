import { Dim, float, nn, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { floats, type Twins, twin } from "../twins/twin.fixture.js";

const { parametrizations, parametrize, prune } = nn.utils;
const square = (): readonly unknown[] => [floats(4, 4)];
const images = (): readonly unknown[] => [floats(1, 2, 4, 4)];
const linear = (): nn.Linear => new nn.Linear(4, 4);

class Twice extends nn.Module {
  readonly layer: nn.Linear;
  constructor(layer: nn.Linear) {
    super();
    this.layer = layer;
  }
  override forward(x: Tensor): Tensor {
    return this.layer(x).add(this.layer(x));
  }
}

class TwoLayers extends nn.Module {
  readonly a = new nn.Linear(4, 5);
  readonly b = new nn.Linear(5, 3);
  override forward(x: Tensor): Tensor {
    return this.b(this.a(x).relu());
  }
}

const SHAPES = { square: [4, 4], tall: [2, 4], wide: [4, 3] } as const;

function mapped(): Twins {
  const twins: Record<string, ReturnType<typeof twin>> = {};
  for (const how of ["matrix_exp", "cayley", "householder"] as const)
    for (const [kind, [inputs, outputs]] of Object.entries(SHAPES))
      twins[`orthogonal_${how}_${kind}`] = twin(
        () => parametrizations.orthogonal(new nn.Linear(inputs, outputs), "weight", how),
        () => [floats(3, inputs)],
      );
  return twins;
}

const plainly = (
  orthogonalMap: "matrix_exp" | "cayley" | "householder",
  inputs: number,
  outputs: number,
): nn.Linear =>
  parametrizations.orthogonal(new nn.Linear(inputs, outputs), { orthogonalMap, useTrivialization: false });

function assigned(): nn.Linear {
  const layer = parametrizations.orthogonal(linear());
  layer.weight = parametrizations.orthogonal(linear()).weight.detach();
  return layer;
}

const ORTHOGONAL: Twins = {
  ...mapped(),
  orthogonal: twin(() => new Twice(parametrizations.orthogonal(linear())), square),
  orthogonal_default_tall: twin(
    () => parametrizations.orthogonal(new nn.Linear(2, 4)),
    () => [floats(3, 2)],
  ),
  orthogonal_batch: twin(() => parametrizations.orthogonal(new nn.Conv2d(2, 3, 3)), images),
  orthogonal_batch_wide: twin(
    () => parametrizations.orthogonal(new nn.Conv2d(2, 3, [2, 3]), { orthogonalMap: "cayley" }),
    images,
  ),
  orthogonal_plain_exp: twin(
    () => plainly("matrix_exp", 2, 4),
    () => [floats(3, 2)],
  ),
  orthogonal_plain_cayley: twin(() => plainly("cayley", 4, 4), square),
  orthogonal_plain_householder: twin(
    () => plainly("householder", 2, 4),
    () => [floats(3, 2)],
  ),
  orthogonal_plain_householder_wide: twin(() => plainly("householder", 4, 3), square),
  orthogonal_assigned: twin(assigned, square),
  orthogonal_removed: twin(
    () => parametrize.removeParametrizations(parametrizations.orthogonal(linear()), "weight"),
    square,
  ),
};

class Checkers extends prune.BasePruningMethod {
  readonly pruningType = "unstructured";
  computeMask(_: Tensor, defaultMask: Tensor): Tensor {
    const mask = defaultMask.clone();
    mask.view(-1).setAt(["::2"], 0);
    return mask;
  }
}

function several(layer: nn.Linear): nn.Linear {
  prune.l1Unstructured(layer, "weight", 0.3);
  prune.randomUnstructured(layer, "weight", 3);
  prune.lnStructured(layer, "weight", 0.3, 2, 0);
  prune.randomStructured(layer, "weight", 1, -1);
  return prune.l1Unstructured(layer, "bias", 0.5);
}

function hooked(layer: nn.Linear): nn.Linear {
  layer.registerForwardPreHook((_, [x]) => x.mul(2));
  prune.identity(layer, "weight");
  prune.customFromMask(layer, "weight", torch.eye(4));
  return prune.customFromMask(layer, "bias", torch.tensor([1, 0, 1, 0]));
}

const custom = (layer: nn.Linear): nn.Linear =>
  prune.apply(prune.apply(layer, "weight", new Checkers()), "weight", new Checkers());

const PRUNED: Readonly<Record<string, (layer: nn.Linear) => nn.Linear>> = {
  identity: (layer) => prune.identity(layer, "weight"),
  random: (layer) => prune.randomUnstructured(layer, "weight", 0.4),
  l1: (layer) => prune.l1Unstructured(layer, "weight", 5),
  l1_half_even: (layer) => prune.l1Unstructured(layer, "bias", 0.625),
  l1_scored: (layer) => prune.l1Unstructured(layer, "weight", 0.5, torch.randn(4, 4)),
  l1_all: (layer) => prune.l1Unstructured(layer, "weight", float(1)),
  l1_none: (layer) => prune.l1Unstructured(layer, "weight", 0),
  random_rows: (layer) => prune.randomStructured(layer, "weight", 2, 0),
  random_none: (layer) => prune.randomStructured(layer, "weight", 0, 0),
  ln_columns: (layer) => prune.lnStructured(layer, "weight", 0.5, 2, -1),
  ln_largest: (layer) => prune.lnStructured(layer, "weight", 1, Number.POSITIVE_INFINITY, 0),
  ln_scored: (layer) => prune.lnStructured(layer, "weight", 1, 1, 0, torch.randn(4, 4)),
  mask: (layer) => prune.customFromMask(layer, "bias", torch.tensor([1, 0, 0, 1])),
  bool_mask: (layer) => prune.customFromMask(layer, "weight", torch.eye(4).gt(0)),
  several,
  hooked,
  custom,
  removed: (layer) => prune.remove(prune.l1Unstructured(layer, "weight", 0.5), "weight"),
  half: (layer) => several(layer.half()).float(),
  normed: (layer) => parametrizations.weightNorm(prune.l1Unstructured(layer, "bias", 0.5)),
};

function globally(method: (model: TwoLayers) => void): TwoLayers {
  const model = new TwoLayers();
  prune.l1Unstructured(model.a, "weight", 0.25);
  method(model);
  return model;
}

const all = ({ a, b }: TwoLayers): nn.utils.prune.PrunedTensor[] => [
  [a, "weight"],
  [b, "weight"],
  [b, "bias"],
];

function scored(): TwoLayers {
  const model = new TwoLayers();
  const weights = all(model).slice(0, 2);
  prune.globalUnstructured(weights, new prune.L1Unstructured(9), [[model.a, "weight", torch.randn(5, 4)]]);
  return model;
}

/** Weights that are orthogonal, and weights of which parts are pruned. */
export const WEIGHTS: Twins = {
  ...ORTHOGONAL,
  ...Object.fromEntries(
    Object.entries(PRUNED).map(([name, change]) => [
      `pruned_${name}`,
      twin(() => new Twice(change(linear())), square),
    ]),
  ),
  pruned_conv: twin(() => prune.lnStructured(new nn.Conv2d(2, 3, 3), "weight", 0.4, "fro", 0), images),
  pruned_conv_nuclear: twin(
    () => prune.lnStructured(new nn.Conv1d(2, 3, 2), "weight", 1, "nuc", 0),
    () => [floats(1, 2, 4)],
  ),
  pruned_conv_random: twin(() => prune.randomStructured(new nn.Conv2d(2, 3, 3), "weight", 1, 1), images),
  pruned_globally: twin(
    () => globally((model) => prune.globalUnstructured(all(model), new prune.L1Unstructured(0.5))),
    square,
  ),
  pruned_globally_random: twin(
    () => globally((model) => prune.globalUnstructured(all(model), new prune.RandomUnstructured(7))),
    square,
  ),
  pruned_globally_scored: twin(scored, square),
  pruned_strict: twin(() => prune.l1Unstructured(linear(), "weight", 5), square, { strict: true }),
  pruned_grouped: twin(() => prune.l1Unstructured(linear(), "weight", 5), square, {
    dynamicShapes: { input: { 0: Dim("batch") } },
  }),
};
