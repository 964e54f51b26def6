/**
 * @file Transposed convolutions of strides: the results of one phase of all strides are a
 * convolution of stride 1, so that a convolution of stride 2 in two directions is four products.
 */
import {
  type Axis,
  add,
  apply,
  atom,
  axis,
  conjunctsOf,
  constant,
  extentOf,
  fixedValue,
  flatIndex,
  type Index,
  type LoopNest,
  outerReductions,
  type ReduceScalar,
  Rewriter,
  type Scalar,
  scale,
  ZERO,
} from "@sconce/codegen";
import { i32, type ModuleBuilder } from "@sconce/wasm";
import type { KernelCode } from "../kernel-code.js";
import { kernelEntry } from "../kernel-entry.js";
import { linear } from "./image.js";

/** The part of a nest that gives every so manieth result. */
export interface Phase {
  /** Over the results of the phase. */
  readonly nest: LoopNest;
  /** Where a result lies in the output, over the axes of the nest. */
  readonly place: Index;
}

/** More phases are not worth their code. */
const MOST_PHASES = 16;

/** A condition `(place - dilation * tap + offset) % stride == 0`. */
interface Strided {
  readonly place: Axis;
  readonly tap: Axis;
  readonly stride: number;
  readonly dilation: number;
  readonly offset: number;
}

/** Returns the phases of a sum of strides whose sizes are bound; undefined for other nests. */
export function phasesOf(nest: LoopNest): Phase[] | undefined {
  const [reduce, ...more] = outerReductions(nest.value);
  if (reduce?.when === undefined || more.length > 0) return undefined;
  const parts = conjunctsOf(reduce.when);
  const strided = parts.flatMap((part) => stridedOf(part, nest, reduce) ?? []);
  const count = strided.reduce((all, { stride }) => all * stride, 1);
  if (strided.length === 0 || count > MOST_PHASES) return undefined;
  const rest = parts.filter((part) => stridedOf(part, nest, reduce) === undefined);
  const phases: Phase[] = [];
  for (let at = 0; at < count; at++) {
    let left = at;
    const chosen = strided.map((one) => {
      const phase = left % one.stride;
      left = Math.floor(left / one.stride);
      return phase;
    });
    const phase = phaseOf(nest, reduce, rest, strided, chosen);
    if (phase === undefined) return undefined;
    if (phase !== "empty") phases.push(phase);
  }
  return phases;
}

function stridedOf(part: Scalar, { axes }: LoopNest, reduce: ReduceScalar): Strided | undefined {
  if (part.kind !== "call" || part.fn !== "eq") return undefined;
  const [left, right] = part.args as [Scalar, Scalar];
  if (left.kind !== "index" || !isZero(right) || left.index.constant !== 0) return undefined;
  const [term, ...more] = left.index.terms;
  const [item, ...others] = term?.atoms ?? [];
  if (item?.kind !== "remainder" || more.length > 0 || others.length > 0 || term!.coefficient !== 1)
    return undefined;
  const stride = fixedValue(item.denominator);
  const terms = linear(item.numerator);
  if (stride === undefined || terms?.size !== 2) return undefined;
  const place = axes.find(({ name }) => terms.get(name)?.coefficient === 1);
  const tap = reduce.axes.find(({ name }) => (terms.get(name)?.coefficient ?? 0) < 0);
  if (place === undefined || tap === undefined) return undefined;
  const dilation = -terms.get(tap.name)!.coefficient;
  return { place, tap, stride, dilation, offset: item.numerator.constant };
}
const isZero = (scalar: Scalar): boolean =>
  scalar.kind === "index"
    ? fixedValue(scalar.index) === 0
    : scalar.kind === "constant" && Number(scalar.value) === 0;

