/** @file Programs with each higher-order operator, beside PyTorch's texts, numbers and files. */
import type { ExportedProgram, FakeTensor, Value } from "@sconce/ir";
import { defineOp } from "@sconce/ops";
import { createSconce, extractIR, jsonIRText, programFromIR, readJsonIR, type Sconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { type DType, Tensor } from "@sconce/tensor";
import { compareTensors } from "@sconce/tensor/compare";
import { describe, expect, test } from "vitest";
import { linesOf } from "../capabilities/json-ir-lines.fixture.js";
import { comparable } from "../capture/retraced.fixture.js";
import { fixtureJson } from "../fixtures.js";

type Recorded = readonly [dtype: DType, shape: readonly number[], values: readonly number[]] | number | null;
interface Case {
  readonly file: string;
  readonly text: string;
  /** Null where PyTorch does not lower the program: a graph in it writes to its inputs. */
  readonly lowered: string | null;
  readonly runs: readonly {
    readonly inputs: readonly Recorded[];
    readonly results: readonly Recorded[];
    readonly printed: string;
  }[];
}
/** As `oracle/higher_order.py` records them. */
const CASES = Object.entries(fixtureJson("higher-order/programs.json.gz") as Readonly<Record<string, Case>>);

/** The operators of the script that write to their arguments. */
const MINE = {
  name: "mine",
  ops: [
    defineOp({
      schema: "mine::bump(Tensor(a0!) x, Tensor y) -> Tensor",
      decompose: (emit, { x, y }) => {
        emit("aten.add_.Tensor", [x, y]);
        return emit("aten.mul.Tensor", [x, 2]);
      },
    }),
    defineOp({
      schema: "mine::fill(Tensor(a0!) out, Tensor(a1!)[] more, float value, Tensor? skip=None) -> ()",
      meta: () => null,
      decompose: (emit, { out, more, value }) => {
        emit("aten.fill_.Scalar", [out, value]);
        for (const [i, tensor] of (more as readonly FakeTensor[]).entries())
          emit("aten.mul_.Tensor", [tensor, (value as number) + i]);
        return null;
      },
    }),
  ],
};

const sessionOn = async (backend: string): Promise<Sconce> =>
  createSconce({
    plugins: [MINE],
    backends: backend === "cpu" ? [] : [await loadBackend(backend, { threads: 1 })],
  });
const load = (session: Sconce, file: string): Promise<ExportedProgram> =>
  session.load(Buffer.from(file, "base64"));
function given(one: Recorded): Value {
  if (one === null || typeof one === "number") return one;
  const [dtype, shape, values] = one;
  return Tensor.from(values, shape, dtype);
}

describe("programs with higher-order operators have PyTorch's text", async () => {
  const session = await sessionOn("cpu");
  test.each(CASES)("%s", async (_, { file, text, lowered }) => {
    const program = await load(session, file);
    expect(comparable(String(program))).toBe(text);
    if (lowered === null) {
      expect(() => session.runDecompositions(program)).toThrow(
        expect.objectContaining({ code: "CONTROL_FLOW_MUTATION" }),
      );
      return;
    }
    expect(comparable(String(session.runDecompositions(program)))).toBe(lowered);
    expect(String(await session.load(await session.save(program)))).toBe(String(program));
  });
});

describe.each(["cpu", "wasm", "gpujs:cpu"])(
  "programs with higher-order operators give PyTorch's numbers on %s",
  async (backend) => {
    const session = await sessionOn(backend);
    test.each(CASES)("%s", async (_, { file, lowered, runs }) => {
      const program = await load(session, file);
      for (const subject of [program, ...(lowered === null ? [] : [session.runDecompositions(program)])]) {
        using executable = await session.compile(subject, backend);
        for (const { inputs, results, printed } of runs) {
          const lines: string[] = [];
          const outputs = await executable.run(inputs.map(given), { onPrint: (line) => lines.push(line) });
          expect(lines.map((line) => `${line}\n`).join("")).toBe(printed);
          expectResults(outputs, results);
        }
      }
    });
  },
);

/** Lists among results, and the tokens that lowered calls of effects pass on. */
const WITHOUT_JSON: ReadonlyMap<string, RegExp> = new Map([
  ["functionalized_list", /the value of "auto_functionalized" is not a tensor/],
  ["functionalized_list lowered", /the value of "auto_functionalized" is not a tensor/],
  ["printed lowered", /the input "token" is of kind TOKEN/],
  ["printed_text lowered", /the input "token" is of kind TOKEN/],
]);

describe("programs with higher-order operators go to JSON IR and back", async () => {
  const session = await sessionOn("cpu");
  const subjects = CASES.flatMap(([name, { file, runs, lowered }]) => [
    { name, file, runs, isLowered: false },
    ...(lowered === null ? [] : [{ name: `${name} lowered`, file, runs, isLowered: true }]),
  ]);
  test.each(subjects)("$name", async ({ name, file, runs, isLowered }) => {
    const program = await load(session, file);
    const subject = isLowered ? session.runDecompositions(program) : program;
    const reason = WITHOUT_JSON.get(name);
    if (reason !== undefined) {
      expect(() => extractIR(subject, { session })).toThrow(reason);
      return;
    }
    const text = jsonIRText(extractIR(subject, { session }));
    const read = programFromIR(readJsonIR(text), session);
    expect(session.verify(read)).toEqual([]);
    expect(jsonIRText(extractIR(read, { session }))).toBe(text);
    expect(linesOf(read.graph)).toEqual(linesOf(subject.graph));
    const state = [...subject.stateDict, ...subject.constants];
    using executable = await session.compile(
      read.withState(new Map(state.filter(([key]) => read.tensor(key) !== undefined))),
    );
    for (const { inputs, results, printed } of runs) {
      const lines: string[] = [];
      const outputs = await executable.run(inputs.map(given), { onPrint: (line) => lines.push(line) });
      expect(lines.map((line) => `${line}\n`).join("")).toBe(printed);
      expectResults(outputs, results);
    }
  });
});

function expectResults(outputs: readonly Value[], results: readonly Recorded[]): void {
  expect(outputs.length).toBe(results.length);
  results.map(given).forEach((want, i) => {
    if (want instanceof Tensor)
      expect(compareTensors(outputs[i] as Tensor, want, { rtol: 1e-5, atol: 1e-6 })).toBeUndefined();
    else expect(outputs[i]).toBe(want);
  });
}
