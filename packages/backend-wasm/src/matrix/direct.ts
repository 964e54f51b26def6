/**
 * @file Work around a sum that is done in registers: results go from the sums of a tile to their
 * places, without a block of sums in between.
 */
import { elementsOf, fixedValue, type Index, Rewriter, type Scalar, scale, ZERO } from "@sconce/codegen";
import type { Vector } from "../emit/vector/lines.js";
import { writeFloats } from "../emit/vector/operations.js";
import type { Blocks } from "./blocks.js";
import { COLUMN, flatPlaces, outputIndex, PLACE, ROW, SUMS } from "./epilogue.js";
import { isEmittable } from "./index-code.js";
import type { DirectTile } from "./micro.js";
import { ELEMENT, type MatrixPlan, separate } from "./plan.js";

type LoadScalar = Extract<Scalar, { kind: "load" }>;

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

/** How results are computed from sums in registers; undefined if that takes more than they hold. */
export function directOf(plan: MatrixPlan, blocks: Blocks): Direct | undefined {
  const { nest, reduce, numbers, n, place } = plan;
  if (numbers.type !== "float32" || blocks.stepBlocks > 1 || n % numbers.columns > 0) return undefined;
  if (place !== undefined || fixedValue(elementsOf(nest.axes)) === 0) return undefined;
  if ([plan.columns, plan.inner].some((axes) => fixedValue(elementsOf(axes)) === undefined)) return undefined;
  const sum: LoadScalar = { kind: "load", dtype: "float32", buffer: SUMS, index: ZERO };
  const rewriter = new Rewriter({ axes: flatPlaces(plan), scalars: new Map([[reduce, sum]]) });
  const output = placeOf(outputIndex(plan, rewriter));
  if (output?.column !== ELEMENT) return undefined;
  const loads: DirectLoad[] = [];
  const value = rewriter.scalar(nest.value);
  const key = keyOf(value, loads);
  return key === undefined ? undefined : { key, loads, output, write: writerOf(value) };
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

/** The text of a value without buffers and steps, whose loads are added to the list. */
function keyOf(value: Scalar, loads: DirectLoad[]): string | undefined {
  const known = new Map<Scalar, string>();
  const byText = new Map<string, number>();
  let operations = 0;
  const walk = (scalar: Scalar): string | undefined => {
    const before = known.get(scalar);
    if (before !== undefined) return before;
    const text = describe(scalar);
    if (text !== undefined) known.set(scalar, `t${known.size}`);
    return text;
  };
  const describe = (scalar: Scalar): string | undefined => {
    if (scalar.dtype !== "float32") return undefined;
    if (scalar.kind === "constant") return `${Object.is(scalar.value, -0) ? "-0" : scalar.value}`;
    if (scalar.kind === "load") {
      if (scalar.buffer === SUMS) return "sum";
      const place = placeOf(scalar.index);
      if (place === undefined) return undefined;
      const text = keyOfLoad(scalar);
      const at = byText.get(text) ?? loads.push({ ...place, buffer: scalar.buffer }) - 1;
      byText.set(text, at);
      return `load ${at}, ${place.row === 0 ? "" : "row "}${place.column === 0 ? "" : "column"}`;
    }
    if (scalar.kind !== "call" || !CHEAP.has(scalar.fn) || ++operations > MOST_OPERATIONS) return undefined;
    const args = scalar.args.map(walk);
    return args.includes(undefined) ? undefined : `${scalar.fn}(${args.join("; ")})`;
  };
  return walk(value);
}

/** Writes a value; loads stand in the order of {@link keyOf}. */
function writerOf(value: Scalar): Direct["write"] {
  const order = new Map<string, number>();
  const seen = new Set<Scalar>();
  const number = (scalar: Scalar): void => {
    if (seen.has(scalar)) return;
    seen.add(scalar);
    if (scalar.kind === "load" && scalar.buffer !== SUMS && !order.has(keyOfLoad(scalar)))
      order.set(keyOfLoad(scalar), order.size);
    if (scalar.kind === "call") for (const arg of scalar.args) number(arg);
  };
  number(value);
  return (w, sum, loaded) => {
    const known = new Map<Scalar, Vector>();
    const vectorOf = (scalar: Scalar): Vector => {
      if (scalar.kind === "constant") return w.number(Number(scalar.value));
      if (scalar.kind === "load")
        return scalar.buffer === SUMS ? sum : loaded[order.get(keyOfLoad(scalar))!]!;
      const before = known.get(scalar);
      if (before !== undefined) return before;
      const call = scalar as Extract<Scalar, { kind: "call" }>;
      const args = call.args.map((arg) => ({
        value: arg.kind === "constant" ? Number(arg.value) : Number.NaN,
        vector: vectorOf(arg),
      }));
      const made = w.let(() => writeFloats(w, call.fn, args));
      known.set(scalar, made);
      return made;
    };
    vectorOf(value)();
  };
}
