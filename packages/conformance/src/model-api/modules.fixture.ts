import { float, nn, pythonTuple, slice, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { floats, type Twins, twin } from "../twins/twin.fixture.js";

const { parametrizations, parametrize } = nn.utils;
const square = (): readonly unknown[] => [floats(4, 4)];
const images = (): readonly unknown[] => [floats(1, 2, 4, 4)];

class Hooked extends nn.Module {
  readonly a = new nn.Linear(4, 4);
  readonly b = new nn.Linear(4, 4);
  constructor() {
    super();
    this.a.registerForwardPreHook((_, [x]) => [x.mul(2)]);
    this.a.registerForwardPreHook((_, [x]) => x.add(1), { prepend: true });
    this.a.registerForwardHook((_, __, output) => output.relu());
    this.b.registerForwardHook((_, [x], output) => output.add(x));
    const removed = this.b.registerForwardHook((_, __, output) => output.sin());
    removed.remove();
  }
  override forward(x: Tensor): Tensor {
    return this.b(this.a(x));
  }
}

class Gained extends nn.Module {
  readonly fc = new nn.Linear(4, 4);
  override forward(x: Tensor, { gain }: { gain: number }): Tensor {
    return this.fc(x).mul(gain);
  }
}

class HookedKeywords extends nn.Module {
  readonly inner = new Gained();
  constructor() {
    super();
    this.inner.registerForwardPreHook((_, args, { gain }) => [args, { gain: Number(gain) + 1 }], {
      withKwargs: true,
    });
    this.inner.registerForwardHook((_, __, { gain }, output) => output.div(Number(gain)), {
      withKwargs: true,
    });
  }
  override forward(x: Tensor): Tensor {
    return this.inner(x, { gain: 2 });
  }
}

class Features extends nn.Module {
  readonly body = new nn.Sequential(new nn.Linear(4, 4), new nn.ReLU(), new nn.Linear(4, 2));
  readonly features: Tensor[] = [];
  constructor() {
    super();
    for (const layer of this.body)
      layer.registerForwardHook((_, __, output) => {
        this.features.push(output);
      });
  }
  override forward(x: Tensor): readonly Tensor[] {
    this.features.length = 0;
    this.body(x);
    return [...this.features];
  }
}

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

class Symmetric extends nn.Module {
  override forward(x: Tensor): Tensor {
    return x.triu().add(x.triu(1).transpose(-1, -2));
  }
}

class Scaled extends nn.Module {
  readonly scale = new nn.Parameter(torch.full([4, 1], float(2)));
  override forward(x: Tensor): Tensor {
    return x.mul(this.scale);
  }
}

class RankOne extends nn.Module {
  override forward(x: Tensor, y: Tensor): Tensor {
    return x.unsqueeze(-1).mul(y.unsqueeze(-2));
  }
  rightInverse(z: Tensor): readonly Tensor[] {
    return pythonTuple(z.at(slice(), 0), z.at(0));
  }
}

function symmetric(layer: nn.Linear): nn.Linear {
  parametrize.registerParametrization(layer, "weight", new Symmetric());
  return parametrize.registerParametrization(layer, "weight", new Scaled());
}

class CachedTwice extends nn.Module {
  readonly layer = symmetric(new nn.Linear(4, 4));
  override forward(x: Tensor): Tensor {
    return parametrize.cached(() => this.layer(x).add(this.layer(x)));
  }
}

function vector(layer: nn.Linear): nn.Linear {
  const flat = nn.utils.parametersToVector(layer.parameters());
  nn.utils.vectorToParameters(flat.mul(2), layer.parameters());
  return layer;
}

const linear = (): nn.Linear => new nn.Linear(4, 4);

/** Models with hooks, and modules that `nn.utils` changes. */
export const MODULES: Twins = {
  hooked: twin(() => new Hooked(), square),
  hooked_keywords: twin(() => new HookedKeywords(), square),
  features: twin(() => new Features(), square),
  weight_norm: twin(() => new Twice(parametrizations.weightNorm(linear())), square),
  weight_norm_dim: twin(() => new Twice(parametrizations.weightNorm(linear(), { dim: 1 })), square),
  weight_norm_all: twin(
    () => new Twice(parametrizations.weightNorm(linear(), "bias", { dim: null })),
    square,
  ),
  weight_norm_hook: twin(() => new Twice(nn.utils.weightNorm(linear())), square),
  weight_norm_removed: twin(
    () => new Twice(nn.utils.removeWeightNorm(nn.utils.weightNorm(linear()))),
    square,
  ),
  weight_norm_conv: twin(() => parametrizations.weightNorm(new nn.Conv2d(2, 3, 3)), images),
  spectral_norm: twin(() => new Twice(parametrizations.spectralNorm(linear())), square),
  spectral_norm_eval: twin(() => new Twice(parametrizations.spectralNorm(linear())).eval(), square),
  spectral_norm_conv: twin(
    () => parametrizations.spectralNorm(new nn.Conv2d(2, 3, 3), { nPowerIterations: 2 }),
    images,
  ),
  spectral_norm_transposed: twin(
    () => parametrizations.spectralNorm(new nn.ConvTranspose2d(2, 3, 3)).eval(),
    images,
  ),
  spectral_norm_hook: twin(() => new Twice(nn.utils.spectralNorm(linear())), square),
  spectral_norm_hook_eval: twin(() => new Twice(nn.utils.spectralNorm(linear())).eval(), square),
  symmetric: twin(() => new Twice(symmetric(linear())), square),
  symmetric_cached: twin(() => new CachedTwice(), square),
  rank_one: twin(() => parametrize.registerParametrization(linear(), "weight", new RankOne()), square),
  parametrization_removed: twin(
    () => parametrize.removeParametrizations(symmetric(linear()), "weight"),
    square,
  ),
  vector: twin(() => vector(linear()), square),
  padded: twin(
    () => (x: Tensor) =>
      nn.utils.rnn.padSequence([x.at(slice(), 0), x.at(slice(null, 2), 1)], {
        batchFirst: true,
        paddingValue: 1.5,
      }),
    square,
  ),
};
