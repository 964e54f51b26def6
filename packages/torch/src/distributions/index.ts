/** @file Probability distributions (`torch.distributions`). */
export { Bernoulli, type ProbsOrLogits } from "./bernoulli.js";
export { Categorical } from "./categorical.js";
export type { Constraint } from "./constraints.js";
export { Beta, Dirichlet } from "./dirichlet.js";
export { Distribution, type DistributionOptions, setDefaultValidateArgs } from "./distribution.js";
export { Exponential, Gamma } from "./exponential.js";
export { Independent } from "./independent.js";
export { klDivergence, registerKl } from "./kl.js";
export { Laplace } from "./laplace.js";
export { type Covariance, MultivariateNormal } from "./multivariate-normal.js";
export { Normal } from "./normal.js";
export { Uniform } from "./uniform.js";
