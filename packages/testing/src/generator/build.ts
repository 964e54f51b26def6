import {
  type Argument,
  dictSpec,
  ExportedProgram,
  GraphBuilder,
  type InputSpec,
  LEAF,
  NO_KWARGS,
  type Node,
  type OutputSpec,
  type RangeConstraint,
  ref,
  tuple,
  tupleSpec,
} from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import { defaultOperators, type OperatorTable } from "@sconce/ops";
import { isFunctional } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { FAMILIES } from "./makers/index.js";
import { rememberNoise } from "./noise.js";
import { toStringMethod } from "./printing.js";
import { BATCH, Draft, type DraftInput, MAX_BATCH, type Val } from "./step/draft.js";
import { Choices, type ProgramRecipe } from "./step/recipe.js";
import { type Maker, Step } from "./step/step.js";

/** Which programs are generated. */
export interface BuildOptions {
  /**
   * The operators that are wanted, `aten.relu.default`; all that the generator knows when left out.
   */
  readonly ops?: readonly string[] | undefined;
  /** The most calls in a program; 24 when left out. */
  readonly maxNodes?: number | undefined;
  /** Whether programs may write to buffers, inputs and intermediate values. */
  readonly mutations?: boolean | undefined;
  /** The operators that are called. @defaultValue PyTorch's */
  readonly operators?: OperatorTable | undefined;
}

/** A maker with the one operator of its that a step asks for. */
type Offer = readonly [maker: Maker, target: string];

/** Returns every operator that the generator makes calls of by itself. */
export function generatedOperators(): string[] {
  return [...new Set(FAMILIES.flat().flatMap((maker) => maker.targets))].sort();
}

function offersOf({ ops, mutations }: BuildOptions, training: boolean): Offer[][] {
  const wanted = ops === undefined ? undefined : new Set(ops);
  const inPlace = mutations === true && training;
  return FAMILIES.map((family) =>
    family
      .filter((maker) => maker.mutates !== true || inPlace)
      .flatMap((maker) => maker.targets.map((target): Offer => [maker, target]))
      .filter(([, target]) => wanted === undefined || wanted.has(target)),
  ).filter((family) => family.length > 0);
}

/** Returns the program of a recipe. Every recipe has one, and it is valid. */
export function buildProgram(recipe: ProgramRecipe, options: BuildOptions = {}): ExportedProgram {
  const training = recipe.dialect === "TRAINING";
  const families = offersOf(options, training);
  const batch = Math.max(2, recipe.inputs[0]?.shape[0] ?? 2);
  const draft = new Draft(options.operators ?? defaultOperators(), {
    mutable: options.mutations === true,
    maxNodes: options.maxNodes ?? 24,
    batch,
  });
  for (const { dtype, shape, key } of recipe.inputs) {
    const sizes = recipe.dynamic && shape.length > 0 ? [BATCH, ...shape.slice(1)] : shape;
    draft.input("USER_INPUT", { dtype, shape: sizes }, recipe.seed ^ key);
  }
  recipe.steps.forEach((step, i) => {
    const family = families[step.maker % families.length];
    if (family === undefined) return;
    draft.attempt(i, step.key, () => {
      const [maker, target] = family[Math.floor(step.maker / families.length) % family.length]!;
      maker.make(new Step(draft, step), target);
    });
  });
  return finish(draft, recipe);
}

/** Values that nothing reads: outputs, unless their step says that they are dead. */
function outputsOf(draft: Draft, recipe: ProgramRecipe): Val[] {
  const read = new Set<string>();
  for (const node of draft.calls) for (const arg of node.args) collect(arg, read);
  const open = draft.vals.filter((val) => val.step >= 0 && !read.has(val.name));
  const live = open.filter((val) => recipe.steps[val.step]!.live);
  if (live.length > 0) return live;
  return [draft.vals.findLast((val) => val.step >= 0) ?? draft.vals[0]].filter((val) => val !== undefined);
}

function collect(arg: Argument, into: Set<string>): void {
  if (typeof arg !== "object" || arg === null) return;
  if (Array.isArray(arg)) for (const item of arg as readonly Argument[]) collect(item, into);
  else if ("kind" in arg && arg.kind === "node") into.add(arg.name);
}

/**
 * In the ATen dialect, writes are outputs: a value of the same type becomes the new value of a
 * buffer or input.
 */
