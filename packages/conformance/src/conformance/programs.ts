/** @file Checks Sconce against programs that PyTorch exported, one folder at a time. */
import { isSconceError } from "@sconce/errors";
import { codeText, type ExportedProgram, graphText, isFloat, toNumber, type Value } from "@sconce/ir";
import type { Sconce } from "@sconce/session";
import { castTensor, Tensor } from "@sconce/tensor";
import { compareTensors } from "@sconce/tensor/compare";
import { asSaved, canonicalProgram, canonicalText, withoutUnusedItems } from "./canonical-program.js";

import { graphDifference } from "./graph-equality.js";
import { metadataDifference } from "./lowered-metadata.js";
import { buildTree, type CaseCall, type ProgramCase, ProgramFolder } from "./program-case.js";
import { firstDifference, guardsDifference, roundTrip, signatureDifference } from "./program-texts.js";
import { withStandIns } from "./stand-in-values.js";
import { variantTable } from "./variants.js";

/** One thing that was checked; `problem` is undefined for a pass. */
export interface Check {
  readonly name: string;
  readonly problem: string | undefined;
}

export interface ProgramCheckOptions {
  readonly backend?: string;
  /** Only run the programs: texts and lowering are the same with each backend. */
  readonly runsOnly?: boolean;
  /**
   * Leave out the runs of the lowered program: a backend lowers programs itself, to the same, and
   * another run of the backend has compared them.
   */
  readonly withoutLowered?: boolean;
}

/** Runs every check of a folder: texts, lowering, calls, refusals. Nothing is thrown. */
export async function checkProgramFolder(
  path: string,
  sconce: Sconce,
  options: ProgramCheckOptions = {},
): Promise<Check[]> {
  const folder = new ProgramFolder(path);
  if (folder.info.status !== "exported" || !folder.has("program.pt2")) return [];
  const checker = new FolderChecker(folder, sconce, options.backend ?? "cpu");
  checker.runsLowered = options.withoutLowered !== true;
  await (options.runsOnly === true ? checker.runs() : checker.run());
  return checker.checks;
}

/**
 * Returns the program as before it was saved: PyTorch lowered that, and asserts more of it than of
 * the one that it loads.
 */
const asExported = (program: ExportedProgram): ExportedProgram => program.with({ torchVersion: undefined });

/** How the names of variants end that are other variants, lowered. */
const LOWERED = "_lowered";

/** A change of a program that must not change its numbers. */
export interface Transform {
  readonly name: string;
  /** Whether it takes the program as exported or as lowered. */
  readonly from: "program" | "lowered";
  run(program: ExportedProgram): ExportedProgram;
  /** How far numbers may be off; the folder's own tolerance when left out. */
  readonly tolerance?: Tolerance;
}

type Tolerance = ProgramCase["tolerance"];

/**
 * Runs every recorded call of a folder on changed programs; each has to be valid. Nothing is
 * thrown.
 */
export async function checkTransforms(
  path: string,
  sconce: Sconce,
  transforms: readonly Transform[],
): Promise<Check[]> {
  const folder = new ProgramFolder(path);
  const { status, program, decomposed } = folder.info;
  if (status !== "exported" || !folder.has("program.pt2") || program.load_error !== undefined) return [];
  if (decomposed?.error !== undefined) return [];
  const checker = new FolderChecker(folder, sconce, "cpu");
  await checker.transformed(transforms);
  return checker.checks;
}

/**
 * Runs every recorded call of a folder, and every call that PyTorch refuses, on a program from
 * elsewhere; `shown` is applied to the messages of refusals. Nothing is thrown.
 */
export async function checkCalls(
  folder: ProgramFolder,
  sconce: Sconce,
  program: ExportedProgram,
  shown?: (message: string) => string,
): Promise<Check[]> {
  const checker = new FolderChecker(folder, sconce, "cpu");
  await checker.calls(program, shown);
  return checker.checks;
}

