import { checkOptions, describeValue, finish, markObject, type OptionNames, type Work } from "@sconce/errors";
import type {
  Argument,
  Backend,
  Dialect,
  ExportedProgram,
  NodeMeta,
  Problem,
  ProgramRunner,
  Value,
} from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { DType } from "@sconce/tensor";
import { COPY } from "../copy/this-copy.js";
import { boundValue, optionProblem } from "../options/bind.js";
import { optionError } from "../options/errors.js";
import type {
  OptionSession,
  OptionSpec,
  OptionSpecs,
  OptionsOf,
  OptionValue,
  PassOptions,
} from "../options/spec.js";
import type { RewriteContext } from "../rewrite/context.js";
import type { Rule } from "../rewrite/rule.js";
import { numberChangeProblem } from "../sampling/declaration.js";
import type { NumberChange } from "../sampling/number-change.js";
import type { Decompositions } from "../tables/table.js";
import { badPass, notAPass } from "./errors.js";

/** Computes one call on real values: what constant folding and differential checks run. */
export type Evaluator = (
  target: string,
  args: readonly (Argument | Value)[],
  kwargs: Readonly<Record<string, Argument | Value>>,
) => Value | readonly Value[];

/** What a pass may ask of the session that runs it. */
export interface PassContext {
  /** The operators of the session. */
  readonly operators: OperatorTable;
  /** Absent when no backend is there to compute with. */
  readonly evaluate?: Evaluator | undefined;
  /** Runs whole programs, for differential checks; absent as the evaluator is. */
  readonly run?: ProgramRunner | undefined;
  /**
   * A fresh decomposition table of the session, its plugins' entries included; PyTorch's default
   * when left out.
   */
  readonly decompositions?: (() => Decompositions) | undefined;
  /** The session's rewrite rules, by name. */
  readonly rules?: ReadonlyMap<string, Rule> | undefined;
  /** Who watches and limits the rewrites of rules: `explain` and `bisect`. */
  readonly rewrites?:
    | Pick<RewriteContext, "observe" | "allows" | "fired" | "made" | "refused" | "timed" | "ownerOf">
    | undefined;
  /** The session's backends by name. */
  readonly backends?: (() => ReadonlyMap<string, Backend>) | undefined;
  /**
   * What programs are checked by, after a pass with the program before it, at once or in pieces;
   * `verifyCalls` when left out.
   */
  readonly verify?:
    | ((program: ExportedProgram, before?: ExportedProgram) => readonly Problem[] | Work<readonly Problem[]>)
    | undefined;
  /** Most bytes that the values of a run may take; 4 GiB when left out. */
  readonly maxBytes?: number | undefined;
  /** Passes are timed by it; `performance` when left out. */
  readonly clock?: Clock | undefined;
  /** The plugin that a pass or rule comes from; there when the session has plugins. */
  readonly ownerOf?: ((part: object) => string | undefined) | undefined;
  /**
   * Reports to the user what a pass was asked to do and did not: an option names what the program
   * lacks. It is given to passes by the pass manager; see `PassEvent.notes`.
   */
  readonly note?: ((text: string) => void) | undefined;
  /** Where notes go that all rounds of a repetition agree on, with the pass and step in front. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** Returns the time in milliseconds; only differences matter. */
export interface Clock {
  /** Returns a time in milliseconds, of which only differences count. */
  now(): number;
}

/** A transformation from program to program. The same object back means "unchanged". */
export interface Pass {
  /** The name that pipelines use, in kebab case. */
  readonly name: string;
  /** One sentence, with what goes in and what comes out. */
  readonly doc: string;
  /** The options that the pass takes, by name. */
  readonly options: Readonly<Record<string, OptionSpec>>;
  /** The dialect that the program must be in; any when left out. */
  readonly requires?: Dialect | undefined;
  /**
   * The dialect that the result is in; that of the input when left out. The pass manager holds the
   * pass to it.
   */
  readonly ensures?: Dialect | undefined;
  /**
   * Metadata that the pass takes away on purpose. The verifier then does not count it as lost, and
   * the program's history keeps no step of the pass, since that would hold what was taken away.
   */
  readonly drops?: readonly (keyof NodeMeta)[] | undefined;
  /**
   * The pass changes numbers on purpose: by a tolerance, or for classes of input values. A function
   * gives this, or the float dtype that the pass computes in, whose rounding checks then allow,
   * from the options. With `true`, checks leave the pass out unless they are given a bound for it.
   */
  readonly changesNumbers?:
    | boolean
    | NumberChange
    | ((options: PassOptions) => DType | NumberChange | undefined)
    | undefined;
  /**
   * Operators whose calls the pass removes on purpose although they check something:
   * `aten._assert_scalar.default`. Checks report each other assertion that is gone, unless one that
   * is left implies it (`PASS_DROPPED_ASSERTION`).
   */
  readonly removesAssertions?: readonly string[] | undefined;
  /** The pass makes the program take inputs on purpose that it refused: other sizes or dtypes. */
  readonly widensInputs?: boolean | undefined;
  /**
   * The pass reads values of parameters, buffers or constants: `transformAsync` then waits for
   * those of a program that was loaded with `weights: "lazy"`. With `false` it reads none:
   * `transformInWorker` does not copy the values for it.
   */
  readonly readsValues?: boolean | undefined;
  /** The rewrite rules that the pass applies by itself: `explain` then knows them. */
  readonly rules?: readonly Rule[] | undefined;
  /** Returns the changed program; the same object when nothing changes. */
  run(program: ExportedProgram, context: PassContext, options: PassOptions): ExportedProgram;
  /**
   * Yields the same in pieces, for passes that take long: yields where it may pause, and returns
   * the program. `transformAsync` runs it where it is there, else `run` without a pause.
   */
  steps?(
    program: ExportedProgram,
    context: PassContext,
    options: PassOptions,
  ): Generator<void, ExportedProgram, void>;
}

/**
 * A pass as its author writes it: its run gets the options with the types of their defaults. A pass
 * with `steps` needs no `run`: it takes the steps without a pause.
 */
type Definition<Specs extends OptionSpecs> = Omit<Pass, "options" | "run" | "steps"> & {
  readonly options?: Specs;
  /** Returns the changed program; the same object when nothing changes. */
  run?(program: ExportedProgram, context: PassContext, options: OptionsOf<Specs>): ExportedProgram;
  /** Yields the same in pieces: yields where it may pause. */
  steps?(
    program: ExportedProgram,
    context: PassContext,
    options: OptionsOf<Specs>,
  ): Generator<void, ExportedProgram, void>;
};

const PASS: OptionNames<Definition<OptionSpecs>> = {
  name: true,
  doc: true,
  options: true,
  requires: true,
  ensures: true,
  drops: true,
  changesNumbers: true,
  removesAssertions: true,
  widensInputs: true,
  readsValues: true,
  rules: true,
  run: true,
  steps: true,
};

/**
 * Defines a pass; the result is a frozen value. The types of its options follow from their
 * defaults.
 * @throws SconceError `PASS_DEFINITION` for a property of a wrong form
 */
export function definePass<const Specs extends OptionSpecs>(definition: Definition<Specs>): Pass {
  checkOptions("definePass", definition, PASS);
  checkDefinition(definition);
  checkForms(definition as Readonly<Record<string, unknown>>);
  checkPassNumbers(definition);
  const options = Object.entries(definition.options ?? {}).map(
    ([name, spec]) => [name, Object.freeze({ ...spec, default: frozen(spec.default) })] as const,
  );
  const run =
    definition.run ??
    ((program, context, given: OptionsOf<Specs>) => finish(definition.steps!(program, context, given)));
  const pass = { ...definition, run, options: Object.freeze(Object.fromEntries(options)) } as Pass;
  return Object.freeze(markObject(pass, `pass "${definition.name}"`, COPY));
}

/** @throws SconceError `PASS_DEFINITION` */
function checkDefinition({ name, run, steps }: { name: unknown; run?: unknown; steps?: unknown }): void {
  if (typeof name !== "string" || name === "")
    throw badPass(
      String(name),
      `has the name ${describeValue(name)}`,
      'give it a name: `name: "remove-dropout"`',
    );
  if (typeof run !== "function" && (run !== undefined || steps === undefined))
    throw badPass(
      name,
      `has ${describeValue(run)} as \`run\``,
      "give a function: `run: (program) => program`",
    );
}

/** Whether a property may have a value, and how such a value is written. */
type Form = readonly [(value: unknown) => boolean, string];
const isText = (value: unknown): boolean => typeof value === "string" && value !== "";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const TEXT: Form = [(value) => typeof value === "string", 'one sentence: "Removes dropout."'];
const DIALECT: Form = [isText, 'one dialect: "ATEN"'];
const NAMES: Form = [isTexts, 'a list of names: ["aten._assert_scalar.default"]'];
const isRule = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "roots" in value && "name" in value;
const RULES: Form = [
  (value) => Array.isArray(value) && value.every(isRule),
  "a list of rules: [defineRule({ ... })]",
];
const FLAG: Form = [(value) => typeof value === "boolean", "true or false"];
const FUNCTION: Form = [(value) => typeof value === "function", "a generator function"];
const OBJECT: Form = [
  (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  'an object of options: { keep: { default: [], doc: "..." } }',
];
/** The properties besides the name, `run` and `changesNumbers`, which are checked separately. */
const FORMS: Readonly<Partial<Record<keyof Pass, Form>>> = {
  doc: TEXT,
  options: OBJECT,
  requires: DIALECT,
  ensures: DIALECT,
  drops: [isTexts, 'a list of metadata: ["stackTrace"]'],
  removesAssertions: NAMES,
  widensInputs: FLAG,
  readsValues: FLAG,
  rules: RULES,
  steps: FUNCTION,
};

/** @throws SconceError `PASS_DEFINITION` */
function checkForms(definition: Readonly<Record<string, unknown>>): void {
  for (const [property, [isRight, form]] of Object.entries(FORMS)) {
    const value = definition[property];
    if (value === undefined || isRight(value)) continue;
    throw badPass(String(definition.name), `has ${describeValue(value)} as \`${property}\``, `give ${form}`);
  }
}

/**
 * Precision and functions are held against the options when the pass runs. @throws SconceError
 * `PASS_DEFINITION`
 */
function checkPassNumbers({ name, changesNumbers: declared }: Pick<Pass, "name" | "changesNumbers">): void {
  if (declared === undefined || typeof declared === "boolean" || typeof declared === "function") return;
  const problem = numberChangeProblem(declared);
  if (problem === undefined) return;
  throw badPass(name, problem.what, problem.fix);
}

const frozen = (value: OptionValue): OptionValue =>
  Array.isArray(value) ? Object.freeze([...(value as readonly string[])]) : value;

/** A pass with the options it is to be run with. */
export interface PassCall {
  /** The pass. */
  readonly pass: Pass;
  /** Its options, defaults filled in. */
  readonly options: PassOptions;
}

/** Passes that are run again and again until none of them changes the program. */
export interface Repeat {
  /** The items to run again until the program no longer changes. */
  readonly repeat: readonly PipelineItem[];
  /** Most rounds. */
  readonly max: number;
}

/** One item of a pipeline. */
export type PipelineItem = PassCall | Repeat;

/**
 * Passes to be repeated to a fixpoint. The run fails when the last of `max` rounds still changes
 * something.
 */
export const repeat = (items: readonly (Pass | PipelineItem)[], max = 10): Repeat => ({
  repeat: items.map(pipelineItem),
  max,
});

/** Returns a pass as an item, with its default options. */
function pipelineItem(item: Pass | PipelineItem): PipelineItem {
  if (typeof item !== "object" || item === null) throw notAPass(describeValue(item));
  return "pass" in item || "repeat" in item ? item : passCall(item);
}

/** Passes as items of a pipeline. @throws SconceError `PIPELINE_SYNTAX` for other values */
export function pipelineItems(passes: readonly (Pass | PipelineItem)[]): readonly PipelineItem[] {
  if (!Array.isArray(passes)) throw notAPass(describeValue(passes));
  return passes.map(pipelineItem);
}

/**
 * Binds options to a pass, defaults filled in.
 *
 * @param session what names in options are held against; those that it does not know are checked
 * before the pass runs
 * @throws SconceError `PASS_OPTION` for an unknown option or a value that it does not take;
 * `UNKNOWN_RULE`, `UNKNOWN_BACKEND`
 */
export function passCall(pass: Pass, options: PassOptions = {}, session: OptionSession = {}): PassCall {
  const problem = optionProblem(pass, options, session);
  if (problem !== undefined) throw optionError(problem);
  // Frozen, since the run of a pass is given them: the defaults are those of later runs too.
  const bound = Object.entries(pass.options).map(
    ([name, spec]) => [name, frozen(boundValue(spec, options[name] ?? spec.default))] as const,
  );
  return { pass, options: Object.freeze(Object.fromEntries(bound)) };
}
