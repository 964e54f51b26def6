/** @file Divergences of distributions of two families (`torch.distributions.kl`). */
import { float } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { torch } from "../functions/torch.js";
import { Beta } from "./dirichlet.js";
import type { Distribution } from "./distribution.js";
import { Exponential, Gamma } from "./exponential.js";
import { write } from "./helpers.js";
import { Laplace } from "./laplace.js";
import { Normal } from "./normal.js";
import { Uniform } from "./uniform.js";

const INF = Number.POSITIVE_INFINITY;
const EULER = 0.577_215_664_901_532_9;

/** Classes of distributions, of a family or of families below it. */
export type Family<D extends Distribution> = abstract new (...args: never[]) => D;

type Register = <P extends Distribution, Q extends Distribution>(
  p: Family<P>,
  q: Family<Q>,
  run: (p: P, q: Q) => Tensor,
) => void;

const infinite = (like: Tensor): Tensor => torch.fullLike(like, INF);
const xLogX = (x: Tensor): Tensor => torch.special.xlogy(x, x);
const fromOne = (x: Tensor): Tensor => torch.rsub(x, 1);

/** Adds the rules of two families. */
export function registerMixed(register: Register): void {
  ofNormal(register);
  ofUniform(register);
  ofExponential(register);
  ofGamma(register);
  ofBeta(register);
  ofLaplace(register);
}

function ofNormal(register: Register): void {
  for (const q of [Beta, Exponential, Gamma, Uniform])
    register<Normal, Beta | Exponential | Gamma | Uniform>(Normal, q, (p) => infinite(p.loc));
  register(Normal, Laplace, (p, q) => {
    const difference = p.loc.sub(q.loc);
    const ratio = p.scale.div(q.scale);
    const scaled = difference.div(p.scale);
    const first = ratio.log();
    const second = p.scale.mul(Math.sqrt(2 / Math.PI)).mul(scaled.pow(2).mul(-0.5).exp());
    const third = difference.mul(torch.erf(scaled.mul(Math.sqrt(0.5))));
    const constant = 0.5 * (1 + Math.log(0.5 * Math.PI));
    return first.neg().add(second.add(third).div(q.scale)).sub(constant);
  });
}

function ofUniform(register: Register): void {
  register(Uniform, Beta, (p, q) => {
    const width = p.high.sub(p.low);
    const first = width.log();
    const second = q.concentration1
      .sub(1)
      .mul(xLogX(p.high).sub(xLogX(p.low)).sub(width))
      .div(width);
    const third = q.concentration0.sub(1);
    const high = xLogX(fromOne(p.high));
    const fourth = third.mul(high.sub(xLogX(fromOne(p.low))).add(width)).div(width);
    const total = q.concentration1.lgamma().add(q.concentration0.lgamma());
    const fifth = total.sub(q.concentration1.add(q.concentration0).lgamma());
    const result = fourth.add(fifth).sub(first).sub(second);
    return write(result, torch.ops.aten.__or__.Tensor(p.high.gt(float(1)), p.low.lt(float(0))), INF);
  });
  register(Uniform, Exponential, (p, q) => {
    const mean = q.rate.mul(p.high.add(p.low)).div(2);
    return write(mean.sub(p.high.sub(p.low).mul(q.rate).log()), p.low.lt(float(0)), INF);
  });
  register(Uniform, Gamma, (p, q) => {
    const width = p.high.sub(p.low);
    const first = width.log();
    const second = q.concentration.lgamma().sub(q.concentration.mul(q.rate.log()));
    const third = fromOne(q.concentration)
      .mul(xLogX(p.high).sub(xLogX(p.low)).sub(width))
      .div(width);
    const fourth = q.rate.mul(p.high.add(p.low)).div(2);
    return write(first.neg().add(second).add(third).add(fourth), p.low.lt(float(0)), INF);
  });
  register(Uniform, Normal, (p, q) => {
    const width = p.high.sub(p.low);
    const first = q.scale
      .mul(Math.sqrt(Math.PI * 2))
      .div(width)
      .log();
    const second = width.pow(2).div(12);
    const third = p.high.add(p.low).sub(q.loc.mul(2)).div(2).pow(2);
    return first.add(second.add(third).mul(0.5).div(q.scale.pow(2)));
  });
}

