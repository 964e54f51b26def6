/** @file Orthogonal weights (`torch.nn.utils.parametrizations.orthogonal`). */
import { float } from "@sconce/ir";
import { fieldsOf } from "@sconce/source-check";
import { isComplexDType, Tensor } from "@sconce/tensor";
import { torch } from "../../functions/torch.js";
import { torchSize } from "../../torch-size.js";
import { noGrad } from "../../trace/grad-mode.js";
import { badParametrization, noTensor, requireWord } from "../errors.js";
import { Module } from "../module.js";
import { type Settings, settingsOf } from "../settings.js";
import { registerParametrization } from "./parametrize.js";

/** How an orthogonal matrix is computed of an unconstrained one. */
export type OrthogonalMap = "matrix_exp" | "cayley" | "householder";

const MAPS: readonly OrthogonalMap[] = ["matrix_exp", "cayley", "householder"];

/** Settings of {@link orthogonal}. */
export interface OrthogonalOptions {
  /** The tensor that is orthogonal. @defaultValue "weight" */
  readonly name?: string;
  /**
   * How the matrix is computed. @defaultValue "matrix_exp" for square and complex matrices, else
   * "householder"
   */
  readonly orthogonalMap?: OrthogonalMap | null;
  /**
   * Whether the buffer `base` holds a matrix that the computed one is multiplied with.
   * @defaultValue true
   */
  readonly useTrivialization?: boolean;
}

const isOrthogonal = (q: Tensor): boolean => {
  const [n, k] = [q.size(-2) as number, q.size(-1) as number];
  const identity = torch.eye(k, { dtype: q.dtype });
  const atol = 10 * n * torch.finfo(q.dtype).eps;
  return torch.allclose(q.mH.matmul(q), identity, { atol }) as boolean;
};

/** Returns the factor Q of a tall matrix, such that the diagonal of R is not negative. */
function orthonormal(a: Tensor): Tensor {
  const [x, tau] = torch.geqrf(a);
  const q = torch.linalg.householderProduct(x, tau);
  return q.mul_(x.diagonal({ dim1: -2, dim2: -1 }).sgn().unsqueeze(-2));
}

/** Parts of a Householder decomposition: reflections below the diagonal, signs on it. */
function reflections(q: Tensor): Tensor {
  const [a, tau] = torch.geqrf(q);
  a.diagonal({ dim1: -2, dim2: -1 }).sign_();
  // LAPACK gives an exact zero for a reflection that it does not use.
  const diagonal = a.diagonal({ dim1: -2, dim2: -1 });
  const unused = tau.eq(float(0));
  diagonal.setAt([unused], diagonal.at(unused).mul(-1));
  return a;
}

/**
 * Returns the skew matrix of the triangle of a tall one, with zeros for the columns that it lacks.
 */
function skew(x: Tensor, n: number, k: number): Tensor {
  let full = x.tril();
  if (n !== k) {
    const batch = full.shape.slice(0, -2);
    full = torch.cat([full, full.newZeros([n, n - k]).expand([...batch, -1, -1])], -1);
  }
  return full.sub(full.mH);
}

class Orthogonal extends Module {
  static override readonly torchClass: string = "torch.nn.utils.parametrizations._Orthogonal";
  readonly shape: readonly number[];
  readonly orthogonalMap: OrthogonalMap;
  readonly isInvertible: boolean;

  constructor(weight: Tensor, orthogonalMap: OrthogonalMap, useTrivialization: boolean) {
    super();
    if (isComplexDType(weight.dtype) && orthogonalMap === "householder")
      throw badParametrization(
        "The householder parametrization does not support complex tensors.",
        'give `orthogonalMap: "matrix_exp"` or `"cayley"`',
      );
    this.shape = [...weight.shape];
    this.orthogonalMap = orthogonalMap;
    this.isInvertible = useTrivialization || orthogonalMap === "householder";
    if (useTrivialization) this.registerBuffer("base", null);
  }

  override forward(weight: Tensor): Tensor {
    const [rows, columns] = weight.shape.slice(-2) as [number, number];
    const isWide = rows < columns;
    const x = isWide ? weight.mT : weight;
    const [n, k] = isWide ? [columns, rows] : [rows, columns];
    let q = this.orthogonalMap === "householder" ? reflected(x) : retracted(x, n, k, this.orthogonalMap);
    const base = fieldsOf<Tensor | undefined>(this)["base"];
    if (base !== undefined) q = base.matmul(q);
    return isWide ? q.mT : q;
  }

