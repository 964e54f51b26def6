/** @file Tables of vectors that are looked up by index. */
import type { DType, Tensor } from "@sconce/tensor";
import type { Device } from "../../functions/argument-types.js";
import { callOperator } from "../../trace/dispatch.js";
import { badSettings } from "../errors.js";
import { functional as F } from "../functional.js";
import { normal_ } from "../init.js";
import { Module } from "../module.js";
import { pythonText, requireSizes, type Settings, settingsOf } from "../settings.js";
import { emptyState, PLACE, type StatePlace } from "../state-place.js";
import { Parameter } from "../tensors.js";

/** Settings of {@link Embedding}. */
export interface EmbeddingOptions {
  /** A row that is not learned, 0 at first; negative ones count from the end. @defaultValue none */
  readonly paddingIdx?: number | null;
  /** Rows with a greater norm are scaled down. @defaultValue none */
  readonly maxNorm?: number | null;
  /** The norm of `maxNorm`. @defaultValue 2 */
  readonly normType?: number;
  /** Whether gradients are divided by how often a row is read. @defaultValue false */
  readonly scaleGradByFreq?: boolean;
  /** Whether gradients are sparse. @defaultValue false */
  readonly sparse?: boolean;
  /** The device of the table: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
  /** The dtype of the table. @defaultValue `float32` */
  readonly dtype?: DType;
}

/** Positional settings, in PyTorch's order. */
export type EmbeddingPositions = [
  paddingIdx: number | null,
  maxNorm: number | null,
  normType: number,
  scaleGradByFreq: boolean,
  sparse: boolean,
];

/** Looks up rows of a table (`torch.nn.Embedding`). */
export class Embedding extends Module {
  static override readonly torchClass: string = "torch.nn.modules.sparse.Embedding";

  /** Rows of the table. */
  readonly numEmbeddings: number;
  /** Size of a row. */
  readonly embeddingDim: number;
  /** The row that is not learned. */
  readonly paddingIdx: number | null;
  private readonly settings: Required<EmbeddingOptions>;
  /** `[numEmbeddings, embeddingDim]`. */
  weight: Tensor;

  constructor(
    numEmbeddings: number,
    embeddingDim: number,
    ...rest: Settings<EmbeddingPositions, EmbeddingOptions>
  ) {
    super();
    requireSizes("Embedding", { numEmbeddings, embeddingDim });
    const settings = settingsOf<Required<EmbeddingOptions>>("Embedding", rest, {
      paddingIdx: null,
      maxNorm: null,
      normType: 2,
      scaleGradByFreq: false,
      sparse: false,
      ...PLACE,
    });
    this.numEmbeddings = numEmbeddings;
    this.embeddingDim = embeddingDim;
    this.paddingIdx = rowIndex("Embedding", settings.paddingIdx, numEmbeddings);
    this.settings = settings;
    this.weight = newTable(numEmbeddings, embeddingDim, this.paddingIdx, settings);
  }

  override forward(input: Tensor): Tensor {
    const { maxNorm, normType, scaleGradByFreq, sparse } = this.settings;
    return F.embedding(input, this.weight, this.paddingIdx, maxNorm, normType, scaleGradByFreq, sparse);
  }

  override extraRepr(): string {
    const { maxNorm, normType, scaleGradByFreq, sparse } = this.settings;
    const parts = [`${this.numEmbeddings}, ${this.embeddingDim}`];
    if (this.paddingIdx !== null) parts.push(`padding_idx=${this.paddingIdx}`);
    if (maxNorm !== null) parts.push(`max_norm=${pythonText(maxNorm)}`);
    if (normType !== 2) parts.push(`norm_type=${pythonText(normType)}`);
    if (scaleGradByFreq) parts.push("scale_grad_by_freq=True");
    if (sparse) parts.push("sparse=True");
    return parts.join(", ");
  }
}

/** How the rows of a bag are combined. */
type BagMode = "sum" | "mean" | "max";

