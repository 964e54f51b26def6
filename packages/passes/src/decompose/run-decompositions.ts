import { checkOptions, finish, type OptionNames, type Work } from "@sconce/errors";
import { type ExportedProgram, type RangeConstraint, requireProgram } from "@sconce/ir";
import { defaultOperators, type OperatorTable } from "@sconce/ops";
import { exactRange, LoweringTracer, type RetraceEnv, shapeEnvOf } from "@sconce/trace";
import { perVersion } from "../analysis/per-version.js";
import { Dispatcher } from "../functionalize/dispatcher.js";
import { withoutTokens } from "../functionalize/effect-tokens.js";
import { unseenWrite } from "../functionalize/errors.js";
import { HiddenAliases } from "../functionalize/hidden-aliases.js";
import { refuseSharedState } from "../functionalize/shared-state.js";
import { refuseOpaqueEffects } from "../retrace/opaque-calls.js";
import { type Retrace, retraceProgram } from "../retrace/retrace-program.js";
import { type Decompositions, defaultDecompositions } from "../tables/table.js";
import { entriesOf } from "../tables/table-keys.js";
import { finishProgram } from "./finish-program.js";
import { nameInputs } from "./input-names.js";
import { orderInputs } from "./input-order.js";
import { sameCalls } from "./same-calls.js";

/** How `runDecompositions` lowers a program. */
export interface RunDecompositionsOptions {
  /** Operators known to the session; PyTorch's by default. */
  readonly operators?: OperatorTable;
  /** The pass that the origins of new nodes name; `decompose` when left out. */
  readonly pass?: string;
  /**
   * Numbers before texts: what PyTorch lowers to a program that computes something else is
   * decomposed further where that fixes it, and refused where nothing does; autocast casts what
   * operators are made of, as in a run. `functionalize` does so; PyTorch's own answer is the
   * default.
   */
  readonly exact?: boolean;
}

const OPTIONS: OptionNames<RunDecompositionsOptions> = { operators: true, pass: true, exact: true };

/** How a program is lowered that runs in place of its source. */
export interface LoweringOptions extends RunDecompositionsOptions {
  /**
   * Whether results get the strides that PyTorch's kernels give them, which its decompositions do
   * not always. Default false.
   */
  readonly laysOut?: boolean;
}
const LOWERING_OPTIONS: OptionNames<LoweringOptions> = { ...OPTIONS, laysOut: true };

/**
 * Lowers a program as `ExportedProgram.run_decompositions` does: functionalizes it (in-place and
 * view operators become values, mutations of buffers, parameters and inputs become leading
 * outputs), replaces operators by the table, and drops what is dead. The result is in the ATEN
 * dialect; state, constants and input names stay (the inputs' order too, but for constants: see
 * {@link orderInputs}).
 *
 * Calls of operators that nothing defines stay as they are, with the results that the program
 * records.
 *
 * Without a table, PyTorch's default one is used ({@link defaultDecompositions}); any `Map` or
 * object of entries is a table. An entry is checked against each call that it replaces. An empty
 * table only functionalizes and decomposes the composites that cannot be kept. A program in which
 * nothing is left to lower comes back as it is (PyTorch would make its nodes anew, and write its
 * mutated inputs back with one more copy).
 *
 * @throws SconceError `DECOMPOSITION_TABLE`, `DECOMPOSITION_RESULT`, `DECOMPOSITION_CYCLE`,
 * `DECOMPOSITION_FAILED` for entries of the table; those of the operators' rules,
 * `NOT_FUNCTIONALIZABLE`, `INTERNAL_OVERLAP`, `SHARED_STATE`, `CONSTANT_MUTATED`,
 * `UNKNOWN_OPERATOR`, `OPAQUE_EFFECTS`, `OPAQUE_INPUTS`
 */
export function runDecompositions(
  program: ExportedProgram,
  table?: Decompositions,
  options: RunDecompositionsOptions = {},
): ExportedProgram {
  checkOptions("runDecompositions", options, OPTIONS);
  return finish(decompositionSteps(program, table, options));
}

/**
 * As {@link runDecompositions}, in pieces.
 *
 * @param envOf makes what decides conditions on sizes
 */
