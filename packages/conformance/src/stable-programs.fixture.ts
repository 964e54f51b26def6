/**
 * @file Every program is valid as read and after each built-in pass, and a pass leaves its own
 * result alone.
 */
import { readdirSync } from "node:fs";
import { isSconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { builtinPasses, builtinRules } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import { describe, expect, test } from "vitest";
import { corpusPlugin } from "./conformance/corpus-plugin.js";
import { ProgramFolder } from "./conformance/program-case.js";
import { withStandIns } from "./conformance/stand-in-values.js";
import { PROGRAMS } from "./fixtures.js";

const names = readdirSync(PROGRAMS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

/** Calls of passes that do nothing, or little, by default. */
const CALLS: readonly string[] = [
  "decompose{table=none}",
  `rewrite{rules=[${builtinRules.map(({ name }) => name).join()}]}`,
  "fold-constants{weights=true}",
  "convert-dtype{to=float16,io=true}",
  "strip-metadata{module-stack=true,custom=true,example-inputs=true}",
  "fuse-regions{outline=false}",
  "extract-submodule{targets=[aten.relu.default,aten.mul.Tensor]}",
  "split-by{targets=[aten.relu.default,aten.mul.Tensor,aten.addmm.default]}",
  "propagate-shapes{sizes=[s77=4]}",
  'move-to-device{to="cuda:1"}',
];
const PIPELINES = [...builtinPasses.map(({ name }) => name), ...CALLS];

/**
 * Why a pass does not take a program: it is not lowered, it writes, or the choice of nodes or sizes
 * does not fit.
 */
const REFUSALS: ReadonlySet<string> = new Set([
  "PASS_REQUIRES",
  "PASS_OPTION",
  "NOT_FUNCTIONAL",
  "NOT_CONVEX",
  "SHAPE_CONTRADICTION",
  "NOT_IN_DIALECT",
]);

/**
 * Lowered once they hold sizes that nothing reads; lowering them again drops those, as PyTorch
 * does.
 */
const WITH_UNUSED_SIZES: ReadonlySet<string> = new Set(["lower_cat_many", "shape_split"]);

const sconce = createSconce({ plugins: [corpusPlugin] });
const options = { verify: true, record: false };

function transformed(program: ExportedProgram, pipeline: string): ExportedProgram | undefined {
  try {
    return sconce.transform(program, pipeline, options);
  } catch (error) {
    const cause = isSconceError(error) && error.code === "PASS_FAILED" ? error.cause : error;
    if (isSconceError(cause) && REFUSALS.has(cause.code)) return undefined;
    throw error;
  }
}

/** Pipelines that change the program when they run again on what they gave. */
function unstable(program: ExportedProgram): { unstable: string[]; ran: number } {
  const results = PIPELINES.map((pipeline) => {
    const once = transformed(program, pipeline);
    // What gave the same program gives it again. A size that was given is not a symbol any more,
    // and cannot be given again.
    const twice = once === undefined || once === program ? once : transformed(once, pipeline);
    return { pipeline, once, isStable: twice === undefined || twice === once };
  });
  return {
    unstable: results.filter(({ isStable }) => !isStable).map(({ pipeline }) => pipeline),
    ran: results.filter(({ once }) => once !== undefined).length,
  };
}

async function programsOf(name: string): Promise<[string, ExportedProgram][]> {
  const folder = new ProgramFolder(`${PROGRAMS}${name}`);
  const files = ["program.pt2", "decomposed.pt2"].filter((file) => folder.has(file));
  const found: [string, ExportedProgram][] = [];
  for (const file of files) found.push([file, withStandIns(await sconce.load(folder.bytes(file)))]);
  const [first] = found;
  if (first !== undefined) found.push(["lowered", sconce.transform(first[1], "decompose", options)]);
  return found;
}

/**
 * Tests every n-th program of the corpus, as exported, as PyTorch lowered it, and as lowered here.
 */
export function stableProgramsSpec(every: number): void {
  describe("each program", () => {
    const chosen = names.filter((_, at) => at % every === 0);
    let ran = 0;
    let programs = 0;

    test.each(chosen)("%s", async (name) => {
      for (const [version, program] of await programsOf(name)) {
        const result = unstable(program);
        programs++;
        ran += result.ran;
        const twice = WITH_UNUSED_SIZES.has(name) ? /^decompose/ : /^$/;
        const others = result.unstable.filter((pipeline) => !twice.test(pipeline));
        expect([version, sconce.verify(program), others]).toEqual([version, [], []]);
      }
    });

    test("there were enough", () => {
      expect(programs).toBeGreaterThan(340 / every);
      expect(ran).toBeGreaterThan(programs * 18);
    });
  });

  test("a program that mutates its inputs does not grow", async () => {
    const [, , lowered] = await programsOf("pm_input_mutation");
    const twice = sconce.runDecompositions(lowered![1]);
    expect(twice).toBe(lowered![1]);
  });
}
