/**
 * @file `npm run conformance -- --programs DIR | --ops DIR [--checks LIST] | --decompositions FILE
 * [--backend NAME] [--filter TEXT]`.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CPU_KERNELS, createEvaluator } from "@sconce/backend-cpu";
import { isSconceError } from "@sconce/errors";
import type { Backend } from "@sconce/ir";
import {
  BackendChecker,
  caseTitle,
  type Kernels,
  OP_CHECKS,
  type OpCase,
  type OpCheck,
  OpChecker,
  type OperatorCall,
} from "@sconce/ops-cases";
import { openCaseFiles } from "@sconce/ops-cases/node";
import { createSconce, type Sconce } from "@sconce/session";
import { backendNamesText, loadBackend } from "@sconce/session/backends";
import { torchLibraries } from "@sconce/torch-libraries";
import { corpusPlugin } from "./corpus-plugin.js";
import { type DecompositionCase, type DecompositionFile, decompositionProblem } from "./decompositions.js";
import { badUsage } from "./errors.js";
import { checkProgramFolder } from "./programs.js";

const USAGE = `usage: npm run conformance -- --programs DIR | --ops DIR [--checks LIST] | --decompositions FILE [--backend NAME] [--filter TEXT] [--verbose]
  --programs  program folders in the oracle's format (case.json, program.pt2, texts, inputs, outputs)
  --ops       recorded calls of operators: a folder of FAMILY.jsonl (packages/ops-cases/cases) or of the oracle's
              NAME.OVERLOAD.safetensors, or one such file
  --checks    what each operator case is put through, with commas between (default all):
                run            the results are PyTorch's
                fake           the shape rule predicts dtype, sizes and strides of the run and of PyTorch
                decomposition  where there is a kernel too, the decomposition gives PyTorch's numbers
  --decompositions  a JSON file of calls before and after run_decompositions()
  --backend   where to run: ${backendNamesText} (default cpu); on other backends than cpu, operators run as
              programs of one node
  --mode      the MODE of the backend's name: webasm, cpu, webgpu, ... (default the best that is there)
  --filter    only programs, overloads and decompositions whose name contains TEXT
  --verbose   list what passed too`;

/** The backend that every session has, and that runs operators one by one. */
const INTERPRETER = "cpu";

