/** @file Selects the kind of shader for a nest. */
import {
  contractionOf,
  forEachScalar,
  type LoopNest,
  type LoopProgram,
  PLACE,
  type RowGroup,
} from "@sconce/codegen";
import { blockedShader } from "./blocked-shader.js";
import { orderShader } from "./order-shader.js";
import type { RowSpread } from "./row-shader.js";
import { elementShader, type Shader } from "./shader.js";
import { sharedReduction } from "./shared-reduction.js";

export interface StrategyOptions {
  /** No hardware stands behind the adapter: workgroup memory costs more there than it saves. */
  readonly isSoftware: boolean;
}

/** The shader for a nest whose sizes are bound. */
export function shaderOf(nest: LoopNest, program: LoopProgram, { isSoftware }: StrategyOptions): Shader {
  const order = orderShader(nest, program, isSoftware);
  if (order !== undefined) return order;
  const contraction = contractionOf(nest);
  const blocked =
    contraction === undefined ? undefined : blockedShader(nest, program, contraction, isSoftware);
  if (blocked !== undefined) return blocked;
  const shared = isSoftware ? undefined : sharedReduction(nest, program);
  return shared ?? elementShader(nest, program);
}

/**
 * How the rows of a group are spread; undefined where its nests do better as separate kernels.
 */
export function rowSpread(group: RowGroup, { isSoftware }: StrategyOptions): RowSpread | undefined {
  return isSoftware ? softwareSpread(group) : hardwareSpread(group);
}

/**
 * Elements of a lone row up to which one invocation is no slower than several for what is not
 * reduced.
 */
const SHORT_LONE_ROW = 2048;

/**
 * An invocation for each row, since there is nothing to share. Measured on SwiftShader with two
 * cores, softmax and layer norm: 1.1 to 1.8 times as fast as separate kernels for 2 to 65,536
 * rows of 16 to 65,536 elements, and 0.9 for one long row.
 */
function softwareSpread(group: RowGroup): RowSpread | undefined {
  const { rows } = group;
  if (rows === 1 && longest(group) > SHORT_LONE_ROW) return undefined;
  // Four is how many invocations it computes at once; workgroups are what its threads share.
  const width = Math.min(64, Math.max(4, 2 ** Math.floor(Math.log2(rows / 16))));
  return { lanes: 1, width, isAcross: false, isKept: true };
}
const longest = ({ parts }: RowGroup): number => Math.max(...parts.map(({ places }) => places));

/** Invocations of a workgroup where rows share one. */
const WIDTH = 256;
/**
 * Lanes of a row where neighbors have neighboring rows: so few that 32 rows share a workgroup,
 * whose elements are one access of memory.
 */
const LANES_ACROSS = 8;
/** Elements of a row for each of its lanes, where there are enough of them. */
const ELEMENTS_OF_LANE = 4;
/** Rows from which on they keep a GPU busy, however long they are. */
const MANY_ROWS = 128;
/** Elements that one workgroup goes through quickly, however few rows there are. */
const SHORT_ROW = 4096;
/** The same for the few lanes that a row has where neighbors have neighboring rows. */
const SHORT_ROW_ACROSS = 1024;

/**
 * Several invocations for each row. Measured on an H100, softmax and layer norm: 2 to 7 times as
 * fast as separate kernels within these limits, and down to a quarter as fast beyond them.
 */
function hardwareSpread(group: RowGroup): RowSpread | undefined {
  const places = longest(group);
  const across = isAcross(group);
  if (across ? places > SHORT_ROW_ACROSS : group.rows < MANY_ROWS && places > SHORT_ROW) return undefined;
  const most = across ? LANES_ACROSS : WIDTH;
  const lanes = Math.min(most, 2 ** Math.ceil(Math.log2(places / ELEMENTS_OF_LANE)));
  return { lanes: Math.max(1, lanes), width: WIDTH, isAcross: across, isKept: false };
}

/** Returns whether the elements of a row are strided, so that those of the next row are nearer. */
function isAcross({ parts }: RowGroup): boolean {
  let [along, across] = [0, 0];
  forEachScalar(parts[0]!.reduce!.body, (scalar) => {
    if (scalar.kind !== "load") return;
    for (const { coefficient, atoms } of scalar.index.terms)
      if (atoms.some((item) => item.kind === "axis" && item.name === PLACE))
        coefficient === 1 ? along++ : across++;
  });
  return across > along;
}
