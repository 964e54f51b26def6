/** @file Steps of the host of a program, as functions of its module, and the parts between them. */
import type { CompiledPlan } from "@sconce/device-runtime";
import { scriptString } from "@sconce/errors";
import {
  FakeTensor,
  isFloat,
  isSymScalar,
  type MetaValue,
  type Node,
  toNumber,
  type Value,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { type IntLike, SymExpr } from "@sconce/symbolic";
import { dtypeInfo } from "@sconce/tensor";
import { Code, numberText } from "../code/code.js";
import type { Unbuilt } from "../code/errors.js";
import { type ShownSize, Symbols } from "../code/symbols.js";
import { CannotWrite, kindOfScalar } from "../host/cannot-write.js";
import { scalar, textOf } from "../host/host-value.js";
import { type HostShared, HostWriter } from "../host/host-writer.js";
import type { HostPlan, Segment } from "../runtime/plan.js";
import { type ResultSize, shownBy, shownSizes, sizesOf } from "./size-plan.js";
import type { HostStep, Named, Timeline } from "./timeline.js";

/** A plan of steps whose functions are code. */
export type WrittenHostPlan = Omit<HostPlan, "steps" | "segments"> & {
  readonly steps: readonly (readonly [number, Code])[];
  readonly segments: readonly (Omit<Segment, "sizes"> & { readonly sizes: Segment["sizes"] | Code })[];
};

/** The steps of the host, and the kernels of the interpreter that they call. */
export interface WrittenSteps {
  readonly steps: readonly Code[];
  /** The kernels that are called; undefined where steps are numbers only. */
  readonly targets: readonly string[] | undefined;
  /** Whether the operands of calls are looked at first. */
  readonly refuses: boolean;
  readonly unbuilt: readonly Unbuilt[];
}

/** Calls that need no kernel of the interpreter. */
const PLAIN =
  /^(operator|math|builtins|torch)\.|^aten\.(_local_scalar_dense|_assert_(scalar|async)|sym_size)\./;

/** Writes all steps of the host. Errors are collected. */
export function hostSteps(
  plan: CompiledPlan,
  timeline: Timeline,
  operators: OperatorTable,
  { hasKernel, hasRefusal }: Pick<HostShared, "hasKernel" | "hasRefusal">,
): WrittenSteps {
  let count = 0;
  const targets = new Set<string>();
  const refusals = new Set<string>();
  const next = (): string => `v${count++}`;
  const shared: HostShared = { operators, hasKernel, hasRefusal, targets, refusals, next };
  const unbuilt: Unbuilt[] = [];
  let isBundled = false;
  const steps = timeline.hosts.map((host) => {
    count = 0;
    const writer = new StepWriter(plan, timeline, host, shared, unbuilt);
    isBundled ||= writer.isBundled;
    return writer.code();
  });
  return { steps, targets: isBundled ? [...targets].sort() : undefined, refuses: refusals.size > 0, unbuilt };
}

/** Returns the sizes that inputs and the first results of the host show. */
function shownAfter(plan: CompiledPlan, { hosted }: Timeline, results: number): readonly ShownSize[] {
  const leaves = userInputs(plan).length;
  return [
    ...shownSizes(plan),
    ...hosted
      .slice(0, results)
      .flatMap((name, at) => shownBy(plan.program.graph.node(name).meta.val, leaves + at)),
  ];
}

const userInputs = ({ program }: CompiledPlan): readonly string[] =>
  program.graphSignature.inputSpecs.flatMap(({ kind, arg }) => (kind === "USER_INPUT" ? [arg.name] : []));

class StepWriter {
  readonly #plan: CompiledPlan;
  readonly #timeline: Timeline;
  readonly #host: HostStep;
  readonly #writer: HostWriter;
  readonly #calls: readonly Node[];
  readonly #unbuilt: Unbuilt[];
  /** Whether it reads tensors as kernels of the interpreter do. */
  readonly isBundled: boolean;

  constructor(
    plan: CompiledPlan,
    timeline: Timeline,
    host: HostStep,
    shared: HostShared,
    unbuilt: Unbuilt[],
  ) {
    this.#plan = plan;
    this.#timeline = timeline;
    this.#host = host;
    this.#unbuilt = unbuilt;
    const { graph } = host.step.program();
    this.#calls = graph.nodes().filter(({ op }) => op === "call_function" || op === "get_attr");
    this.isBundled = this.#calls.some(({ op, target }) => op === "get_attr" || !PLAIN.test(target));
    this.#writer = new HostWriter(graph, shared, new Symbols(), this.isBundled);
  }

  code(): Code {
    const writer = this.#writer;
    const { step, first } = this.#host;
    writer.lines.push(...writer.symbols.learn(shownAfter(this.#plan, this.#timeline, first)));
    const { graph } = step.program();
    try {
      for (const name of step.inputs) located(graph.node(name), () => this.#input(name));
      for (const node of this.#calls) writer.callAt(node);
      const results = step.outputs.map((name) => located(graph.node(name), () => this.#result(name)));
      writer.lines.push(`return [${results.join(",")}]`);
    } catch (error) {
      if (!(error instanceof CannotWrite)) throw error;
      // Calls that read what it gives say nothing new.
      this.#unbuilt.push(error.unbuilt!);
      return new Code("0");
    }
    const helpers = "{$,div,mod,quotient,item,truth,check,domain}";
    return new Code(`(g,h,${helpers},u,r,k)=>{${writer.lines.join(";\n")}}`);
  }

  #result(name: string): string {
    const value = this.#writer.value(name);
    return value.kind === "tensor" ? this.#writer.raw(value.text) : textOf(value);
  }
  #input(name: string): void {
    const writer = this.#writer;
    const { val } = this.#plan.program.graph.node(name).meta;
    const input = userInputs(this.#plan).indexOf(name);
    const source = this.#host.reads.get(name);
    const leaves = userInputs(this.#plan).length;
    if (isSymScalar(val) && input < 0 && source?.kind === "host")
      writer.learnScalar(val, `g[${leaves + source.at}]`);
    if (val instanceof FakeTensor) writer.given(name, this.#tensor(source, input, val), val);
    else if (input >= 0) writer.set(name, scalar(kindOfScalar(val), `g[${input}]`));
    else if (source?.kind === "host") writer.set(name, scalar(kindOfScalar(val), `g[${leaves + source.at}]`));
    else if (source?.kind === "scalar")
      writer.set(name, scalar(kindOfScalar(val), numberOf(writer, source.value)));
    else this.#constant(name, val);
  }
  #constant(name: string, val: MetaValue | undefined): void {
    if (isSymScalar(val) && !(val.expr instanceof SymExpr))
      this.#writer.set(name, scalar(kindOfScalar(val), String(val.expr)));
  }
  #tensor(source: Named | undefined, input: number, { dtype, shape }: FakeTensor): string {
    if (input >= 0) return `u(${input})`;
    if (source?.kind === "host") return `h[${source.at}]`;
    if (source === undefined || source.kind === "scalar") throw new CannotWrite("a tensor has no place");
    const place = source.kind === "constant" ? source.at : this.#timeline.constants.length + source.at;
    const sizes = this.#writer.sizes(shape);
    return `r(${place},${scriptString(dtype)},${sizes},${dtypeInfo(dtype).itemSize})`;
  }
}

function numberOf(writer: HostWriter, value: Value | IntLike): string {
  if (value instanceof SymExpr || typeof value === "number") return writer.size(value);
  return isFloat(value) ? numberText(toNumber(value)) : String(value);
}

/** Runs a part of the writing, and names the node in its errors. */
function located<T>(node: Node, write: () => T): T {
  try {
    return write();
  } catch (error) {
    throw CannotWrite.at(error, node);
  }
}

/** Returns the plan of the steps of the host, in parts. */
export function hostPlan(
  plan: CompiledPlan,
  timeline: Timeline,
  steps: readonly Code[],
  results: readonly ResultSize[],
  isThreaded: boolean,
): WrittenHostPlan {
  const cuts = cutsOf(plan, timeline);
  const ends = [...cuts, timeline.hosts.length];
  const partOf = (host: number): number => cuts.filter((cut) => cut <= host).length;
  const kernelsAt = (host: number): number => timeline.hosts[host - 1]!.kernels;
  const segments = ends.map((hosts, at) => {
    const isLast = at === ends.length - 1;
    const kernels = isLast ? timeline.steps.length : kernelsAt(hosts);
    const start = at === 0 ? 0 : kernelsAt(ends[at - 1]!);
    const loaded = new Map(timeline.loads.map(([result, value]) => [value, hostOf(timeline, result)]));
    const values = timeline.values.flatMap(({ from }, value) => {
      const host = loaded.get(value);
      // A result that ends a part is copied at the start of the next one.
      const own = host === undefined ? partOfKernel(ends, timeline, from) : partOf(host + 1);
      return own === at ? [value] : [];
    });
    const shown = shownAfter(plan, timeline, at === 0 ? 0 : endOf(timeline, ends[at - 1]! - 1));
    const sizes = sizesOf(plan, {
      values: values.map((value) => timeline.values[value]!),
      steps: timeline.steps.slice(start, kernels),
      valueAt: new Map(values.map((value, position) => [value, position])),
      regions: timeline.regions.flatMap(([before, region]) =>
        before >= start && (before < kernels || (isLast && before === kernels)) ? [region] : [],
      ),
      results: isLast ? results : [],
      shown,
      isLast,
      isThreaded,
    });
    return { kernels, hosts, values, sizes };
  });
  return {
    steps: timeline.hosts.map(({ kernels }, at) => [kernels, steps[at]!] as const),
    loads: timeline.loads,
    segments,
  };
}

/** Returns the part that a kernel, or an input, is in. */
function partOfKernel(ends: readonly number[], { hosts }: Timeline, kernel: number): number {
  return ends.slice(0, -1).filter((end) => hosts[end - 1]!.kernels <= kernel).length;
}
const endOf = ({ hosts }: Timeline, host: number): number =>
  hosts[host]!.first + hosts[host]!.step.outputs.length;
const hostOf = ({ hosts }: Timeline, result: number): number =>
  hosts.findLastIndex(({ first }) => first <= result);

/** Returns the counts of steps behind which sizes are known that were not before. */
function cutsOf(plan: CompiledPlan, timeline: Timeline): readonly number[] {
  const symbols = new Symbols();
  symbols.learn(shownSizes(plan));
  const cuts: number[] = [];
  timeline.hosts.forEach((_, host) => {
    const before = symbols.names.size;
    symbols.learn(shownAfter(plan, timeline, endOf(timeline, host)));
    if (symbols.names.size > before) cuts.push(host + 1);
  });
  return cuts;
}
