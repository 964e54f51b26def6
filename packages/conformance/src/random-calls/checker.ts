/** @file Runs recorded programs on backends, before and after lowering. */
import { isSconceError } from "@sconce/errors";
import type { Executable, ExportedProgram, Value } from "@sconce/ir";
import { createSconce, type Sconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { type Difference, valueDifference } from "./compare-values.js";
import { type Finding, KINDS } from "./findings.js";
import { inputOf, type RecordedProgram, type RecordedRun, type RecordedTensor } from "./recorded.js";

interface Place {
  readonly name: string;
  readonly backend: string;
  readonly isLowered: boolean;
}

export interface CheckerOptions {
  readonly backends: readonly string[];
  /** Whether to run lowered programs, too. */
  readonly lowered?: boolean;
}

export class RandomCallChecker {
  readonly #sconce: Sconce;
  readonly #places: readonly Place[];

  private constructor(sconce: Sconce, places: readonly Place[]) {
    this.#sconce = sconce;
    this.#places = places;
  }

  /** @throws SconceError `UNKNOWN_BACKEND` */
  static async open({ backends, lowered = false }: CheckerOptions): Promise<RandomCallChecker> {
    const loaded = backends.filter((name) => name !== "cpu").map((name) => loadBackend(name, { threads: 1 }));
    const sconce = createSconce({ backends: await Promise.all(loaded) });
    const ways = lowered ? [false, true] : [false];
    const places = backends.flatMap((backend) =>
      ways.map((isLowered) => ({ name: isLowered ? `${backend} lowered` : backend, backend, isLowered })),
    );
    return new RandomCallChecker(sconce, places);
  }

  /** Where the program differs from PyTorch: one finding for each kind. */
  async check(recorded: RecordedProgram, line = 0): Promise<Finding[]> {
    const places = new Map<string, { difference: Difference; at: string[] }>();
    for (const place of this.#places) {
      const difference = await this.#difference(recorded, place);
      if (difference === undefined) continue;
      const known = places.get(difference.kind) ?? { difference, at: [] };
      known.at.push(place.name);
      places.set(difference.kind, known);
    }
    return [...places.values()].map(({ difference, at }) => ({
      ...difference,
      line,
      id: recorded.id,
      operators: operatorsOf(recorded.ir),
      places: at,
      others: this.#places.map(({ name }) => name).filter((name) => !at.includes(name)),
    }));
  }

  async #difference(recorded: RecordedProgram, place: Place): Promise<Difference | undefined> {
    let executable: Executable;
    try {
      executable = await this.#sconce.compile(this.#program(recorded.ir, place), place.backend);
    } catch (error) {
      const isRefused = recorded.runs.every((run) => run.error !== undefined);
      return refusal(error, isRefused);
    }
    const found: Difference[] = [];
    for (const [at, run] of recorded.runs.entries()) {
      const differences = await runDifferences(executable, run);
      found.push(...differences.map(({ kind, text }) => ({ kind, text: `run ${at}: ${text}` })));
    }
    executable.dispose();
    return worst(found);
  }

  #program(ir: string, { isLowered }: Place): ExportedProgram {
    const program = this.#sconce.transform(this.#sconce.parseIr(ir), "propagate-shapes");
    return isLowered ? this.#sconce.runDecompositions(program) : program;
  }
}

/** In what the results of a run, and what it leaves in its inputs, differ from PyTorch's. */
async function runDifferences(executable: Executable, run: RecordedRun): Promise<Difference[]> {
  const inputs = run.inputs.map(inputOf);
  let outputs: readonly Value[];
  try {
    outputs = await executable.run(inputs);
  } catch (error) {
    const difference = refusal(error, run.error !== undefined);
    return difference === undefined ? [] : [difference];
  }
  if (run.error !== undefined) return [{ kind: "lost refusal", text: run.error }];
  return [
    ...differencesOf("result", outputs, run.outputs!),
    ...differencesOf("what is left in input", inputs, run.after!),
  ];
}

function differencesOf(what: string, got: readonly Value[], wanted: readonly RecordedTensor[]): Difference[] {
  return wanted.flatMap((want, at) => {
    const difference = valueDifference(got[at], want);
    return difference === undefined
      ? []
      : [{ kind: difference.kind, text: `${what} ${at}: ${difference.text}` }];
  });
}

/**
 * Returns what an error shows: nothing where PyTorch refuses, too, unless it is one without a code.
 */
function refusal(error: unknown, isExpected: boolean): Difference | undefined {
  // The code of errors that operators threw without one.
  const isTyped = isSconceError(error) && error.code !== "PLUGIN_FAILED";
  if (isTyped && isExpected) return undefined;
  const text = isTyped ? `${error.code}: ${error.message}` : String((error as Error).stack ?? error);
  return { kind: isTyped ? "refusal of ours" : "untyped error", text: oneLine(text) };
}

const oneLine = (text: string): string => text.replace(/\s+/g, " ").slice(0, 300);

/** Other numbers rather than other strides, of all runs. */
function worst(differences: readonly Difference[]): Difference | undefined {
  const kind = KINDS.find((one) => differences.some((difference) => difference.kind === one));
  return differences.find((difference) => difference.kind === kind);
}

const operatorsOf = (ir: string): string =>
  [...ir.matchAll(/ = aten\.([\w.]+)\(/g)].map(([, name]) => name).join(" ");
