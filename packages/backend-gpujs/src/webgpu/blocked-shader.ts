/**
 * @file Sums of products with a block of results in the registers of each invocation: an element of
 * a factor is loaded once for all results of the block that need it, four at once where they lie
 * so.
 */
import {
  type Axis,
  add,
  atom,
  axis,
  type Contraction,
  type ContractionSide,
  constant,
  coordinatesOf,
  divide,
  flatIndex,
  type Index,
  type LoopNest,
  type LoopProgram,
  Rewriter,
  type Scalar,
  scale,
  sumGroups,
} from "@sconce/codegen";
import type { ScalarEmitter } from "./scalar-emitter.js";
import {
  defineCoordinates,
  elementsOf,
  extentOf,
  foldWorkgroups,
  type Shader,
  ShaderFrame,
} from "./shader.js";
import { wgslType } from "./wgsl-text.js";

const INVOCATIONS = 64;
type AxisMap = ReadonlyMap<string, Index>;

/** Blocks of 64 elements from which on blocks may be as large. */
const ENOUGH_BLOCKS = 8192;

/**
 * Which block an invocation has. The invocations of a workgroup have 8 by 8 blocks next to each
 * other where that comes out even, so that they share what they load.
 */
function writePlace(emitter: ScalarEmitter, rows: number, columns: number, threads: number): void {
  emitter.line(`let flat = group * ${INVOCATIONS}u + local;`);
  emitter.line(`if (flat >= ${threads}u) { return; }`);
  if (rows % 8 === 0 && columns % 8 === 0) {
    emitter.line(`let column = i32(group % ${columns / 8}u * 8u + local % 8u);`);
    emitter.line(`let row = i32(group / ${columns / 8}u % ${rows / 8}u * 8u + local / 8u);`);
  } else {
    emitter.line(`let column = i32(flat % ${columns}u);`);
    emitter.line(`let row = i32(flat / ${columns}u % ${rows}u);`);
  }
  emitter.line(`let outer = i32(flat / ${columns * rows}u);`);
}

/** How one side's elements are spread over blocks. */
interface Spread {
  readonly side: ContractionSide;
  /** Elements of one block. */
  readonly width: number;
  readonly blocks: number;
  /** Whether every block is full, with elements next to each other in the last axis. */
  readonly isWhole: boolean;
  readonly total: number;
}

/** Widths by how well they divide an extent: small enough for registers, four before others. */
const WIDTHS = [4, 8, 7, 6, 5, 3, 2];
function spreadOf(side: ContractionSide, isLarge: boolean): Spread {
  const total = elementsOf(side.axes);
  const last = side.axes.at(-1);
  const widths = isLarge ? [8, ...WIDTHS] : WIDTHS;
  const width = last === undefined ? 1 : widths.find((one) => extentOf(last) % one === 0);
  if (width !== undefined && (width > 3 || total <= 3))
    return { side, width, blocks: total / width, isWhole: true, total };
  const some = Math.min(4, total);
  return { side, width: some, blocks: Math.ceil(total / some), isWhole: false, total };
}

/** The shader; undefined where blocks would hold one element or next to nothing is summed. */
export function blockedShader(
  nest: LoopNest,
  program: LoopProgram,
  contraction: Contraction,
  isSoftware: boolean,
): Shader | undefined {
  const { reduce, inner, batch } = contraction;
  // Larger blocks load less for each product, as long as there are enough of them to keep a GPU
  // busy.
  const isLarge = !isSoftware && elementsOf(nest.axes) >= ENOUGH_BLOCKS * 64;
  const [rows, columns] = [spreadOf(contraction.rows, isLarge), spreadOf(contraction.columns, isLarge)];
  if (reduce.dtype !== "float32" || rows.width * columns.width < 4 || elementsOf(inner) < 4) return undefined;
  const plan = loadPlan(contraction, columns, program);
  const frame = new ShaderFrame(nest, program, plan.fours);
  const { emitter } = frame;
  const threads = rows.blocks * columns.blocks * elementsOf(batch);
  const workgroups = foldWorkgroups(Math.ceil(threads / INVOCATIONS));
  writePlace(emitter, rows.blocks, columns.blocks, threads);
  defineCoordinates(emitter, batch, "outer");
  const elements = {
    rows: defineSide(emitter, rows, "row"),
    columns: defineSide(emitter, columns, "column"),
  };
  writeLoops(emitter, inner, plan.unroll, elements, (step, sum) =>
    writeProducts(emitter, contraction, elements, plan, step, sum),
  );
  writeResults(frame, nest, contraction, { rows, columns });
  return { source: frame.source(INVOCATIONS, workgroups), reads: frame.reads, workgroups };
}

