/**
 * @file Work around a sum that is done in registers: results go from the sums of a tile to their
 * places, without a block of sums in between.
 */
import { elementsOf, fixedValue, type Index, Rewriter, type Scalar, scale, ZERO } from "@sconce/codegen";
import { type LoadScalar, walkFloats, writeScalar } from "../emit/vector/scalars.js";
import type { Blocks } from "./blocks.js";
import { COLUMN, flatPlaces, outputIndex, PLACE, ROW, SUMS } from "./epilogue.js";
import { isEmittable } from "./index-code.js";
import type { DirectTile } from "./micro.js";
import { ELEMENT, type MatrixPlan } from "./product-plan.js";
import { separate } from "./separate.js";

/** Where numbers lie: byte offsets that are added. */
interface Place {
  /** By the place of the product. */
  readonly outer: Index;
  /** Bytes from one row to the next. */
  readonly row: number;
  /** Bytes from one column to the next: none, or those of one number. */
  readonly column: number;
}
/** A buffer that is read beside the sums. */
interface DirectLoad extends Place {
  readonly buffer: number;
}
/** A product whose results are computed in registers. */
export interface Direct extends DirectTile {
  readonly loads: readonly DirectLoad[];
  readonly output: Place;
}

/** Operations that are worth registers: others would make tiles of much code. */
const MOST_OPERATIONS = 10;
const CHEAP: ReadonlySet<string> = new Set(["add", "sub", "mul", "max", "min", "neg", "abs"]);

/**
 * Returns how results are computed from sums in registers; undefined if that takes more than they
 * hold.
 */
export function directOf(plan: MatrixPlan, blocks: Blocks): Direct | undefined {
  const { nest, reduce, numbers, n, place } = plan;
  if (numbers.type !== "float32" || blocks.stepBlocks > 1 || n % numbers.columns > 0) return undefined;
  if (place !== undefined || fixedValue(elementsOf(nest.axes)) === 0) return undefined;
  if ([plan.columns, plan.inner].some((axes) => fixedValue(elementsOf(axes)) === undefined)) return undefined;
  const sum: LoadScalar = { kind: "load", dtype: "float32", buffer: SUMS, index: ZERO };
  const rewriter = new Rewriter({ axes: flatPlaces(plan), scalars: new Map([[reduce, sum]]) });
  const output = placeOf(outputIndex(plan, rewriter));
  if (output?.column !== ELEMENT) return undefined;
  const written = writtenOf(rewriter.scalar(nest.value));
  return written && { ...written, output };
}

function placeOf(index: Index): Place | undefined {
  const parts = separate(
    scale(index, ELEMENT),
    [PLACE, ROW, COLUMN].map((name) => new Set([name])),
  );
  if (parts === undefined) return undefined;
  const [outer, ...along] = parts as [Index, Index, Index];
  const steps = along.map(({ terms }) => {
    const [term, ...more] = terms;
    if (term === undefined) return 0;
    const isLinear = more.length === 0 && term.atoms.length === 1 && term.atoms[0]!.kind === "axis";
    return isLinear ? term.coefficient : undefined;
  });
  const [row, column] = steps as [number | undefined, number | undefined];
  if (row === undefined || (column !== 0 && column !== ELEMENT) || !isEmittable(outer)) return undefined;
  return { outer, row, column };
}

const keyOfLoad = ({ index, buffer }: LoadScalar): string => `${buffer} ${index.text}`;

/**
 * Returns code for a value, with a key: the text of the value without buffers and steps. Its loads
 * are each once, by their texts.
 */
function writtenOf(value: Scalar): Pick<Direct, "key" | "loads" | "write"> | undefined {
  const lines: string[] = [];
  const loads = new Map<string, DirectLoad>();
  const numbers = new Map<string, number>();
  const result = walkFloats<string>(value, {
    constant: (number) => (Object.is(number, -0) ? "-0" : `${number}`),
    load: (scalar) => {
      if (scalar.buffer === SUMS) return "sum";
      const place = placeOf(scalar.index);
      if (place === undefined) return undefined;
      const text = keyOfLoad(scalar);
      if (!loads.has(text)) numbers.set(text, loads.size);
      loads.set(text, { ...place, buffer: scalar.buffer });
      return `load ${numbers.get(text)}${place.row === 0 ? "" : " row"}${place.column === 0 ? "" : " column"}`;
    },
    call: (fn, args) => {
      if (!CHEAP.has(fn) || lines.length === MOST_OPERATIONS) return undefined;
      return `t${lines.push(`${fn}(${args.map(({ part }) => part).join("; ")})`)}`;
    },
  });
  if (result === undefined) return undefined;
  return {
    key: [...lines, result].join("; "),
    loads: [...loads.values()],
    write: (w, sum, loaded) =>
      writeScalar(w, value, (scalar) =>
        scalar.buffer === SUMS ? sum : loaded[numbers.get(keyOfLoad(scalar))!]!,
      )(),
  };
}
