/**
 * @file `npm run bench -w @sconce/backend-cpu`: single operators beside PyTorch's, the slowest of
 * them first.
 */
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { readArguments, refuse } from "./arguments.js";
import { least } from "./measure.js";
import { callOf, type OperatorCase, operatorCases } from "./operator-cases.js";
import { compiledCall } from "./operator-programs.js";

const USAGE = `usage: npm run bench -w @sconce/backend-cpu [-- [--filter TEXT] [--backend NAME] [--growth] [--json]]
  --filter  only calls whose group, name or target contains TEXT
  --backend cpu when left out; others, such as wasm, run with inputs and results in their memory
  --growth  how time grows with size instead: a sixteenth, a quarter and the whole of it, and the power of n between them
  --json    for machines`;

/** A call's time beside PyTorch's. */
interface OperatorRow {
  readonly group: string;
  readonly name: string;
  readonly milliseconds: number;
  readonly torch: number;
  /** Why the interpreter runs it, where a backend does not. */
  readonly reason?: string | undefined;
}

/** By how many times slower we are. */
async function operatorRows(cases: readonly OperatorCase[]): Promise<OperatorRow[]> {
  const rows: OperatorRow[] = [];
  for (const one of cases) {
    const { group, name, torch } = one;
    rows.push({ group, name, torch, milliseconds: await least(callOf(one), 3) });
  }
  return rows.sort((a, b) => slowdown(b) - slowdown(a));
}

/**
 * Returns the same on a backend of the session. Calls whose results depend on data are left out.
 */
async function backendRows(cases: readonly OperatorCase[], backend: string): Promise<OperatorRow[]> {
  const session = createSconce({ backends: [await loadBackend(backend, { threads: 1 })] });
  const rows: OperatorRow[] = [];
  for (const one of cases) {
    const { group, name, torch } = one;
    const { run, reason, dispose } = await compiledCall(one, session, backend);
    rows.push({ group, name, torch, milliseconds: await least(run, 3), reason });
    dispose();
  }
  return rows.sort((a, b) => slowdown(b) - slowdown(a));
}

const slowdown = ({ milliseconds, torch }: OperatorRow): number => milliseconds / torch;

const shown = (row: OperatorRow): string =>
  [
    row.group.padEnd(14),
    row.name.padEnd(34),
    `${row.milliseconds.toFixed(2)} ms`.padStart(12),
    `${row.torch.toFixed(2)} ms`.padStart(12),
    `${slowdown(row).toFixed(1)}x`.padStart(9),
    row.reason === undefined ? "" : `  interpreter: ${row.reason}`,
  ].join("");

const HEADER = `${"group".padEnd(14)}${"call".padEnd(34)}${"sconce".padStart(12)}${"PyTorch".padStart(12)}${"ratio".padStart(9)}`;

/** One call at growing sizes; `powers` are 1 where four times the size takes four times as long. */
interface Growth {
  readonly name: string;
  readonly milliseconds: readonly number[];
  readonly powers: readonly number[];
}

async function growthOf(one: OperatorCase, n: number): Promise<Growth> {
  const milliseconds: number[] = [];
  for (const part of [16, 4, 1]) milliseconds.push(await least(callOf(one, Math.floor(n / part)), 3));
  const powers = milliseconds.slice(1).map((time, i) => Math.log(time / milliseconds[i]!) / Math.log(4));
  return { name: one.name, milliseconds, powers };
}

const describe = ({ name, milliseconds, powers }: Growth): string =>
  [
    name.padEnd(34),
    ...milliseconds.map((time) => `${time.toFixed(2)} ms`.padStart(12)),
    ...powers.map((power) => `n^${power.toFixed(2)}`.padStart(8)),
  ].join("");

async function main(): Promise<void> {
  const values = readArguments(
    {
      filter: { type: "string", default: "" },
      backend: { type: "string", default: "cpu" },
      growth: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
    USAGE,
  );
  if (values.help) return console.log(USAGE);
  const cases = operatorCases().filter(({ group, name, target }) =>
    `${group} ${name} ${target}`.includes(values.filter),
  );
  if (cases.length === 0) refuse(`no call contains "${values.filter}"`, USAGE);
  if (values.growth) {
    const grown: Growth[] = [];
    for (const one of cases) if (one.n !== undefined) grown.push(await growthOf(one, one.n));
    return console.log(values.json ? JSON.stringify(grown, null, 2) : grown.map(describe).join("\n"));
  }
  const { backend } = values;
  const rows = await (backend === "cpu" ? operatorRows(cases) : backendRows(cases, backend));
  if (values.json) return console.log(JSON.stringify(rows, null, 2));
  console.log([HEADER, ...rows.map(shown)].join("\n"));
  console.log("\nthe least of several runs, one thread each; compare ratios, other machines differ");
}

await main();
