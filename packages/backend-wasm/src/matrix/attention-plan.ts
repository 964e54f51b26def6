/** @file Recognizes attention: two products with a softmax between them. */
import {
  type Axis,
  add,
  atom,
  axis,
  constant,
  contractionOf,
  extentOf,
  fixedValue,
  flatIndex,
  forEachScalar,
  type Index,
  type LoopNest,
  type LoopProgram,
  PLACE,
  Readers,
  ROW,
  type RowGroup,
  scale,
  volumeOf,
} from "@sconce/codegen";
import { type MatrixPlan, planOf } from "./product-plan.js";

/** The parts of an attention. */
export interface AttentionPlan {
  /** Positions of the nests in the program. */
  readonly positions: readonly number[];
  /** Products of queries and keys: rows are queries, columns are keys. */
  readonly scores: MatrixPlan;
  /** The softmax of the scores; a row is a query. */
  readonly softmax: RowGroup;
  /** Products of weights and values: rows are queries. */
  readonly values: MatrixPlan;
}

/** Fewer queries or keys are not worth packing. */
const LEAST = 8;

/** Returns the attentions of a program whose sizes are bound. */
export function attentionPlans(
  nests: readonly LoopNest[],
  groups: readonly RowGroup[],
  program: LoopProgram,
): AttentionPlan[] {
  const results = new Set(program.outputs.flatMap((one) => (one.kind === "buffer" ? [one.buffer] : [])));
  const readers = new Readers(nests);
  const isInner = (id: number): boolean => !results.has(id) && program.buffers[id]!.dtype === "float32";
  return groups.flatMap((softmax): AttentionPlan | [] => {
    const { parts, positions } = softmax;
    const weights = parts.at(-1)!.nest.output;
    if (parts.some(({ isStored, nest }) => isStored !== (nest.output === weights))) return [];
    const [last, ...more] = readers.of(weights);
    if (!isInner(weights) || last === undefined || more.length > 0) return [];
    const firsts = [...readers.reads[positions[0]!]!].map((id) => readers.writer(id) ?? nests.length);
    for (const first of firsts.sort((a, b) => a - b)) {
      if (first >= positions[0]!) continue;
      const { output } = nests[first]!;
      if (!isInner(output) || !readers.of(output).every((at) => positions.includes(at))) continue;
      const plan = attentionPlan(nests[first]!, softmax, nests[last]!);
      if (plan !== undefined) return { ...plan, positions: [first, ...positions, last] };
    }
    return [];
  });
}

function attentionPlan(
  first: LoopNest,
  softmax: RowGroup,
  last: LoopNest,
): Omit<AttentionPlan, "positions"> | undefined {
  const scores = scoresPlan(first);
  if (scores === undefined || scores.m < LEAST || scores.n < LEAST) return undefined;
  const { m, n, outer } = scores;
  if (fixedValue(softmax.rows) !== m * volumeOf(outer) || !isOfRows(softmax, first.output, n))
    return undefined;
  const values = valuesPlan(last, softmax.parts.at(-1)!.nest.output, m, n);
  if (values === undefined || volumeOf(values.outer) !== volumeOf(outer)) return undefined;
  return { scores, softmax, values };
}

/** Queries and keys are the last axes of the scores. */
function scoresPlan(nest: LoopNest): MatrixPlan | undefined {
  const contraction = contractionOf(nest);
  const [rows, columns] = [nest.axes.slice(-2, -1), nest.axes.slice(-1)];
  if (contraction === undefined || rows.length === 0) return undefined;
  return withoutPadding(planOf(nest, contraction, { rows, columns, outer: nest.axes.slice(0, -2) }));
}

const withoutPadding = (plan: MatrixPlan | undefined): MatrixPlan | undefined =>
  plan === undefined || plan.a.padding !== undefined || plan.b.padding !== undefined ? undefined : plan;

/** Returns whether a group reads the scores, and gives weights, as rows of so many elements. */
function isOfRows({ rows, parts }: RowGroup, scores: number, length: number): boolean {
  const place = add(scale(flat(ROW, fixedValue(rows)!), length), flat(PLACE, length)).text;
  let isSame = parts.at(-1)!.at.text === place;
  for (const { value } of parts)
    forEachScalar(value, (scalar) => {
      if (scalar.kind === "load" && scalar.buffer === scores) isSame &&= scalar.index.text === place;
    });
  return isSame;
}
const flat = (name: string, count: number): Index => atom(axis(name, constant(count)));

/** Weights are read as the softmax gives them: by head, query and key. */
function valuesPlan(nest: LoopNest, weights: number, queries: number, keys: number): MatrixPlan | undefined {
  const contraction = contractionOf(nest);
  const side = contraction?.rows;
  if (contraction === undefined || side?.value.kind !== "load" || side.value.buffer !== weights)
    return undefined;
  const [key, ...more] = contraction.inner;
  const columns = nest.axes.slice(-1);
  if (key === undefined || more.length > 0 || extentOf(key) !== keys) return undefined;
  const { index } = side.value;
  const isQuery = (one: Axis): boolean =>
    index.terms.some(
      ({ coefficient, atoms: [item, ...others] }) =>
        coefficient === keys && others.length === 0 && item?.kind === "axis" && item.name === one.name,
    );
  const rows = nest.axes.filter((one) => extentOf(one) === queries && isQuery(one));
  const outer = nest.axes.filter((one) => !rows.includes(one) && !columns.includes(one));
  if (rows.length !== 1 || columns[0] === rows[0]) return undefined;
  const heads = outer.filter((one) => extentOf(one) > 1);
  const head = flatIndex(
    heads.map((one) => atom(one)),
    heads.map(({ extent }) => extent),
  );
  const place = add(add(scale(head, queries * keys), scale(atom(rows[0]!), keys)), atom(key));
  if (index.text !== place.text || placesRead(nest, weights) > 1) return undefined;
  return withoutPadding(planOf(nest, contraction, { rows, columns, outer }));
}

/** At how many places a nest reads a buffer. */
function placesRead({ value }: LoopNest, buffer: number): number {
  const places = new Set<string>();
  forEachScalar(value, (scalar) => {
    if (scalar.kind === "load" && scalar.buffer === buffer) places.add(scalar.index.text);
  });
  return places.size;
}