/**
 * What the side's axes are at each element of a block. Elements beyond the last are the last once
 * more.
 */
function defineSide(
  emitter: ScalarEmitter,
  { side, width, isWhole, total }: Spread,
  block: string,
): AxisMap[] {
  const { axes } = side;
  const last = axes.at(-1);
  const numbers = Array.from({ length: width }, (_, i) => i);
  if (last === undefined) return [new Map()];
  if (isWhole) {
    const step = axis(`${last.name} by ${width}`, constant(extentOf(last) / width));
    defineCoordinates(emitter, [...axes.slice(0, -1), step], block);
    return numbers.map((i) => new Map([[last.name, add(scale(atom(step), width), constant(i))]]));
  }
  return numbers.map((i) => {
    const flat = emitter.name("flat");
    emitter.line(`let ${flat} = min(${block} * ${width}i + ${i}i, ${total - 1}i);`);
    const own = axes.map(({ name, extent }) => axis(`${name} at ${i}`, extent));
    defineCoordinates(emitter, own, flat);
    return new Map(axes.map(({ name }, d) => [name, atom(own[d]!)]));
  });
}

/** Which factors are loaded four elements at a time. */
interface LoadPlan {
  readonly fours: ReadonlySet<number>;
  /** Inner elements of one iteration of the innermost loop. */
  readonly unroll: 1 | 4;
  readonly rows: "one" | "inner";
  readonly columns: "one" | "inner" | "across";
}

/** Whether elements that are next to each other along an axis are in memory, in aligned fours. */
function isFourAlong(value: Scalar, along: Axis | undefined, program: LoopProgram): boolean {
  if (along === undefined || value.kind !== "load" || extentOf(along) % 4 !== 0) return false;
  if (wgslType(program.buffers[value.buffer]!.dtype) !== "f32") return false;
  const unit = value.index.terms.find(({ atoms }) => atoms.length === 1 && atoms[0] === along);
  const isUnit = ({ coefficient, atoms }: Index["terms"][number]): boolean =>
    coefficient === 1 && atoms.length === 1 && atoms[0]!.kind === "axis" && atoms[0]!.name === along.name;
  if (unit === undefined && !value.index.terms.some(isUnit)) return false;
  const rest = value.index.terms.filter((term) => !isUnit(term));
  const mentions = rest.some(({ atoms }) =>
    atoms.some((item) => item.kind !== "axis" || item.name === along.name),
  );
  return (
    !mentions && value.index.constant % 4 === 0 && rest.every(({ coefficient }) => coefficient % 4 === 0)
  );
}

function loadPlan(
  { rows, columns, inner }: Contraction,
  { width, isWhole }: Spread,
  program: LoopProgram,
): LoadPlan {
  const depth = inner.at(-1);
  const isDeep = (side: ContractionSide): boolean =>
    side.when === undefined && isFourAlong(side.value, depth, program);
  const isAcross =
    isWhole &&
    width % 4 === 0 &&
    columns.when === undefined &&
    isFourAlong(columns.value, columns.axes.at(-1), program);
  const buffers = (...values: readonly Scalar[]): ReadonlySet<number> =>
    new Set(values.map((value) => (value as Extract<Scalar, { kind: "load" }>).buffer));
  if (isAcross)
    return isDeep(rows)
      ? { fours: buffers(rows.value, columns.value), unroll: 4, rows: "inner", columns: "across" }
      : { fours: buffers(columns.value), unroll: 1, rows: "one", columns: "across" };
  if (isDeep(rows) && isDeep(columns))
    return { fours: buffers(rows.value, columns.value), unroll: 4, rows: "inner", columns: "inner" };
  return { fours: new Set(), unroll: 1, rows: "one", columns: "one" };
}

