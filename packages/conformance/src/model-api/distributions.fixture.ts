import { distributions as D, Dim, nn, pythonTuple, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { floats, type Twins, twin } from "../twins/twin.fixture.js";

type Make = (x: Tensor) => D.Distribution;
type Change = (x: Tensor) => Tensor;

const F = nn.functional;
const batched = { dynamicShapes: { x: { 0: Dim("batch") } } };
const off = { validateArgs: false };
const square = (): readonly unknown[] => [floats(4, 4)];
const scale: Change = (x) => F.softplus(x);
const bits: Change = (x) => x.gt(0).to(x.dtype);
const others: Change = (x) => scale(x.mul(2)).add(0.5);
const next: Change = (x) => x.add(1);
const range: Change = () => torch.arange(4);
const eye = (): Tensor => torch.eye(4).mul(2);

const DISTRIBUTIONS: Readonly<Record<string, readonly [make: Make, value: Change]>> = {
  normal: [(x) => new D.Normal(x, scale(x), off), next],
  normal_of_numbers: [(x) => new D.Normal(0.5, scale(x), off), (x) => x],
  laplace: [(x) => new D.Laplace(x, scale(x), off), next],
  uniform: [(x) => new D.Uniform(x, x.add(2), off), next],
  exponential: [(x) => new D.Exponential(scale(x), off), (x) => x.abs()],
  gamma: [(x) => new D.Gamma(scale(x), others(x), off), (x) => x.abs()],
  beta: [(x) => new D.Beta(scale(x), others(x), off), (x) => x.sigmoid()],
  dirichlet: [(x) => new D.Dirichlet(scale(x), off), (x) => x.softmax(-1)],
  bernoulli: [(x) => new D.Bernoulli({ logits: x, ...off }), bits],
  bernoulli_probs: [(x) => new D.Bernoulli({ probs: x.sigmoid(), ...off }), bits],
  categorical: [(x) => new D.Categorical({ logits: x, ...off }), range],
  categorical_probs: [(x) => new D.Categorical({ probs: x.softmax(-1), ...off }), range],
  independent: [(x) => new D.Independent(new D.Normal(x, scale(x), off), 1, off), next],
  multivariate: [(x) => new D.MultivariateNormal(x, { covarianceMatrix: eye(), ...off }), next],
  multivariate_factor: [
    (x) => new D.MultivariateNormal(x, { scaleTril: x.tril(-1).add(torch.eye(4)), ...off }),
    next,
  ],
  multivariate_precision: [
    (x) => new D.MultivariateNormal(x.at(0), { precisionMatrix: eye(), ...off }),
    next,
  ],
};

const madeBy = (name: string): Make => DISTRIBUTIONS[name]?.[0] ?? (() => new D.Normal(0, 1));

const shifted: Change = (x) => x.roll(1, 0);
const SAME = Object.keys(DISTRIBUTIONS).filter(
  (name) => !/^(normal_of|multivariate_|bernoulli_|categorical_)/.test(name),
);
const KL: Readonly<Record<string, readonly [p: Make, q: Make]>> = {
  ...Object.fromEntries(
    SAME.map((name): [string, [Make, Make]] => [name, [madeBy(name), (x) => madeBy(name)(shifted(x))]]),
  ),
  uniforms: [(x) => new D.Uniform(x, x.add(1), off), (x) => new D.Uniform(x.sub(1), x.add(2), off)],
  factors: [madeBy("multivariate"), madeBy("multivariate_factor")],
  normal_laplace: [madeBy("normal"), madeBy("laplace")],
  uniform_normal: [madeBy("uniform"), madeBy("normal")],
  exponential_normal: [madeBy("exponential"), madeBy("normal")],
  exponential_gamma: [madeBy("exponential"), madeBy("gamma")],
  gamma_exponential: [madeBy("gamma"), madeBy("exponential")],
  ...Object.fromEntries(
    [
      ["laplace", "normal"],
      ["gamma", "normal"],
      ["beta", "exponential"],
      ["beta", "gamma"],
      ["beta", "normal"],
      ["beta", "uniform"],
      ["uniform", "beta"],
      ["uniform", "exponential"],
      ["uniform", "gamma"],
      ["normal", "beta"],
      ["exponential", "uniform"],
      ["gamma", "beta"],
      ["laplace", "gamma"],
    ].map(([p = "", q = ""]): [string, [Make, Make]] => [`${p}_${q}`, [madeBy(p), madeBy(q)]]),
  ),
  beta_wide: [madeBy("beta"), (x) => new D.Uniform(x.abs().neg(), x.abs().add(1), off)],
  narrow_beta: [(x) => new D.Uniform(x.sigmoid().mul(0.5), x.sigmoid(), off), madeBy("beta")],
  positive_gamma: [(x) => new D.Uniform(x.abs(), x.abs().add(1), off), madeBy("gamma")],
};

class Encoder extends nn.Module {
  readonly mean = new nn.Linear(4, 2);
  readonly spread = new nn.Linear(4, 2);
  readonly decoder = new nn.Linear(2, 4);
  override forward(x: Tensor): Tensor {
    const latent = new D.Independent(new D.Normal(this.mean(x), this.spread(x).exp(), off), 1, off);
    const { mean } = latent;
    const zero = new D.Normal(torch.zerosLike(mean), torch.onesLike(mean), off);
    const prior = new D.Independent(zero, 1, off);
    const z = latent.rsample();
    const pixels = new D.Bernoulli({ logits: this.decoder(z), ...off });
    return pixels.logProb(bits(x)).sum(-1).sub(D.klDivergence(latent, prior));
  }
}

class Policy extends nn.Module {
  readonly fc = new nn.Linear(4, 3);
  override forward(x: Tensor): readonly Tensor[] {
    const actions = new D.Categorical({ logits: this.fc(x), ...off });
    const action = actions.sample();
    return pythonTuple(action, actions.logProb(action), actions.entropy());
  }
}

/** One twin for each of some distributions. */
const each = (
  names: readonly string[],
  suffix: string,
  model: (make: Make, value: Change) => (x: Tensor) => unknown,
): Twins =>
  Object.fromEntries(
    names.map((name) => {
      const [make, value] = DISTRIBUTIONS[name] ?? [madeBy(name), next];
      return [`${name}_${suffix}`, twin(() => model(make, value), square)];
    }),
  );

const ALL = Object.keys(DISTRIBUTIONS);
const ODDS = ["normal", "laplace", "uniform", "exponential"];
const DIFFERENTIABLE = [...ODDS, "gamma", "beta", "dirichlet", "independent", "multivariate"];

/** Models that draw from distributions and measure them. */
export const RANDOM: Twins = {
  ...each(ALL, "described", (make, value) => (x) => {
    const own = make(x);
    return pythonTuple(own.logProb(value(x)), own.entropy(), own.mean, own.variance, own.stddev);
  }),
  ...each(ALL, "drawn", (make) => (x) => {
    const own = make(x);
    return pythonTuple(own.sample(), own.sample([2]));
  }),
  ...each(DIFFERENTIABLE, "reparametrized", (make) => (x) => make(x).rsample([2])),
  ...each([...ODDS, "gamma"], "cdf", (make, value) => (x) => make(x).cdf(value(x))),
  ...each(ODDS, "icdf", (make) => (x) => make(x).icdf(x.sigmoid())),
  ...each(
    [
      ...["normal", "laplace", "exponential", "gamma", "categorical", "bernoulli", "beta", "dirichlet"],
      ...["uniform", "independent", "multivariate"],
    ],
    "mode",
    (make) => (x) => make(x).mode,
  ),
  bernoulli_support: twin(() => (x: Tensor) => madeBy("bernoulli")(x).enumerateSupport(), square),
  categorical_support: twin(() => (x: Tensor) => madeBy("categorical")(x).enumerateSupport(false), square),
  normal_dynamic: twin(() => (x: Tensor) => madeBy("normal")(x).rsample([3]), square, batched),
  categorical_dynamic: twin(
    () => (x: Tensor) => madeBy("categorical")(x).logProb(torch.zeros(x.size(0))),
    square,
    batched,
  ),
  normal_strict: twin(() => (x: Tensor) => new D.Normal(x, scale(x)).logProb(x), square, { strict: true }),
  ...Object.fromEntries(
    Object.entries(KL).map(([name, [p, q]]) => [
      `${name}_kl`,
      twin(() => (x: Tensor) => D.klDivergence(p(x), q(x)), square),
    ]),
  ),
  encoder: twin(() => new Encoder(), square),
  policy: twin(() => new Policy(), square),
};