const OPTIONS = {
  programs: { type: "string" },
  ops: { type: "string" },
  decompositions: { type: "string" },
  checks: { type: "string", default: OP_CHECKS.join() },
  backend: { type: "string", default: "cpu" },
  mode: { type: "string" },
  filter: { type: "string", default: "" },
  verbose: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

/** @throws SconceError `USAGE`, `UNKNOWN_CHECK`, `NO_FOLDER` */
function readOptions(): Options {
  let values: Options;
  try {
    ({ values } = parseArgs({ options: OPTIONS }));
  } catch (error) {
    throw badUsage("USAGE", (error as Error).message, "see --help");
  }
  if (values.help) return values;
  const sources = [values.programs, values.ops, values.decompositions].filter((path) => path !== undefined);
  if (sources.length === 0) throw badUsage("USAGE", "nothing to check", USAGE);
  const unknown = values.checks.split(",").find((check) => !OP_CHECKS.includes(check as OpCheck));
  if (unknown !== undefined)
    throw badUsage(
      "UNKNOWN_CHECK",
      `"${unknown}" is not one of ${OP_CHECKS.join(", ")}`,
      "name one of these",
    );
  const missing = sources.find((path) => !existsSync(path));
  if (missing !== undefined)
    throw badUsage("NO_FOLDER", `there is no file or folder ${missing}`, "check the path");
  return values;
}

class Run {
  readonly #options: Options;
  readonly #sconce: Sconce;
  readonly #backend: string;
  passed = 0;
  failed = 0;

  private constructor(options: Options, backend: string, sconce: Sconce) {
    this.#options = options;
    this.#backend = backend;
    this.#sconce = sconce;
  }

  /** @throws SconceError `UNKNOWN_BACKEND` */
  static async open(options: Options): Promise<Run> {
    const { backend, mode } = options;
    const name = mode === undefined ? backend : `${backend}:${mode}`;
    return new Run(options, name, await sessionWith(name));
  }

  async programs(folder: string): Promise<void> {
    const { filter } = this.#options;
    const backend = this.#backend;
    for (const name of listed(folder, filter)) {
      if (!existsSync(join(folder, name, "case.json"))) continue;
      for (const check of await checkProgramFolder(join(folder, name), this.#sconce, { backend }))
        this.#report(name, check.name, check.problem);
    }
  }

  async ops(path: string): Promise<void> {
    if (this.#backend === INTERPRETER) this.#interpreterOps(path);
    else await this.#backendOps(path);
  }

  async #backendOps(path: string): Promise<void> {
    const open = async (): Promise<Backend> => (await sessionWith(this.#backend)).backend(this.#backend);
    const checker = new BackendChecker(open, this.#sconce.operators);
    for (const one of this.#cases(path)) this.#report(one.target, caseTitle(one), await checker.problem(one));
    const { device, partition, refused, noProgram } = checker.counts;
    console.log(
      `${device} on the device, ${partition} by partition, ${refused} refused, ${noProgram} that no program can say`,
    );
  }

  #interpreterOps(path: string): void {
    const checks = this.#options.checks.split(",") as OpCheck[];
    const { operators } = this.#sconce;
    const kernels: Kernels = {
      has: (target) => Object.hasOwn(CPU_KERNELS, target),
      evaluator: (without) => createEvaluator({ operators, withoutKernels: without }) as OperatorCall,
    };
    const checker = new OpChecker({ operators, kernels, checks });
    for (const one of this.#cases(path)) this.#report(one.target, caseTitle(one), checker.problem(one));
    console.log(`checks made: ${checks.map((check) => `${check} ${checker.counts[check]}`).join(", ")}`);
  }

  /** Yields the chosen cases of a folder, one file at a time. */
  *#cases(path: string): Iterable<OpCase> {
    for (const { cases } of openCaseFiles(path))
      yield* cases.filter(({ target }) => target.includes(this.#options.filter));
  }

  decompositions(path: string): void {
    const all = decompositionCases(path).filter(({ name }) => name.includes(this.#options.filter));
    const cases = all.filter(({ core }) => core !== undefined);
    for (const one of cases) this.#report("decomposition", one.name, decompositionProblem(one, this.#sconce));
    if (cases.length < all.length)
      console.log(`left out: ${all.length - cases.length} that PyTorch itself does not lower`);
  }

  #report(where: string, name: string, problem: string | undefined): void {
    if (problem === undefined) this.passed++;
    else this.failed++;
    if (problem !== undefined) console.log(`FAIL ${where}: ${name}: ${problem}`);
    else if (this.#options.verbose) console.log(`ok   ${where}: ${name}`);
  }
}

/** Returns a session with the interpreter, and with the backend of this name. */
async function sessionWith(name: string): Promise<Sconce> {
  return createSconce({
    plugins: [corpusPlugin, torchLibraries],
    backends: name === INTERPRETER ? [] : [await loadBackend(name)],
  });
}

/** @throws SconceError `CASE_FILE` */
function decompositionCases(path: string): readonly DecompositionCase[] {
  try {
    const { cases, dynamic_cases: dynamic } = JSON.parse(readFileSync(path, "utf8")) as DecompositionFile;
    return [...cases, ...dynamic];
  } catch (error) {
    throw badUsage(
      "CASE_FILE",
      `${path} is not a file of decompositions: ${(error as Error).message}`,
      "give a file that packages/testing/oracle wrote",
    );
  }
}

async function main(): Promise<number> {
  const options = readOptions();
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  const run = await Run.open(options);
  if (options.programs !== undefined) await run.programs(options.programs);
  if (options.ops !== undefined) await run.ops(options.ops);
  if (options.decompositions !== undefined) run.decompositions(options.decompositions);
  console.log(`${run.passed} passed, ${run.failed} failed`);
  // A filter that nothing matches, or an empty folder, shows nothing.
  if (run.passed + run.failed === 0)
    throw badUsage("NOTHING_CHECKED", "no case was found to check", "look at the path and the filter");
  return run.failed === 0 ? 0 : 1;
}

const listed = (folder: string, filter: string): string[] => {
  if (!statSync(folder).isDirectory())
    throw badUsage(
      "NO_FOLDER",
      `${folder} is not a folder of programs`,
      "give the folder that holds the programs' folders",
    );
  return readdirSync(folder)
    .filter((name) => name.includes(filter))
    .sort();
};

try {
  process.exitCode = await main();
} catch (error) {
  if (!isSconceError(error)) throw error;
  console.error(error.describe());
  process.exitCode = 2;
}
