/** @file What an edge of a graph is quantized to. */
import type { CodeRange } from "../numbers/parameters.js";

/** The observers of activations. */
export const OBSERVERS = ["histogram", "min-max", "moving-average", "percentile"] as const;
/** How the range of an activation follows from the values that calibration sees. */
export type ObserverKind = (typeof OBSERVERS)[number];

/** How values are quantized. Equal specifications of one value share an observer. */
export interface QuantizationSpec {
  /** The codes that are used: int8, so between -128 and 127. */
  readonly range: CodeRange;
  /** Whether the zero point is 0. */
  readonly isSymmetric: boolean;
  /** The least scale. */
  readonly eps: number;
  /** Weights only: the dimension with a scale for each index. */
  readonly channelAxis?: number;
  /** Whether the scale is computed in each run, from the values of that run. */
  readonly isDynamic?: boolean;
  /** Static activations only. */
  readonly observer?: ObserverKind;
  /** The part of the values that `percentile` keeps, such as 0.9999. */
  readonly percentile?: number;
}

/** Has the parameters of a node's output, or of the edge from `from` to `to`. */
export type SharedSpec = { readonly node: string } | { readonly from: string; readonly to: string };

/** How one edge or output is quantized. */
export type EdgeSpec = QuantizationSpec | SharedSpec;

/** What a quantizer says of a node. */
export interface Annotation {
  /** Inputs by the name of the node that gives them. */
  readonly inputs: ReadonlyMap<string, EdgeSpec>;
  /** The output; undefined where it stays as it is. */
  readonly output?: EdgeSpec | undefined;
}

/** Returns whether an edge takes the parameters of another one. */
export const isShared = (spec: EdgeSpec): spec is SharedSpec => "node" in spec || "from" in spec;

/** Returns a specification as text, which graphs hold. */
export const specText = (spec: QuantizationSpec): string => JSON.stringify(spec);
