/** @file Programs that PyTorch exported, on a backend, held against the interpreter. */
import { compareTensors, type Sconce, Tensor, type Value } from "sconce";

/** Sums in float32, in another order. */
const CLOSE = { rtol: 1e-3, atol: 1e-4 };

export interface FixtureReport {
  readonly name: string;
  readonly kernels: number;
  /** Calls that the host ran. */
  readonly host: number;
  readonly difference: string | null;
}

/** Runs each program twice, with the inputs that it was exported with. */
export async function runFixtures(
  sconce: Sconce,
  names: readonly string[],
  backend: string,
): Promise<FixtureReport[]> {
  const reports: FixtureReport[] = [];
  for (const name of names) reports.push(await runOne(sconce, name, backend));
  return reports;
}

async function runOne(sconce: Sconce, name: string, backend: string): Promise<FixtureReport> {
  const response = await fetch(`fixtures/${name}/program.pt2`);
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  const program = await sconce.load(new Uint8Array(await response.arrayBuffer()));
  const leaves = program.exampleInputs!.leaves as readonly Value[];
  using interpreter = await sconce.compile(program, "cpu");
  using executable = await sconce.compile(program, backend);
  let difference: string | null = null;
  for (let run = 0; run < 2; run++) {
    const [got, want] = [await executable.run(leaves), await interpreter.run(leaves)];
    for (const [i, value] of want.entries()) difference ??= differs(got[i], value);
  }
  const { kernels = 0, nodes = [] } = executable.placement?.() ?? {};
  return { name, kernels, host: nodes.filter(({ place }) => place === "host").length, difference };
}
function differs(got: unknown, want: unknown): string | null {
  if (!(want instanceof Tensor)) return Object.is(got, want) ? null : `${String(got)}, not ${String(want)}`;
  return got instanceof Tensor ? (compareTensors(got, want, CLOSE) ?? null) : "no tensor";
}
