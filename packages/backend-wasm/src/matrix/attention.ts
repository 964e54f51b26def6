/**
 * @file Code of attention, without memory for all scores. A unit is some queries of a head: their
 * scores and weights lie in scratch memory. Keys and values of a head are packed once for its
 * neighboring units.
 */
import { fixedValue, type LoopProgram, ZERO } from "@sconce/codegen";
import type { Bindings } from "@sconce/symbolic";
import type { FunctionBuilder, ModuleBuilder } from "@sconce/wasm";
import { printedRows } from "../emit/printed-kernel.js";
import type { KernelBuffer, KernelCode, PreparedBuffer } from "../kernel-code.js";
import { forUnits, type KernelEntry, kernelEntry } from "../kernel-entry.js";
import type { AttentionPlan } from "./attention-plan.js";
import { type Blocks, blocksOf } from "./blocks.js";
import { type Address, addresses, countUp, pushIndex, unflatten } from "./index-code.js";
import { productOf } from "./matrix.js";
import { rowsOfTile } from "./micro.js";
import { ELEMENT, type MatrixPlan } from "./plan.js";
import { rangeOf } from "./product-code.js";

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
/** The code of an attention; undefined if it is faster as separate kernels. */
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
    const [known, place, block, firstRow, endRow, base] = addresses(f, 6);
    const unit: Unit = { ...entry, place, block, firstRow, endRow, base };
    f.i32(-1).set(known);
    forUnits(f, entry.first, entry.end, () => {
      f.get(entry.first).i32(rowBlocks).op("i32.div_u").set(place);
      f.get(entry.first).i32(rowBlocks).op("i32.rem_u").set(block);
      rangeOf(f, block, rows, queries, firstRow, endRow);
      f.get(place, known).op("i32.ne");
      f.if(() => {
        for (const { part, pack } of parts) packHead(unit, part, pack);
        f.copy(place, known);
      });
      // Addresses wrap: places of this unit's rows are in its scratch memory.
      f.get(scratch);
      pushRow(f, unit, queries)
        .i32(keys * ELEMENT)
        .op("i32.mul", "i32.sub")
        .set(base);
      multiply(whole, unit, scores, first!);
      pushMemories(whole, unit, softmax);
      pushRest(f, whole, scratch);
      pushRow(f, unit, queries);
      pushRow(f, unit, queries).get(endRow, firstRow).op("i32.sub", "i32.add").call(middle!);
      multiply(whole, unit, values, last!);
    });
  });
}

/** Pushes the place of the first row among those of all heads. */
const pushRow = (f: FunctionBuilder, { place, firstRow }: Unit, queries: number): FunctionBuilder =>
  f.get(place).i32(queries).op("i32.mul").get(firstRow).op("i32.add");

const pushRest = (f: FunctionBuilder, { rest }: Attention, scratch: Address): FunctionBuilder =>
  f.get(scratch).i32(rest).op("i32.add");

/** Packs the second factor of a product. */
function packHead({ f, addressOf, scratch, place }: Unit, { plan, panels }: Part, pack: number): void {
  const outer = unflatten(f, place, plan.outer);
  f.get(addressOf(plan.b.buffer));
  pushIndex(f, plan.b.outer, outer);
  f.op("i32.add").get(scratch).i32(panels).op("i32.add").call(pack);
}

function pushMemories({ inner }: Attention, { f, addressOf, base }: Unit, { memories }: KernelCode): void {
  for (const { buffer } of memories) {
    const at = inner.get(buffer);
    if (at === undefined) f.get(addressOf(buffer));
    else f.get(base).i32(at).op("i32.add");
  }
}

/** Calls a product for the rows of a unit, a block of columns at a time. */
function multiply(whole: Attention, unit: Unit, { code, blocks, panels }: Part, entry: number): void {
  const { f, scratch, place, block } = unit;
  const { columnBlocks, rowBlocks } = blocks;
  const [count, own] = addresses(f, 2);
  f.get(place)
    .i32(columnBlocks * rowBlocks)
    .op("i32.mul")
    .get(block)
    .op("i32.add")
    .set(own);
  f.i32(0).set(count);
  countUp(f, count, 1, columnBlocks, () => {
    pushMemories(whole, unit, code);
    f.get(scratch).i32(panels).op("i32.add");
    pushRest(f, whole, scratch).get(own, own).i32(1).op("i32.add").call(entry);
    f.increase(own, rowBlocks);
  });
}
