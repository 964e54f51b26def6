/**
 * @file Which inputs and outputs of a program hold rows, and the sizes of batches that it takes.
 */
import {
  type ExportedProgram,
  FakeTensor,
  type IntLike,
  typeText,
  unwrapFloat,
  type Value,
} from "@sconce/ir";
import { type OperatorTable, userLeaves } from "@sconce/ops";
import { drawFrom, functionalized, sampleSizes, sizeCheck } from "@sconce/passes";
import { freeSymbols, type SymExpr, solveLinear } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { badBatch, notByRows } from "../errors.js";
import type { RowShape } from "../table/columns.js";

/** One input of a program. */
export interface PlannedInput {
  readonly name: string;
  /** `i0`: the position among the inputs. */
  readonly position: string;
  /** `float32[s0, 8]` */
  readonly type: string;
  readonly dtype: DType | undefined;
  /** The shape of one row; undefined for an input that is not along the batch dimension. */
  readonly row: RowShape | undefined;
  /** The value of a constant of the export. */
  readonly constant: Value | undefined;
}

/** How a program is called with rows. */
export interface RowPlan {
  readonly inputs: readonly PlannedInput[];
  /** Names of outputs: `o0`, `o1`, ... */
  readonly outputs: readonly string[];
  /** Sizes of batches, ascending; the last one is the full batch. */
  readonly sizes: readonly number[];
}

/**
 * Returns how a program is called with rows: along the dimension 0 that its outputs share with its
 * inputs.
 *
 * @throws SconceError `BATCH_PROGRAM`, `BATCH_OPTION`
 */
export function rowPlan(program: ExportedProgram, operators: OperatorTable, batchSize: number): RowPlan {
  refuseState(functionalized(program, operators));
  const leaves = userLeaves(program).map(({ name, spec: { arg } }) => {
    const { val } = program.graph.node(name).meta;
    const constant = arg.kind === "constant" ? (unwrapFloat(arg.value) as Value) : undefined;
    return { name, fake: val instanceof FakeTensor ? val : undefined, constant };
  });
  const fakes = leaves.flatMap(({ fake }) => (fake === undefined ? [] : [fake]));
  const batch = batchDimension(program, fakes);
  const inputs = leaves.map(({ name, fake, constant }, i): PlannedInput => {
    const isRows = fake !== undefined && fake.shape.length > 0 && isSame(fake.shape[0]!, batch);
    return {
      name,
      position: `i${i}`,
      type: fake === undefined ? "value" : typeText(fake),
      dtype: fake?.dtype,
      row: isRows
        ? fake.shape.slice(1).map((size) => (typeof size === "number" ? size : undefined))
        : undefined,
      constant,
    };
  });
  return {
    inputs,
    outputs: program.userOutputs.map((_, i) => `o${i}`),
    sizes: sizesOf(program, batch, batchSize),
  };
}

/**
 * Results of a program that changes its buffers depend on the order of batches. A functional
 * program says in its signature what it changes.
 */
function refuseState({ graphSignature }: ExportedProgram): void {
  const changed = graphSignature.outputSpecs.find(
    ({ kind }) => kind !== "USER_OUTPUT" && kind !== "LOSS_OUTPUT",
  );
  if (changed === undefined) return;
  throw notByRows(
    `the program changes ${changed.target ?? changed.arg.name} (${changed.kind}), so results depend on the order of batches`,
    "export the model in evaluation mode (`model.eval()`), or without changes of buffers and inputs",
  );
}

const keyOf = (size: IntLike): string => (typeof size === "number" ? String(size) : size.key);
const isSame = (a: IntLike, b: IntLike): boolean => keyOf(a) === keyOf(b);

/** Returns the dimension 0 of an input that all outputs have: a symbolic one before a fixed one. */
function batchDimension(program: ExportedProgram, inputs: readonly FakeTensor[]): IntLike {
  const outputs = program.userOutputs.map((output) =>
    "name" in output ? program.graph.node(output.name).meta.val : undefined,
  );
  const candidates = inputs.flatMap(({ shape }) => (shape.length === 0 ? [] : [shape[0]!]));
  candidates.sort((a, b) => Number(typeof a === "number") - Number(typeof b === "number"));
  const found = candidates.find(
    (size) =>
      outputs.length > 0 &&
      outputs.every(
        (val) => val instanceof FakeTensor && val.shape.length > 0 && isSame(val.shape[0]!, size),
      ),
  );
  if (found !== undefined) return found;
  const texts = (all: readonly unknown[]): string =>
    all.map((val) => (val instanceof FakeTensor ? typeText(val) : "value")).join(", ") || "none";
  throw notByRows(
    `no input shares its dimension 0 with all outputs: inputs ${texts(inputs)}, outputs ${texts(outputs)}`,
    "export the model with inputs and outputs whose dimension 0 is the batch",
  );
}

/** Sizes above the asked one that are tried, for programs that take no smaller one. */
const LARGEST = 65_536;

function sizesOf(program: ExportedProgram, batch: IntLike, batchSize: number): number[] {
  if (typeof batch === "number") return [batch];
  const accepts = acceptedSizes(program, batch);
  let full = batchSize;
  while (full > 0 && !accepts(full)) full--;
  if (full === 0) {
    for (full = batchSize + 1; full <= LARGEST && !accepts(full); full++);
    if (full > LARGEST)
      throw badBatch(
        `the program takes no batch of ${batchSize} rows or fewer, nor one of up to ${LARGEST}`,
        "give another --batch-size: `sconce info FILE` shows the range of dimension 0",
      );
  }
  const sizes = new Set([full]);
  for (let power = 1; power < full; power *= 2) {
    let size = power;
    while (size < full && !accepts(size)) size++;
    sizes.add(size);
  }
  return [...sizes].sort((a, b) => a - b);
}

/** Returns whether the program takes a batch of a size, with its other sizes as in its examples. */
function acceptedSizes(program: ExportedProgram, batch: SymExpr): (size: number) => boolean {
  const [symbol, ...more] = freeSymbols(batch).keys();
  if (symbol === undefined || more.length > 0)
    throw notByRows(
      `dimension 0 is ${String(batch)}, which has several symbols`,
      "export the model with one symbol for the batch dimension",
    );
  const check = sizeCheck(program);
  const others = sampleSizes(program, drawFrom(0));
  return (size) => {
    const value = batch.op === "Symbol" ? size : solveLinear(batch, size)?.value;
    return value !== undefined && Number.isSafeInteger(value) && check(new Map([...others, [symbol, value]]));
  };
}
