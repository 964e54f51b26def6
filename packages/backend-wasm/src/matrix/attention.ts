/**
 * @file Code of attention, without memory for all scores. A unit is some queries of a head: their
 * scores and weights lie in scratch memory. Keys and values of a head are packed once for its
 * neighboring units.
 */
import { fixedValue, type LoopProgram, ZERO } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import { i32, type ModuleBuilder } from "@sconce/wasm";
import { printedRows } from "../emit/printed-kernel.js";
import type { KernelBuffer, KernelCode, PreparedBuffer } from "../kernel-code.js";
import { forUnits, type KernelEntry, kernelEntry } from "../kernel-entry.js";
import type { AttentionPlan } from "./attention-plan.js";
import { type Blocks, blocksOf } from "./blocks.js";
import { type Address, indexAt, unflatten } from "./index-code.js";
import { productOf } from "./matrix.js";
import { rowsOfTile } from "./micro.js";
import { rangeOf } from "./product-code.js";
import { ELEMENT, type MatrixPlan } from "./product-plan.js";

/** Bytes of the scores of a unit: they and the weights stay in the second cache. */
const SCORES = 256 * 1024;
/** Queries of a unit. */
const MOST_QUERIES = 120;

/** A product of an attention: its second factor is packed once for a head. */
interface Part {
  readonly plan: MatrixPlan;
  readonly blocks: Blocks;
  readonly code: KernelCode;
  /** The panels of the second factor, and their place in scratch memory. */
  readonly form: PreparedBuffer;
  readonly panels: number;
}
interface Attention {
  readonly scores: Part;
  readonly softmax: KernelCode;
  readonly values: Part;
  /** Places in scratch memory of the scores and of the weights, by their ids. */
  readonly inner: ReadonlyMap<number, number>;
  readonly queries: number;
  readonly keys: number;
  readonly memories: readonly KernelBuffer[];
  /** The place in scratch memory of what the parts need. */
  readonly rest: number;
}
/** Returns the code of an attention; undefined if it is faster as separate kernels. */
export function attentionCode(
  { scores, softmax, values }: AttentionPlan,
  program: LoopProgram,
  sizes: Bindings,
  relaxed: boolean,
): KernelCode | undefined {
  const rowsCode = printedRows(softmax, program, sizes);
  if (rowsCode === undefined || rowsCode.units !== fixedValue(softmax.rows)) return undefined;
  const { m: queries, n: keys } = scores;
  const rows = rowsOfUnit(scores, rowsOfTile(relaxed));
  let bytes = 0;
  const take = (size: number): number => {
    const at = bytes;
    bytes += Math.ceil(size / 16) * 16 + 16;
    return at;
  };
  const block = rows * keys * ELEMENT;
  // The softmax writes weights while it reads scores.
  const inner = new Map([scores.nest.output, values.a.buffer].map((id) => [id, take(block)]));
  const part = (plan: MatrixPlan): Part => {
    const divided = blocksOf(plan, relaxed, rows);
    // The panels of all heads are at one address, one after another.
    const own = { ...plan, b: { ...plan.b, outer: ZERO, outerAxes: [] } };
    const options = { relaxed, isConstant: () => false };
    const code = productOf(own, divided, { program, sizes, options }, { a: false, b: true });
    const [form] = code.prepared as [PreparedBuffer];
    return { plan, blocks: divided, code, form, panels: take(form.bytes) };
  };
  const [ofScores, ofValues] = [part(scores), part(values)];
  const codes = [ofScores.code, rowsCode, ofValues.code];
  const read = codes.flatMap(({ memories }) => memories.map(({ buffer }) => buffer));
  read.push(scores.b.buffer, values.b.buffer);
  const { output } = values.nest;
  const reads = new Set(read.filter((id) => !inner.has(id) && id !== output));
  const memories: KernelBuffer[] = [...reads].map((buffer) => ({ buffer, access: "read" }));
  memories.push({ buffer: output, access: "write" });
  const whole: Attention = {
    scores: ofScores,
    softmax: rowsCode,
    values: ofValues,
    inner,
    queries,
    keys,
    memories,
    rest: bytes,
  };
  const { places, rowBlocks } = ofScores.blocks;
  return {
    memories,
    units: places * rowBlocks,
    scratchBytes: bytes + Math.max(...codes.map(({ scratchBytes }) => scratchBytes)),
    imports: codes.flatMap(({ imports }) => imports),
    emit: (module, imports) => emitAttention(module, imports, whole),
    text: [`attention of ${queries} queries and ${keys} keys, ${places} times`, ...codes.map(textOf)].join(
      "\n",
    ),
  };
}
const textOf = ({ text }: KernelCode): string => text;

