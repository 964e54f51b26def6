/**
 * @file Sorting on WebGPU: rows are sorted by (key, place) in workgroup memory, longer ones in
 * blocks whose elements are then counted by binary search. Element by element each element would be
 * compared with all others.
 */
import { type LoopNest, type LoopProgram, type Placing, placingOf, type Rank, rankOf } from "@sconce/codegen";
import {
  defineCoordinates,
  elementsOf,
  extentOf,
  foldWorkgroups,
  INVOCATIONS,
  type Shader,
  ShaderFrame,
} from "./shader.js";
import { wgslType } from "./wgsl-text.js";

/**
 * Elements that are sorted together, of two words each: half of the workgroup memory that WebGPU
 * guarantees, so that two groups fit.
 */
const BLOCK = 1024;
/** Invocations of a workgroup: what WebGPU guarantees. */
const WIDTH = 256;
/** Rows up to this length are ranked element by element. */
const SHORT = 64;
/**
 * With the output and what the two passes share they make the eight buffers that WebGPU guarantees.
 */
const MOST_READS = 6;

/** The place of each row's elements in memory: `start + place * step`. */
interface Rows {
  readonly length: number;
  readonly count: number;
  readonly step: number;
  /** The axes that rows do not run along. */
  readonly others: LoopNest["axes"];
}
function rowsAlong({ axes }: LoopNest, axis: LoopNest["axes"][number]): Rows {
  const others = axes.filter((one) => one !== axis);
  const step = elementsOf(axes.slice(axes.indexOf(axis) + 1));
  return { length: extentOf(axis), count: elementsOf(others), step, others };
}
/** Where a row starts in a tensor of rows of so many elements. */
const startText = (row: string, length: number, step: number): string =>
  step === 1 ? `${row} * ${length}i` : `(${row} / ${step}i) * ${length * step}i + ${row} % ${step}i`;

/** The least power of two that is not less. */
const powerFor = (length: number): number => 2 ** Math.ceil(Math.log2(length));

/**
 * The shader for a nest that sorts; undefined for others, and where element by element is as good:
 * for short rows, and to rank in software, where workgroup memory is slow and takes seconds to
 * compile.
 */
export function orderShader(nest: LoopNest, program: LoopProgram, isSoftware: boolean): Shader | undefined {
  const placing = placingOf(nest);
  if (placing !== undefined) return placeShader(nest, program, placing);
  const rank = rankOf(nest);
  if (rank === undefined || !isLong(rank) || isSoftware) return undefined;
  const rows = rowsAlong(nest, rank.axis);
  if (rows.length <= BLOCK) return sortShader(nest, program, rank, rows);
  if (new ShaderFrame(nest, program).reads.length > MOST_READS) return undefined;
  const blocks = Math.ceil(rows.length / BLOCK);
  return {
    ...countShader(nest, program, rank, rows),
    first: sortShader(nest, program, rank, rows, blocks),
    scratch: 2 * rows.count * blocks * BLOCK,
  };
}
const isLong = ({ axis }: Rank): boolean => extentOf(axis) > SHORT;

/**
 * Steps of a sort that count as one iteration: the host takes over ten times as long to sort an
 * element (0.4 µs) as to scatter one, by which iterations are measured.
 */
const STEPS_OF_ITERATION = 8;

/** Iterations of loops of the shaders above; undefined where there is none. */
export function sortIterations(nest: LoopNest, isSoftware: boolean): number | undefined {
  const placing = placingOf(nest);
  if (placing !== undefined)
    return (elementsOf(nest.axes) / extentOf(placing.axis)) * extentOf(placing.along);
  const rank = rankOf(nest);
  if (rank === undefined || !isLong(rank) || isSoftware) return undefined;
  const length = extentOf(rank.axis);
  const depth = Math.log2(powerFor(Math.min(length, BLOCK)));
  const sorting = (depth * (depth + 1)) / 2;
  const blocks = Math.ceil(length / BLOCK);
  const counting = blocks > 1 ? blocks * Math.log2(BLOCK) : 0;
  return (elementsOf(nest.axes) * (sorting + counting)) / STEPS_OF_ITERATION;
}

/** What memory of a block is made of, and the order of its elements. */
const SORTED = `fn comes_before(a: vec2<i32>, b: vec2<i32>) -> bool {
  return a.x < b.x || (a.x == b.x && a.y < b.y);
}
`;
/** What both passes share: keys and places of each block in order. */
const sharedText = (reads: number): string =>
  `@group(0) @binding(${reads + 1}) var<storage, read_write> shared_blocks: array<vec2<i32>>;\n`;

/** The order of a value as an integer. */
function keyText({ emitter }: ShaderFrame, { value, descending }: Rank): string {
  const text = emitter.scalar(value);
  const type = wgslType(value.dtype);
  const key = type === "f32" ? emitter.module.call("f_order", text) : type === "bool" ? `i32(${text})` : text;
  return descending ? `~${key}` : key;
}

/**
 * A workgroup for each block: its elements are put in order, and each gets its rank, or goes to
 * memory that passes share.
 */