/** What a call gave and left behind. */
interface CallResult {
  readonly outputs: readonly unknown[];
  readonly inputs: readonly Value[];
  state(name: string): unknown;
}

/**
 * Returns how a call differs from the recorded one: its outputs, the state and the inputs after it.
 */
export function callDifference(
  folder: ProgramFolder,
  call: CaseCall,
  { outputs, inputs, state }: CallResult,
  tolerance: Tolerance = folder.info.tolerance,
): string | undefined {
  const rule = { ...folder.info, tolerance };
  const { values, stored } = folder.outputs(call);
  if (outputs.length !== values.length) return `${outputs.length} outputs instead of ${values.length}`;
  for (let i = 0; i < values.length; i++) {
    const problem = valueDifference(outputs[i], values[i]!, rule);
    if (problem !== undefined) return `output ${i}: ${problem}`;
  }
  for (const [name, key] of Object.entries(call.buffers_after ?? {})) {
    const problem = valueDifference(state(name), stored.get(key)!, rule);
    if (problem !== undefined) return `buffer ${name}: ${problem}`;
  }
  for (const [index, key] of Object.entries(call.inputs_after ?? {})) {
    const problem = valueDifference(inputs[Number(index)], stored.get(key)!, rule);
    if (problem !== undefined) return `input ${index} after the call: ${problem}`;
  }
  return undefined;
}

/** Returns how a result differs from the recorded one: a tensor, a number or another leaf. */
function valueDifference(
  got: unknown,
  want: Value,
  { tolerance, compare_values: values }: Pick<ProgramCase, "tolerance" | "compare_values">,
): string | undefined {
  if (want instanceof Tensor) {
    if (!(got instanceof Tensor)) return `${String(got)} instead of a tensor`;
    return compareTensors(got, want, { ...tolerance, values: values !== false });
  }
  if (isFloat(want)) {
    const [a, b] = [toNumber(got as number), toNumber(want)];
    const { rtol, atol } = tolerance;
    return a === b || Math.abs(a - b) <= atol + rtol * Math.abs(b) || (Number.isNaN(a) && Number.isNaN(b))
      ? undefined
      : `${a} instead of ${b}`;
  }
  return got === want ? undefined : `${String(got)} instead of ${String(want)}`;
}

class FolderChecker {
  readonly checks: Check[] = [];
  runsLowered = true;
  readonly #folder: ProgramFolder;
  readonly #sconce: Sconce;
  readonly #backend: string;
  #tolerance: Tolerance;

  constructor(folder: ProgramFolder, sconce: Sconce, backend: string) {
    this.#folder = folder;
    this.#tolerance = folder.info.tolerance;
    this.#sconce = sconce;
    this.#backend = backend;
  }

  async run(): Promise<void> {
    const program = await this.#load("program");
    if (program === undefined) return;
    // What PyTorch cannot load it never printed as loaded: the recorded texts have names that are
    // not in the file.
    if (this.#folder.info.program.load_error === undefined) this.#texts("program", "", program);
    await this.#check("Sconce IR round trip", () => roundTrip(program));
    await this.#exampleInputs(program);
    const lowered = await this.#lowering(program);
    await this.#allCalls(program, lowered);
    for (const variant of Object.keys(this.#folder.info.variants ?? {}))
      await this.#variant(variant, program);
  }

  /** The recorded calls of the program, lowered and optimized too, and those that are refused. */
  async runs(): Promise<void> {
    const program = await this.#load("program");
    if (program === undefined) return;
    const { decomposed } = this.#folder.info;
    let lowered: ExportedProgram | undefined;
    if (decomposed?.same_as_program === true || this.#folder.has("decomposed.pt2"))
      await this.#check("lower", () => {
        lowered = this.#sconce.runDecompositions(asExported(program));
        return undefined;
      });
    await this.#allCalls(program, lowered);
  }

  async #allCalls(program: ExportedProgram, lowered: ExportedProgram | undefined): Promise<void> {
    await this.#calls("run", program);
    if (lowered !== undefined) {
      // What needs no lowering has run.
      if (this.runsLowered && lowered.graph !== program.graph) await this.#calls("run lowered", lowered);
      await this.#optimized(lowered);
    }
    await this.#rejections(program);
  }

  async transformed(transforms: readonly Transform[]): Promise<void> {
    const program = withStandIns(await this.#sconce.load(this.#folder.bytes("program.pt2")));
    const lowered = this.#sconce.runDecompositions(program);
    for (const { name, from, run, tolerance } of transforms) {
      const base = from === "program" ? program : lowered;
      let changed: ExportedProgram | undefined;
      await this.#check(name, () => {
        changed = run(base);
        const [problem] = this.#sconce.verify(changed);
        return problem === undefined ? undefined : `verify: ${problem.message}`;
      });
      this.#tolerance = tolerance ?? this.#folder.info.tolerance;
      if (changed !== undefined && changed !== base) await this.#calls(name, changed);
    }
  }

