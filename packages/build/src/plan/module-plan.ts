/** @file The plan of a module: what its runtime reads, from a program and its timeline. */
import { entriesOf, fillOf, formsOf, type KernelCode } from "@sconce/backend-wasm/build";
import type { Index } from "@sconce/codegen";
import type { CompiledPlan } from "@sconce/device-runtime";
import { scriptString } from "@sconce/errors";
import {
  type Argument,
  dataclassFields,
  dictKeys,
  FakeTensor,
  isFloat,
  isInt,
  isSymScalar,
  type OutputSpec,
  type TreeSpec,
  toNumber,
} from "@sconce/ir";
import { callingConvention, type Leaf, leafFinder, MUTATIONS, programGuards, userLeaves } from "@sconce/ops";
import { printExpr, printSource, SymExpr } from "@sconce/symbolic";
import { Code, numberText } from "../code/code.js";
import { guardCode } from "../code/guard-code.js";
import type { ScalarKind } from "../code/scalar-code.js";
import { SizeCode } from "../code/size-code.js";
import { Symbols } from "../code/symbols.js";
import { kindOfScalar } from "../host/cannot-write.js";
import type {
  InputPlan,
  Key,
  ModulePlan,
  ResultPlan,
  RunSizes,
  Template,
  WritePlan,
} from "../runtime/plan.js";
import { hostPlan, type WrittenHostPlan } from "./host-plan.js";
import { type ResultSize, shownSizes, sizesOf, wholeOf } from "./size-plan.js";
import type { Constant, Place, Timeline } from "./timeline.js";
import type { ValueRange } from "./value-ranges.js";

/** The tensors of a weights file, as headers of safetensors name their dtypes. */
const CODES: Readonly<Record<string, string>> = {
  float64: "F64",
  float32: "F32",
  float16: "F16",
  bfloat16: "BF16",
  int64: "I64",
  int32: "I32",
  int16: "I16",
  int8: "I8",
  uint64: "U64",
  uint32: "U32",
  uint16: "U16",
  uint8: "U8",
  bool: "BOOL",
  complex64: "C64",
};

type Scalar = string | number | boolean | null;

/**
 * Returns the names of the lowered program whose values a module needs besides those of kernels.
 */
export function neededNames(plan: CompiledPlan): string[] {
  const { program } = plan;
  const { inputSpecs } = program.graphSignature;
  const inputs = inputSpecs.flatMap(({ kind, arg }) => (kind === "USER_INPUT" ? [arg.name] : []));
  return [...inputs, ...changedNames(plan), ...resultNames(plan)];
}

/** Returns the names of the state that a program writes to. */
function changedNames({ state }: CompiledPlan): string[] {
  return [...state].flatMap(([name, { isChanged }]) => (isChanged ? [name] : []));
}

/** Returns the names of what the program gives and leaves behind. */
const resultNames = ({ program }: Pick<CompiledPlan, "program">): string[] =>
  program.graphSignature.outputSpecs.flatMap(({ kind, arg }) =>
    kind === "TOKEN" || arg.kind === "constant" ? [] : [arg.name],
  );

/** Returns the code of all kernels, in order. */
export const codesOf = ({ steps }: Timeline): readonly KernelCode[] => steps.map(({ code }) => code);

/** A plan whose functions are code. */
export type WrittenPlan = Omit<ModulePlan, "guards" | "ranges" | "sizes" | "host"> & {
  readonly ranges: Code;
  readonly guards: readonly (readonly [string, Code])[];
  readonly sizes: RunSizes | Code;
  readonly host?: WrittenHostPlan;
};

/** The sizes of a program whose parts have their own. */
const NO_SIZES: RunSizes = { bytes: [], units: [], given: [], results: [] };