function sortShader(nest: LoopNest, program: LoopProgram, rank: Rank, rows: Rows, blocks = 1): Shader {
  const { length, count, step, others } = rows;
  const size = powerFor(Math.min(length, BLOCK));
  const width = Math.min(WIDTH, size / 2);
  const frame = new ShaderFrame(nest, program);
  const { emitter } = frame;
  const workgroups = foldWorkgroups(count * blocks);
  emitter.line(`if (group >= ${count * blocks}u) { return; }`);
  emitter.line(`let row = i32(group) / ${blocks}i;`);
  emitter.line(`let before = (i32(group) % ${blocks}i) * ${BLOCK}i;`);
  defineCoordinates(emitter, others, "row");
  emitter.nested("loop", `for (var q = i32(local); q < ${size}i; q += ${width}i)`, new Map(), () => {
    emitter.line("let place = before + q;");
    emitter.line("block[q] = vec2<i32>(2147483647i, place);");
    emitter.nested("loop", `if (place < ${length}i)`, new Map([[rank.axis.name, "place"]]), () => {
      emitter.line(`block[q].x = ${keyText(frame, rank)};`);
    });
  });
  emitter.line("workgroupBarrier();");
  writeSort(frame, size, width);
  emitter.line(`let start = ${startText("row", length, step)};`);
  emitter.nested("loop", `for (var q = i32(local); q < ${size}i; q += ${width}i)`, new Map(), () => {
    if (blocks > 1) emitter.line(`shared_blocks[i32(group) * ${BLOCK}i + q] = block[q];`);
    else {
      const store = (): void => frame.store(`start + block[q].y * ${step}i`, "q");
      emitter.nested("branch", `if (block[q].y < ${length}i)`, new Map(), store);
    }
  });
  const memory = `var<workgroup> block: array<vec2<i32>, ${size}>;\n${SORTED}`;
  const globals = blocks > 1 ? sharedText(frame.reads.length) + memory : memory;
  return { source: frame.source(width, workgroups, globals), reads: frame.reads, workgroups };
}

/**
 * Bitonic: pairs are put in order, rising and falling alternately, until one rising row is left (K.
 * Batcher, 1968).
 */
function writeSort({ emitter }: ShaderFrame, size: number, width: number): void {
  for (const text of [
    `for (var span = 2u; span <= ${size}u; span <<= 1u) {`,
    "  for (var half = span >> 1u; half > 0u; half >>= 1u) {",
    `    for (var pair = local; pair < ${size / 2}u; pair += ${width}u) {`,
    "      let low = ((pair & ~(half - 1u)) << 1u) | (pair & (half - 1u));",
    "      let a = block[low];",
    "      let b = block[low + half];",
    "      if (comes_before(b, a) == ((low & span) == 0u)) {",
    "        block[low] = b;",
    "        block[low + half] = a;",
    "      }",
    "    }",
    "    workgroupBarrier();",
    "  }",
    "}",
  ])
    emitter.line(text);
}

/** An invocation for each element: how many come before it, from each block of its row in order. */
function countShader(nest: LoopNest, program: LoopProgram, rank: Rank, { length, step }: Rows): Shader {
  const frame = new ShaderFrame(nest, program);
  const { emitter } = frame;
  const elements = elementsOf(nest.axes);
  const blocks = Math.ceil(length / BLOCK);
  const workgroups = foldWorkgroups(Math.ceil(elements / INVOCATIONS));
  emitter.line(`let flat = i32(group * ${INVOCATIONS}u + local);`);
  emitter.line(`if (flat >= ${elements}i) { return; }`);
  defineCoordinates(emitter, nest.axes, "flat");
  emitter.line(`let own = vec2<i32>(${keyText(frame, rank)}, (flat / ${step}i) % ${length}i);`);
  emitter.line(`let row = (flat / ${length * step}i) * ${step}i + flat % ${step}i;`);
  for (const text of [
    "var rank = 0i;",
    `for (var at = 0i; at < ${blocks}i; at++) {`,
    `  let base = (row * ${blocks}i + at) * ${BLOCK}i;`,
    "  var low = 0i;",
    `  var high = min(${BLOCK}i, ${length}i - at * ${BLOCK}i);`,
    "  while (low < high) {",
    "    let middle = (low + high) >> 1u;",
    "    if (comes_before(shared_blocks[base + middle], own)) { low = middle + 1i; } else { high = middle; }",
    "  }",
    "  rank += low;",
    "}",
  ])
    emitter.line(text);
  frame.store("flat", "rank");
  const globals = sharedText(frame.reads.length) + SORTED;
  return { source: frame.source(INVOCATIONS, workgroups, globals), reads: frame.reads, workgroups };
}

/**
 * An invocation for each place, which it puts where its rank is: ranks are there once, so that no
 * two meet.
 */
function placeShader(nest: LoopNest, program: LoopProgram, { axis, along, reduce, rank }: Placing): Shader {
  const { length, step } = rowsAlong(nest, axis);
  const source = extentOf(along);
  const frame = new ShaderFrame(nest, program);
  const { emitter } = frame;
  const axes = nest.axes.map((one) => (one === axis ? along : one));
  const elements = elementsOf(axes);
  const workgroups = foldWorkgroups(Math.ceil(elements / INVOCATIONS));
  emitter.line(`let flat = i32(group * ${INVOCATIONS}u + local);`);
  emitter.line(`if (flat >= ${elements}i) { return; }`);
  defineCoordinates(emitter, axes, "flat");
  emitter.line(`let rank = ${emitter.scalar(rank)};`);
  emitter.nested("branch", `if (rank >= 0i && rank < ${length}i)`, new Map(), () => {
    emitter.known(reduce, emitter.scalar(reduce.body));
    emitter.line(`let row = (flat / ${source * step}i) * ${step}i + flat % ${step}i;`);
    const start = startText("row", length, step);
    frame.store(`${start} + rank * ${step}i`, emitter.scalar(nest.value));
  });
  return { source: frame.source(INVOCATIONS, workgroups), reads: frame.reads, workgroups };
}
