/**
 * @file `npm run fuzz -- [--seconds N] [--parser NAME] [--seed S] [--input NUMBER]`: reads random
 * inputs with every parser until the time is over; with `--run-time` runs random programs instead.
 * An untyped error ends the run with exit code 1, the smallest input that gives it, and the command
 * that repeats it.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { costTable } from "./recipes/measure.js";
import { RECIPES } from "./recipes/recipes.js";
import { fuzzRunTime } from "./run-time/main.js";
import { MODE_NAMES } from "./run-time/modes.js";
import {
  type FuzzFailure,
  type FuzzResult,
  type FuzzTarget,
  fuzz,
  inputOf,
  shownInput,
} from "./support/driver.js";
import { TARGETS } from "./targets.js";

/** How long one parser is run before the next one. */
const SLICE_MILLISECONDS = 1000;
/** Seconds between two lines of progress. */
const PROGRESS_SECONDS = 10;

interface Total {
  inputs: number;
  passed: number;
  mostWork: number;
}

const OPTIONS = {
  seconds: { type: "string", default: "10" },
  parser: { type: "string" },
  seed: { type: "string", default: "1" },
  input: { type: "string" },
  totals: { type: "string" },
  recipes: { type: "boolean", default: false },
  "run-time": { type: "boolean", default: false },
  modes: { type: "string" },
  help: { type: "boolean", default: false },
} as const;

const NAMES = TARGETS.map(({ name }) => name).join(", ");

const HELP = `npm run fuzz -- [options]

  --seconds N      how long to run; 10 without it
  --parser NAME    one parser; all without it: ${NAMES}
  --seed S         the seed of the inputs; 1 without it
  --input NUMBER   one input of the seed, which is shown and read
  --recipes        reads the mutation recipes, and shows what they take
  --run-time       runs random programs with run-time sizes on all backends
  --modes A,B      the backends of --run-time: ${MODE_NAMES.join(", ")}
  --totals FILE    appends the counts of the run to this file, one JSON line
`;

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  return Number.isSafeInteger(value) && value >= 0 ? value : fail(`--${name}: ${text} is not a whole number`);
}

function chosen(name: string | undefined): readonly FuzzTarget[] {
  const found = TARGETS.filter((target) => name === undefined || target.name === name);
  return found.length > 0 ? found : fail(`--parser: unknown parser "${name}"; the parsers are ${NAMES}`);
}

function chosenModes(text: string | undefined): readonly string[] | undefined {
  const names = text?.split(",");
  const unknown = names?.find((name) => !MODE_NAMES.includes(name));
  return unknown === undefined
    ? names
    : fail(`--modes: unknown mode "${unknown}"; the modes are ${MODE_NAMES.join(", ")}`);
}

/** Shows a failure, and writes its input to a file. */
function showFailure({ parser, seed, number, problem, input }: FuzzFailure): void {
  const file = `fuzz-failure-${parser.replaceAll(" ", "-")}.${typeof input === "string" ? "txt" : "bin"}`;
  writeFileSync(file, input);
  process.stdout.write(
    `${parser}: ${problem}\nSmallest input, also in ${file}: ${shownInput(input)}\n` +
      `Repeat: npm run fuzz -- --parser "${parser}" --seed ${seed} --input ${number}\n`,
  );
}

/** Reads inputs of one parser for a while. */
async function runFor(target: FuzzTarget, seed: number, total: Total): Promise<FuzzResult["failures"]> {
  const until = performance.now() + SLICE_MILLISECONDS;
  const result = await fuzz(target, { seed, inputs: Infinity, first: total.inputs, until });
  total.inputs += result.inputs;
  total.passed += result.passed;
  total.mostWork = Math.max(total.mostWork, result.mostWork);
  return result.failures;
}

const sum = (totals: Iterable<Total>): number => [...totals].reduce((all, { inputs }) => all + inputs, 0);

function tableOf(totals: ReadonlyMap<string, Total>): string {
  const rows = [...totals].map(([name, { inputs, passed, mostWork }]) => {
    const share = `${((100 * passed) / Math.max(inputs, 1)).toFixed(0)} %`;
    return `${name.padEnd(22)}${String(inputs).padStart(12)}${share.padStart(8)}${String(mostWork).padStart(12)}`;
  });
  const head = `${"parser".padEnd(22)}${"inputs".padStart(12)}${"passed".padStart(8)}${"most work".padStart(12)}`;
  return [head, ...rows, `all${String(sum(totals.values())).padStart(31)}`, ""].join("\n");
}

async function run(targets: readonly FuzzTarget[], seed: number, seconds: number): Promise<boolean> {
  const totals = new Map(targets.map(({ name }) => [name, { inputs: 0, passed: 0, mostWork: 0 }]));
  const start = performance.now();
  const failures: FuzzFailure[] = [];
  // A parser that fails is left out of the rest of the run.
  let left = targets;
  for (let shown = start; left.length > 0 && performance.now() - start < 1000 * seconds; ) {
    for (const target of left) failures.push(...(await runFor(target, seed, totals.get(target.name)!)));
    left = left.filter(({ name }) => failures.every(({ parser }) => parser !== name));
    if (performance.now() - shown < 1000 * PROGRESS_SECONDS) continue;
    shown = performance.now();
    process.stderr.write(`${((shown - start) / 1000).toFixed(0)} s: ${sum(totals.values())} inputs\n`);
  }
  process.stdout.write(tableOf(totals));
  failures.forEach(showFailure);
  if (values.totals !== undefined)
    appendFileSync(
      values.totals,
      `${JSON.stringify({ seed, failures: failures.length, ...Object.fromEntries(totals) })}\n`,
    );
  return failures.length === 0;
}

/** Shows and reads one input. */
async function repeat(target: FuzzTarget, seed: number, number: number): Promise<boolean> {
  process.stdout.write(`${shownInput(inputOf(target, seed, number)[0])}\n`);
  const { failures, passed } = await fuzz(target, { seed, inputs: 1, first: number });
  failures.forEach(showFailure);
  if (failures.length === 0) process.stdout.write(passed > 0 ? "read\n" : "rejected with a typed error\n");
  return failures.length === 0;
}

const { values } = parseArgs({ options: OPTIONS });
if (values.help) process.stdout.write(HELP);
else if (values.recipes) process.stdout.write(await costTable(RECIPES));
else if (values["run-time"]) {
  const isSound = await fuzzRunTime({
    seed: wholeNumber("seed", values.seed),
    seconds: wholeNumber("seconds", values.seconds),
    input: values.input === undefined ? undefined : wholeNumber("input", values.input),
    modes: chosenModes(values.modes),
  });
  process.exit(isSound ? 0 : 1);
} else {
  const targets = chosen(values.parser);
  const seed = wholeNumber("seed", values.seed);
  const isSound =
    values.input === undefined
      ? await run(targets, seed, wholeNumber("seconds", values.seconds))
      : await repeat(targets[0]!, seed, wholeNumber("input", values.input));
  if (!isSound) process.exitCode = 1;
}