/** Returns the plan of a module. */
export function modulePlan(
  plan: CompiledPlan,
  timeline: Timeline,
  ranges: readonly ValueRange[],
  hosted: readonly Code[] = [],
  isThreaded = false,
): WrittenPlan {
  const writer = new PlanWriter(plan, timeline);
  const isHosted = timeline.hosts.length > 0;
  const codes = codesOf(timeline);
  const entries = entriesOf(codes);
  const fills = [...new Set([...formsOf(codes).values()].map(fillOf))];
  const constantRow = ({ weight, form, bytes, isChanged }: Constant): ModulePlan["constants"][number] => [
    weight,
    bytes,
    form === undefined ? -1 : fills.indexOf(fillOf(form)),
    form?.parts?.count ?? 0,
    form?.parts?.bytes ?? 0,
    isChanged ? 1 : 0,
  ];
  return {
    inputs: writer.inputs(),
    guards: writer.guards(),
    ranges: writer.ranges(ranges),
    sizes: isHosted ? NO_SIZES : sizesOf(plan, wholeOf(plan, timeline, writer.resultSizes(), isThreaded)),
    results: writer.results(),
    output: templateOf(callingConvention(plan.original).outSpec, { next: 0 }),
    writes: writer.writes(),
    weights: timeline.weights.map(({ name: weight, tensor }) => [weight, CODES[tensor.dtype]!, tensor.shape]),
    constants: timeline.constants.map(constantRow),
    values: timeline.values.map(({ from, to }) => [from, to]),
    steps: timeline.steps.map(({ code, operands, clears }) => {
      const row = [entries.indexOf(code.emit), operands.map((place) => writer.place(place))] as const;
      return clears.length === 0
        ? row
        : ([...row, clears.map((at) => writer.place({ kind: "value", at }))] as const);
    }),
    scratch: timeline.scratchBytes,
    ...(isHosted && { host: hostPlan(plan, timeline, hosted, writer.resultSizes(), isThreaded) }),
  };
}

class PlanWriter {
  readonly #plan: CompiledPlan;
  readonly #timeline: Timeline;
  readonly #leaves: readonly Leaf[];

  constructor(plan: CompiledPlan, timeline: Timeline) {
    this.#plan = plan;
    this.#timeline = timeline;
    this.#leaves = userLeaves(plan.original);
  }