/** Queries of a unit: units are of one size, whole tiles. */
function rowsOfUnit({ m: queries, n: keys }: MatrixPlan, lanes: number): number {
  const fitting = Math.min(MOST_QUERIES, Math.floor(SCORES / (keys * ELEMENT)));
  const blocks = Math.ceil(queries / Math.max(lanes, fitting));
  return Math.ceil(queries / blocks / lanes) * lanes;
}

/** What the code of a unit is written with. */
interface Unit extends Omit<KernelEntry, "forms" | "first" | "end"> {
  readonly place: Address;
  readonly block: Address;
  readonly firstRow: Address;
  readonly endRow: Address;
  /** Where scratch memory would begin if it had all rows of the first head before this unit's. */
  readonly base: Address;
}

function emitAttention(
  module: ModuleBuilder,
  imports: ReadonlyMap<string, number>,
  whole: Attention,
): number {
  const { scores, softmax, values, queries, keys, memories } = whole;
  const { rowBlocks, rows } = scores.blocks;
  const [first, middle, last] = [scores.code, softmax, values.code].map((code) => code.emit(module, imports));
  const parts = [scores, values].map((part) => ({ part, pack: part.form.emit(module) }));
  return kernelEntry(module, { name: "attention", memories }, (entry) => {
    const { f, scratch } = entry;
    const [place, block, firstRow, endRow, base] = f.locals("i32", 5);
    const unit: Unit = { ...entry, place, block, firstRow, endRow, base };
    const known = f.let(-1);
    // The place of the first row among those of all heads.
    const row = i32(place).times(queries).plus(firstRow);
    forUnits(f, entry.first, entry.end, () => {
      f.assign(place, i32(entry.first).over(rowBlocks));
      f.assign(block, i32(entry.first).rest(rowBlocks));
      rangeOf(f, block, rows, queries, firstRow, endRow);
      f.put(i32(place).is("ne", known)).if(() => {
        for (const { part, pack } of parts) packHead(unit, part, pack);
        f.copy(place, known);
      });
      // Addresses wrap: places of this unit's rows are in its scratch memory.
      f.assign(base, i32(scratch).minus(row.times(keys * ELEMENT)));
      multiply(whole, unit, scores, first!);
      pushMemories(whole, unit, softmax);
      f.put(i32(scratch).plus(whole.rest), row, row.plus(i32(endRow).minus(firstRow))).call(middle!);
      multiply(whole, unit, values, last!);
    });
  });
}

/** Packs the second factor of a product. */
function packHead({ f, addressOf, scratch, place }: Unit, { plan, panels }: Part, pack: number): void {
  const outer = unflatten(f, place, plan.outer);
  f.put(i32(addressOf(plan.b.buffer)).plus(indexAt(plan.b.outer, outer)), i32(scratch).plus(panels));
  f.call(pack);
}

function pushMemories({ inner }: Attention, { f, addressOf, base }: Unit, { memories }: KernelCode): void {
  for (const { buffer } of memories) {
    const at = inner.get(buffer);
    f.put(at === undefined ? addressOf(buffer) : i32(base).plus(at));
  }
}

/** Calls a product for the rows of a unit, a block of columns at a time. */
function multiply(whole: Attention, unit: Unit, { code, blocks, panels }: Part, entry: number): void {
  const { f, scratch, place, block } = unit;
  const { columnBlocks, rowBlocks } = blocks;
  const own = f.let(
    i32(place)
      .times(columnBlocks * rowBlocks)
      .plus(block),
  );
  f.countUp(f.let(0), columnBlocks, () => {
    pushMemories(whole, unit, code);
    f.put(i32(scratch).plus(panels), i32(scratch).plus(whole.rest), own, i32(own).plus(1)).call(entry);
    f.increase(own, rowBlocks);
  });
}
