import { expect, test } from "vitest";
import { checkOptions, editOf, nearestEdit, SconceError } from "./index.js";

test("an error has its edits in JSON and with another place", () => {
  const error = new SconceError({ code: "X", message: "m", fix: "f", edits: [{ find: "a", replace: "b" }] });
  expect(error.toJSON().edits).toEqual([{ find: "a", replace: "b" }]);
  expect(error.at("there").edits).toEqual(error.edits);
  expect(new SconceError({ code: "X", message: "m", fix: "f" })).not.toHaveProperty("edits");
});

test("one near word is an edit; several, none and words that hide text are not", () => {
  expect(nearestEdit("silo", ["silu", "relu"])).toEqual({ edits: [{ find: "silo", replace: "silu" }] });
  expect(nearestEdit("xelu", ["selu", "relu"])).toEqual({});
  expect(nearestEdit("frobnicate", ["silu"])).toEqual({});
  expect(editOf("si\u202elu", "silu")).toEqual({});
});

test("options that do not exist", () => {
  expect(() => checkOptions("load", { wieghts: 1 }, { weights: true })).toThrow(
    expect.objectContaining({ edits: [{ find: "wieghts", replace: "weights" }] }),
  );
});
