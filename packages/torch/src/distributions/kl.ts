/** @file The Kullback-Leibler divergence of two distributions (`torch.distributions.kl`). */
import type { Tensor } from "@sconce/tensor";
import { sym } from "../functions/sym.js";
import { torch } from "../functions/torch.js";
import { functional as F } from "../nn/functional.js";
import { Bernoulli } from "./bernoulli.js";
import { Categorical } from "./categorical.js";
import { Beta, Dirichlet } from "./dirichlet.js";
import { type Distribution, sumRightmost } from "./distribution.js";
import { notImplemented } from "./errors.js";
import { Exponential, Gamma } from "./exponential.js";
import { write } from "./helpers.js";
import { Independent } from "./independent.js";
import { type Family, registerMixed } from "./kl-mixed.js";
import { Laplace } from "./laplace.js";
import { logDiagonal, MultivariateNormal, mahalanobis } from "./multivariate-normal.js";
import { Normal } from "./normal.js";
import { Uniform } from "./uniform.js";

interface Rule {
  readonly p: Family<Distribution>;
  readonly q: Family<Distribution>;
  readonly run: (p: Distribution, q: Distribution) => Tensor;
}

const rules: Rule[] = [];

/**
 * Adds a rule for two families (`torch.distributions.register_kl`). The most specific rule applies,
 * where `p` counts before `q`. A new rule replaces one for the same families.
 */
export function registerKl<P extends Distribution, Q extends Distribution>(
  p: Family<P>,
  q: Family<Q>,
  run: (p: P, q: Q) => Tensor,
): void {
  const rule: Rule = { p, q, run: run as Rule["run"] };
  const at = rules.findIndex((one) => one.p === p && one.q === q);
  if (at === -1) rules.push(rule);
  else rules[at] = rule;
}

const isBelow = (family: Family<Distribution>, other: Family<Distribution>): boolean =>
  family.prototype instanceof other;

/** Returns whether a rule is more specific than another: `p` counts first, as in PyTorch. */
const isCloser = (one: Rule, other: Rule): boolean =>
  isBelow(one.p, other.p) || (one.p === other.p && isBelow(one.q, other.q));

/**
 * Returns the divergence of `p` from `q`, of the shape of their batches.
 *
 * @throws SconceError `TORCH_ARGUMENT` for families without a rule
 */
export function klDivergence(p: Distribution, q: Distribution): Tensor {
  let rule: Rule | undefined;
  for (const one of rules)
    if (p instanceof one.p && q instanceof one.q && (rule === undefined || isCloser(one, rule))) rule = one;
  if (rule !== undefined) return rule.run(p, q);
  throw notImplemented(
    "klDivergence",
    `KL(p || q) for p type ${p.constructor.name} and q type ${q.constructor.name}`,
    "register a rule with `distributions.registerKl`",
  );
}

const INF = Number.POSITIVE_INFINITY;

registerKl(Normal, Normal, (p, q) => {
  const ratio = p.scale.div(q.scale).pow(2);
  const distance = p.loc.sub(q.loc).div(q.scale).pow(2);
  return ratio.add(distance).sub(1).sub(ratio.log()).mul(0.5);
});

registerKl(Bernoulli, Bernoulli, (p, q) => {
  const one = p.probs.mul(F.softplus(q.logits.neg()).sub(F.softplus(p.logits.neg())));
  write(one, q.probs.eq(0), INF);
  write(one, p.probs.eq(0), 0);
  const zero = torch.rsub(p.probs, 1).mul(F.softplus(q.logits).sub(F.softplus(p.logits)));
  write(zero, q.probs.eq(1), INF);
  write(zero, p.probs.eq(1), 0);
  return one.add(zero);
});

registerKl(Categorical, Categorical, (p, q) => {
  const terms = p.probs.mul(p.logits.sub(q.logits));
  write(terms, q.probs.eq(0).expandAs(terms), INF);
  write(terms, p.probs.eq(0).expandAs(terms), 0);
  return terms.sum(-1);
});

