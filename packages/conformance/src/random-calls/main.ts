/** @file `npm run random-calls -- FILE [--backends LIST] [--lowered] [--from N] [--count N]`. */
import { parseArgs } from "node:util";
import { isSconceError } from "@sconce/errors";
import { backendNamesText } from "@sconce/session/backends";
import { badUsage } from "../conformance/errors.js";
import { RandomCallChecker } from "./checker.js";
import { type Finding, groupedLines } from "./findings.js";
import { readPrograms } from "./recorded.js";

const USAGE = `usage: npm run random-calls -- FILE [--backends LIST] [--lowered] [--from N] [--count N] [--verbose]
  FILE        random programs with PyTorch's results, from packages/testing/oracle/random_calls (.jsonl or .jsonl.gz)
  --backends  where to run, with commas between: ${backendNamesText}, with a mode too, as gpujs:cpu (default cpu,wasm)
  --lowered   run each program after lowering, too
  --from      the first line to run, from 0 (default 0)
  --count     how many lines to run (default all)
  --verbose   list each program as it runs, and show all of a finding's program`;

const OPTIONS = {
  backends: { type: "string", default: "cpu,wasm" },
  lowered: { type: "boolean", default: false },
  from: { type: "string", default: "0" },
  count: { type: "string" },
  verbose: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>;

/** @throws SconceError `USAGE` */
function readOptions(): Options {
  try {
    return parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw badUsage("USAGE", (error as Error).message, "see --help");
  }
}

/** @throws SconceError `USAGE` */
function wholeNumber(name: string, text: string): number {
  if (!/^\d+$/.test(text)) throw badUsage("USAGE", `--${name} is "${text}"`, "give a whole number");
  return Number(text);
}

async function main(): Promise<number> {
  const { values, positionals } = readOptions();
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) throw badUsage("USAGE", "give one file", USAGE);
  const from = wholeNumber("from", values.from);
  const end = values.count === undefined ? undefined : from + wholeNumber("count", values.count);
  const programs = readPrograms(path).slice(from, end);
  if (programs.length === 0)
    throw badUsage("NOTHING_CHECKED", "no program was found to run", "look at --from and --count");
  const checker = await RandomCallChecker.open({
    backends: values.backends.split(","),
    lowered: values.lowered,
  });
  const findings: Finding[] = [];
  let failed = 0;
  for (const [at, program] of programs.entries()) {
    const found = await checker.check(program, from + at);
    findings.push(...found);
    if (found.length > 0) failed++;
    if (!values.verbose) continue;
    console.log(`${found.length === 0 ? "ok    " : "failed"} line ${from + at}, ${program.id}`);
    if (found.length > 0) console.log(program.ir);
  }
  for (const line of groupedLines(findings)) console.log(line);
  console.log(`${programs.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!isSconceError(error)) throw error;
  console.error(error.describe());
  process.exitCode = 2;
}