function mutationsOf(draft: Draft, recipe: ProgramRecipe): { spec: OutputSpec; val: Val }[] {
  if (!draft.mutable || recipe.dialect === "TRAINING") return [];
  const choose = new Choices({ maker: 0, choices: [], key: recipe.seed, live: true });
  const used = new Set<string>();
  return draft.inputs.flatMap(({ kind, val: place, target }) => {
    if (kind !== "USER_INPUT" && kind !== "BUFFER") return [];
    const val = choose.rendezvous(
      draft.vals.filter(
        (item) =>
          item.step >= 0 &&
          !used.has(item.name) &&
          item.fake.dtype === place.fake.dtype &&
          item.fake.ndim === place.fake.ndim &&
          item.fake.shape.every((size, d) => size === place.fake.shape[d]),
      ),
    );
    if (val === undefined) return [];
    used.add(val.name);
    const what = kind === "BUFFER" ? "BUFFER_MUTATION" : "USER_INPUT_MUTATION";
    const arg = { kind: "tensor", name: val.name } as const;
    return [{ val, spec: { kind: what, target: target ?? place.name, arg } satisfies OutputSpec }];
  });
}

const ORDER = ["PARAMETER", "BUFFER", "CONSTANT_TENSOR", "USER_INPUT"] as const;

/** Drops writes to memory that an output shares: such programs are not functional. */
function finish(draft: Draft, recipe: ProgramRecipe): ExportedProgram {
  const mutations = mutationsOf(draft, recipe);
  const program = assemble(draft, recipe, mutations);
  if (mutations.length === 0 || isFunctional(program, draft.operators)) return program;
  return assemble(draft, recipe, []);
}

type Mutations = ReturnType<typeof mutationsOf>;

function assemble(draft: Draft, recipe: ProgramRecipe, mutations: Mutations): ExportedProgram {
  const inputs = ORDER.flatMap((kind) => draft.inputs.filter((input) => input.kind === kind));
  const outputs = outputsOf(draft, recipe);
  const results = [...mutations.map(({ val }) => val), ...outputs];
  const nodes: Node[] = [
    ...inputs.map(({ val }) => placeholder(val)),
    ...draft.calls,
    output(results.map((val) => val.name)),
  ];
  const tensors = (kinds: readonly string[]): Map<string, Tensor> =>
    new Map(
      inputs.filter((input) => kinds.includes(input.kind)).map(({ target, tensor }) => [target!, tensor]),
    );
  const users = inputs.filter((input) => input.kind === "USER_INPUT");
  const program = new ExportedProgram({
    graph: new GraphBuilder({ unknownTargets: "allow" }).addAll(nodes).build(),
    graphSignature: {
      inputSpecs: inputs.map(inputSpec),
      outputSpecs: [
        ...mutations.map(({ spec }) => spec),
        ...outputs.map(
          ({ name }): OutputSpec => ({ kind: "USER_OUTPUT", arg: { kind: "tensor", name }, target: null }),
        ),
      ],
    },
    stateDict: tensors(["PARAMETER", "BUFFER"]),
    parameterNames: new Set(tensors(["PARAMETER"]).keys()),
    constants: tensors(["CONSTANT_TENSOR"]),
    rangeConstraints: recipe.dynamic
      ? new Map([[BATCH.name, { min: 2, max: MAX_BATCH } satisfies RangeConstraint]])
      : new Map(),
    symbolHints: recipe.dynamic ? new Map([[BATCH.name, draft.hint(BATCH)]]) : new Map(),
    moduleCallGraph: [{ fqn: "", signature: callSignature(users, outputs) }],
    exampleInputs: { leaves: users.map(({ tensor }) => tensor) },
    dialect: recipe.dialect,
  });
  rememberNoise(
    program,
    results.map(({ facts }) => facts),
  );
  // fast-check prints a counterexample as the text that it can be made again from.
  Object.defineProperty(program, toStringMethod, { value: () => printIr(program, { metadata: false }) });
  return program;
}

function callSignature(users: readonly DraftInput[], outputs: readonly Val[]) {
  return {
    inputs: [],
    outputs: [],
    inSpec: tupleSpec([tupleSpec(users.map(() => LEAF)), dictSpec([])]),
    outSpec: tupleSpec(outputs.map(() => LEAF)),
    forwardArgNames: users.map(({ val }) => val.name),
  };
}

const inputSpec = ({ kind, val, target }: DraftInput): InputSpec => ({
  kind,
  arg: { kind: "tensor", name: val.name },
  target,
  persistent: kind === "BUFFER" ? true : null,
});

const placeholder = ({ name, fake }: Val): Node =>
  Object.freeze({ name, op: "placeholder", target: name, args: [], kwargs: NO_KWARGS, meta: { val: fake } });

const output = (names: readonly string[]): Node =>
  Object.freeze({
    name: "output",
    op: "output",
    target: "output",
    args: [tuple(names.map((name) => ref(name)))],
    kwargs: NO_KWARGS,
    meta: {},
  });
