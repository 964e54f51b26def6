/**
 * @file Nests over the same rows as one shader. A row belongs to one or several invocations of a
 * workgroup, which fold what each of them has through workgroup memory; what comes of it stays in
 * registers, and only elements that somebody reads are stored.
 */
import {
  add,
  apply,
  atom,
  axis,
  constant,
  FALSE,
  indexScalar,
  type LoopProgram,
  PLACE,
  type ReduceScalar,
  Rewriter,
  ROW,
  type RowGroup,
  type RowPart,
  type Scalar,
  scale,
  select,
  TRUE,
  withSumGroups,
} from "@sconce/codegen";
import { type Kept, keptOf } from "./row-kept.js";
import { extentOf, foldWorkgroups, type Shader, ShaderFrame } from "./shader.js";
import { combineText } from "./wgsl-fold.js";
import { wgslType } from "./wgsl-text.js";

/** How rows are spread over invocations. */
export interface RowSpread {
  /** Invocations of a row, a power of two: its lanes. */
  readonly lanes: number;
  /** Invocations of a workgroup, a multiple of the lanes. */
  readonly width: number;
  /**
   * Whether invocations next to each other have rows next to each other, in place of lanes of one
   * row.
   */
  readonly isAcross: boolean;
  /**
   * Whether what takes long to compute is kept in the output until it is needed again; of one lane
   * only.
   */
  readonly isKept: boolean;
}

/** The shader of a group; it writes the stored parts, in order. */
export function rowShader(group: RowGroup, program: LoopProgram, spread: RowSpread): Shader {
  const stored = group.parts.filter(({ isStored }) => isStored);
  const frame = new ShaderFrame(
    stored.map(({ nest, value }) => ({ output: nest.output, value })),
    program,
  );
  const workgroups = foldWorkgroups(Math.ceil((group.rows * spread.lanes) / spread.width));
  const isWhole = workgroups[0] * workgroups[1] * (spread.width / spread.lanes) === group.rows;
  const writer = new RowWriter(frame, group.rows, isWhole, spread);
  const { memory } = writer;
  // Long sums walk the places of a row in groups, so that none has one element to keep something
  // in.
  const isLong = group.parts.some(({ reduce }) => reduce !== undefined && withSumGroups(reduce) !== reduce);
  const kept = spread.isKept && !isLong ? keptOf(group.parts, program) : undefined;
  if (kept !== undefined) writer.keep(kept);
  for (const [at, part] of group.parts.entries()) {
    if (part.reduce === undefined) writer.elements(part, kept);
    else writer.statistic(part, part.reduce, at);
  }
  return {
    source: frame.source(spread.width, workgroups, memory.join("")),
    reads: frame.reads,
    workgroups,
  };
}

const LANE = "lane";

class RowWriter {
  /** Declarations of workgroup memory. */
  readonly memory: string[] = [];
  readonly #frame: ShaderFrame;
  readonly #spread: RowSpread;
  /** What is in variables already. */
  readonly #known: Scalar[] = [];
  /**
   * Whether the invocation's row is there; rows beyond the last are computed as the last once more,
   * without being stored.
   */
  readonly #isThere: string | undefined;

  constructor(frame: ShaderFrame, rows: number, isWhole: boolean, spread: RowSpread) {
    const { lanes, width, isAcross } = spread;
    const { emitter } = frame;
    const perGroup = width / lanes;
    this.#frame = frame;
    this.#spread = spread;
    this.#isThere = isWhole ? undefined : `place < ${rows}i`;
    const [row, lane] = isAcross
      ? [`local % ${perGroup}u`, `local / ${perGroup}u`]
      : [`local / ${lanes}u`, `local % ${lanes}u`];
    emitter.line(`let place = i32(group * ${perGroup}u + ${row});`);
    if (lanes === 1) emitter.line(`if (place >= ${rows}i) { return; }`);
    else emitter.line(`let lane = i32(${lane});`);
    // A barrier has to be met by all invocations of a workgroup.
    emitter.line(`let row = min(place, ${rows - 1}i);`);
    emitter.defineAxis(ROW, () => "row");
    emitter.defineAxis(LANE, () => "lane");
  }

