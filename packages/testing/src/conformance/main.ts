/** @file `npm run conformance -- --programs DIR | --ops DIR [--checks LIST] [--backend NAME] [--filter TEXT]`. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createSconce } from "sconce";
import { corpusPlugin } from "./corpus-plugin.js";
import { openOpCases } from "./op-case-set.js";
import { OP_CHECKS, type OpCheck, OpChecker } from "./op-checker.js";
import { checkProgramFolder } from "./programs.js";

const USAGE = `usage: npm run conformance -- --programs DIR | --ops DIR [--checks LIST] [--backend NAME] [--filter TEXT] [--verbose]
  --programs  program folders in the oracle's format (case.json, program.pt2, texts, inputs, outputs)
  --ops       operator cases in the oracle's format: a folder of NAME.OVERLOAD.safetensors, or a zip of them
  --checks    what each operator case is put through, with commas between (default all):
                run            the results are PyTorch's
                fake           the shape rule foretells dtype, sizes and strides of the run and of PyTorch
                decomposition  where there is a kernel too, the decomposition gives PyTorch's numbers
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
      checks: { type: "string", default: OP_CHECKS.join() },
      backend: { type: "string", default: "cpu" },
      filter: { type: "string", default: "" },
      verbose: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help || (values.programs === undefined && values.ops === undefined)) {
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
  for (const folder of [values.programs, values.ops]) {
    if (folder !== undefined && !existsSync(folder)) {
      console.error(`error NO_FOLDER: there is no folder ${folder}`);
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
  console.log(`${tally.passed} passed, ${tally.failed} failed`);
  return tally.failed === 0 ? 0 : 1;
}

const listed = (folder: string, filter: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.includes(filter))
    .sort();

process.exitCode = await main();
