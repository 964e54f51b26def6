/** @file How much of a change a check covered. */
import type { ValueClass } from "../sampling/number-change.js";

/** The changed calls of one graph, and those that were checked by themselves on sampled inputs. */
export interface GraphCoverage {
  /**
   * Targets of the nested graphs that lead to it with slashes between them; empty for the program's
   * own graph.
   */
  readonly graph: string;
  /** The number of calls that the pass changed. */
  readonly changedCalls: number;
  /** The number of those that a comparison covered. */
  readonly checkedCalls: number;
}

/** A changed region that was not checked by itself, and why. */
export interface Unchecked {
  /** The nested graph; empty for the program's own graph. */
  readonly graph: string;
  /** A node of the region: after the pass, or before it when nothing is left of it. */
  readonly node: string;
  /** Why it was not compared. */
  readonly reason: string;
}

/** What was compared by region, besides whole runs of the program. */
export interface Coverage {
  /** The program's own graph, then every nested graph that changed. */
  readonly graphs: readonly GraphCoverage[];
  /** Changed regions, and those that were checked; equal ones count each time. */
  readonly regions: number;
  /** The number of changed regions that were compared by themselves. */
  readonly checkedRegions: number;
  /** Classes of values on which a region was compared. */
  readonly valueClasses: readonly ValueClass[];
  /** What was not compared, with the reasons. */
  readonly unchecked: readonly Unchecked[];
  /** Runs of the interpreter on the whole program in this step. */
  readonly wholeRuns: number;
  /**
   * Runs of the interpreter on regions, and the largest number of input elements that one was
   * given.
   */
  readonly regionRuns: number;
  /** The largest number of input elements that a run on a region was given. */
  readonly largestSample: number;
  /**
   * Differences that are not counted as wrong: on overflow, or in value classes that the pass or
   * rule declares.
   */
  readonly notes: readonly string[];
}