  /** What a part has of each row, in every invocation of the row. */
  statistic({ value, isStored, nest }: RowPart, reduce: ReduceScalar, at: number): void {
    const { emitter } = this.#frame;
    const { lanes } = this.#spread;
    if (lanes > 1) this.#fold(reduce, at);
    else this.#foldAlone(reduce);
    this.#known.push(value);
    const text = emitter.scalar(value);
    if (!isStored) return;
    const tests = [
      ...(lanes > 1 ? ["lane == 0i"] : []),
      ...(this.#isThere === undefined ? [] : [this.#isThere]),
    ];
    this.#where(tests, () => this.#frame.store("row", text, nest.output));
  }

  /** The only lane of a row folds all of it. */
  #foldAlone(reduce: ReduceScalar): void {
    const { emitter } = this.#frame;
    const grouped = withSumGroups(reduce, this.#known);
    if (grouped !== reduce) emitter.known(reduce, emitter.scalar(grouped));
  }

  /**
   * Lanes fold every so manieth element, then what they have, halving what is left until one is.
   */
  #fold(reduce: ReduceScalar, at: number): void {
    const { emitter } = this.#frame;
    const { lanes, width, isAcross } = this.#spread;
    const parts = `parts${at}`;
    this.memory.push(`var<workgroup> ${parts}: array<${wgslType(reduce.dtype)!}, ${width}>;\n`);
    const own = withSumGroups(ownPart(reduce, at, lanes, this.#known), this.#known, lanes);
    emitter.line(`${parts}[local] = ${emitter.scalar(own)};`);
    emitter.line("workgroupBarrier();");
    const other = isAcross ? `local + half * ${width / lanes}u` : "local + half";
    const folded = combineText(emitter, reduce, `${parts}[local]`, `${parts}[${other}]`);
    emitter.line(`for (var half = ${lanes / 2}u; half > 0u; half >>= 1u) {`);
    emitter.line(`  if (u32(lane) < half) { ${parts}[local] = ${folded}; }`);
    emitter.line("  workgroupBarrier();");
    emitter.line("}");
    const all = `${parts}[${isAcross ? `local % ${width / lanes}u` : `local / ${lanes}u * ${lanes}u`}]`;
    const { initial } = reduce;
    const total = initial === undefined ? all : combineText(emitter, reduce, emitter.scalar(initial), all);
    emitter.line(`let total${at} = ${total};`);
    emitter.known(reduce, `total${at}`);
  }

  /** The elements of a row that a part gives. */
  elements({ value, at, places, nest }: RowPart, kept: Kept | undefined): void {
    const { emitter } = this.#frame;
    const { lanes } = this.#spread;
    const [start, step] = lanes === 1 ? ["0i", "1i"] : ["lane", `${lanes}i`];
    const head = `for (var p = ${start}; p < ${places}i; p += ${step})`;
    this.#where(lanes > 1 && this.#isThere !== undefined ? [this.#isThere] : [], () =>
      emitter.nested("loop", head, new Map([[PLACE, "p"]]), () => {
        const index = emitter.index(at);
        if (kept !== undefined) {
          emitter.line(`let kept = ${this.#frame.outputName(nest.output)}[${index}];`);
          emitter.known(kept.inElements, "kept");
        }
        this.#frame.store(index, emitter.scalar(value), nest.output);
      }),
    );
  }

  /** Has a value of a reduction stored where the element will be that needs it again. */
  keep({ inReduction, part }: Kept): void {
    const { emitter } = this.#frame;
    const name = this.#frame.outputName(part.nest.output);
    emitter.after(inReduction, (value) => emitter.line(`${name}[${emitter.index(part.at)}] = ${value};`));
  }

  #where(tests: readonly string[], write: () => void): void {
    if (tests.length === 0) write();
    else this.#frame.emitter.nested("branch", `if (${tests.join(" && ")})`, new Map(), write);
  }
}

/**
 * What one lane folds by itself: every element that is as many lanes after another one of its.
 * `known` are values that rows have.
 */
function ownPart(reduce: ReduceScalar, at: number, lanes: number, known: readonly Scalar[]): ReduceScalar {
  const count = extentOf(reduce.axes[0]!);
  const step = axis(`step ${at}`, constant(Math.ceil(count / lanes)));
  const place = add(scale(atom(step), lanes), atom(axis(LANE, constant(lanes))));
  const rewriter = new Rewriter({
    axes: new Map([[PLACE, place]]),
    scalars: new Map(known.map((value) => [value, value])),
  });
  const isElement = apply("lt", indexScalar(place), indexScalar(constant(count)));
  const isTaken = reduce.when === undefined ? TRUE : rewriter.scalar(reduce.when);
  const test = count % lanes === 0 ? isTaken : select(isElement, isTaken, FALSE);
  const when = test === TRUE ? undefined : test;
  return { ...reduce, axes: [step], body: rewriter.scalar(reduce.body), when, initial: undefined };
}
