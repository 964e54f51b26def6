/** @file Random programs on a backend, held against the interpreter. */
import { type Backend, createSconce, type Executable } from "sconce";
import { meaningDifference, sampleInputs, sampleProgram } from "sconce/testing";

export interface RandomReport {
  readonly seed: number;
  /** Kernels that ran; the rest of the program is the host's. */
  readonly kernels: number;
  readonly difference: string | null;
}

/** Compares the programs of the first seeds, two sets of inputs each. */
export async function runRandomPrograms(backend: Backend, count: number): Promise<RandomReport[]> {
  const reports: RandomReport[] = [];
  for (let seed = 0; seed < count; seed++) reports.push(await runOne(backend, seed));
  return reports;
}

async function runOne(backend: Backend, seed: number): Promise<RandomReport> {
  const program = createSconce().runDecompositions(sampleProgram(seed, { mutations: true }));
  const made: Executable[] = [];
  const watched: Backend = {
    ...backend,
    async compile(...args) {
      const executable = await backend.compile(...args);
      made.push(executable);
      return executable;
    },
  };
  const difference = await meaningDifference(program, {
    of: program,
    inputs: sampleInputs(program, { count: 2, seed }),
    backend: watched,
    // As the suite of backends does in Node.
    rtol: 1e-3,
    atol: 1e-3,
  });
  return { seed, kernels: made[0]?.placement?.().kernels ?? 0, difference: difference ?? null };
}
