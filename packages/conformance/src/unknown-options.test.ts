/** @file Every public function that takes an object of options refuses names that no option has. */
import {
  CpuInterpreter,
  cpuBackend,
  createEvaluator,
  createRunner,
  firstNonfinite,
} from "@sconce/backend-cpu";
import { gpujsBackend } from "@sconce/backend-gpujs";
import { lowerToLoops } from "@sconce/codegen";
import { isSconceError } from "@sconce/errors";
import { loadPt2, pt2ProgramNames, readPt2 } from "@sconce/formats";
import { annotation, type ExportedProgram, GraphBuilder, readableText, rebuild } from "@sconce/ir";
import { diffPrograms } from "@sconce/ir/diff";
import { replay } from "@sconce/ir/history";
import { parseGraph, parseIr, printIr } from "@sconce/ir/text";
import { assertValid, verify, verifyAll, verifyGraph } from "@sconce/ir/verify";
import { defaultOperators, defineOp, Interpreter } from "@sconce/ops";
import {
  bisect,
  checkPasses,
  convertDtype,
  deadCodeElimination,
  definePass,
  defineRule,
  fuseRegions,
  PassManager,
  partition,
  replacePattern,
  rewriteProgram,
  runDecompositions,
  sampleInputs,
  verifyCalls,
} from "@sconce/passes";
import * as session from "@sconce/session";
import { parseSrepr, ShapeEnv, symbol } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { compareTensors, tensorDifference } from "@sconce/tensor/compare";
import { meaningDifference, programProblem, sampleProgram } from "@sconce/testing";
import { arbitraryProgram } from "@sconce/testing/fast-check";
import { describeBackends } from "@sconce/testing/vitest";
import { describe, expect, test } from "vitest";

const operators = defaultOperators();
const program: ExportedProgram = sampleProgram(1, { dialect: "ATEN", dynamic: false });
const x = Tensor.from([1, 2], [2], "float32");
const sconce = session.createSconce();
const context = sconce.services.passManagers.context();
const executable = await sconce.compile(program);
const module = await sconce.module(program);
const own = await cpuBackend().compile(program);
const onDevice = await gpujsBackend({ mode: "cpu" }).compile(program);
class Sub extends Interpreter {
  protected override callOperator(): null {
    return null;
  }
}

/** The options as each function is given them; the type would refuse them. */
type Bad = never;