export function* decompositionSteps(
  program: ExportedProgram,
  table?: Decompositions,
  options: LoweringOptions = {},
  envOf: (program: ExportedProgram) => RetraceEnv = shapeEnvOf,
): Work<ExportedProgram> {
  checkOptions("runDecompositions", options, LOWERING_OPTIONS);
  requireProgram(program, "runDecompositions");
  const operators = options.operators ?? defaultOperators();
  if (program.dialect === "TRAINING") refuseOpaqueEffects(program.graph, operators);
  const entries = table === undefined ? defaultEntries(operators) : entriesOf(table, operators);
  yield;
  const inOrder = orderInputs(withoutTokens(program));
  yield;
  const ordered = nameInputs(inOrder);
  yield;
  const env = envOf(program);
  env.reserveNames(program);
  const retrace = (hidden?: HiddenAliases): Work<Retrace> => {
    const tracer = new LoweringTracer(operators, env, options.pass);
    return retraceProgram(ordered, new Dispatcher(tracer, operators, entries, hidden, options.laysOut));
  };
  const trace = (): Work<Retrace> => (options.exact === true ? retraceExactly(retrace) : retrace());
  let traced = yield* trace();
  yield;
  let ranges = newRanges(env);
  // PyTorch traces twice. The second trace knows what the first found about values of tensors, and
  // its new symbols have other numbers.
  if (env.unnamed.length > 0 || (env.made > 0 && env.knowsData)) {
    env.restart();
    traced = yield* trace();
    ranges = [...ranges, ...newRanges(env)];
  }
  refuseSharedState(ordered, traced.mutated);
  const lowered = yield* finishProgram(ordered, traced, operators, new Map(ranges));
  yield;
  if (!sameCalls(program, lowered, copiesWrittenBack(program, lowered))) return lowered;
  return options.exact !== true && hasNewNames(program, lowered) ? lowered : program;
}

/** The entries of the default table, which are many: made and checked once for its operators. */
const defaultEntries = perVersion((operators) => entriesOf(defaultDecompositions(operators), operators));

/** Returns the ranges of symbols that the source program has no name for. */
const newRanges = (env: RetraceEnv): readonly (readonly [string, RangeConstraint])[] =>
  env.unnamed
    .filter(({ name }) => !env.replacements.has(name))
    .map((symbol) => [
      symbol.name,
      symbol.name.startsWith("zuf")
        ? { ...env.rangeOf(symbol), float: true }
        : exactRange(env.rangeOf(symbol)),
    ]);

/**
 * As PyTorch does if no value shows a hidden write; else with the operators decomposed that hid a
 * write.
 */
function* retraceExactly(retrace: (hidden: HiddenAliases) => Work<Retrace>): Work<Retrace> {
  const decomposed = new Set<string>();
  for (;;) {
    const hidden = new HiddenAliases(new Set(decomposed));
    const traced = yield* retrace(hidden);
    const [first] = hidden.seen;
    if (first === undefined) return traced;
    const before = decomposed.size;
    for (const target of hidden.seen) decomposed.add(target);
    if (decomposed.size === before) throw unseenWrite(first);
  }
}

/**
 * Returns whether a joint graph of forward and backward gets other names. PyTorch drops nodes of
 * such a graph after naming them, and numbers those that are left anew with each retrace. With
 * symbolic sizes the numbers are not known.
 */
function hasNewNames(program: ExportedProgram, { graph }: ExportedProgram): boolean {
  const isJoint = program.graphSignature.outputSpecs.some(({ kind }) => kind === "LOSS_OUTPUT");
  if (!isJoint || program.rangeConstraints.size > 0 || graph.size !== program.graph.size) return false;
  return [...program.graph.nodes()].some(({ name }, i) => name !== graph.nodeAt(i).name);
}

/**
 * Returns the copies by which a retrace writes to inputs what the program returned for them
 * already.
 */
function copiesWrittenBack({ graphSignature }: ExportedProgram, lowered: ExportedProgram): Set<string> {
  const returned = new Set(
    graphSignature.outputSpecs.flatMap(({ kind, target }) =>
      kind === "USER_INPUT_MUTATION" ? [target] : [],
    ),
  );
  const copies = new Set<string>();
  for (const [name, target] of lowered.userInputsToMutate) {
    const node = lowered.graph.find(name);
    if (node?.target === "aten.copy.default" && returned.has(target)) copies.add(name);
  }
  return copies;
}
