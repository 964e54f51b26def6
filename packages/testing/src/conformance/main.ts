/** @file `npm run conformance -- --programs DIR | --ops DIR [--backend NAME] [--filter TEXT]`. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createSconce } from "sconce";
import { corpusPlugin } from "./corpus-plugin.js";
import { checkOpFolder } from "./op-folder.js";
import { checkProgramFolder } from "./programs.js";

const USAGE = `usage: npm run conformance -- --programs DIR | --ops DIR [--backend NAME] [--filter TEXT] [--verbose]
  --programs  program folders in the oracle's format (case.json, program.pt2, texts, inputs, outputs)
  --ops       operator cases in the oracle's format (NAME.OVERLOAD.safetensors)
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
    for (const name of listed(values.ops, values.filter)) {
      if (!name.endsWith(".safetensors")) continue;
      for (const result of await checkOpFolder(join(values.ops, name), sconce, values.backend))
        tell(name, result.id, result.problem);
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