function ofExponential(register: Register): void {
  for (const q of [Beta, Uniform])
    register<Exponential, Beta | Uniform>(Exponential, q, (p) => infinite(p.rate));
  register(Exponential, Normal, (p, q) => {
    const variance = q.scale.pow(2);
    const square = p.rate.pow(2);
    const first = square.mul(variance).mul(2).mul(Math.PI).log().mul(0.5);
    const second = square.reciprocal();
    const third = q.loc.div(p.rate);
    const fourth = q.loc.pow(2).mul(0.5);
    return first.sub(1).add(second.sub(third).add(fourth).div(variance));
  });
  register(Exponential, Gamma, (p, q) => {
    const ratio = q.rate.div(p.rate);
    const first = q.concentration.neg().mul(ratio.log());
    return first
      .add(ratio)
      .add(q.concentration.lgamma())
      .add(q.concentration.mul(EULER))
      .sub(1 + EULER);
  });
}

function ofGamma(register: Register): void {
  for (const q of [Beta, Uniform])
    register<Gamma, Beta | Uniform>(Gamma, q, (p) => infinite(p.concentration));
  register(Gamma, Exponential, (p, q) =>
    p.entropy().neg().sub(q.rate.log()).add(q.rate.mul(p.concentration).div(p.rate)),
  );
  register(Gamma, Normal, (p, q) => {
    const variance = q.scale.pow(2);
    const square = p.rate.pow(2);
    const logarithm = square.mul(variance).mul(2).mul(Math.PI).log().mul(0.5);
    const first = logarithm.sub(p.concentration).sub(p.concentration.lgamma());
    const second = p.concentration.pow(2).add(p.concentration).mul(0.5).div(square);
    const third = q.loc.mul(p.concentration).div(p.rate);
    const fourth = q.loc.pow(2).mul(0.5);
    const fifth = p.concentration.sub(1).mul(p.concentration.digamma());
    return first.add(fifth).add(second.sub(third).add(fourth).div(variance));
  });
}

function ofBeta(register: Register): void {
  const total = (p: Beta): Tensor => p.concentration1.add(p.concentration0);
  register(Beta, Exponential, (p, q) => {
    const first = p.entropy().neg().sub(q.rate.log());
    return first.add(q.rate.mul(p.concentration1.div(total(p))));
  });
  register(Beta, Gamma, (p, q) => {
    const first = p.entropy().neg();
    const second = q.concentration.lgamma().sub(q.concentration.mul(q.rate.log()));
    const third = q.concentration.sub(1).mul(p.concentration1.digamma().sub(total(p).digamma()));
    const fourth = q.rate.mul(p.concentration1).div(total(p));
    return first.add(second).sub(third).add(fourth);
  });
  register(Beta, Normal, (p, q) => {
    const mean = p.concentration1.div(total(p));
    const variance = q.scale.pow(2);
    const first = p.entropy().neg();
    const second = variance.mul(2).mul(Math.PI).log().mul(0.5);
    const spread = mean.mul(fromOne(mean)).div(total(p).add(1));
    const third = spread.add(mean.pow(2)).mul(0.5);
    const fourth = q.loc.mul(mean);
    const fifth = q.loc.pow(2).mul(0.5);
    return first.add(second).add(third.sub(fourth).add(fifth).div(variance));
  });
  register(Beta, Uniform, (p, q) => {
    const result = p.entropy().neg().add(q.high.sub(q.low).log());
    return write(result, torch.ops.aten.__or__.Tensor(q.low.gt(float(0)), q.high.lt(float(1))), INF);
  });
}

function ofLaplace(register: Register): void {
  for (const q of [Beta, Exponential, Gamma, Uniform])
    register<Laplace, Beta | Exponential | Gamma | Uniform>(Laplace, q, (p) => infinite(p.loc));
  register(Laplace, Normal, (p, q) => {
    const variance = q.scale.pow(2);
    const ratio = p.scale.pow(2).div(variance);
    const first = ratio.mul(2).div(Math.PI).log().mul(0.5);
    const second = p.loc.pow(2).mul(0.5);
    const third = p.loc.mul(q.loc);
    const fourth = q.loc.pow(2).mul(0.5);
    return first.neg().add(ratio).add(second.sub(third).add(fourth).div(variance)).sub(1);
  });
}
