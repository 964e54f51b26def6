import { isSconceError, type SconceError } from "@sconce/errors";
import { Storage, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { diffPrograms } from "../diff/diff-programs.js";
import { historyFromJson, historyTensors, historyToJson } from "../history/json.js";
import { replay } from "../history/replay.js";
import { redo, undo } from "../history/versions.js";
import { parseIr } from "../ir-text/parse-program.js";
import { printIr, tensorsOf } from "../ir-text/print-program.js";
import { missingValues, requireValues } from "./missing-values.js";

const TEXT = `sconce-ir 1

program "ATEN" {
  parameter "net.weight": f32[2, 2]{1, 2} grad no_values
  parameter "net.bias": f32[2] grad no_values
  buffer "count": i64[] no_values
  buffer "unread": f32[3] no_values
  constant "shift": f32[2] no_values
  input %p_weight: PARAMETER "net.weight"
  input %p_bias: PARAMETER "net.bias"
  input %b_count: BUFFER "count" persistent
  input %c_shift: CONSTANT_TENSOR "shift"
  input %x: USER_INPUT
  output %one: BUFFER_MUTATION "count"
  output %getitem: USER_OUTPUT
  examples
    example tensor f32[2, 2] no_values
}

graph(%p_weight: f32[2, 2]{1, 2} grad, %p_bias: f32[2] grad, %b_count: i64[], %c_shift: f32[2], %x: f32[2, 2]) {
  %one: i64[] = aten.full.default([], 1)
  %mm: f32[2, 2] = aten.mm.default(%x, %p_weight)
  %add: f32[2, 2] = aten.add.Tensor(%mm, %p_bias)
  %branch = get_attr branch
  %call: (f32[2, 2]) = higher_order.invoke_subgraph(%branch, "branch", %add, %c_shift)
  %getitem: f32[2, 2] = operator.getitem(%call, 0)
  return (%one, %getitem)

  graph branch(%a: f32[2, 2], %b: f32[2]) {
    %b_twice: f32[2] = aten.mul.Tensor(%b, 2)
    %sum: f32[2, 2] = aten.add.Tensor(%a, %b_twice)
    return (%sum)
  }
}
`;
const program = () => parseIr(TEXT);
const weight = (): Tensor => Tensor.from([1, 2, 3, 4], [2, 2], "float32");

function refusal(action: () => unknown): SconceError {
  try {
    action();
  } catch (error) {
    if (isSconceError(error)) return error;
    throw error;
  }
  throw new Error("was accepted");
}

describe("state without values", () => {
  test("is listed with the placeholder and the first reader, in nested graphs too", () => {
    const rows = missingValues(program()).map(({ name, placeholder, reader }) => [name, placeholder, reader]);
    expect(rows).toEqual([
      ["net.weight", "p_weight", "mm"],
      ["net.bias", "p_bias", "add"],
      ["count", "b_count", "output"],
      ["unread", null, null],
      ["shift", "c_shift", "call / branch.b_twice"],
    ]);
  });

  test("keeps a program from running, unless nothing reads it", () => {
    const error = refusal(() => requireValues(program()));
    expect(error.code).toBe("NO_VALUES");
    expect(error.message).toBe(
      'running the program needs the values of 4 tensors that have none: "net.weight" (p_weight, first read by mm), ' +
        '"net.bias" (p_bias, first read by add), "count" (b_count, first read by output), ' +
        '"shift" (c_shift, first read by call / branch.b_twice)',
    );
    const rest = { "net.bias": Tensor.empty([2], "float32"), count: Tensor.empty([], "int64") };
    const given = program().withState({
      "net.weight": weight(),
      shift: Tensor.empty([2], "float32"),
      ...rest,
    });
    expect(missingValues(given).map(({ name }) => name)).toEqual(["unread"]);
    expect(() => requireValues(given)).not.toThrow();
  });

  test("goes through IR text, marked", () => {
    const text = printIr(program());
    expect(text).toContain('  parameter "net.weight": f32[2, 2]{1, 2} grad no_values\n');
    expect(printIr(parseIr(text, { tensors: tensorsOf(program()) }))).toBe(text);
    expect(printIr(parseIr(text, { tensors: new Map() }))).toBe(text);
  });

  test("is what a text declares that comes without tensors; with tensors each must be there", () => {
    const unmarked = TEXT.replaceAll(" no_values", "");
    expect(missingValues(parseIr(unmarked))).toHaveLength(5);
    expect(refusal(() => parseIr(unmarked, { tensors: new Map() })).code).toBe("IR_TENSOR");
    const tensors = new Map([["net.weight", weight()]]);
    expect(parseIr(TEXT, { tensors }).tensor("net.weight")!.toArray()).toEqual([1, 2, 3, 4]);
  });

  test("is compared by kind", () => {
    expect(diffPrograms(program(), program()).equal).toBe(true);
    const given = program().withState({ "net.weight": weight() });
    const { removed, added, values } = diffPrograms(program(), given);
    expect(removed).toEqual(['parameter "net.weight": f32[2, 2]{1, 2} grad no_values']);
    expect(added).toEqual(['parameter "net.weight": f32[2, 2]{1, 2} grad']);
    expect(values).toEqual([]);
  });
});

describe("withState", () => {
  test("keeps strides, gradients and what is not given", () => {
    const given = program().withState(new Map([["net.weight", weight()]]));
    const tensor = given.stateDict.get("net.weight")!;
    expect([tensor.strides, tensor.requiresGrad, tensor.toArray()]).toEqual([[1, 2], true, [1, 2, 3, 4]]);
    expect(missingValues(given)).toHaveLength(4);
    expect([...given.stateDict.keys()]).toEqual([...program().stateDict.keys()]);
    const before = program();
    expect(before.withState({ "net.weight": weight() }).constants).toBe(before.constants);
  });

  test("is a step of the history that can be undone", () => {
    const before = program();
    const given = before.withState({ "net.weight": weight(), shift: Tensor.empty([2], "float32") });
    expect(given.history.map(({ pass }) => pass)).toEqual(["with-state"]);
    expect(undo(given).stateDict).toBe(before.stateDict);
    expect(redo(undo(given)).constants).toBe(given.constants);
  });

  test("is kept with a history that is stored", () => {
    const given = program().withState({ "net.weight": weight() });
    const text = historyToJson(given);
    expect([...historyTensors(given)]).toEqual([]);
    const replayed = replay(historyFromJson(text, tensorsOf(given)), program(), { sameWeights: true });
    expect(printIr(replayed)).toBe(printIr(given));
    expect(replayed.tensor("net.weight")!.toArray()).toEqual([1, 2, 3, 4]);
    expect(printIr(undo(replayed))).toBe(printIr(program()));
    const broken = text.replace('"withoutValues":"f32', '"withoutValues":"f33');
    expect(refusal(() => historyFromJson(broken, tensorsOf(given))).code).toBe("HISTORY_FORMAT");
  });

  test("gives the same object when nothing changes", () => {
    const given = program().withState({ "net.weight": weight() });
    expect(given.withState({})).toBe(given);
    expect(given.withState({ "net.weight": given.tensor("net.weight")! })).toBe(given);
  });

  test("suggests a name for an unknown one", () => {
    const error = refusal(() => program().withState({ "net.wieght": weight(), other: weight() }));
    expect(error.code).toBe("UNKNOWN_STATE");
    expect(error.message).toContain('"net.wieght", "other"');
    expect(error.fix).toMatch(/^did you mean "net\.weight"\? /);
  });

  test("reports every tensor of another dtype or shape, and those without values", () => {
    const error = refusal(() =>
      program().withState({
        "net.weight": Tensor.empty([4], "float32"),
        count: Tensor.empty([], "int32"),
        shift: Tensor.withoutValues({ dtype: "float32", shape: [2] }),
        "net.bias": [1, 2] as unknown as Tensor,
      }),
    );
    expect(error.code).toBe("STATE_MISMATCH");
    expect(error.message).toContain('"net.weight" is float32[2, 2], not float32[4]');
    expect(error.message).toContain('"count" is int64[], not int32[]');
    expect(error.message).toContain('the tensor given for "shift" has no values itself');
    expect(error.message).toContain('the value of "net.bias" is not a tensor');
  });

  test("does not allocate the holes of a layout that a file made up", () => {
    const text = TEXT.replace("f32[3] no_values", "f32[3]{1000000000000} no_values");
    const values = Tensor.from([1, 2, 3], [3], "float32");
    expect(parseIr(text).withState({ unread: values }).tensor("unread")!.toArray()).toEqual([1, 2, 3]);
  });
});

describe("tensors that share memory", () => {
  const storage = () => new Storage(new Uint8Array(Float32Array.of(1, 2, 3, 4).buffer));
  const view = (storage: Storage, shape: number[], storageOffset = 0): Tensor =>
    new Tensor({ dtype: "float32", shape, storageOffset, storage });
  const sharing = (a: Tensor, b: Tensor) =>
    program().with({
      stateDict: new Map([
        ["a", a],
        ["b", b],
      ]),
      constants: new Map(),
    });

  test("tied ones change together", () => {
    const memory = storage();
    const next = sharing(view(memory, [4]), view(memory, [4])).withState({
      a: Tensor.from([5, 6, 7, 8], [4], "float32"),
    });
    expect(next.tensor("b")!.toArray()).toEqual([5, 6, 7, 8]);
    expect(next.tensor("b")!.storage).toBe(next.tensor("a")!.storage);
  });

  test("views of one storage get a new one, with what was not given as it was", () => {
    const memory = storage();
    const next = sharing(view(memory, [4]), view(memory, [2], 1)).withState({
      b: Tensor.from([8, 9], [2], "float32"),
    });
    expect(next.tensor("a")!.toArray()).toEqual([1, 8, 9, 4]);
    expect(next.tensor("b")!.storage).toBe(next.tensor("a")!.storage);
    expect([...new Float32Array(memory.bytes.buffer)]).toEqual([1, 2, 3, 4]);
  });

  test("take no two values", () => {
    const memory = storage();
    const tied = sharing(view(memory, [4]), view(memory, [4]));
    const [one, two] = [Tensor.from([1, 1, 1, 1], [4], "float32"), Tensor.from([2, 2, 2, 2], [4], "float32")];
    expect(tied.withState({ a: one, b: one }).tensor("b")!.toArray()).toEqual([1, 1, 1, 1]);
    expect(refusal(() => tied.withState({ a: one, b: two })).message).toContain('"a" and "b" share memory');
  });

  test("without values are given together", () => {
    const memory = Storage.withoutValues(16);
    const both = sharing(view(memory, [4]), view(memory, [2], 1));
    const [whole, part] = [Tensor.from([1, 2, 3, 4], [4], "float32"), Tensor.from([2, 3], [2], "float32")];
    expect(refusal(() => both.withState({ a: whole })).message).toContain('"b" shares memory with "a"');
    expect(both.withState({ a: whole, b: part }).tensor("b")!.toArray()).toEqual([2, 3]);
  });
});
