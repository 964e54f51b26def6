/** @file Functionalization against recorded calls: each in-place or view call as a program of one node. */
import { cpuBackend } from "@sconce/backend-cpu";
import { isSconceError } from "@sconce/errors";
import {
  type Argument,
  ExportedProgram,
  FakeTensor,
  GraphBuilder,
  type InputSpec,
  type MetaValue,
  type OutputSpec,
  ref,
  tuple,
} from "@sconce/ir";
import { metaOf, type OperatorTable } from "@sconce/ops";
import { functionalized, isFunctional } from "@sconce/passes";
import { ShapeEnv } from "@sconce/symbolic";
import { contiguousStrides, Tensor } from "@sconce/tensor";
import type { BuiltValue, OpCase, OpCaseFile } from "./op-cases.js";
import {
  type CaseOutcome,
  type OpCaseResult,
  outcomeProblem,
  type PreparedCase,
  prepareCase,
} from "./ops.js";

/** True for a file of calls that functionalization changes or follows: they write, or give views. */
export function needsFunctionalization(file: OpCaseFile, operators: OperatorTable): boolean {
  const schema = operators.schemaOf(file.target);
  return schema !== undefined && (schema.isMutable || schema.isView);
}

/** Functionalizes every call of a file, runs the result, and compares outputs and mutations with PyTorch's. */
export async function checkFunctionalized(
  file: OpCaseFile,
  operators: OperatorTable,
): Promise<OpCaseResult[]> {
  const results: OpCaseResult[] = [];
  for (const one of file.cases) {
    results.push({ id: one.id, target: file.target, problem: await problemOf(file, one, operators) });
  }
  return results;
}

async function problemOf(
  file: OpCaseFile,
  one: OpCase,
  operators: OperatorTable,
): Promise<string | undefined> {
  const prepared = prepareCase(file, one);
  let outcome: CaseOutcome;
  try {
    const call = new CallProgram(file.target, prepared.args, prepared.kwargs, operators);
    const program = functionalized(call.program, operators);
    if (!isFunctional(program, operators)) return "is not functional afterwards";
    const executable = await cpuBackend({ operators }).compile(program);
    outcome = { result: call.resultOf((await executable.run(call.inputs)) as readonly BuiltValue[]) };
  } catch (error) {
    outcome = { error };
  }
  // What changes the sizes of the caller's tensor is refused, as PyTorch does (with an assertion).
  if (changesLayout(one, prepared)) {
    return "error" in outcome && isSconceError(outcome.error) ? undefined : "should be refused";
  }
  return outcomeProblem(file, one, prepared, outcome);
}

function changesLayout(one: OpCase, call: PreparedCase): boolean {
  return call.before.some(([path, , , layout]) => {
    const after = one.mutated?.[path];
    if (after === undefined || !("tensor" in after)) return false;
    const { shape, strides = contiguousStrides(shape) } = after;
    return String(shape) !== String(layout.shape) || String(strides) !== String(layout.strides);
  });
}

/** One call as an exported program; every tensor among its arguments is an input. */
class CallProgram {
  readonly program: ExportedProgram;
  readonly inputs: Tensor[] = [];
  readonly #builder = new GraphBuilder();
  readonly #fakes: FakeTensor[] = [];
  readonly #single: boolean;
  readonly #isList: boolean;

  constructor(
    target: string,
    args: readonly BuiltValue[],
    kwargs: Readonly<Record<string, BuiltValue>>,
    operators: OperatorTable,
  ) {
    const nodeArgs = args.map((arg) => this.#argument(arg));
    const nodeKwargs: Record<string, Argument> = {};
    for (const key in kwargs) nodeKwargs[key] = this.#argument(kwargs[key]!);
    const val = metaOf(operators, target, nodeArgs, nodeKwargs, new ShapeEnv(), ({ name }) =>
      this.#fakeOf(name),
    );
    const { returns } = operators.require(target).schema;
    this.#single = returns.length === 1;
    this.#isList = Array.isArray(val);
    this.#builder.call("call", target, nodeArgs, nodeKwargs, { val });
    const outputs = this.#outputs(val, returns.length);
    this.#builder.output(tuple(outputs.map(ref)));
    this.program = this.#finish(outputs);
  }

  /** The outputs in the form that the operator gives them. */
  resultOf(outputs: readonly BuiltValue[]): unknown {
    return this.#single && !this.#isList ? outputs[0] : outputs;
  }

  #fakeOf(name: string): FakeTensor {
    return this.#fakes[Number(name.slice(1))]!;
  }

  #argument(value: BuiltValue): Argument {
    if (Array.isArray(value)) return (value as readonly BuiltValue[]).map((item) => this.#argument(item));
    if (!(value instanceof Tensor)) return value as Argument;
    const name = `x${this.inputs.length}`;
    const fake = new FakeTensor(value);
    this.inputs.push(value);
    this.#fakes.push(fake);
    return this.#builder.placeholder(name, { val: fake });
  }

  #outputs(val: MetaValue, returns: number): string[] {
    if (returns === 0) return [];
    if (!Array.isArray(val)) return ["call"];
    return (val as readonly MetaValue[]).map((item, i) => {
      this.#builder.call(`item_${i}`, "operator.getitem", [ref("call"), i], {}, { val: item });
      return `item_${i}`;
    });
  }

  #finish(outputs: readonly string[]): ExportedProgram {
    const inputSpecs = this.inputs.map(
      (_, i): InputSpec => ({
        kind: "USER_INPUT",
        arg: { kind: "tensor", name: `x${i}` },
        target: null,
        persistent: null,
      }),
    );
    const outputSpecs = outputs.map(
      (name): OutputSpec => ({ kind: "USER_OUTPUT", arg: { kind: "tensor", name }, target: null }),
    );
    return new ExportedProgram({
      graph: this.#builder.build(),
      graphSignature: { inputSpecs, outputSpecs },
      stateDict: new Map(),
      parameterNames: new Set(),
      constants: new Map(),
      rangeConstraints: new Map(),
      moduleCallGraph: [],
      dialect: "TRAINING",
    });
  }
}