  async calls(program: ExportedProgram, shown?: (message: string) => string): Promise<void> {
    await this.#runCalls("run", program);
    await this.#rejections(program, shown);
  }

  async #check(name: string, run: () => string | undefined | Promise<string | undefined>): Promise<void> {
    let problem: string | undefined;
    try {
      problem = await run();
    } catch (error) {
      problem = isSconceError(error)
        ? error.describe().replace(/\n\s*/g, " | ")
        : `threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
    }
    this.checks.push({ name, problem });
  }

  async #load(stem: string): Promise<ExportedProgram | undefined> {
    let program: ExportedProgram | undefined;
    await this.#check(`load ${stem}.pt2`, async () => {
      program = await this.#sconce.load(this.#folder.bytes(`${stem}.pt2`));
      if (stem === "program" && this.#folder.info.program.load_error !== undefined) return undefined;
      const problems = this.#sconce.verify(program);
      return problems.length === 0
        ? undefined
        : `verify: ${problems.map((problem) => problem.message).join("; ")}`;
    });
    return program;
  }

  /** A loaded program prints as PyTorch prints it after loading. */
  #texts(stem: string, prefix: string, program: ExportedProgram): void {
    const { has, text } = {
      has: this.#folder.has.bind(this.#folder),
      text: this.#folder.text.bind(this.#folder),
    };
    const pick = (loaded: string, plain: string): string | undefined =>
      has(loaded) ? loaded : has(plain) ? plain : undefined;
    const main = pick(`${stem}.loaded.txt`, `${stem}.txt`);
    const graph = pick(`${stem}.loaded.graph.txt`, `${prefix}graph.txt`);
    const compare = (name: string, file: string | undefined, got: () => string): void => {
      if (file !== undefined) void this.#sync(name, () => firstDifference(got(), text(file)));
    };
    compare(`text ${main}`, main, () => String(program));
    compare(`text ${graph}`, graph, () => graphText(program.graph));
    if (!has(`${stem}.loaded.txt`))
      compare(`text ${prefix}code.txt`, has(`${prefix}code.txt`) ? `${prefix}code.txt` : undefined, () =>
        codeText(program.graph),
      );
  }

  #sync(name: string, run: () => string | undefined): void {
    let problem: string | undefined;
    try {
      problem = run();
    } catch (error) {
      problem = `threw ${error instanceof Error ? error.message : String(error)}`;
    }
    this.checks.push({ name, problem });
  }

  /** Our own lowering against PyTorch's, and PyTorch's against its texts. */
  async #lowering(program: ExportedProgram): Promise<ExportedProgram | undefined> {
    if (this.#folder.info.decomposed?.error !== undefined) return undefined;
    let lowered: ExportedProgram | undefined;
    if (!this.#folder.has("decomposed.pt2")) {
      if (this.#folder.info.decomposed?.same_as_program !== true) return undefined;
      await this.#check("lower (same program)", () => {
        lowered = this.#sconce.runDecompositions(program);
        return graphDifference(lowered.graph, program.graph);
      });
      return lowered;
    }
    const wanted = await this.#load("decomposed");
    if (wanted === undefined) return undefined;
    if (this.#folder.info.decomposed?.load_error === undefined)
      this.#texts("decomposed", "decomposed.", wanted);
    await this.#check("lower", () => {
      lowered = this.#sconce.runDecompositions(asExported(program));
      return graphDifference(lowered.graph, wanted.graph) ?? signatureDifference(lowered, wanted);
    });
    if (lowered !== undefined) {
      this.#loweredNames("lower", lowered, wanted);
      this.#likeLowered("lower", lowered, wanted, this.#folder.info.decomposed?.guards_code);
    }
    return lowered;
  }

  /**
   * Text up to the names of nodes and symbols, metadata and guards are those of PyTorch's lowered
   * program.
   */
  #likeLowered(
    label: string,
    lowered: ExportedProgram,
    wanted: ExportedProgram,
    guards: readonly string[] | undefined,
  ): void {
    const saved = lowered.with({ graph: asSaved(lowered.graph) });
    const [got, want] = [canonicalProgram(saved), canonicalProgram(wanted)];
    this.#sync(`${label} text`, () => firstDifference(canonicalText(got, want), canonicalText(want, got)));
    this.#sync(`${label} metadata`, () => metadataDifference(got, want));
    if (guards !== undefined)
      this.#sync(`${label} guards`, () => guardsDifference(lowered.guardsCode, guards));
  }

  /** Where no symbolic size is involved, PyTorch's naming rule fixes every name. */
  #loweredNames(label: string, lowered: ExportedProgram, wanted: ExportedProgram): void {
    if (lowered.rangeConstraints.size > 0) return;
    this.#sync(`${label} names`, () =>
      firstDifference(graphText(asSaved(lowered.graph)), graphText(withoutUnusedItems(wanted.graph))),
    );
  }

  async #variant(name: string, program: ExportedProgram): Promise<void> {
    if (!this.#folder.has(`${name}.pt2`)) return;
    const wanted = await this.#load(name);
    if (wanted === undefined) return;
    this.#texts(name, `${name}.`, wanted);
    const source = name.endsWith(LOWERED) ? await this.#load(name.slice(0, -LOWERED.length)) : program;
    const table = name.endsWith(LOWERED) ? undefined : variantTable(this.#sconce, name);
    if (source === undefined || (source === program && table === undefined)) return;
    await this.#check(`lower ${name}`, () => {
      const lowered = this.#sconce.runDecompositions(asExported(source), table);
      const problem = graphDifference(lowered.graph, wanted.graph) ?? signatureDifference(lowered, wanted);
      this.#loweredNames(`lower ${name}`, lowered, wanted);
      this.#likeLowered(`lower ${name}`, lowered, wanted, undefined);
      return problem;
    });
  }

  /** Runs the recorded calls where PyTorch can load the file. */
  async #calls(label: string, program: ExportedProgram): Promise<void> {
    if (this.#folder.info.program.load_error === undefined) await this.#runCalls(label, program);
  }

  async #runCalls(label: string, program: ExportedProgram): Promise<void> {
    const { info } = this.#folder;
    if (info.call?.outputs === undefined) return;
    let module = await this.#open(label, program);
    let first = true;
    for (const call of [info.call, ...(info.more ?? [])]) {
      if (module === undefined) return;
      if (!first && !info.sequence) module = await this.#open(label, program);
      await this.#check(`${label}${first ? "" : ` ${call.note ?? "again"}`}`, () =>
        this.#call(module!, call),
      );
      first = false;
    }
  }

  async #open(
    label: string,
    program: ExportedProgram,
  ): Promise<Awaited<ReturnType<Sconce["module"]>> | undefined> {
    try {
      return await this.#sconce.module(program, { backend: this.#backend });
    } catch (error) {
      this.checks.push({ name: label, problem: isSconceError(error) ? error.describe() : String(error) });
      return undefined;
    }
  }

  async #call(module: Awaited<ReturnType<Sconce["module"]>>, call: CaseCall): Promise<string | undefined> {
    const inputs = this.#folder.inputs(call);
    const outputs = await this.#run(module, call, inputs);
    const state = (name: string): Value => this.#stateOf(module, name);
    return callDifference(this.#folder, call, { outputs, inputs, state }, this.#tolerance);
  }

  /** State in another dtype, where numbers may be off, is compared by value. */
  #stateOf(module: Awaited<ReturnType<Sconce["module"]>>, name: string): Value {
    const value = module.state.get(name) ?? null;
    const isHalf = value?.dtype === "bfloat16" || value?.dtype === "float16";
    return isHalf && this.#tolerance !== this.#folder.info.tolerance ? castTensor(value, "float32") : value;
  }

  /**
   * Through the calling convention where the containers have a JavaScript form, else with flat
   * leaves.
   */
  async #run(
    module: Awaited<ReturnType<Sconce["module"]>>,
    call: CaseCall,
    inputs: readonly Value[],
  ): Promise<readonly Value[]> {
    const tree = buildTree(call.input_tree, inputs);
    if (tree === undefined) return module.executable.run(inputs);
    const [args, kwargs] = tree.value as [unknown[], Record<string, unknown>];
    return module.callFlat(args, kwargs);
  }

  #difference(got: Value, want: Value): string | undefined {
    return valueDifference(got, want, { ...this.#folder.info, tolerance: this.#tolerance });
  }

  /** The built-in passes change no number. */
  async #optimized(lowered: ExportedProgram): Promise<void> {
    let optimized: ExportedProgram | undefined;
    await this.#check("optimize", () => {
      const result = this.#sconce.transform(withStandIns(lowered), "fold-constants{weights=true},cse,dce", {
        verify: true,
      });
      // What the passes leave as it is has run.
      if (result !== lowered || !this.runsLowered) optimized = result;
      return undefined;
    });
    if (optimized !== undefined) await this.#calls("run optimized", optimized);
  }

  /** The example inputs of the file are those of the recorded call. */
  async #exampleInputs(program: ExportedProgram): Promise<void> {
    const { call } = this.#folder.info;
    if (program.exampleInputs === null || call === undefined || call.inputs_file === undefined) return;
    await this.#check("example inputs", () => {
      const leaves = program.exampleInputs!.leaves as readonly Value[];
      const wanted = this.#folder.inputs(call);
      if (leaves.length !== wanted.length) return `${leaves.length} leaves instead of ${wanted.length}`;
      const problems = wanted.map((want, i) => this.#difference(leaves[i]!, want));
      const at = problems.findIndex((problem) => problem !== undefined);
      return at < 0 ? undefined : `leaf ${at}: ${problems[at]}`;
    });
  }

  async #rejections(program: ExportedProgram, shown = (message: string) => message): Promise<void> {
    for (const call of this.#folder.info.rejected ?? []) {
      await this.#check(`reject ${call.note ?? ""}`, async () => {
        const module = await this.#sconce.module(program, { backend: this.#backend });
        try {
          await this.#run(module, call, this.#folder.inputs(call));
        } catch (error) {
          if (isSconceError(error) && error.code !== "INTERNAL")
            return otherMessage(shown(error.message), call.error!);
          throw error;
        }
        return `accepted, PyTorch says: ${call.error?.message.split("\n")[0]}`;
      });
    }
  }
}

/** Errors of the calling convention have PyTorch's words. */
function otherMessage(got: string, want: NonNullable<CaseCall["error"]>): string | undefined {
  const isConvention = /^(Trying to flatten|Guard failed: |Boolean value of Tensor)/.test(want.message);
  return isConvention && got !== want.message ? firstDifference(got, want.message) : undefined;
}
