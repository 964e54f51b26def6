/**
 * The programs of the corpus with dynamic sizes: their guards are recorded again in order, and give
 * the same texts and ranges; the conditions of those that are refused give the same message.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { FakeTensor } from "@sconce/ir";
import {
  add,
  type BoolLike,
  eq,
  floorDiv,
  type GuardNode,
  ge,
  gt,
  type IntLike,
  le,
  lt,
  mul,
  ne,
  parseGuard,
  printRange,
  pythonMod,
  sub,
} from "@sconce/symbolic";
import { readSafetensors, Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import {
  bindInputs,
  constraintReport,
  Dim,
  type DynamicShapes,
  type FakeInputs,
  makeFakeInputs,
  solveConstraints,
} from "./index.js";

const PROGRAMS = new URL("../../../testing/fixtures/programs/", import.meta.url);

interface Case {
  readonly error?: { readonly message: string };
  readonly program?: {
    readonly signature: { readonly inputs: readonly { readonly kind: string; readonly name: string }[] };
    readonly range_constraints: Readonly<Record<string, string>>;
    readonly guards_code: readonly string[];
  };
  readonly call?: { readonly inputs: readonly ({ readonly tensor: string } | { readonly value: number })[] };
}

const read = (name: string): Case =>
  JSON.parse(readFileSync(new URL(`${name}/case.json`, PROGRAMS), "utf8")) as Case;

type Operator = (a: IntLike, b: IntLike) => IntLike | BoolLike;
const OPERATORS: Readonly<Record<string, Operator>> = {
  "+": add,
  "-": sub,
  "*": mul,
  "//": floorDiv,
  "%": pythonMod,
  "==": eq,
  "!=": ne,
  "<": lt,
  "<=": le,
  ">": gt,
  ">=": ge,
};

/** A guard's text as a condition on the symbols of the inputs. */
function conditionOf(node: GuardNode, { inputs, env }: FakeInputs): IntLike | BoolLike {
  const value = (part: GuardNode): IntLike => conditionOf(part, { inputs, env } as FakeInputs) as IntLike;
  switch (node.kind) {
    case "source": {
      const input = inputs.find(({ source }) => source === `L['${node.root}']`)!;
      if (node.property === undefined) return env.replace(input.fake as IntLike);
      return env.replace((input.fake as FakeTensor).shape[node.index!]!);
    }
    case "number":
      return node.value;
    case "unary":
      return mul(-1, value(node.operand));
    case "binary":
      return OPERATORS[node.op]!(value(node.left), value(node.right));
    case "compare": {
      const [op, right] = node.rest[0]!;
      return OPERATORS[op]!(value(node.first), value(right));
    }
    default:
      throw new Error(`a guard with ${node.kind}`);
  }
}

const n = (name: string, bounds = {}): DynamicShapes[] => [{ 0: Dim(name, bounds) } as never];
const auto = { 0: Dim.AUTO, 1: Dim.AUTO };
const hw = [{ 2: Dim("h", { min: 8, max: 64 }), 3: Dim("w", { min: 8, max: 64 }) }];
const dimx = Dim("dimx", { min: 3, max: 6 });
const d = Dim("d", { min: 2, max: 64 });
const bt = { 0: Dim("b"), 1: Dim("t", { max: 16 }) };
const seq = Dim("seq", { min: 2, max: 16 });
const dx = Dim("_dx").mul(4);

