/** @file What has to hold of every program, as a function from program to problem. */
import { cpuBackend, createEvaluator } from "@sconce/backend-cpu";
import { checkOptions, isSconceError, type OptionNames } from "@sconce/errors";
import type { ExportedProgram, Value } from "@sconce/ir";
import { parseIr, printIr, tensorsOf } from "@sconce/ir/text";
import { verify } from "@sconce/ir/verify";
import { defaultOperators, type OperatorTable } from "@sconce/ops";
import {
  builtinPasses,
  copyTensor,
  type Evaluator,
  type Pass,
  PassManager,
  runDecompositions,
  sampleInputs,
} from "@sconce/passes";
import { Tensor } from "@sconce/tensor";
import { toleranceOf } from "./generator/noise.js";
import { meaningDifference } from "./matchers/meaning.js";

/** What a property of programs checks. */
export interface ProgramProblemOptions {
  /** The passes to check; Sconce's own when left out. */
  readonly passes?: readonly Pass[] | undefined;
  /** The operators that programs may call. @defaultValue PyTorch's */
  readonly operators?: OperatorTable | undefined;
  /** How many sets of inputs to run on; 2 when left out. */
  readonly runs?: number | undefined;
}

const PROBLEM: OptionNames<ProgramProblemOptions> = { passes: true, operators: true, runs: true };

/**
 * Returns what is wrong with a program, or with what Sconce does to it; undefined when nothing is.
 * It has to be valid, read back from its text, run without NaN, lower to a program of the same
 * meaning, and keep its meaning and validity through each pass with its default options (only its
 * validity where the pass changes numbers on purpose).
 */
export async function programProblem(
  program: ExportedProgram,
  options: ProgramProblemOptions = {},
): Promise<string | undefined> {
  checkOptions("programProblem", options, PROBLEM);
  const { passes = builtinPasses, operators = defaultOperators(), runs = 2 } = options;
  const inputs = sampleInputs(program, { count: runs, seed: 1 });
  const checks: readonly (() => string | undefined | Promise<string | undefined>)[] = [
    () => listed("the program is not valid", verify(program, { operators })),
    () => textProblem(program),
    () => runProblem(program, inputs, operators),
  ];
  for (const check of checks) {
    const problem = await problemOf(check);
    if (problem !== undefined) return problem;
  }
  let lowered: ExportedProgram | undefined;
  const problem = await problemOf(() => {
    lowered = runDecompositions(program, undefined, { operators });
    return changeProblem(program, lowered, inputs, operators);
  });
  if (problem !== undefined) return `runDecompositions: ${problem}`;
  for (const pass of passes) {
    const subject = pass.requires === "ATEN" ? lowered! : program;
    if (pass.requires !== undefined && pass.requires !== subject.dialect) continue;
    const trouble = await problemOf(() =>
      passProblem(pass, subject, program, inputs, operators).catch((error: unknown) => {
        // PyTorch's own lowering has calls outside of the core set (`prims.copy_strided`).
        if (isCausedBy(error, "NOT_IN_DIALECT")) return undefined;
        // Some passes only take functional programs, and say so of this one.
        if (subject === lowered || !isCausedBy(error, "NOT_FUNCTIONAL")) throw error;
        return passProblem(pass, lowered!, program, inputs, operators);
      }),
    );
    if (trouble !== undefined) return `pass "${pass.name}": ${trouble}`;
  }
  return undefined;
}

const isCausedBy = (error: unknown, code: string): boolean =>
  isSconceError(error) && isSconceError(error.cause, code);

const copied = (value: Value): Value => (value instanceof Tensor ? copyTensor(value) : value);

/** An error is a problem too. */
async function problemOf(
  check: () => string | undefined | Promise<string | undefined>,
): Promise<string | undefined> {
  try {
    return await check();
  } catch (error) {
    const { cause } = error as { readonly cause?: unknown };
    if (isSconceError(cause, "NOT_FUNCTIONAL")) return cause.describe();
    if (isSconceError(error)) return error.describe();
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}

const listed = (what: string, problems: readonly { readonly message: string }[]): string | undefined =>
  problems.length === 0 ? undefined : `${what}: ${problems.map(({ message }) => message).join("; ")}`;

function textProblem(program: ExportedProgram): string | undefined {
  const text = printIr(program);
  const again = parseIr(text, { tensors: tensorsOf(program) });
  if (printIr(again) !== text) return "the text does not read back to the same program";
  return String(again) === String(program) ? undefined : "the program read back has another PyTorch text";
}

async function runProblem(
  program: ExportedProgram,
  sets: readonly (readonly Value[])[],
  operators: OperatorTable,
): Promise<string | undefined> {
  const executable = await cpuBackend({ operators }).compile(program);
  // The first set is the program's own: what it gives is finite where that can be promised.
  for (const inputs of sets.slice(0, 1)) {
    const outputs = await executable.run(inputs.map(copied));
    for (const [i, value] of outputs.entries()) {
      if (!(value instanceof Tensor)) continue;
      if (toleranceOf(program) !== undefined && !value.toFloat64Array().every(Number.isFinite))
        return `output ${i} is not finite`;
    }
  }
  return undefined;
}

async function changeProblem(
  before: ExportedProgram,
  after: ExportedProgram,
  inputs: readonly (readonly Value[])[],
  operators: OperatorTable,
): Promise<string | undefined> {
  const invalid = listed("the result is not valid", verify(after, { operators }));
  if (invalid !== undefined) return invalid;
  return meaningDifference(after, { of: before, inputs, operators });
}

async function passProblem(
  pass: Pass,
  subject: ExportedProgram,
  original: ExportedProgram,
  inputs: readonly (readonly Value[])[],
  operators: OperatorTable,
): Promise<string | undefined> {
  const evaluate = createEvaluator({ operators }) as Evaluator;
  const cpu = cpuBackend({ operators });
  const context = { operators, evaluate, backends: () => new Map([[cpu.name, cpu]]) };
  const after = new PassManager(context, { verify: true }).run(subject, [pass]);
  if (after === subject || (pass.changesNumbers ?? false) !== false) return undefined;
  return changeProblem(original, after, inputs, operators);
}