/** One phase; undefined if it has several taps, or none. */
function phaseOf(
  nest: LoopNest,
  reduce: ReduceScalar,
  rest: readonly Scalar[],
  strided: readonly Strided[],
  chosen: readonly number[],
): Phase | "empty" | undefined {
  const axes = new Map<string, Index>();
  const own = new Map<string, Axis>();
  for (const [d, { place, tap, stride, dilation, offset }] of strided.entries()) {
    const phase = chosen[d]!;
    const taps = Array.from({ length: stride }, (_, r) => r).filter(
      (r) => (phase - dilation * r + offset) % stride === 0,
    );
    const [first] = taps;
    if (axes.has(place.name) || axes.has(tap.name) || taps.length !== 1 || first! >= extentOf(tap))
      return undefined;
    if (phase >= extentOf(place)) return "empty";
    for (const [one, start] of [[place, phase] as const, [tap, first!] as const]) {
      const part = axis(`${one.name}s`, constant(Math.ceil((extentOf(one) - start) / stride)));
      own.set(one.name, part);
      const at = extentOf(part) === 1 ? ZERO : scale(atom(part), stride);
      axes.set(one.name, add(at, constant(start)));
    }
  }
  const rewriter = new Rewriter({ axes });
  const partOf = (one: Axis): Axis => own.get(one.name) ?? one;
  const conditions = rest
    .map((part) => rewriter.scalar(part))
    .filter((part) => part.kind !== "constant" || part.value !== true);
  const sum: ReduceScalar = {
    ...reduce,
    axes: reduce.axes.map(partOf),
    body: rewriter.scalar(reduce.body),
    when: conditions.length === 0 ? undefined : conditions.reduce((a, b) => apply("and", a, b)),
  };
  const value = new Rewriter({ axes, scalars: new Map([[reduce, sum]]) }).scalar(nest.value);
  const flat = flatIndex(
    nest.axes.map((one) => atom(one)),
    nest.axes.map(({ extent }) => extent),
  );
  return { nest: { ...nest, axes: nest.axes.map(partOf), value }, place: rewriter.index(flat) };
}

/** Kernels that write to one output, as one kernel: its units are those of all, in order. */
export function inSequence(codes: readonly KernelCode[], text: string): KernelCode {
  const output = codes[0]!.memories.at(-1)!;
  const reads = new Map(codes.flatMap(({ memories }) => memories.map((one) => [one.buffer, one] as const)));
  reads.delete(output.buffer);
  const memories = [...reads.values(), output];
  const prepared = codes.flatMap((code) => code.prepared ?? []);
  return {
    memories,
    prepared,
    units: codes.reduce((sum, { units }) => sum + units, 0),
    scratchBytes: Math.max(...codes.map(({ scratchBytes }) => scratchBytes)),
    imports: codes.flatMap(({ imports }) => imports),
    emit: (module, imports) => emitSequence(module, codes, { memories, imports, forms: prepared.length }),
    text: [text, ...codes.map((code) => code.text)].join("\n"),
  };
}

function emitSequence(
  module: ModuleBuilder,
  codes: readonly KernelCode[],
  {
    memories,
    imports,
    forms: count,
  }: {
    readonly memories: KernelCode["memories"];
    readonly imports: ReadonlyMap<string, number>;
    readonly forms: number;
  },
): number {
  const entries = codes.map((code) => code.emit(module, imports));
  return kernelEntry(module, { name: "phases", memories, forms: count }, (entry) => {
    const { f, addressOf, forms, scratch, first, end } = entry;
    let [form, start] = [0, 0];
    for (const [at, { memories: own, prepared = [], units }] of codes.entries()) {
      // The units that the range has of this kernel.
      const from = f.let(i32(first).minus(start).most(0));
      const until = f.let(i32(end).minus(start).least(units));
      f.put(i32(from).is("lt_s", until)).if(() => {
        for (const { buffer } of own) f.get(addressOf(buffer));
        f.get(...forms.slice(form, form + prepared.length), scratch, from, until).call(entries[at]!);
      });
      form += prepared.length;
      start += units;
    }
  });
}
