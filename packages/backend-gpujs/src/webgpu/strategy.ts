/** @file Which kind of shader a nest becomes. */
import {
  contractionOf,
  forEachScalar,
  type LoopNest,
  type LoopProgram,
  PLACE,
  type RowGroup,
} from "@sconce/codegen";
import { blockedShader } from "./blocked-shader.js";
import type { RowSpread } from "./row-shader.js";
import { cellShader, type Shader } from "./shader.js";
import { sharedReduction } from "./shared-reduction.js";

export interface StrategyOptions {
  /** No hardware stands behind the adapter: workgroup memory costs more there than it saves. */
  readonly isSoftware: boolean;
}

/** The shader for a nest whose sizes are bound. */
export function shaderOf(nest: LoopNest, program: LoopProgram, { isSoftware }: StrategyOptions): Shader {
  const contraction = contractionOf(nest);
  const blocked =
    contraction === undefined ? undefined : blockedShader(nest, program, contraction, isSoftware);
  if (blocked !== undefined) return blocked;
  const shared = isSoftware ? undefined : sharedReduction(nest, program);
  return shared ?? cellShader(nest, program);
}

/** How the rows of a group are spread; undefined where its nests do better as kernels of their own. */
export function rowSpread(group: RowGroup, { isSoftware }: StrategyOptions): RowSpread | undefined {
  return isSoftware ? softwareSpread(group) : hardwareSpread(group);
}

/** An invocation for each row: there is nothing to share. */
function softwareSpread({ rows }: RowGroup): RowSpread | undefined {
  const width = Number(process.env.SW ?? 16);
  if (rows < Number(process.env.SR ?? 1)) return undefined;
  return { lanes: 1, width, isAcross: false, isKept: !process.env.NOKEEP };
}

/** Invocations of a workgroup where rows share one. */
const WIDTH = 256;
/** Cells of a row for each of its lanes, where there are enough of them. */
const CELLS_OF_LANE = 4;
/** Rows from which on they keep a GPU busy, however long they are. */
const MANY_ROWS = 64;
/** Cells that one workgroup goes through quickly, however few rows there are. */
const SHORT_ROW = 4096;

function hardwareSpread(group: RowGroup): RowSpread | undefined {
  const places = Math.max(...group.parts.map((part) => part.places));
  if (group.rows < MANY_ROWS && places > SHORT_ROW) return undefined;
  const lanes = Math.min(WIDTH, 2 ** Math.ceil(Math.log2(places / CELLS_OF_LANE)));
  return { lanes: Math.max(1, lanes), width: WIDTH, isAcross: isAcross(group), isKept: false };
}

/** Whether the cells of a row lie apart in memory, so that those of the next row are nearer. */
function isAcross({ parts }: RowGroup): boolean {
  let [along, apart] = [0, 0];
  forEachScalar(parts[0]!.reduce!.body, (scalar) => {
    if (scalar.kind !== "load") return;
    for (const { coefficient, atoms } of scalar.index.terms)
      if (atoms.some((item) => item.kind === "axis" && item.name === PLACE))
        coefficient === 1 ? along++ : apart++;
  });
  return apart > along;
}
