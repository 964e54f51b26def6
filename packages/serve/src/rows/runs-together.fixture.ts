/** @file Compares calls that run one by one with the same calls in one run. */
import { type ExportedProgram, type FakeTensor, unwrapFloat, type Value } from "@sconce/ir";
import { userLeaves } from "@sconce/ops";
import { copiedBytes, Storage, Tensor } from "@sconce/tensor";
import { merged, separated } from "../pool/merge.js";
import { sameBits, session } from "../programs.fixture.js";

let seed = 1;
/** Returns numbers from 0 to 1, each time others. */
function random(): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return (seed >>> 8) / 2 ** 24;
}

/** Returns inputs with so many rows; other symbols are 3, integers are small. */
function inputsOf(program: ExportedProgram, rows: number, symbol: string): Value[] {
  return userLeaves(program).map(({ name, spec: { arg } }) => {
    if (arg.kind === "constant") return unwrapFloat(arg.value) as Value;
    const { shape, dtype } = program.graph.node(name).meta.val as FakeTensor;
    const sizes = shape.map((size) => (typeof size === "number" ? size : String(size) === symbol ? rows : 3));
    const count = sizes.reduce((product, size) => product * size, 1);
    const isInteger = dtype.startsWith("int") || dtype === "bool";
    const values = Array.from({ length: count }, () =>
      isInteger ? Math.floor(2 * random()) : 2 * random() - 1,
    );
    return Tensor.from(values, sizes, dtype);
  });
}

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
