/** @file What a backend says about the edges that it computes in integers. */
import type { ExportedProgram, Node } from "@sconce/ir";
import type { Annotation, ObserverKind } from "./spec.js";

/** What users choose. */
export interface AnnotationOptions {
  /** Whether scales of activations are computed in each run. */
  readonly isDynamic: boolean;
  /** The observer of static activations. */
  readonly observer: ObserverKind;
  /** The part of the values that the observer `percentile` keeps. */
  readonly percentile: number;
  /**
   * Whether a call stays in float: what the user leaves out, and values that are written to state.
   */
  readonly isExcluded: (node: Node) => boolean;
}

/**
 * Annotates the nodes that a backend computes in integers, as `Quantizer` of PyTorch's PT2E flow.
 * A backend has its own: give it to `prepareQuantization`.
 */
export interface Quantizer {
  /** The name, which options use. */
  readonly name: string;
  /** Whether kernels take symmetric weights only: other annotations of weights are errors. */
  readonly symmetricWeights: boolean;
  /** Returns annotations by the name of the node. */
  annotate(program: ExportedProgram, options: AnnotationOptions): ReadonlyMap<string, Annotation>;
}