const EXPORTED: Readonly<Record<string, DynamicShapes>> = {
  api_derived_dim: [{ 0: dimx }, { 0: dimx.add(1) }],
  api_derived_multiples: [{ 0: d.mul(2) }, { 0: d }, { 0: d.mul(3).add(1) }],
  api_dynamic_branches: [...n("batch"), ...n("batch")],
  api_refine_dynamic_shapes: [{ 0: dx }, { 0: dx.add(2) }],
  call_float_results: [{ 0: Dim.DYNAMIC }],
  digits: n("batch"),
  flow_cond_dynamic: n("n"),
  flow_cond_shape: n("n", { min: 2 }),
  flow_map: [...n("n"), null],
  ir_meta_values: n("batch"),
  lower_cat_many: [{ 0: Dim.DYNAMIC }, { 0: Dim.DYNAMIC }, { 0: Dim.DYNAMIC }],
  lower_cond_sizes: [{ 0: Dim.DYNAMIC }, null],
  lower_linspace_ends: [{ 0: Dim.DYNAMIC }],
  lower_split_chunk: [{ 0: Dim.AUTO }],
  lower_three_inputs: [auto, auto, auto],
  net_bert: [bt, bt, bt],
  net_diffusion: [...n("b"), ...n("b")],
  net_gpt: [{ 0: Dim("batch"), 1: Dim("seq", { max: 32 }) }],
  net_graph: [{ 0: Dim("nodes") }, { 1: Dim("edges") }],
  net_llama_prefill: [{ 1: seq }, { 0: seq }],
  net_lstm_cell: [{ 1: Dim("b") }],
  net_mlp: n("batch", { max: 256 }),
  net_resnet: n("batch"),
  net_vit: n("batch"),
  old_dynamic_dim_equality: [...n("batch", { min: 2 }), ...n("batch", { min: 2 })],
  pm_cat_shapes: [
    { 0: Dim("a"), 1: Dim("c") },
    { 0: Dim("b"), 1: Dim("c") },
  ],
  pm_index_select: [...n("n"), ...n("k")],
  pm_shape_guard_auto: [{ 0: Dim.AUTO }],
  pm_shape_guard_range: n("dim0_x", { min: 6 }),
  shape_auto: [auto, auto, auto],
  shape_bool_output: n("n"),
  shape_broadcast: [{ 0: Dim("b"), 1: Dim("c") }, { 0: Dim("c") }],
  shape_conv_sizes: hw,
  shape_dim_static: [{ 0: Dim.DYNAMIC, 1: Dim.STATIC, 2: 4, 3: null }],
  shape_factories: [{ 0: Dim("n"), 1: Dim("m") }],
  shape_int_input: [null, Dim.DYNAMIC, null],
  shape_numbers: n("n", { min: 3, max: 100 }),
  shape_reshapes: [{ 0: Dim("b"), 1: Dim("t") }],
  shape_slices: [{ 0: Dim.AUTO }, null],
  shape_split: [{ 0: Dim("h", { min: 1, max: 50 }).mul(2) }],
};

/** Programs with dynamic sizes that are not run here, by name, with the reasons. */
const NOT_RUN: Readonly<Record<string, string>> = {
  api_shapes_collection: "its inputs are nested",
  lower_arange_scaled: "its guards round quotients up, which `conditionOf` does not build",
  strict_cond_dynamic: "a strict export gives other numbers to symbols",
};

test("all programs with dynamic sizes are run, or the reason is known", () => {
  const names = readdirSync(PROGRAMS).filter((name) => existsSync(new URL(`${name}/case.json`, PROGRAMS)));
  const dynamic = names.filter((name) => {
    const { program } = read(name);
    const sizes = Object.keys(program?.range_constraints ?? {});
    return (
      program !== undefined && (program.guards_code.length > 0 || sizes.some((size) => /s\d/.test(size)))
    );
  });
  expect(dynamic.filter((name) => !Object.hasOwn(EXPORTED, name)).sort()).toEqual(Object.keys(NOT_RUN));
});

function exampleInputs(name: string, { program, call }: Case): ReadonlyMap<string, unknown> {
  const file = new URL(`${name}/inputs.safetensors`, PROGRAMS);
  const tensors = existsSync(file) ? readSafetensors(readFileSync(file)).tensors : new Map<string, Tensor>();
  const names = program!.signature.inputs
    .filter(({ kind }) => kind === "USER_INPUT")
    .map((input) => input.name);
  return new Map(
    call!.inputs.map((input, i) => [names[i]!, "tensor" in input ? tensors.get(input.tensor) : input.value]),
  );
}