/** Settings of {@link EmbeddingBag}. */
export interface EmbeddingBagOptions {
  /** Rows with a greater norm are scaled down. @defaultValue none */
  readonly maxNorm?: number | null;
  /** The norm of `maxNorm`. @defaultValue 2 */
  readonly normType?: number;
  /** Whether gradients are divided by how often a row is read. @defaultValue false */
  readonly scaleGradByFreq?: boolean;
  /** How the rows of a bag are combined. @defaultValue `mean` */
  readonly mode?: BagMode;
  /** Whether gradients are sparse. @defaultValue false */
  readonly sparse?: boolean;
  /** Whether the offsets end with the number of indices. @defaultValue false */
  readonly includeLastOffset?: boolean;
  /** A row that does not count, 0 at first. @defaultValue none */
  readonly paddingIdx?: number | null;
  /** The device of the table: "meta" for shapes without values. @defaultValue the CPU */
  readonly device?: Device | null;
  /** The dtype of the table. @defaultValue `float32` */
  readonly dtype?: DType;
}

/** Positional settings, in PyTorch's order. */
type EmbeddingBagPositions = [
  maxNorm: number | null,
  normType: number,
  scaleGradByFreq: boolean,
  mode: BagMode,
  sparse: boolean,
];

/** Combines the rows of each bag of indices (`torch.nn.EmbeddingBag`). */
export class EmbeddingBag extends Module {
  static override readonly torchClass: string = "torch.nn.modules.sparse.EmbeddingBag";

  /** Rows of the table. */
  readonly numEmbeddings: number;
  /** Size of a row. */
  readonly embeddingDim: number;
  /** The row that does not count. */
  readonly paddingIdx: number | null;
  private readonly settings: Required<EmbeddingBagOptions>;
  /** `[numEmbeddings, embeddingDim]`. */
  weight: Tensor;

  constructor(
    numEmbeddings: number,
    embeddingDim: number,
    ...rest: Settings<EmbeddingBagPositions, EmbeddingBagOptions>
  ) {
    super();
    const settings = settingsOf<Required<EmbeddingBagOptions>>("EmbeddingBag", rest, {
      maxNorm: null,
      normType: 2,
      scaleGradByFreq: false,
      mode: "mean",
      sparse: false,
      includeLastOffset: false,
      paddingIdx: null,
      ...PLACE,
    });
    this.numEmbeddings = numEmbeddings;
    this.embeddingDim = embeddingDim;
    this.paddingIdx = rowIndex("EmbeddingBag", settings.paddingIdx, numEmbeddings);
    this.settings = settings;
    this.weight = newTable(numEmbeddings, embeddingDim, this.paddingIdx, settings);
  }

  override forward(input: Tensor, offsets?: Tensor | null, perSampleWeights?: Tensor | null): Tensor {
    const { maxNorm, normType, scaleGradByFreq, mode, sparse, includeLastOffset } = this.settings;
    const { paddingIdx } = this;
    return F.embeddingBag(
      input,
      this.weight,
      offsets ?? null,
      maxNorm,
      normType,
      scaleGradByFreq,
      mode,
      sparse,
      perSampleWeights ?? null,
      includeLastOffset,
      paddingIdx,
    );
  }

  override extraRepr(): string {
    const { maxNorm, normType, scaleGradByFreq, mode } = this.settings;
    const parts = [`${this.numEmbeddings}, ${this.embeddingDim}`];
    if (maxNorm !== null) parts.push(`max_norm=${pythonText(maxNorm)}`);
    if (normType !== 2) parts.push(`norm_type=${pythonText(normType)}`);
    if (scaleGradByFreq) parts.push("scale_grad_by_freq=True");
    parts.push(`mode='${mode}'`);
    if (this.paddingIdx !== null) parts.push(`padding_idx=${this.paddingIdx}`);
    return parts.join(", ");
  }
}

function newTable(rows: number, columns: number, paddingIdx: number | null, place: StatePlace): Parameter {
  const table = normal_(emptyState([rows, columns], place));
  if (paddingIdx !== null) {
    const row = callOperator("aten.select.int", [table, 0, paddingIdx]) as Tensor;
    callOperator("aten.fill_.Scalar", [row, 0]);
  }
  return new Parameter(table);
}

function rowIndex(layer: string, index: number | null, rows: number): number | null {
  if (index === null) return null;
  if (index >= rows || index < -rows)
    throw badSettings(
      layer,
      "Padding_idx must be within num_embeddings",
      `give an index from ${-rows} to ${rows - 1}`,
    );
  return index < 0 ? rows + index : index;
}
