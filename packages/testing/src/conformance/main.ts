/** @file `npm run conformance -- --programs DIR | --ops DIR [--checks LIST] | --decompositions FILE [--backend NAME] [--filter TEXT]`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createSconce } from "sconce";
import { corpusPlugin } from "./corpus-plugin.js";
import { type DecompositionFile, decompositionProblem } from "./decompositions.js";
import { openOpCases } from "./op-case-set.js";
import { OP_CHECKS, type OpCheck, OpChecker } from "./op-checker.js";
import { checkProgramFolder } from "./programs.js";

const USAGE = `usage: npm run conformance -- --programs DIR | --ops DIR [--checks LIST] | --decompositions FILE [--backend NAME] [--filter TEXT] [--verbose]
  --programs  program folders in the oracle's format (case.json, program.pt2, texts, inputs, outputs)
  --ops       operator cases in the oracle's format: a folder of NAME.OVERLOAD.safetensors, or a zip of them
  --checks    what each operator case is put through, with commas between (default all):
                run            the results are PyTorch's
                fake           the shape rule foretells dtype, sizes and strides of the run and of PyTorch
                decomposition  where there is a kernel too, the decomposition gives PyTorch's numbers
  --decompositions  a JSON file of calls before and after run_decompositions()
  --backend   where to run (default cpu)
  --filter    only folders or files whose name contains TEXT
  --verbose   list what passed too`;

interface Tally {
  passed: number;
  failed: number;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      programs: { type: "string" },
      ops: { type: "string" },
      decompositions: { type: "string" },
      checks: { type: "string", default: OP_CHECKS.join() },
      backend: { type: "string", default: "cpu" },
      filter: { type: "string", default: "" },
      verbose: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const sources = [values.programs, values.ops, values.decompositions].filter((path) => path !== undefined);
  if (values.help || sources.length === 0) {
    console.log(USAGE);
    return values.help ? 0 : 2;
  }
  const checks = values.checks.split(",") as OpCheck[];
  const unknown = checks.find((check) => !OP_CHECKS.includes(check));
  if (unknown !== undefined) {
    console.error(`error UNKNOWN_CHECK: "${unknown}" is none of ${OP_CHECKS.join(", ")}`);
    return 2;
  }
  const tally: Tally = { passed: 0, failed: 0 };
  const tell = (where: string, name: string, problem: string | undefined): void => {
    if (problem === undefined) tally.passed++;
    else tally.failed++;
    if (problem !== undefined) console.log(`FAIL ${where}: ${name}: ${problem}`);
    else if (values.verbose) console.log(`ok   ${where}: ${name}`);
  };
  for (const path of sources) {
    if (!existsSync(path)) {
      console.error(`error NO_FOLDER: there is no file or folder ${path}`);
      return 2;
    }
  }
  const sconce = createSconce({ plugins: [corpusPlugin] });
  if (values.programs !== undefined) {
    for (const name of listed(values.programs, values.filter)) {
      if (!existsSync(join(values.programs, name, "case.json"))) continue;
      for (const check of await checkProgramFolder(join(values.programs, name), sconce, {
        backend: values.backend,
      })) {
        tell(name, check.name, check.problem);
      }
    }
  }
  if (values.ops !== undefined) {
    const checker = new OpChecker(sconce, values.backend, checks);
    for (const entry of openOpCases(values.ops, values.filter))
      for (const { id, problem } of checker.check(entry.read())) tell(entry.name, id, problem);
    console.log(`checks made: ${checks.map((check) => `${check} ${checker.counts[check]}`).join(", ")}`);
  }
  if (values.decompositions !== undefined) {
    const file = JSON.parse(readFileSync(values.decompositions, "utf8")) as DecompositionFile;
    for (const one of [...file.cases, ...file.dynamic_cases]) {
      if (one.core === undefined || !one.name.includes(values.filter)) continue;
      tell("decomposition", one.name, decompositionProblem(one, sconce));
    }
  }
  console.log(`${tally.passed} passed, ${tally.failed} failed`);
  return tally.failed === 0 ? 0 : 1;
}

const listed = (folder: string, filter: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.includes(filter))
    .sort();

process.exitCode = await main();