test.each(Object.entries(EXPORTED))("%s", (name, spec) => {
  const recorded = read(name);
  const args = exampleInputs(name, recorded);
  const prepared = makeFakeInputs({ args }, spec);
  const { guards_code, range_constraints } = recorded.program!;
  for (const text of guards_code) prepared.env.guard(conditionOf(parseGuard(text), prepared) as BoolLike);
  const { guardsCode, rangeConstraints } = solveConstraints(prepared);
  expect(guardsCode).toEqual(guards_code);
  const ranges = Object.fromEntries([...rangeConstraints].map(([size, range]) => [size, printRange(range)]));
  expect(ranges).toEqual(range_constraints);
});

const x = (...shape: number[]): Tensor => Tensor.withoutValues({ dtype: "float32", shape });

/** Inputs and specifications of programs that are refused, as their sources have them. */
const REFUSED: Readonly<Record<string, readonly [args: readonly Tensor[], spec: DynamicShapes]>> = {
  api_derived_dim_error: [
    [x(5), x(6)],
    [{ 0: Dim("dimx") }, { 0: Dim("dimy") }],
  ],
  api_suggested_fix_constant: [[x(4), x(4)], { x: { 0: Dim("dx") }, y: null }],
  api_suggested_fix_divisible: [[x(8)], { x: { 0: Dim("dx") } }],
  api_suggested_fix_max: [[x(5)], { x: { 0: Dim("dim0_x") } }],
  old_dim_too_wide: [
    [x(4), x(4)],
    [{ 0: Dim("bx") }, { 0: Dim("by") }],
  ],
  pm_shape_guard_error: [[x(8)], { x: { 0: Dim("dim0_x") } }],
  shape_ceil_mode_error: [[x(1, 1, 11, 14)], hw],
  shape_math_specialises: [[x(5)], { x: { 0: Dim("n") } }],
  shape_one_specialised: [[x(1, 3)], { x: { 0: Dim.DYNAMIC } }],
  shape_out_of_range: [[x(2)], { x: { 0: Dim("b", { min: 3, max: 8 }) } }],
  shape_static_mismatch: [[x(2, 3, 4)], { x: { 2: 5 } }],
  shape_unknown_input: [[x(2)], { y: { 0: Dim("b") } }],
};

/** The conditions that a message names, in its order. */
function conditionsIn(message: string): readonly string[] {
  return message.split("\n").flatMap((line) => {
    const guard = / guard (.*?)\.?$/.exec(line)?.[1];
    if (guard !== undefined) return guard.split(" and ").filter((part) => !part.includes("IntInfinity"));
    const constant = /marked (\w+) as dynamic .* constant \((\d+)\)/.exec(line);
    if (constant !== null) return [`L['x'].size()[0] == ${constant[2]}`];
    const equal = /values of \w+ = (\S+) and \w+ = (\S+) must always be equal/.exec(line);
    if (equal !== null) return [`${equal[1]} == ${equal[2]}`];
    const related = /values of \w+ = (\S+) must always .* values of (\w+) = (\S+) by \w+ = (.*)\.$/.exec(
      line,
    );
    return related === null ? [] : [`${related[1]} == ${related[4]!.replaceAll(related[2]!, related[3]!)}`];
  });
}

test.each(Object.entries(REFUSED))("%s", (name, [args, spec]) => {
  const message = read(name)
    .error!.message.split("\n\nThe error above")[0]!
    .split(" For more information about")[0];
  const parameters = ["x", "y"].map((parameter) => ({ name: parameter, isRest: false }));
  try {
    const prepared = makeFakeInputs(bindInputs(parameters, args), spec);
    for (const text of conditionsIn(message!))
      prepared.env.guard(conditionOf(parseGuard(text), prepared) as BoolLike);
    solveConstraints(prepared);
    expect.unreachable("it is not refused");
  } catch (error) {
    expect(constraintReport(error)?.message ?? (error as Error).message).toBe(message);
  }
});
