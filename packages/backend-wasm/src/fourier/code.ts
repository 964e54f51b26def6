/**
 * @file Fourier transforms of lines (Stockham's order, mixed radices). A unit is four lines, one in
 * each lane: all of the passes are arithmetic of vectors, and only reading and writing moves lanes.
 */
import type { LoopNest, LoopProgram } from "@sconce/codegen";
import { type FunctionBuilder, i32, type Local, type ModuleBuilder } from "@sconce/wasm";
import { hostFunction } from "../emit/host-functions.js";
import type { KernelCode } from "../kernel-code.js";
import { forUnits, type KernelEntry, kernelEntry } from "../kernel-entry.js";
import { Butterflies, type Pair } from "./butterfly.js";
import { type FourierPlan, fourierPlan } from "./transform-plan.js";

/** Lines of a unit. */
const LANES = 4;
/** Bytes of a complex number in four lanes. */
const WIDE = 32;
const COMPLEX_BYTES = 8;
const FLOAT_BYTES = 4;

/** Returns the code of a nest that transforms lines; undefined for others. */
export function fourierKernel(nest: LoopNest, program: LoopProgram): KernelCode | undefined {
  const plan = fourierPlan(nest, program);
  if (plan === undefined) return undefined;
  const { input, output, outer, inner, size, kept, sign, radices } = plan;
  const memories = [
    { buffer: input, access: "read" },
    { buffer: output, access: "write" },
  ] as const;
  return {
    memories,
    units: Math.ceil((outer * inner) / LANES),
    scratchBytes: tableBytes(size) + 2 * WIDE * size,
    imports: [hostFunction("cos"), hostFunction("sin")],
    emit: (module: ModuleBuilder, imports) =>
      kernelEntry(module, { name: `fourier_${size}`, memories }, (entry) =>
        new FourierWriter(plan, entry, imports).write(),
      ),
    text: `fourier transform of ${outer * inner} lines of ${size}, ${kept} kept, sign ${sign}, radices ${radices.join(" ")}`,
  };
}
const tableBytes = (size: number): number => Math.ceil((COMPLEX_BYTES * size) / 16) * 16;

/** Places of the lanes of `[re0 im0 re1 im1] [re2 im2 re3 im3]` in either direction. */
const REAL_PARTS = [0, 2, 4, 6];
const IMAGINARY_PARTS = [1, 3, 5, 7];
const LOW_PAIRS = [0, 4, 1, 5];
const HIGH_PAIRS = [2, 6, 3, 7];

class FourierWriter {
  readonly #plan: FourierPlan;
  readonly #entry: KernelEntry;
  readonly #f: FunctionBuilder;
  readonly #imports: ReadonlyMap<string, number>;
  readonly #butterflies: Butterflies;
  /** Twiddle factors `exp(sign 2 pi i t / size)`, then the elements before and after a pass. */
  readonly #table: Local<"i32">;
  readonly #halves: readonly [Local<"i32">, Local<"i32">];

  constructor(plan: FourierPlan, entry: KernelEntry, imports: ReadonlyMap<string, number>) {
    this.#plan = plan;
    this.#entry = entry;
    this.#f = entry.f;
    this.#imports = imports;
    this.#butterflies = new Butterflies(entry.f, plan.sign);
    this.#table = entry.scratch;
    this.#halves = [entry.f.local("i32"), entry.f.local("i32")];
  }