  rightInverse(value: Tensor): Tensor {
    const isSame = value.shape.join() === this.shape.join();
    if (!isSame)
      throw badParametrization(
        `Expected a matrix or batch of matrices of shape ${torchSize(this.shape)}. Got a tensor of shape ${torchSize(value.shape)}.`,
        "assign a tensor of the shape of the weight",
      );
    return noGrad(() => inverse(this, value));
  }
}

/** Returns a product of Householder reflections, whose signs the diagonal has. */
function reflected(x: Tensor): Tensor {
  const a = x.tril({ diagonal: -1 });
  const tau = a.mul(a).sum({ dim: -2 }).add(float(1)).reciprocal().mul(float(2));
  const q = torch.linalg.householderProduct(a, tau);
  return q.mul(x.diagonal({ dim1: -2, dim2: -1 }).int().unsqueeze(-2));
}

/** Returns the exponential of a skew matrix, or its Cayley map `(I + A/2) (I - A/2)^-1`. */
function retracted(x: Tensor, n: number, k: number, map: OrthogonalMap): Tensor {
  const a = skew(x, n, k);
  const q = map === "matrix_exp" ? torch.matrixExp(a) : cayley(a, n);
  return n === k ? q : q.at("...", `:${k}`);
}

function cayley(a: Tensor, n: number): Tensor {
  const identity = torch.eye(n, { dtype: a.dtype, device: "cpu" });
  return torch.linalg.solve(torch.add(identity, a, { alpha: -0.5 }), torch.add(identity, a, { alpha: 0.5 }));
}

function inverse(module: Orthogonal, value: Tensor): Tensor {
  const [rows, columns] = value.shape.slice(-2) as [number, number];
  const isWide = rows < columns;
  const q = isWide ? value.mT : value;
  const fields = fieldsOf<Tensor | null>(module);
  if ("base" in fields) {
    fields["base"] = completed(q, Math.max(rows, columns), Math.min(rows, columns));
    const negative = torch.zerosLike(value);
    negative.diagonal({ dim1: -2, dim2: -1 }).fill_(-1);
    return negative;
  }
  if (!module.isInvertible)
    throw badParametrization(
      "It is not possible to assign to the matrix exponential or the Cayley parametrizations when use_trivialization=False.",
      'use `useTrivialization: true`, or `orthogonalMap: "householder"`',
    );
  const a = reflections(q);
  return isWide ? a.mT : a;
}

/** Returns a square orthogonal matrix that begins with the columns of a tall one. */
function completed(q: Tensor, n: number, k: number): Tensor {
  if (n === k) return isOrthogonal(q) ? q.clone() : orthonormal(q);
  const more = torch.randn([...q.shape.slice(0, -2), n, n - k], { dtype: q.dtype });
  return orthonormal(torch.cat([q, more], -1));
}

/**
 * Lets a module compute a weight that is an orthogonal matrix, or a batch of them, as
 * `torch.nn.utils.parametrizations.orthogonal`: its columns are orthonormal, or its rows if they
 * are fewer. State: `parametrizations.weight.original`, and the buffer
 * `parametrizations.weight.0.base` with `useTrivialization`.
 *
 * @returns the module
 * @throws SconceError `LAYER_ARGUMENTS` for a name without a tensor, for fewer than two dimensions,
 * for another map, and for complex tensors with `"householder"`
 */
export function orthogonal<M extends Module>(
  module: M,
  ...rest: Settings<[name: string, orthogonalMap: OrthogonalMap | null], OrthogonalOptions>
): M {
  const { name, orthogonalMap, useTrivialization } = settingsOf("orthogonal", rest, {
    name: "weight",
    orthogonalMap: null as OrthogonalMap | null,
    useTrivialization: true,
  });
  const weight = fieldsOf<unknown>(module)[name];
  if (!(weight instanceof Tensor)) throw noTensor(module.constructor.name, name);
  if (weight.ndim < 2)
    throw badParametrization(
      `Expected a matrix or batch of matrices. Got a tensor of ${weight.ndim} dimensions.`,
      "name a tensor of two or more dimensions",
    );
  const [rows, columns] = weight.shape.slice(-2);
  const byShape = rows === columns || isComplexDType(weight.dtype) ? "matrix_exp" : "householder";
  const map = orthogonalMap ?? byShape;
  requireWord(
    "orthogonal",
    map,
    MAPS,
    `orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: ${String(map)}`,
  );
  return registerParametrization(module, name, new Orthogonal(weight, map, useTrivialization), {
    unsafe: true,
  });
}
