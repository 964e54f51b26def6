"""Writes fixtures/capture/distribution-errors.json: what PyTorch says of distributions with invalid arguments, and of values
outside of their support. An entry is [call in Python, call in TypeScript, message].

Usage (with PyTorch): python3 distribution_errors.py DISTRIBUTION-ERRORS.json
"""
import json
import sys

import torch
import torch.distributions as D  # noqa: F401

nan = float("nan")
t = torch.tensor
CALLS = [
    ("D.Normal(t([0.0, 0.0]), t([1.0, -1.0]))", "new D.Normal(t([0, 0]), t([1, -1]))"),
    ("D.Normal(0.0, -1.0)", "new D.Normal(0, -1)"),
    ("D.Normal(t([0.0]), t([-0.5]))", "new D.Normal(t([0]), t([-0.5]))"),
    ("D.Normal(nan, 1.0)", "new D.Normal(nan, 1)"),
    ("D.Normal('a', 1.0)", "new D.Normal('a', 1)"),
    ("D.Normal(0.0, None)", "new D.Normal(0, null)"),
    ("D.Laplace(0.0, [1.0])", "new D.Laplace(0, [1])"),
    ("D.Laplace(t([0.0, 0.0]), t([1.0, -1.0]))", "new D.Laplace(t([0, 0]), t([1, -1]))"),
    ("D.Bernoulli(probs=t([2.0]))", "new D.Bernoulli({ probs: t([2]) })"),
    ("D.Bernoulli(logits=t([nan, 1.0]))", "new D.Bernoulli({ logits: t([nan, 1]) })"),
    ("D.Uniform(1.0, 0.0)", "new D.Uniform(1, 0)"),
    ("D.Uniform(t([1.0]), t([0.5]))", "new D.Uniform(t([1]), t([0.5]))"),
    ("D.Gamma(t([1.0, -1.0]), t([1.0, 1.0]))", "new D.Gamma(t([1, -1]), t([1, 1]))"),
    ("D.Exponential(t([1.0, -1.0]))", "new D.Exponential(t([1, -1]))"),
    ("D.Beta(t([1.0, -1.0]), t([1.0, 1.0]))", "new D.Beta(t([1, -1]), t([1, 1]))"),
    ("D.Dirichlet(t([-1.0, 1.0]))", "new D.Dirichlet(t([-1, 1]))"),
    ("D.Categorical(probs=t([-1.0, 2.0]))", "new D.Categorical({ probs: t([-1, 2]) })"),
    ("D.MultivariateNormal(t([0.0, 0.0]), t([[1.0, 2.0], [2.0, 1.0]]))",
     "new D.MultivariateNormal(t([0, 0]), { covarianceMatrix: t([[1, 2], [2, 1]]) })"),
    ("D.MultivariateNormal(t([0.0, nan]), t([[1.0, 0.0], [0.0, 1.0]]))",
     "new D.MultivariateNormal(t([0, nan]), { covarianceMatrix: t([[1, 0], [0, 1]]) })"),
    ("D.Normal(t([0.0, 0.0]), t([1.0, 1.0])).log_prob(t(nan))", "new D.Normal(t([0, 0]), t([1, 1])).logProb(t(nan))"),
    ("D.Exponential(t([1.0, 1.0])).log_prob(t(-1.0))", "new D.Exponential(t([1, 1])).logProb(t(-1))"),
    ("D.Exponential(t(2.0)).log_prob(t([-1.0, 1.0]))", "new D.Exponential(t(2)).logProb(t([-1, 1]))"),
    ("D.Categorical(probs=t([1.0, 1.0, 1.0])).log_prob(t(4.0))",
     "new D.Categorical({ probs: t([1, 1, 1]) }).logProb(t(4))"),
    ("D.Uniform(0.0, 1.0).log_prob(t(2.0))", "new D.Uniform(0, 1).logProb(t(2))"),
    ("D.Bernoulli(probs=t([0.5, 0.5])).log_prob(t([0.5, 1.0]))",
     "new D.Bernoulli({ probs: t([0.5, 0.5]) }).logProb(t([0.5, 1]))"),
    ("D.Normal(t([0.0]), t([1.0])).log_prob(3.0)", "new D.Normal(t([0]), t([1])).logProb(3)"),
]


def message(python):
    try:
        eval(python)
    except ValueError as error:
        return str(error)
    raise AssertionError(f"{python} is taken")


def main(path):
    with open(path, "w") as out:
        json.dump([[python, typescript, message(python)] for python, typescript in CALLS], out, indent=1)
        out.write("\n")


main(*sys.argv[1:])
