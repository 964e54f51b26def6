/** @file What is done with a program, in stages whose work is counted. */
import { cpuBackend } from "@sconce/backend-cpu";
import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import { lowerToLoops, printLoops } from "@sconce/codegen";
import { isSconceError } from "@sconce/errors";
import { mermaidText } from "@sconce/formats/views";
import type { Backend } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import { verify } from "@sconce/ir/verify";
import { createSconce, save } from "@sconce/session";
import { type Family, type FamilyProgram, programOf } from "./family.fixture.js";
import { steepest, totalOf, type Work, type WorkCounter } from "./work-counter.fixture.js";

const session = createSconce();
const { operators } = session;

/** Returns how much it writes, if it writes something. */
type Stage = (given: FamilyProgram) => number | undefined | Promise<number | undefined>;

const on =
  (backend: Backend): Stage =>
  async ({ program, inputs }) => {
    const executable = await backend.compile(program);
    await executable.run(inputs);
    executable.dispose();
    return undefined;
  };

/** Stages after capture. */
export const STAGES: Readonly<Record<string, Stage>> = {
  verify: ({ program }) => {
    if (verify(program, { operators }).length > 0) throw new Error("the program is not valid");
    return undefined;
  },
  print: ({ program }) => String(program).length + printIr(program).length,
  draw: ({ program }) => mermaidText(program).length,
  passes: ({ program }) => session.transform(program, "decompose,cse,dce,canonicalize").graph.size,
  loops: ({ program }) => {
    const { graph } = session.transform(program, "decompose");
    try {
      return printLoops(lowerToLoops(graph, { operators })).length;
    } catch (error) {
      if (!isSconceError(error, "NOT_LOWERED")) throw error;
      return undefined;
    }
  },
  "save and load": async ({ program }) => {
    const bytes = await save(program);
    await session.load(bytes);
    return bytes.length;
  },
  cpu: on(cpuBackend()),
  wasm: on(wasmBackend()),
  "gpujs:cpu": on(gpujsBackend({ mode: "cpu" })),
};

interface Counted {
  readonly work: Work;
  readonly written: number | undefined;
}

async function counted(
  counter: WorkCounter,
  family: Family,
  calls: number,
  stages: readonly string[],
): Promise<ReadonlyMap<string, Counted>> {
  const found = new Map<string, Counted>();
  counter.lap();
  const given = programOf(family, calls);
  found.set("capture", { work: counter.lap(), written: given.program.graph.size });
  for (const stage of stages) {
    const written = await STAGES[stage]!(given);
    found.set(stage, { work: counter.lap(), written });
  }
  return found;
}

/** Runs capture and some stages. */
async function runAll(family: Family, calls: number, stages: readonly string[]): Promise<void> {
  const given = programOf(family, calls);
  for (const stage of stages) await STAGES[stage]!(given);
}

/** Capture and some stages, whose work is counted together: to ask for counts takes time itself. */
async function countedTogether(
  counter: WorkCounter,
  family: Family,
  calls: number,
  stages: readonly string[],
): Promise<ReadonlyMap<string, Counted>> {
  const work = await counter.count(() => runAll(family, calls, stages));
  return new Map([[stages.join(", "), { work, written: undefined }]]);
}

/** What is counted, and how much steeper than linear it may be. */
export interface GrowthOptions {
  readonly stages: readonly string[];
  readonly slack: number;
  /** Whether the stages are counted together. */
  readonly together?: boolean;
}

/**
 * Returns which stages do more work, or write more, for a larger program of a family than its size
 * allows. Those that do are counted again: a collection of garbage may take counts along.
 */
export async function superlinear(
  counter: WorkCounter,
  family: Family,
  sizes: readonly [small: number, large: number],
  options: GrowthOptions,
): Promise<string[]> {
  const found = await grownBeyond(counter, family, sizes, options);
  return found.length === 0 ? found : grownBeyond(counter, family, sizes, options);
}

async function grownBeyond(
  counter: WorkCounter,
  family: Family,
  [small, large]: readonly [small: number, large: number],
  { stages, slack, together = false }: GrowthOptions,
): Promise<string[]> {
  const count = (calls: number): Promise<ReadonlyMap<string, Counted>> =>
    (together ? countedTogether : counted)(counter, family, calls, stages);
  // What is made once, such as tables of operators, is made before.
  if (!together) await runAll(family, small, stages);
  const [few, many] = [await count(small), await count(large)];
  const factor = large / small;
  return [...many].flatMap(([stage, { work, written }]) => {
    const before = few.get(stage)!;
    const more = totalOf(work) / totalOf(before.work);
    const longer = written === undefined ? 0 : written / before.written!;
    // A program of few values may be one nest: texts grow in steps.
    if (more <= factor * slack && longer <= 4 * factor * slack) return [];
    const blocks = steepest(before.work, work, factor).map((text) => `\n    ${text}`);
    return [
      `${stage}: ${more.toFixed(2)} times the work, ${longer.toFixed(2)} times as long${blocks.join("")}`,
    ];
  });
}
