/** @file Outputs that share memory with operands, against PyTorch (oracle: output_operands.py). */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { evaluate } from "@sconce/backend-cpu";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { OPERAND_RULES } from "./operand-rules.js";
import { outputRule } from "./output-operands.js";

/**
 * What PyTorch does: with the operand itself where the result has its sizes, and where it has
 * others; with another view of its memory, and with a part of its memory.
 */
type Rows = readonly (readonly [output: number, operand: string, letters: string])[];

const FIXTURE = new URL("../../../testing/fixtures/ops/output-operands.json.gz", import.meta.url);
const VERDICTS = JSON.parse(gunzipSync(readFileSync(FIXTURE)).toString()) as Readonly<Record<string, Rows>>;
const operators = defaultOperators();
/** Their values are not defined anyway. */
const UNDEFINED = /^aten\.(empty_like|new_empty|new_empty_strided)\./;

/** Whether a call is refused, by a letter: those that read what they have written are, too. */
const isRefused = (letter: string): boolean => "sox#".includes(letter);

describe("outputs that share memory with operands", () => {
  test("of many overloads", () => expect(Object.keys(VERDICTS).length).toBeGreaterThan(600));

  test.each(Object.entries(VERDICTS).filter(([target]) => !UNDEFINED.test(target)))("%s", (target, rows) => {
    for (const [, operand, letters] of rows) {
      const [same, other, view, part] = letters as unknown as [string, string, string, string];
      const rule = outputRule(operators.require(target), operand);
      const all = rows.filter(([, name]) => name === operand).map(([, , each]) => each);
      const found = (at: number): boolean => all.some((each) => isRefused(each[at]!));
      if (same !== ".") expect(rule.same, `${operand}, same`).toBe(found(0) || found(2));
      else if (view !== ".") expect(rule.same, `${operand}, view`).toBe(found(2));
      if (other !== ".") expect(rule.other !== "resized", `${operand}, other sizes`).toBe(found(1));
      if (other === "s") expect(rule.other).toBe("shape");
      if (part !== ".") expect(rule.part, `${operand}, a part`).toBe(found(3));
    }
  });

  test("the table names overloads and operands that exist", () => {
    for (const name of OPERAND_RULES.flatMap((line) => line.split(" ").slice(1))) {
      const [overload, operand] = name.split(":");
      const { schema } = operators.require(`aten.${overload}`);
      if (operand !== undefined) expect(schema.args.map((arg) => arg.name)).toContain(operand);
    }
  });
});

const square = (): Tensor => Tensor.from([1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 3], "float32");
const row = (): Tensor => Tensor.from([1, 2, 3], [3], "float32");
const rows = (x: Tensor, from: number): Tensor => x.asStrided([2, 3], [3, 1], 3 * from);

/** Calls of PyTorch 2.14 with its results or its refusals. */
describe("calls whose output is an operand", () => {
  test.each(["add", "sub", "mul", "div", "maximum", "pow", "atan2", "fmod", "lt", "logical_and", "copysign"])(
    "%s does not resize it",
    (name) => {
      const y = row();
      const which = { pow: "Tensor_Tensor_out", fmod: "Tensor_out", lt: "Tensor_out" }[name] ?? "out";
      expect(() => evaluate(`aten.${name}.${which}`, [y, square()], { out: y })).toThrow(
        /output with shape \[3\] doesn't match the broadcast shape \[3, 3\]/,
      );
      expect(y.toArray()).toEqual([1, 2, 3]);
    },
  );

  test("the operand of the sizes of the result is written", () => {
    const x = square();
    evaluate("aten.add.out", [x, row()], { out: x });
    expect(x.toArray()).toEqual([2, 4, 6, 5, 7, 9, 8, 10, 12]);
    evaluate("aten.cumsum.out", [x, 0], { out: x });
    expect(x.toArray()).toEqual([2, 4, 6, 7, 11, 15, 15, 21, 27]);
  });

  test("another view of it is resized", () => {
    const y = row();
    const out = y.asStrided([3], [1]);
    evaluate("aten.add.out", [y, square()], { out });
    expect([out.shape, out.toArray()]).toEqual([
      [3, 3],
      [2, 4, 6, 5, 7, 9, 8, 10, 12],
    ]);
    expect(y.toArray()).toEqual([1, 2, 3]);
  });

  test("overloads that copy their result resize it", () => {
    const y = row();
    evaluate("aten.rsub.Tensor_out", [y, square()], { out: y });
    expect([y.shape, y.toArray()]).toEqual([
      [3, 3],
      [0, 0, 0, 3, 3, 3, 6, 6, 6],
    ]);
  });

  test.each<readonly [string, (x: Tensor, out: Tensor) => unknown]>([
    ["neg", (x, out) => evaluate("aten.neg.out", [x], { out })],
    ["neg of other sizes", (x, out) => evaluate("aten.neg.out", [rows(x, 0)], { out })],
    ["add.Scalar", (x, out) => evaluate("aten.add.Scalar_out", [x, 1], { out })],
    ["mm", (x, out) => evaluate("aten.mm.out", [x, x], { out })],
    ["cumsum", (x, out) => evaluate("aten.cumsum.out", [x, 0], { out })],
  ])("%s: an output whose elements share places is refused", (_, call) => {
    expect(() => call(square(), row().asStrided([3, 3], [0, 1]))).toThrow(
      /more than one element of the written-to tensor refers to a single memory location/,
    );
  });

  const OVERLAP = /some elements of the input tensor and the written-to tensor refer to a single memory/;
  test.each<readonly [string, (x: Tensor) => unknown]>([
    ["neg", (x) => evaluate("aten.neg.out", [rows(x, 0)], { out: rows(x, 1) })],
    ["add", (x) => evaluate("aten.add.out", [rows(x, 0), rows(x, 1)], { out: rows(x, 0) })],
    ["cat", (x) => evaluate("aten.cat.out", [[x, x]], { out: x })],
    [
      "index_select",
      (x) => evaluate("aten.index_select.out", [x, 0, Tensor.from([2n, 1n], [2], "int64")], { out: x }),
    ],
    ["mm reads what it has written", (x) => evaluate("aten.mm.out", [x, square()], { out: x })],
    ["sum reads what it has resized", (x) => evaluate("aten.sum.IntList_out", [x, [0]], { out: x })],
  ])("%s is refused", (_, call) => {
    expect(() => call(square())).toThrow(OVERLAP);
  });
});