  place(place: Place): number {
    return place.kind === "constant" ? place.at : this.#timeline.constants.length + place.at;
  }
  /** Returns the place of a name; undefined where it has none. */
  #placeOf(name: string): number | undefined {
    const named = this.#timeline.names.get(name);
    const isPlace = named?.kind === "constant" || named?.kind === "value";
    return isPlace ? this.place(named) : undefined;
  }

  /**
   * Returns the user's inputs in the order of the lowered program, which is that of the original.
   */
  #userInputs(): readonly string[] {
    const { inputSpecs } = this.#plan.program.graphSignature;
    return inputSpecs.flatMap(({ kind, arg }) => (kind === "USER_INPUT" ? [arg.name] : []));
  }

  guards(): readonly (readonly [string, Code])[] {
    const find = leafFinder(this.#leaves);
    const { graph } = this.#plan.original;
    const kindOf = (at: number): ScalarKind => {
      const { val } = graph.node(this.#leaves[at]!.name).meta;
      return isSymScalar(val) ? kindOfScalar(val) : "int";
    };
    return programGuards(this.#plan.original, this.#leaves).map((guard) => guardCode(guard, find, kindOf));
  }

  /** Returns a function of the sizes of a run. */
  ranges(ranges: readonly ValueRange[]): Code {
    const names = this.#userInputs();
    const symbols = new Symbols();
    const isSized = ranges.some(({ low, high }) => typeof low === "object" || typeof high === "object");
    const lines = isSized ? symbols.learn(shownSizes(this.#plan)) : [];
    const sizes = new SizeCode(symbols.names);
    const textOf = (end: number | Index): string =>
      typeof end === "number" ? numberText(end) : sizes.index(end);
    const rows = ranges.map(
      ({ name, low, high, node }) =>
        `[${names.indexOf(name)},${textOf(low)},${textOf(high)},${scriptString(node)}]`,
    );
    const list = `[${rows.join(",")}]`;
    if (!isSized) return new Code(`()=>${list}`);
    return new Code(`(g,{$,div,mod,quotient})=>{${[...lines, `return ${list}`].join(";\n")}}`);
  }

  inputs(): readonly InputPlan[] {
    const names = this.#userInputs();
    return this.#leaves.map(({ name, root, path }, at): InputPlan => {
      const keys = [root, ...path.map((key): Key => (typeof key === "object" ? key.attribute : key))];
      const source = { path: keys, text: printSource({ kind: "source", root, local: true, path }) };
      const { val } = this.#plan.original.graph.node(name).meta;
      if (isSymScalar(val)) return { ...source, number: val.kind === "SymInt" ? "int" : "float" };
      if (!(val instanceof FakeTensor)) return source;
      const place = this.#placeOf(names[at]!);
      const shape = val.shape.map((size) => (typeof size === "number" ? size : printExpr(size)));
      return { ...source, dtype: val.dtype, shape, ...(place !== undefined && { place }) };
    });
  }

  #outputs(): readonly OutputSpec[] {
    const { outputSpecs } = this.#plan.program.graphSignature;
    return outputSpecs.filter(({ kind }) => !MUTATIONS.has(kind) && kind !== "TOKEN");
  }
  results(): readonly ResultPlan[] {
    return this.#outputs().map(({ arg }): ResultPlan => {
      if (arg.kind === "constant") return { scalar: scalarOf(arg.value) };
      const named = this.#timeline.names.get(arg.name);
      if (named?.kind === "host") return { host: named.at };
      if (this.#sizeOf(arg.name) !== undefined) return { isSize: true };
      if (named?.kind === "scalar") return { scalar: scalarOf(named.value as Argument) };
      const input = this.#userInputs().indexOf(arg.name);
      if (input >= 0) return { input };
      const val = this.#plan.program.graph.node(arg.name).meta.val as FakeTensor;
      return { at: this.#placeOf(arg.name)!, dtype: val.dtype };
    });
  }
  /** Returns the size that a result is; undefined for tensors and other values. */
  #sizeOf(name: string): SymExpr | undefined {
    const { val } = this.#plan.program.graph.node(name).meta;
    const isInput = this.#userInputs().includes(name);
    return !isInput && isSymScalar(val) && val.kind === "SymInt" && val.expr instanceof SymExpr
      ? val.expr
      : undefined;
  }
  /** Returns the shapes of results, and results that are sizes. */
  resultSizes(): readonly ResultSize[] {
    return this.#outputs().map(({ arg }): ResultSize => {
      if (arg.kind === "constant" || this.#timeline.names.get(arg.name)?.kind === "host") return 0;
      const { val } = this.#plan.program.graph.node(arg.name).meta;
      return val instanceof FakeTensor ? val.shape : (this.#sizeOf(arg.name) ?? 0);
    });
  }

  writes(): readonly WritePlan[] {
    const { outputSpecs, inputSpecs } = this.#plan.program.graphSignature;
    return outputSpecs.flatMap(({ kind, arg, target }): WritePlan[] => {
      if (!MUTATIONS.has(kind) || arg.kind === "constant") return [];
      const from = this.#placeOf(arg.name)!;
      if (kind === "USER_INPUT_MUTATION") return [{ from, input: this.#userInputs().indexOf(target ?? "") }];
      const place = inputSpecs.find((spec) => spec.target === target && spec.kind !== "USER_INPUT");
      const state = place === undefined ? undefined : this.#placeOf(place.arg.name);
      return state === undefined ? [] : [{ from, state }];
    });
  }
}

/** Returns a constant of a program as a literal of JSON. */
function scalarOf(value: Argument): Scalar {
  if (isInt(value) || isFloat(value)) return toNumber(value as number);
  return typeof value === "string" || typeof value === "boolean" || typeof value === "number" ? value : null;
}

/** Returns the containers of results, with the positions of leaves. */
function templateOf(spec: TreeSpec, counter: { next: number }): Template {
  if (spec.type === null) return counter.next++;
  const children = spec.children.map((child) => templateOf(child, counter));
  const keys = dictKeys(spec) ?? dataclassFields(spec)?.set;
  if (keys === undefined) return { list: children };
  const entries = keys.map((key, at) => [key as Key, children[at]!] as const);
  const isMap = spec.type === "collections.OrderedDict" || keys.some((key) => typeof key !== "string");
  return isMap ? { map: entries } : { object: entries as (readonly [string, Template])[] };
}