registerKl(Uniform, Uniform, (p, q) => {
  const result = q.high.sub(q.low).div(p.high.sub(p.low)).log();
  write(result, torch.ops.aten.__or__.Tensor(q.low.gt(p.low), q.high.lt(p.high)), INF);
  return result;
});

registerKl(Exponential, Exponential, (p, q) => {
  const ratio = q.rate.div(p.rate);
  return ratio.log().neg().add(ratio).sub(1);
});

registerKl(Laplace, Laplace, (p, q) => {
  const ratio = p.scale.div(q.scale);
  const distance = p.loc.sub(q.loc).abs();
  const first = ratio.log().neg();
  const second = distance.div(q.scale);
  const third = ratio.mul(distance.neg().div(p.scale).exp());
  return first.add(second).add(third).sub(1);
});

registerKl(Gamma, Gamma, (p, q) => {
  const first = q.concentration.mul(p.rate.div(q.rate).log());
  const second = torch.lgamma(q.concentration).sub(torch.lgamma(p.concentration));
  const third = p.concentration.sub(q.concentration).mul(torch.digamma(p.concentration));
  const fourth = q.rate.sub(p.rate).mul(p.concentration.div(p.rate));
  return first.add(second).add(third).add(fourth);
});

registerKl(Beta, Beta, (p, q) => {
  const sumP = p.concentration1.add(p.concentration0);
  const sumQ = q.concentration1.add(q.concentration0);
  const first = q.concentration1.lgamma().add(q.concentration0.lgamma()).add(sumP.lgamma());
  const second = p.concentration1.lgamma().add(p.concentration0.lgamma()).add(sumQ.lgamma());
  const third = p.concentration1.sub(q.concentration1).mul(torch.digamma(p.concentration1));
  const fourth = p.concentration0.sub(q.concentration0).mul(torch.digamma(p.concentration0));
  const fifth = sumQ.sub(sumP).mul(torch.digamma(sumP));
  return first.sub(second).add(third).add(fourth).add(fifth);
});

registerKl(Dirichlet, Dirichlet, (p, q) => {
  const sumP = p.concentration.sum(-1);
  const sumQ = q.concentration.sum(-1);
  const first = sumP.lgamma().sub(sumQ.lgamma());
  const second = p.concentration.lgamma().sub(q.concentration.lgamma()).sum(-1);
  const third = p.concentration.sub(q.concentration);
  const fourth = p.concentration.digamma().sub(sumP.digamma().unsqueeze(-1));
  return first.sub(second).add(third.mul(fourth).sum(-1));
});

registerKl(MultivariateNormal, MultivariateNormal, (p, q) => {
  const half = logDiagonal(q.factor).sub(logDiagonal(p.factor));
  const batch = torch.broadcastShapes(q.factor.size().slice(0, -2), p.factor.size().slice(0, -2));
  const length = p.eventShape[0]!;
  const shape = [...batch, length, length];
  const solved = torch.linalg.solveTriangular(q.factor.expand(shape), p.factor.expand(shape), {
    upper: false,
  });
  const flat = solved
    .reshape([-1, sym.mul(length, length)])
    .pow(2)
    .sum(-1);
  const trace = flat.reshape(solved.size().slice(0, -2));
  const distance = mahalanobis(q.factor, q.loc.sub(p.loc));
  return half.add(
    trace
      .add(distance)
      .sub(length as number)
      .mul(0.5),
  );
});

registerMixed(registerKl);

registerKl<Independent, Independent>(Independent, Independent, (p, q) => {
  if (p.reinterpretedBatchNdims !== q.reinterpretedBatchNdims)
    throw notImplemented(
      "klDivergence",
      "distributions of other numbers of reinterpreted dimensions",
      "use the same `reinterpretedBatchNdims` for both",
    );
  return sumRightmost(klDivergence(p.baseDist, q.baseDist), p.reinterpretedBatchNdims);
});
