import type { Tensor } from "@sconce/tensor";
import { sym } from "../functions/sym.js";
import { torch } from "../functions/torch.js";
import type { Size } from "../trace/sym-int.js";
import { type Constraint, lowerCholesky, ofVectors, positiveDefinite, real } from "./constraints.js";
import { Distribution, type DistributionOptions, standardNormal } from "./distribution.js";
import { badArgument } from "./errors.js";

/** The covariance of a {@link MultivariateNormal}: one of the three. */
export interface Covariance {
  /** The covariance matrix. */
  readonly covarianceMatrix?: Tensor | undefined;
  /** Its inverse. */
  readonly precisionMatrix?: Tensor | undefined;
  /** Its lower Cholesky factor. */
  readonly scaleTril?: Tensor | undefined;
}

const NAMES = {
  covarianceMatrix: "covariance_matrix",
  precisionMatrix: "precision_matrix",
  scaleTril: "scale_tril",
} as const;

type Kind = keyof typeof NAMES;

/** The normal distribution of vectors (`torch.distributions.MultivariateNormal`). */
export class MultivariateNormal extends Distribution {
  /** The mean. */
  readonly loc: Tensor;
  /** The lower Cholesky factor, as it was given: PyTorch's `_unbroadcasted_scale_tril`. */
  readonly factor: Tensor;
  readonly #given: Readonly<Partial<Record<Kind, Tensor>>>;

  /** @throws SconceError `TORCH_ARGUMENT`, `TRACED_VALUES` where arguments are checked */
  constructor(
    loc: Tensor,
    { covarianceMatrix, precisionMatrix, scaleTril, ...options }: Covariance & DistributionOptions = {},
  ) {
    if (loc.ndim < 1) throw badArgument("MultivariateNormal", "loc must be at least one-dimensional.");
    const [kind, matrix] = onlyMatrix({ covarianceMatrix, precisionMatrix, scaleTril });
    const batchShape = torch.broadcastShapes(matrix.size().slice(0, -2), loc.size().slice(0, -1));
    const expanded = matrix.expand([...batchShape, -1, -1]);
    const mean = loc.expand([...batchShape, -1]);
    super({
      batchShape,
      eventShape: mean.size().slice(-1),
      options,
      parameters: {
        loc: [mean, ofVectors(real)],
        [NAMES[kind]]: [expanded, kind === "scaleTril" ? lowerCholesky : positiveDefinite],
      },
    });
    this.loc = mean;
    this.#given = { [kind]: expanded };
    this.factor = factorOf(kind, matrix);
  }

  protected get support(): Constraint {
    return real;
  }

  #matrix(kind: Kind, compute: () => Tensor): Tensor {
    const shape = [...this.batchShape, ...this.eventShape, ...this.eventShape];
    return this.#given[kind] ?? this.lazily(kind, () => compute().expand(shape));
  }

  /** The lower Cholesky factor of the covariance. */
  get scaleTril(): Tensor {
    return this.#matrix("scaleTril", () => this.factor);
  }

  /** The covariance matrix. */
  get covarianceMatrix(): Tensor {
    return this.#matrix("covarianceMatrix", () => this.factor.matmul(this.factor.mT));
  }

  /** The inverse of the covariance matrix. */
  get precisionMatrix(): Tensor {
    return this.#matrix("precisionMatrix", () => torch.choleskyInverse(this.factor));
  }

  get mean(): Tensor {
    return this.loc;
  }

  override get mode(): Tensor {
    return this.loc;
  }

  get variance(): Tensor {
    return this.factor.pow(2).sum(-1).expand(this.extendedShape());
  }

  override rsample(shape: readonly Size[] = []): Tensor {
    const noise = standardNormal(this.extendedShape(shape), this.loc);
    return this.loc.add(this.factor.matmul(noise.unsqueeze(-1)).squeeze(-1));
  }

  logProb(value: Tensor): Tensor {
    this.validateSample(value);
    const distance = mahalanobis(this.factor, value.sub(this.loc));
    const halfLogDet = logDiagonal(this.factor);
    const constant = Number(this.eventShape[0]) * Math.log(2 * Math.PI);
    return distance.add(constant).mul(-0.5).sub(halfLogDet);
  }

  entropy(): Tensor {
    const halfLogDet = logDiagonal(this.factor);
    const constant = 0.5 * Number(this.eventShape[0]) * (1 + Math.log(2 * Math.PI));
    const entropy = halfLogDet.add(constant);
    return this.batchShape.length === 0 ? entropy : entropy.expand(this.batchShape);
  }
}

/** Returns the sum of the logarithms on the diagonal: half of that of the determinant. */
export const logDiagonal = (factor: Tensor): Tensor => factor.diagonal({ dim1: -2, dim2: -1 }).log().sum(-1);

function onlyMatrix(given: Covariance): readonly [Kind, Tensor] {
  const found = (Object.entries(given) as [Kind, Tensor | undefined][]).filter(
    (entry): entry is [Kind, Tensor] => (entry[1] ?? undefined) !== undefined,
  );
  if (found.length !== 1)
    throw badArgument(
      "MultivariateNormal",
      "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.",
    );
  const [kind, matrix] = found[0]!;
  if (matrix.ndim < 2)
    throw badArgument(
      "MultivariateNormal",
      `${NAMES[kind]} must be at least two-dimensional, with optional leading batch dimensions`,
    );
  return [kind, matrix];
}

function factorOf(kind: Kind, matrix: Tensor): Tensor {
  if (kind === "scaleTril") return matrix;
  if (kind === "covarianceMatrix") return torch.linalg.cholesky(matrix);
  const flipped = torch.linalg.cholesky(torch.flip(matrix, [-2, -1]));
  const inverse = torch.transpose(torch.flip(flipped, [-2, -1]), -2, -1);
  const identity = torch.eye(matrix.size(-1), { dtype: matrix.dtype, device: "cpu" });
  return torch.linalg.solveTriangular(inverse, identity, { upper: false });
}

/**
 * Returns the squared Mahalanobis distance of vectors, for factors of some batch
 * (`_batch_mahalanobis`).
 */
export function mahalanobis(factor: Tensor, vectors: Tensor): Tensor {
  const size = vectors.size();
  const length = size.at(-1)!;
  const batch = size.slice(0, -1);
  const inner = factor.ndim - 2;
  const outer = batch.length - inner;
  const last = outer + 2 * inner;
  const split = factor
    .size()
    .slice(0, -2)
    .flatMap((own, i): Size[] => [sym.floorDiv(size[outer + i]!, own), own]);
  const steps = (from: number): number[] =>
    Array.from({ length: Math.max(0, Math.ceil((last - from) / 2)) }, (_, i) => from + 2 * i);
  const first = Array.from({ length: outer }, (_, i) => i);
  const pairs = vectors
    .reshape([...size.slice(0, outer), ...split, length])
    .permute([...first, ...steps(outer), ...steps(outer + 1), last]);
  const flat = factor.reshape(-1, length, length);
  const rows = pairs.reshape(-1, flat.size(0), length).permute(1, 2, 0);
  const squares = torch.linalg.solveTriangular(flat, rows, { upper: false }).pow(2).sum(-2);
  const distances = squares.t().reshape(pairs.size().slice(0, -1));
  const order = Array.from({ length: inner }, (_, i) => [outer + i, outer + inner + i]).flat();
  return distances.permute([...first, ...order]).reshape(batch);
}