/**
 * Where in the inner axes the loop is: `first` has the innermost axis at the first element of an
 * iteration.
 */
interface Step {
  readonly at: (element: number) => AxisMap;
}

/** The name of the running sum of an element of the block. */
type SumName = (i: number, j: number) => string;

/** Loops over the inner axes; long sums in groups, each with its own block of sums. */
function writeLoops(
  emitter: ScalarEmitter,
  inner: readonly Axis[],
  unroll: number,
  elements: BlockElements,
  write: (step: Step, sum: SumName) => void,
): void {
  const last = inner.at(-1)!;
  const iteration =
    unroll === 1 ? last : axis(`${last.name} by ${unroll}`, constant(extentOf(last) / unroll));
  const steps = [...inner.slice(0, -1), iteration];
  const { groups, places, when } = sumGroups(steps, unroll) ?? { groups: [steps], places: new Map() };
  const placeOf = (one: Axis): Index => places.get(one.name) ?? atom(one);
  const at = (element: number): AxisMap =>
    new Map(
      inner.map((one, d) => [
        one.name,
        d < inner.length - 1 ? placeOf(one) : add(scale(placeOf(iteration), unroll), constant(element)),
      ]),
    );
  const walk = (level: number): void => {
    const sum: SumName = (i, j) => `${level === 0 ? "sum" : `part${level}`}_${i}_${j}`;
    forEachSum(elements, (i, j) => emitter.line(`var ${sum(i, j)} = 0.0f;`));
    nestedLoops(emitter, groups[level]!, () => {
      if (level < groups.length - 1) {
        walk(level + 1);
        forEachSum(elements, (i, j) => emitter.line(`${sum(i, j)} += part${level + 1}_${i}_${j};`));
      } else if (when === undefined) write({ at }, sum);
      else emitter.nested("branch", `if (${emitter.scalar(when)})`, new Map(), () => write({ at }, sum));
    });
  };
  walk(0);
}
function forEachSum({ rows, columns }: BlockElements, write: (i: number, j: number) => void): void {
  for (const i of rows.keys()) for (const j of columns.keys()) write(i, j);
}
function nestedLoops(emitter: ScalarEmitter, axes: readonly Axis[], write: () => void): void {
  const [first, ...rest] = axes;
  if (first === undefined) {
    write();
    return;
  }
  const counter = emitter.name("r");
  const head = `for (var ${counter} = 0i; ${counter} < ${extentOf(first)}i; ${counter}++)`;
  emitter.nested("loop", head, new Map([[first.name, counter]]), () => nestedLoops(emitter, rest, write));
}

interface BlockElements {
  readonly rows: readonly AxisMap[];
  readonly columns: readonly AxisMap[];
}
const LANES = ["x", "y", "z", "w"];

