import { float } from "@sconce/ir";
import { afterEach, describe, expect, test } from "vitest";
import { torch } from "../functions/torch.js";
import { distributions as D } from "../index.js";

const refused = (message: RegExp): unknown =>
  expect.objectContaining({ code: "TORCH_ARGUMENT", message: expect.stringMatching(message) as string });

afterEach(() => D.setDefaultValidateArgs(true));

describe("arguments are checked", () => {
  test("parameters, with PyTorch's words", () => {
    expect(() => new D.Normal(0, -1)).toThrow(
      refused(/Expected parameter scale .* to satisfy the constraint GreaterThan\(lower_bound=0\.0\)/),
    );
    expect(() => new D.Normal(torch.tensor([Number.NaN]), 1)).toThrow(refused(/parameter loc .*Real\(\)/));
    expect(() => new D.Uniform(1, 0)).toThrow(refused(/parameter low/));
    expect(() => new D.Bernoulli({ probs: 2 })).toThrow(refused(/parameter probs .*Interval/));
    expect(() => new D.Categorical({ probs: torch.tensor([float(-1), float(2)]) })).toThrow(
      refused(/Simplex/),
    );
    expect(() => new D.MultivariateNormal(torch.zeros(2), { covarianceMatrix: torch.zeros(2, 2) })).toThrow(
      refused(/covariance_matrix .*PositiveDefinite/),
    );
    expect(() => new D.Dirichlet(torch.zeros(2))).toThrow(refused(/concentration/));
  });

  test("and errors suggest no check only where values are wrong", () => {
    expect(() => new D.Normal(0, -1)).toThrow(
      expect.objectContaining({ fix: expect.stringContaining("validateArgs") as string }),
    );
    expect(() => new D.Bernoulli({})).toThrow(expect.objectContaining({ fix: "correct the argument" }));
  });

  test("values, against the support", () => {
    expect(() => new D.Bernoulli({ logits: 0 }).logProb(torch.tensor(0.5))).toThrow(
      refused(/within the support \(Boolean\(\)\)/),
    );
    expect(() => new D.Categorical({ logits: torch.zeros(3) }).logProb(torch.tensor(3))).toThrow(
      refused(/IntegerInterval\(lower_bound=0, upper_bound=2\)/),
    );
    expect(() => new D.Uniform(0, 1).logProb(torch.tensor(2))).toThrow(refused(/Interval/));
    expect(() => new D.Exponential(1).logProb(1 as never)).toThrow(refused(/must be a Tensor/));
  });

  test("but not where they are not to be", () => {
    expect(new D.Normal(0, -1, { validateArgs: false }).scale.item()).toBe(-1);
    D.setDefaultValidateArgs(false);
    expect(new D.Normal(0, -1).scale.item()).toBe(-1);
    expect(() => new D.Normal(0, -1, { validateArgs: true })).toThrow(refused(/scale/));
    expect(() => new D.Normal(0, 1, { validate: false } as never)).toThrow(
      expect.objectContaining({ code: "UNKNOWN_OPTION" }),
    );
  });
});

