import { isSconceError } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import { makePt2, makeRecords } from "../pt2/pt2.fixture.js";
import { readPt2 } from "../pt2/read.js";
import { concat, makeZip, utf8, work } from "../zip/zip.fixture.js";
import { readTorchFile, type SavedTensor } from "./tensor-file.js";

const code = (wanted: string) => expect.toSatisfy((error: unknown) => isSconceError(error, wanted));
const global = (module: string, name: string): Uint8Array => utf8(`c${module}\n${name}\n`);
const text = (value: string): Uint8Array => concat([Uint8Array.of(0x58, value.length, 0, 0, 0), utf8(value)]);
const number = (value: number): Uint8Array => Uint8Array.of(0x4b, value);
const op = utf8;
const pickle = (...parts: Uint8Array[]): Uint8Array => concat([Uint8Array.of(0x80, 2), ...parts, op(".")]);
const file = (data: Uint8Array, storage = new Uint8Array(8)): Uint8Array =>
  makeZip([
    { name: "archive/data.pkl", data },
    { name: "archive/data/0", data: storage },
  ]);

/** A float tensor of `size` elements at `offset`. */
const tensor = (
  size: number,
  offset = 0,
  storage = "FloatStorage",
  make = "_rebuild_tensor_v2",
): Uint8Array =>
  concat([
    global("torch._utils", make),
    op("("),
    op("("),
    text("storage"),
    global("torch", storage),
    text("0"),
    text("cpu"),
    number(2),
    op("t"),
    op("Q"),
    number(offset),
    number(size),
    Uint8Array.of(0x85),
    number(1),
    Uint8Array.of(0x85),
    Uint8Array.of(0x89),
    global("collections", "OrderedDict"),
    op(")"),
    op("R"),
    op("t"),
    op("R"),
  ]);
const systemCall = concat([global("posix", "system"), text("true"), Uint8Array.of(0x85), op("R")]);

describe("readTorchFile", () => {
  test("reads a tensor in a dict", () => {
    const saved = readTorchFile(
      file(pickle(op("}"), text("w"), tensor(2), op("s"))),
      "test",
      work(100),
    ) as Map<string, SavedTensor>;
    expect(saved.get("w")!.tensor.toArray()).toEqual([0, 0]);
  });

  test.each([
    ["a call of a foreign function", "PICKLE_FORBIDDEN", pickle(systemCall)],
    [
      "a call through a custom class",
      "PICKLE_FORBIDDEN",
      pickle(global("builtins", "eval"), text("1"), Uint8Array.of(0x85), op("R")),
    ],
    [
      "a call through a wrapper",
      "PICKLE_FORBIDDEN",
      pickle(
        global("torch._tensor", "_rebuild_from_type_v2"),
        op("("),
        global("os", "system"),
        global("torch", "Tensor"),
        text("true"),
        Uint8Array.of(0x85),
        op("N"),
        op("t"),
        op("R"),
      ),
    ],
    ["a storage of an unknown type", "PICKLE_FORBIDDEN", pickle(tensor(2, 0, "EvilStorage"))],
    ["a tensor past its storage", "PICKLE_SYNTAX", pickle(tensor(3))],
    ["an offset past its storage", "PICKLE_SYNTAX", pickle(tensor(1, 2))],
    ["an opcode that tensors do not need", "PICKLE_SYNTAX", pickle(op("i"))],
    ["an old protocol", "PICKLE_SYNTAX", Uint8Array.of(0x80, 1, 0x4e, 0x2e)],
    ["no value", "PICKLE_SYNTAX", pickle()],
    ["two values", "PICKLE_SYNTAX", pickle(op("NN"))],
    ["bytes after the end", "PICKLE_SYNTAX", pickle(op("N.N"))],
    ["a missing mark", "PICKLE_SYNTAX", pickle(op("t"))],
    ["nothing remembered", "PICKLE_SYNTAX", pickle(op("h\x05"))],
    ["a huge string", "PICKLE_SYNTAX", pickle(Uint8Array.of(0x58, 255, 255, 255, 255))],
    ["no end", "PICKLE_SYNTAX", Uint8Array.of(0x80, 2, 0x4e)],
  ])("refuses %s", (_, wanted, data) => {
    expect(() => readTorchFile(file(data), "test", work(100))).toThrow(code(wanted));
  });

  test("truncation at every byte is noticed", () => {
    const data = pickle(op("}"), text("w"), tensor(2), op("s"));
    for (let length = 0; length < data.length; length++) {
      expect(() => readTorchFile(file(data.subarray(0, length)), "test", work(100))).toThrow(
        code("PICKLE_SYNTAX"),
      );
    }
  });
});

describe("pickles in program files", () => {
  const withRecord = (name: string, data: Uint8Array): Uint8Array => {
    const records = makeRecords();
    records.set(name, file(data));
    return makePt2(records);
  };

  test("weights that call functions are refused", async () => {
    await expect(readPt2(withRecord("data/weights/model.pt", pickle(systemCall)))).rejects.toThrow(
      code("PICKLE_FORBIDDEN"),
    );
    await expect(readPt2(withRecord("data/constants/model.pt", pickle(systemCall)))).rejects.toThrow(
      code("PICKLE_FORBIDDEN"),
    );
  });

  test("weights that are something else than tensors are refused", async () => {
    const bytes = withRecord("data/weights/model.pt", pickle(op("}"), text("w"), number(1), op("s")));
    await expect(readPt2(bytes)).rejects.toThrow(code("PT2_USE_PICKLE"));
  });

  test("sample inputs that call functions do not stop the program from loading", async () => {
    const program = await readPt2(withRecord("data/sample_inputs/model.pt", pickle(systemCall)));
    expect(() => program.exampleInputs!.leaves).toThrow(code("PICKLE_FORBIDDEN"));
  });
});