/** The products of one iteration: for each inner element, all rows with all columns. */
function writeProducts(
  emitter: ScalarEmitter,
  contraction: Contraction,
  elements: BlockElements,
  plan: LoadPlan,
  step: Step,
  sumName: SumName,
): void {
  const fourAt = (value: Scalar, axes: AxisMap): string => {
    const { buffer, index } = new Rewriter({ axes }).scalar(value) as Extract<Scalar, { kind: "load" }>;
    return emitter.four(buffer, divide(index, constant(4)));
  };
  /** The texts of a side's factors for one inner element. */
  const factors = (
    side: ContractionSide,
    own: readonly AxisMap[],
    how: LoadPlan["columns"],
    element: number,
  ): string[] => {
    const at = (one: AxisMap, inner: number): AxisMap => new Map([...step.at(inner), ...one]);
    if (how === "inner") return own.map((one) => `${fourAt(side.value, at(one, 0))}.${LANES[element]}`);
    if (how === "across") {
      return own.map((_, j) => `${fourAt(side.value, at(own[j - (j % 4)]!, element))}.${LANES[j % 4]}`);
    }
    return own.map((one) => emitter.scalar(new Rewriter({ axes: at(one, element) }).scalar(side.value)));
  };
  const guards = (side: ContractionSide, own: readonly AxisMap[]): (string | undefined)[] =>
    own.map((axes) =>
      side.when === undefined
        ? undefined
        : emitter.scalar(new Rewriter({ axes: new Map([...step.at(0), ...axes]) }).scalar(side.when)),
    );
  const [rowGuards, columnGuards] = [
    guards(contraction.rows, elements.rows),
    guards(contraction.columns, elements.columns),
  ];
  for (let element = 0; element < plan.unroll; element++) {
    const left = factors(contraction.rows, elements.rows, plan.rows, element);
    const right = factors(contraction.columns, elements.columns, plan.columns, element);
    for (const [i, a] of left.entries())
      for (const [j, b] of right.entries()) {
        const guard = rowGuards[i] ?? columnGuards[j];
        const sum = sumName(i, j);
        if (guard === undefined) emitter.line(`${sum} += ${a} * ${b};`);
        else emitter.line(`${sum} = select(${sum}, ${sum} + ${a} * ${b}, ${guard});`);
      }
  }
}

/** What becomes of each sum, and its place in the output: written once, in loops over the block. */
function writeResults(
  frame: ShaderFrame,
  nest: LoopNest,
  { reduce }: Contraction,
  spreads: { readonly rows: Spread; readonly columns: Spread },
): void {
  const { emitter } = frame;
  const { rows, columns } = spreads;
  const [height, width] = [rows.width, columns.width];
  const all = Array.from(
    { length: height * width },
    (_, at) => `sum_${Math.floor(at / width)}_${at % width}`,
  );
  emitter.line(`var sums = array<f32, ${all.length}>(${all.join(", ")});`);
  const place = flatIndex(
    nest.axes.map((one) => atom(one)),
    nest.axes.map(({ extent }) => extent),
  );
  elementLoop(emitter, rows, "row", (i, ofRows) => {
    elementLoop(emitter, columns, "column", (j, ofColumns) => {
      const rewriter = new Rewriter({
        axes: new Map([...ofRows, ...ofColumns]),
        scalars: new Map([[reduce, reduce]]),
      });
      const sum = emitter.name("sum");
      emitter.line(`let ${sum} = sums[${i} * ${width}i + ${j}];`);
      emitter.known(reduce, sum);
      frame.store(emitter.index(rewriter.index(place)), emitter.scalar(rewriter.scalar(nest.value)));
    });
  });
}

/** A loop over the elements of a side's block that are there. */
function elementLoop(
  emitter: ScalarEmitter,
  { side, width, isWhole, total }: Spread,
  block: string,
  write: (counter: string, axes: AxisMap) => void,
): void {
  const [counter, flat] = [emitter.name("element"), emitter.name("flat")];
  const along = axis(`element of ${block}`, constant(total));
  const coordinates = coordinatesOf(
    atom(along),
    side.axes.map(({ extent }) => extent),
  );
  const axes = new Map(side.axes.map(({ name }, d) => [name, coordinates[d]!]));
  const head = `for (var ${counter} = 0i; ${counter} < ${width}i; ${counter}++)`;
  emitter.nested("loop", head, new Map([[along.name, flat]]), () => {
    emitter.line(`let ${flat} = ${block} * ${width}i + ${counter};`);
    if (!isWhole) emitter.line(`if (${flat} >= ${total}i) { break; }`);
    write(counter, axes);
  });
}