test("what cannot be is refused", () => {
  for (const make of [
    () => new D.Bernoulli(),
    () => new D.Categorical(),
    () => new D.MultivariateNormal(torch.zeros(2)),
    () => new D.MultivariateNormal(torch.zeros(2), { covarianceMatrix: null as never }),
  ])
    expect(make).toThrow(refused(/must be specified|may be specified/));
  const families = [
    ...[new D.Normal(0, 1), new D.Laplace(0, 1), new D.Uniform(0, 1), new D.Exponential(1)],
    ...[new D.Gamma(1, 1), new D.Beta(1, 1), new D.Dirichlet(torch.ones(2)), new D.Bernoulli({ probs: 0.5 })],
    ...[new D.Categorical({ logits: torch.zeros(2) }), new D.Independent(new D.Normal(torch.zeros(2), 1), 1)],
    new D.MultivariateNormal(torch.zeros(2), { covarianceMatrix: torch.eye(2) }),
  ];
  for (const one of families)
    expect(() => one.sample(3 as never)).toThrow(refused(/the shape of draws is .*3, not a list/));
  expect(() => new D.Bernoulli({})).toThrow(refused(/Either `probs` or `logits` must be specified/));
  expect(() => new D.Bernoulli({ probs: 0.5, logits: 0 })).toThrow(refused(/not both/));
  expect(() => new D.Categorical({ logits: torch.tensor(1) })).toThrow(refused(/at least one-dimensional/));
  expect(() => new D.MultivariateNormal(torch.zeros(2), {})).toThrow(refused(/Exactly one/));
  expect(() => new D.Independent(new D.Normal(0, 1), 1)).toThrow(refused(/reinterpreted_batch_ndims/));
  expect(() => D.klDivergence(new D.Beta(1, 1), new D.Laplace(0, 1))).toThrow(refused(/KL\(p \|\| q\)/));
  expect(() => new D.Beta(1, 1).cdf(torch.tensor(0.5))).toThrow(refused(/cdf/));
  expect(() => new D.Categorical({ logits: torch.zeros(2) }).rsample()).toThrow(refused(/rsample/));
});

test("shapes are those of batches and events", () => {
  const many = new D.Independent(new D.Normal(torch.zeros(2, 3), 1), 1);
  expect([many.batchShape, many.eventShape]).toEqual([[2], [3]]);
  expect(many.sample([4]).shape).toEqual([4, 2, 3]);
  expect(many.logProb(torch.zeros(2, 3)).shape).toEqual([2]);
  expect(many.perplexity().shape).toEqual([2]);
  expect(new D.Normal(0, 1).batchShape).toEqual([]);
  expect(new D.Beta(2, 3).sample([5]).shape).toEqual([5]);
});

test("the most specific rule of klDivergence applies, of the same families the newest", () => {
  class Half extends D.Normal {}
  class Quarter extends Half {}
  D.registerKl(Half, D.Normal, () => torch.tensor(7));
  expect(D.klDivergence(new Half(0, 1), new D.Normal(0, 1)).item()).toBe(7);
  expect(D.klDivergence(new D.Normal(0, 1), new D.Normal(0, 1)).item()).toBe(0);
  D.registerKl(D.Distribution, D.Normal, () => torch.tensor(8));
  expect(D.klDivergence(new D.Normal(0, 1), new D.Normal(0, 1)).item()).toBe(0);
  expect(D.klDivergence(new D.Bernoulli({ probs: 0.5 }), new D.Normal(0, 1)).item()).toBe(8);
  expect(D.klDivergence(new Quarter(0, 1), new D.Normal(0, 1)).item()).toBe(7);
  // PyTorch calls this pair ambiguous, and takes the rule that is closer to the first family.
  D.registerKl(D.Normal, Half, () => torch.tensor(9));
  expect(D.klDivergence(new Quarter(0, 1), new Half(0, 1)).item()).toBe(7);
  expect(D.klDivergence(new D.Normal(0, 1), new Quarter(0, 1)).item()).toBe(9);
  D.registerKl(Half, D.Normal, () => torch.tensor(10));
  expect(D.klDivergence(new Quarter(0, 1), new D.Normal(0, 1)).item()).toBe(10);
});

test.each([
  ["Categorical", (probs: unknown) => new D.Categorical(probs as never)],
  ["Bernoulli", (probs: unknown) => new D.Bernoulli(probs as never)],
] as const)("%s says that probabilities are not given by position", (name, make) => {
  expect(() => make(torch.tensor([0.5, 0.5]))).toThrow(
    expect.objectContaining({
      code: "TORCH_ARGUMENT",
      message: expect.stringContaining(`new ${name}({ probs })`) as string,
    }),
  );
});