  write(): void {
    const { size, radices, input, output } = this.#plan;
    const { first, end, addressOf } = this.#entry;
    const [from, to] = this.#halves;
    this.#f.assign(from, i32(this.#table).plus(tableBytes(size)));
    this.#f.assign(to, i32(from).plus(WIDE * size));
    if (radices.length > 1) this.#writeTable();
    forUnits(this.#f, first, end, () => {
      const { isComplex } = this.#plan;
      this.#eachLane(addressOf(input), size, isComplex.input, (lanes, isSide) => this.#read(lanes, isSide));
      let [source, target] = this.#halves;
      let left = size;
      for (const radix of radices) {
        this.#pass(radix, left, source, target);
        left /= radix;
        [source, target] = [target, source];
      }
      const kept = this.#plan.kept;
      this.#eachLane(addressOf(output), kept, isComplex.output, (lanes, isSide) =>
        this.#store(source, lanes, isSide),
      );
    });
  }

  /** A loop that runs so many times, at least once. */
  #times(count: number, body: () => void): void {
    if (count === 1) body();
    else this.#f.countDown(this.#f.let(count), body);
  }

  #writeTable(): void {
    const f = this.#f;
    const { size, sign } = this.#plan;
    const arc = f.local("f64");
    const [place, at] = [f.let(0), f.let(this.#table)];
    this.#times(size, () => {
      f.get(place)
        .op("f64.convert_i32_s")
        .f64((sign * 2 * Math.PI) / size)
        .op("f64.mul")
        .set(arc);
      for (const [i, name] of ["cos", "sin"].entries()) {
        f.get(at, arc).call(this.#imports.get(name)!).op("f32.demote_f64");
        f.memory("f32.store", i * FLOAT_BYTES);
      }
      f.increase(place, 1).increase(at, COMPLEX_BYTES);
    });
  }

  /**
   * Calls the body with the address of each lane's line, where lanes lie side by side and where
   * they do not. Lanes beyond the last line have that one.
   */
  #eachLane(
    base: Local<"i32">,
    length: number,
    isComplex: boolean,
    body: (lanes: readonly Local<"i32">[], isSide: boolean) => void,
  ): void {
    const f = this.#f;
    const { outer, inner } = this.#plan;
    const bytes = isComplex ? COMPLEX_BYTES : FLOAT_BYTES;
    const lanes = [0, 1, 2, 3].map((lane) => {
      const line = f.let(
        i32(this.#entry.first)
          .times(LANES)
          .plus(lane)
          .least(outer * inner - 1),
      );
      const place = i32(line)
        .over(inner)
        .times(length * inner)
        .plus(i32(line).rest(inner));
      return f.let(place.times(bytes).plus(base));
    });
    if (inner < LANES) {
      body(lanes, false);
      return;
    }
    const distance = i32(lanes[LANES - 1]!).minus(lanes[0]!);
    f.put(distance.is("eq", (LANES - 1) * bytes)).if(
      () => body(lanes, true),
      () => body(lanes, false),
    );
  }

  #read(lanes: readonly Local<"i32">[], isSide: boolean): void {
    const f = this.#f;
    const { size, inner, isComplex } = this.#plan;
    const at = f.let(this.#halves[0]);
    this.#times(size, () => {
      if (isComplex.input) this.#readComplex(lanes, isSide, at);
      else this.#readReal(lanes, isSide, at);
      const step = inner * (isComplex.input ? COMPLEX_BYTES : FLOAT_BYTES);
      for (const lane of isSide ? lanes.slice(0, 1) : lanes) f.increase(lane, step);
      f.increase(at, WIDE);
    });
  }
  #readComplex(lanes: readonly Local<"i32">[], isSide: boolean, at: Local<"i32">): void {
    const f = this.#f;
    const [low, high] = f.locals("v128", 2);
    if (isSide) {
      f.get(lanes[0]!).memory("v128.load").set(low);
      f.get(lanes[0]!).memory("v128.load", 16).set(high);
    } else
      for (const [i, half] of [low, high].entries()) {
        f.get(lanes[2 * i + 1]!, lanes[2 * i]!).memory("v128.load64_zero");
        f.memoryLane("v128.load64_lane", 1).set(half);
      }
    f.get(at, low, high).shuffle(REAL_PARTS).memory("v128.store");
    f.get(at, low, high).shuffle(IMAGINARY_PARTS).memory("v128.store", 16);
  }
  #readReal(lanes: readonly Local<"i32">[], isSide: boolean, at: Local<"i32">): void {
    const f = this.#f;
    f.get(at);
    if (isSide) f.get(lanes[0]!).memory("v128.load");
    else {
      f.get(lanes[3]!, lanes[2]!, lanes[1]!, lanes[0]!).memory("v128.load32_zero");
      for (let i = 1; i < LANES; i++) f.memoryLane("v128.load32_lane", i);
    }
    f.memory("v128.store").get(at).f32x4(0).memory("v128.store", 16);
  }

  #store(source: Local<"i32">, lanes: readonly Local<"i32">[], isSide: boolean): void {
    const f = this.#f;
    const { kept, inner, isComplex, scale } = this.#plan;
    const at = f.let(source);
    const [re, im, pair] = f.locals("v128", 3);
    this.#times(kept, () => {
      for (const [i, part] of (isComplex.output ? [re, im] : [re]).entries()) {
        f.get(at).memory("v128.load", 16 * i);
        if (scale !== 1) f.f32x4(scale).op("f32x4.mul");
        f.set(part);
      }
      if (isComplex.output)
        for (const [i, places] of [LOW_PAIRS, HIGH_PAIRS].entries()) {
          f.get(re, im).shuffle(places).set(pair);
          if (isSide) f.get(lanes[0]!, pair).memory("v128.store", 16 * i);
          else
            for (const lane of [0, 1])
              f.get(lanes[2 * i + lane]!, pair).memoryLane("v128.store64_lane", lane);
        }
      else if (isSide) f.get(lanes[0]!, re).memory("v128.store");
      else for (const [i, lane] of lanes.entries()) f.get(lane, re).memoryLane("v128.store32_lane", i);
      const step = inner * (isComplex.output ? COMPLEX_BYTES : FLOAT_BYTES);
      for (const lane of isSide ? lanes.slice(0, 1) : lanes) f.increase(lane, step);
      f.increase(at, WIDE);
    });
  }

  /**
   * One pass: element `q + s (p + m j)` of `j` in `radix` becomes element `q + s (radix p + k)`,
   * for lines of which `left` is to be transformed; `s` is the rest of the size.
   */
  #pass(radix: number, left: number, source: Local<"i32">, target: Local<"i32">): void {
    const f = this.#f;
    const [groups, step] = [left / radix, this.#plan.size / left];
    const [from, to, twiddle] = [f.let(source), f.let(target), f.let(0)];
    const address = f.local("i32");
    const isTurned = groups > 1;
    this.#butterflies.with(isTurned ? radix - 1 : 0, (factors) =>
      this.#times(groups, () => {
        f.copy(this.#table, address);
        for (const factor of factors) {
          f.increase(address, twiddle).get(address).memory("v128.load32_splat").set(factor.re);
          f.get(address).memory("v128.load32_splat", FLOAT_BYTES).set(factor.im);
        }
        this.#times(step, () => {
          this.#butterfly(radix, from, to, { read: WIDE * step * groups, write: WIDE * step }, factors);
          f.increase(from, WIDE).increase(to, WIDE);
        });
        f.increase(to, WIDE * step * (radix - 1)).increase(twiddle, COMPLEX_BYTES * step);
      }),
    );
  }
  #butterfly(
    radix: number,
    from: Local<"i32">,
    to: Local<"i32">,
    distance: { readonly read: number; readonly write: number },
    factors: readonly Pair[],
  ): void {
    const f = this.#f;
    this.#butterflies.with(radix, (elements) => {
      elements.forEach(({ re, im }, j) => {
        f.get(from)
          .memory("v128.load", distance.read * j)
          .set(re);
        f.get(from)
          .memory("v128.load", distance.read * j + 16)
          .set(im);
      });
      this.#butterflies.transform(elements, (k, value) => {
        const factor = factors[k - 1];
        if (factor !== undefined) this.#butterflies.multiply(value, factor, value);
        f.get(to, value.re).memory("v128.store", distance.write * k);
        f.get(to, value.im).memory("v128.store", distance.write * k + 16);
      });
    });
  }
}