const CALLS: Readonly<Record<string, (options: Bad) => unknown>> = {
  createSconce: (options) => session.createSconce(options),
  load: (options) => sconce.load(new Uint8Array(), options),
  "load, limits": (limits) => sconce.load(new Uint8Array(), { limits }),
  "Sconce.parseIr": (options) => sconce.parseIr("", options),
  "Sconce.parseGraph": (options) => sconce.parseGraph("", options),
  "session parseIr": (options) => session.parseIr("", options),
  "session parseGraph": (options) => session.parseGraph("", options),
  "session GraphBuilder": (options) => new session.GraphBuilder(options),
  transform: (options) => sconce.transform(program, "dce", options),
  transformAsync: (options) => sconce.transformAsync(program, "dce", options),
  runDecompositionsAsync: (options) => sconce.runDecompositionsAsync(program, undefined, options),
  bisectAsync: (options) => sconce.bisectAsync(program, "dce", options),
  "transform, check": (check) => sconce.transform(program, "dce", { check }),
  "transform, check, changed": (changed) => sconce.transform(program, "dce", { check: { changed } }),
  "Sconce.bisect": (options) => sconce.bisect(program, "dce", options),
  compile: (options) => sconce.compile(program, "cpu", options),
  module: (options) => sconce.module(program, options),
  "module.call": (options) => module.call([x], {}, options),
  "module.callFlat": (options) => module.callFlat([x], {}, options),
  run: (options) => executable.run([x], options),
  compareBackends: (options) => sconce.compareBackends(program, [x], ["cpu", "cpu"], options),
  "Sconce.firstNonfinite": (options) => sconce.firstNonfinite(program, [x], options),
  readPt2: (options) => readPt2(new Uint8Array(), options),
  loadPt2: (options) => loadPt2(new Uint8Array(), options),
  pt2ProgramNames: (options) => pt2ProgramNames(new Uint8Array(), options),
  "Sconce.loadPt2": (options) => sconce.loadPt2(new Uint8Array(), options),
  "Sconce.packagePt2": (options) => sconce.packagePt2({ a: program }, options),
  cpuBackend: (options) => cpuBackend(options),
  "cpuBackend, compile": (options) => cpuBackend().compile(program, options),
  "cpuBackend, run": (options) => own.run([x], options),
  createEvaluator: (options) => createEvaluator(options),
  createRunner: (options) => createRunner(options),
  CpuInterpreter: (options) => new CpuInterpreter(program, options),
  firstNonfinite: (options) => firstNonfinite(program, [x], options),
  Interpreter: (options) => new Sub(program, options),
  gpujsBackend: (options) => gpujsBackend(options),
  "gpujsBackend, compile": (options) => gpujsBackend({ mode: "cpu" }).compile(program, options),
  "gpujsBackend, run": (options) => onDevice.run([x], options),
  lowerToLoops: (options) => lowerToLoops(program.graph, Object.assign({ operators }, options)),
  GraphBuilder: (options) => new GraphBuilder(options),
  parseGraph: (options) => parseGraph("", options),
  parseIr: (options) => parseIr("", options),
  printIr: (options) => printIr(program, options),
  annotation: (options) => annotation(undefined, options),
  readableText: (options) => readableText(program.graph, options),
  rebuild: (options) => rebuild(program.graph, () => true, options),
  verify: (options) => verify(program, options),
  verifyAll: (options) => verifyAll(program, options),
  verifyGraph: (options) => verifyGraph(program.graph, undefined, options),
  assertValid: (options) => assertValid(program, options),
  diffPrograms: (options) => diffPrograms(program, program, options),
  replay: (options) => replay(program, program, options),
  defineOp: (options) => defineOp({ schema: "mylib::f(Tensor x) -> Tensor", ...(options as object) }),
  definePass: (options) => definePass({ name: "p", doc: "", run: (given) => given, ...(options as object) }),
  defineRule: (options) =>
    defineRule({ name: "r", doc: "", match: "aten.relu.default($x)", replace: "$x", ...(options as object) }),
  bisect: (options) => bisect(program, [deadCodeElimination], context, options),
  checkPasses: (options) => checkPasses(program, [deadCodeElimination], context, options),
  convertDtype: (options) => convertDtype(program, operators, { to: "float16", ...(options as object) }),
  fuseRegions: (options) => fuseRegions(program, operators, options),
  PassManager: (options) => new PassManager(context, options),
  partition: (options) => partition(program, cpuBackend(), operators, options),
  replacePattern: (options) =>
    replacePattern(
      (emit, a) => emit("aten.relu.default", [a]),
      (emit, a) => emit("aten.neg.default", [a]),
      options,
    ),
  rewriteProgram: (options) => rewriteProgram(program, [], Object.assign({ operators }, options)),
  runDecompositions: (options) => runDecompositions(program, undefined, options),
  sampleInputs: (options) => sampleInputs(program, options),
  verifyCalls: (options) => verifyCalls(program, Object.assign({ operators }, options)),
  symbol: (options) => symbol("s0", options),
  parseSrepr: (options) => parseSrepr("s0", options),
  ShapeEnv: (options) => new ShapeEnv(options),
  tensorDifference: (options) => tensorDifference(x, x, options),
  compareTensors: (options) => compareTensors(x, x, Object.assign({ rtol: 0, atol: 0 }, options)),
  sampleProgram: (options) => sampleProgram(1, options),
  arbitraryProgram: (options) => arbitraryProgram(options),
  meaningDifference: (options) => meaningDifference(program, Object.assign({ of: program }, options)),
  programProblem: (options) => programProblem(program, options),
  describeBackends: (options) => describeBackends([], () => {}, options),
};

describe.each(Object.entries(CALLS))("%s", (_, call) => {
  test("refuses an unknown name", async () => {
    const error: unknown = await attempt(() => call({ nonsense: 1 } as Bad));
    expect(error).toSatisfy((one) => isSconceError(one, "UNKNOWN_OPTION"));
    expect((error as Error).message).toContain('has no option "nonsense"');
  });
});

test.each<[call: string, given: object, message: string, fix: string]>([
  ["load", { singal: undefined }, 'load has no option "singal"', 'did you mean "signal"?'],
  ["createSconce", { plugin: [] }, 'createSconce has no option "plugin"', 'did you mean "plugins"?'],
  ["defineRule", { wher: () => true }, 'defineRule has no option "wher"', 'did you mean "where"?'],
  ["run", { sginal: 1 }, 'run has no option "sginal"', 'did you mean "signal"?'],
])("%s names what was meant", async (call, given, message, fix) => {
  const error = await attempt(() => CALLS[call]!(given as Bad));
  expect(error).toMatchObject({ message, fix: expect.stringContaining(fix) });
});

test.each([null, "fast", 3, true, []].map((given) => [given]))(
  "%j is not an object of options",
  async (given) => {
    const error = await attempt(() => sconce.load(new Uint8Array(), given as Bad));
    expect(error).toMatchObject({ code: "UNKNOWN_OPTION", fix: expect.stringContaining("pass an object") });
  },
);

async function attempt(call: () => unknown): Promise<unknown> {
  try {
    await call();
  } catch (error) {
    return error;
  }
  return undefined;
}
