/** @file Compares calls that run one by one with the same calls in one run. */
import type { ExportedProgram, Value } from "@sconce/ir";
import { randomInputs } from "@sconce/session";
import { copiedBytes, dtypeInfo, Storage, Tensor } from "@sconce/tensor";
import { merged, separated } from "../pool/merge.js";
import { sameBits, session } from "../programs.fixture.js";

let seed = 0;
/** Returns inputs with so many rows, each time others. Other symbols are 3, integers 0 or 1. */
function inputsOf(program: ExportedProgram, rows: number, symbol: string): Value[] {
  const names = [...program.rangeConstraints.keys()];
  const sizes = new Map(names.map((name) => [name, name === symbol ? rows : 3]));
  return randomInputs(program, { seed: ++seed, sizes }).map((value) =>
    value instanceof Tensor && dtypeInfo(value.dtype).kind === "int" ? bits(value) : owned(value),
  );
}

/** Returns the lowest bits of integers: indices of any table. */
const bits = (tensor: Tensor): Tensor =>
  Tensor.from(
    tensor.toArray().map((value) => Math.abs(Number(value)) % 2),
    [...tensor.shape],
    tensor.dtype,
  );

/** Runs calls one by one and together; returns whether all results are the same bits. */
export async function runsTogether(
  program: ExportedProgram,
  symbol: string,
  backend = "cpu",
): Promise<boolean> {
  const executable = await session.compile(program, backend);
  const { min = 0, max = Infinity } = program.rangeConstraints.get(symbol) ?? {};
  const counts = [1, 3, 2, 16].filter((rows) => rows >= min && rows <= max / 4);
  const calls = counts.map((rows) => inputsOf(program, rows, symbol));
  const alone: (readonly Value[])[] = [];
  for (const call of calls) alone.push(await executable.run(call));
  const together = separated((await executable.run(merged(calls))).map(owned), counts);
  executable.dispose();
  return alone.every((outputs, i) => outputs.every((value, j) => sameBits(value, together[i]![j]!)));
}

/** Returns a value as workers send it: elements in row-major order, in separate memory. */
const owned = (value: Value): Value =>
  value instanceof Tensor
    ? new Tensor({ dtype: value.dtype, shape: value.shape, storage: new Storage(copiedBytes(value)) })
    : value;
