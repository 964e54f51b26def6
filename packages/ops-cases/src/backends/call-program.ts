/** @file Recorded calls as programs of one node. */
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
import { ShapeEnv } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import type { BuiltValue } from "../recorded/build.js";

/** One call as an exported program; every tensor among its arguments is an input. */
export class CallProgram {
  /** The program that makes the call. */
  readonly program: ExportedProgram;
  /** The inputs of the program. */
  readonly inputs: Tensor[] = [];
  readonly #builder = new GraphBuilder();
  readonly #fakes: FakeTensor[] = [];
  readonly #single: boolean;
  /** How many outputs each result is: a list has one for each tensor. */
  readonly #counts: (number | undefined)[] = [];
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

  /** Returns the outputs in the form that the operator gives them. */
  resultOf(outputs: readonly BuiltValue[]): unknown {
    if (this.#single && !this.#isList) return outputs[0];
    let at = 0;
    return this.#counts.map((count) => {
      if (count === undefined) return outputs[at++];
      at += count;
      return outputs.slice(at - count, at);
    });
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
    return (val as readonly MetaValue[]).flatMap((item, i) => {
      const name = this.#item("call", i, item);
      this.#counts.push(Array.isArray(item) ? item.length : undefined);
      if (!Array.isArray(item)) return [name];
      return (item as readonly MetaValue[]).map((one, k) => this.#item(name, k, one));
    });
  }

  /** Returns the call that reads one result of several. */
  #item(from: string, at: number, val: MetaValue): string {
    const name = from === "call" ? `item_${at}` : `${from}_${at}`;
    this.#builder.call(name, "operator.getitem", [ref(from), at], {}, { val });
    return name;
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
