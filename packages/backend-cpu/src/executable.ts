/** @file A compiled program: planned graph, its own state, and the calling convention around them. */
import {
  type ArgumentSpec,
  type Executable,
  type ExportedProgram,
  float,
  type InputSpec,
  type MetaValue,
  type NodeProfile,
  type RunOptions,
  toNumber,
  type Value,
} from "@sconce/ir";
import { type InputCheck, inputCheck, type OperatorTable } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { refuseConjugateWrites } from "./conjugate-writes.js";
import type { Dispatcher } from "./dispatch.js";
import { aborted, missingState } from "./errors.js";
import { Interpreter, type Seen } from "./interpreter.js";
import type { RuntimeValue } from "./kernel.js";
import { type GraphPlan, planGraph } from "./plan.js";
import { MUTATIONS, programState, writeBack } from "./state.js";

const LIFTED = new Set(["PARAMETER", "BUFFER", "CONSTANT_TENSOR", "CUSTOM_OBJ"]);

/** Runs a program on the interpreter; see {@link Executable}. */
export class CpuExecutable implements Executable {
  readonly #program: ExportedProgram;
  readonly #plan: GraphPlan;
  readonly #dispatcher: Dispatcher;
  readonly #check: InputCheck;
  readonly #state: Map<string, Tensor>;
  #profile: readonly NodeProfile[] = [];

  constructor(program: ExportedProgram, operators: OperatorTable, dispatcher: Dispatcher) {
    this.#program = program;
    this.#dispatcher = dispatcher;
    refuseConjugateWrites(program.graph, operators);
    this.#plan = planGraph(program.graph, operators);
    this.#check = inputCheck(program);
    this.#state = programState(program, operators);
  }

  get state(): ReadonlyMap<string, Tensor> {
    return this.#state;
  }

  async run(inputs: readonly Value[], options: RunOptions = {}): Promise<readonly Value[]> {
    if (options.signal?.aborted) throw aborted(options.signal.reason);
    this.#check(inputs);
    const interpreter = new Interpreter(this.#dispatcher, options);
    const given = this.#graphInputs(inputs);
    const results = (await interpreter.runMain(this.#plan, given)) as readonly RuntimeValue[];
    this.#profile = interpreter.profile;
    return this.#userOutputs(results, given);
  }

  /** Runs without pauses; `see` is given each value of the program's own graph as soon as it is computed. */
  runSync(inputs: readonly Value[], see?: Seen): readonly Value[] {
    this.#check(inputs);
    const given = this.#graphInputs(inputs);
    const interpreter = new Interpreter(this.#dispatcher);
    return this.#userOutputs(
      interpreter.runMainSync(this.#plan, given, see) as readonly RuntimeValue[],
      given,
    );
  }

  profile(): readonly NodeProfile[] {
    return this.#profile;
  }

  dispose(): void {
    this.#state.clear();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** State and user inputs in the order of the graph's placeholders. */
  #graphInputs(inputs: readonly Value[]): RuntimeValue[] {
    let next = 0;
    const { inputSpecs } = this.#program.graphSignature;
    return this.#program.graph.placeholders().map((node, i) => {
      const spec = inputSpecs[i];
      if (spec?.kind === "TOKEN") return Tensor.empty([0], "float32");
      if (spec !== undefined && LIFTED.has(spec.kind)) return this.#stateOf(spec);
      return runtimeValue(inputs[next++]!, node.meta.val, spec?.arg);
    });
  }

  #stateOf(spec: InputSpec): Tensor {
    const tensor = this.#state.get(spec.target ?? "");
    if (tensor === undefined) throw missingState(spec.target ?? spec.arg.name);
    return tensor;
  }

  /**
   * Writes mutations back, then picks the user's outputs. An output that is a mutated value is the mutated
   * tensor.
   */
  #userOutputs(results: readonly RuntimeValue[], given: readonly RuntimeValue[]): Value[] {
    const { outputSpecs, inputSpecs } = this.#program.graphSignature;
    const writes = outputSpecs.flatMap(({ kind, target, arg }, i) => {
      if (!MUTATIONS.has(kind)) return [];
      const place =
        kind === "USER_INPUT_MUTATION"
          ? given[inputSpecs.findIndex((spec) => spec.arg.name === target)]
          : this.#state.get(target ?? "");
      if (!(place instanceof Tensor)) throw missingState(target ?? arg.name);
      return [{ place, value: results[i] as Tensor, name: arg.name }];
    });
    const written = writeBack(writes);
    const outputs: Value[] = [];
    outputSpecs.forEach(({ kind, arg }, i) => {
      if (MUTATIONS.has(kind) || kind === "TOKEN") return;
      outputs.push(written.get(arg.name) ?? userValue(results[i]!));
    });
    return outputs;
  }
}

/** Python floats keep their type inside, even when they are integral. */
function runtimeValue(
  value: Value,
  meta: MetaValue | undefined,
  spec: ArgumentSpec | undefined,
): RuntimeValue {
  if (typeof value !== "number") return value;
  const symbolic = typeof meta === "object" && meta !== null && "kind" in meta && meta.kind === "SymFloat";
  const constant = spec?.kind === "constant" && typeof spec.value === "object" && spec.value !== null;
  return symbolic || constant || spec?.kind === "symfloat" ? float(value) : value;
}

function userValue(value: RuntimeValue): Value {
  if (typeof value === "object" && value !== null && "kind" in value) return toNumber(value);
  return value as Value;
}
