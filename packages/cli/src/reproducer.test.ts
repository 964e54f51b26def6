import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { parseReproducer, type ReproducerFile, reproducerText } from "./reproducer.js";

const W = Tensor.from([1, 2, 3, 4], [2, 2], "float32");
const X = Tensor.from([{ re: 1, im: Number.NaN }], [1], "complex64");
const file: ReproducerFile = {
  passes: "decompose{keep=[aten.relu.default]},repeat(cse,dce)",
  plugins: ["../mine.js"],
  check: { seed: 1, rtol: 1e-3 },
  failure: { kind: "numbers", code: "PASS_CHANGED_NUMBERS", pass: "cse", message: "differs" },
  program: parseIr(
    `sconce-ir 1
program "ATEN" {
  parameter "w": f32[2, 2]
  parameter "t": f32[2, 2]{1, 2}
  input %p_w: PARAMETER "w"
  input %p_t: PARAMETER "t"
  input %x: USER_INPUT
  input symint %n: USER_INPUT
  input symfloat %f: USER_INPUT
  output %a: USER_OUTPUT
}
graph(%p_w: f32[2, 2], %p_t: f32[2, 2]{1, 2}, %x: c64[1], %n: int(3), %f: float(0.5)) {
  %a: f32[2, 2] = aten.add.Tensor(%p_w, %p_t)
  return (%a)
}`,
    {
      tensors: new Map([
        ["w", W],
        ["t", new Tensor({ dtype: "float32", shape: [2, 2], strides: [1, 2], storage: W.storage })],
      ]),
    },
  ),
  inputs: [X, 9007199254740993n, Number.POSITIVE_INFINITY],
};
const TEXT = reproducerText(file);

describe("a reproducer", () => {
  test("has everything in one text: tensors to the bit, shared storages, inputs, passes", () => {
    const read = parseReproducer(TEXT);
    const { program, inputs, ...facts } = read;
    const { program: _, inputs: __, ...given } = file;
    expect(facts).toEqual(given);
    expect(String(program)).toBe(String(file.program));
    const [w, t] = ["w", "t"].map((name) => program.stateDict.get(name)!) as [Tensor, Tensor];
    expect(t.storage).toBe(w.storage);
    expect([t.strides, w.toArray()]).toEqual([
      [1, 2],
      [1, 2, 3, 4],
    ]);
    expect((inputs[0] as Tensor).storage.bytes).toEqual(X.storage.bytes);
    expect(inputs.slice(1)).toEqual([9007199254740993n, Number.POSITIVE_INFINITY]);
    expect(reproducerText(read)).toBe(TEXT);
  });

  test("another version is refused", () => {
    expect(() => parseReproducer(TEXT.replace("reproducer 1", "reproducer 9"))).toThrow(
      expect.objectContaining({
        code: "FORMAT_VERSION",
        message: "a reproducer of version 9 cannot be read; this Sconce reads version 1",
      }),
    );
  });

  const cut = (from: string): string => TEXT.slice(0, TEXT.indexOf(from));
  const json = (change: (facts: Record<string, unknown>) => void): string => {
    const [start, end] = [TEXT.indexOf("{"), TEXT.indexOf("\n--- program")];
    const facts = JSON.parse(TEXT.slice(start, end)) as Record<string, unknown>;
    change(facts);
    return TEXT.slice(0, start) + JSON.stringify(facts) + TEXT.slice(end);
  };

  test.each<[string, string, RegExp]>([
    [
      "a version that is not a number",
      TEXT.replace("reproducer 1", "reproducer x"),
      /begins with "sconce-reproducer x"/,
    ],
    ["no program", cut("--- program"), /has no section "program": it is cut off/],
    ["no tensors", cut("--- tensors"), /has no section "tensors"/],
    [
      "sections in another order",
      TEXT.replace("--- program", "--- storages"),
      /section "storages" where "program"/,
    ],
    [
      "a header that is not JSON",
      TEXT.replace('"passes":', '"passes"'),
      /bad header at character \d+: it is not JSON/,
    ],
    ["no passes", json((f) => delete f["passes"]), /without a pipeline as "passes"/],
    ["plugins that are not paths", json((f) => (f["plugins"] = [1])), /without a list of paths/],
    [
      "a tolerance that is not a number",
      json((f) => (f["check"] = { rtol: "x" })),
      /without numbers in "check"/,
    ],
    ["no failure", json((f) => (f["failure"] = {})), /without a "failure"/],
    ["too few inputs", json((f) => (f["inputs"] = [1])), /has 1 inputs for a program of 3/],
    [
      "an input that is not there",
      json((f) => (f["inputs"] = [{ tensor: "y" }, 1, 1])),
      /no tensor "y", which is input 0/,
    ],
    [
      "an input that cannot be read",
      json((f) => (f["inputs"] = [1, { a: 1 }, 1])),
      /input 1 that cannot be read/,
    ],
    [
      "a storage that is not base64",
      TEXT.replace("--- storages\n", "--- storages\n!"),
      /storage 0 that is not base64/,
    ],
    ["a tensor that is not JSON", TEXT.replace('{"name":"w"', '{"name"'), /cannot be read: it is not JSON/],
    ["an unknown dtype", TEXT.replace('"dtype":"float32"', '"dtype":"float3"'), /tensor that cannot be read/],
    ["a tensor beyond its storage", TEXT.replace('"shape":[2,2]', '"shape":[2,3]'), /not within its storage/],
    ["a tensor twice", TEXT.replace('{"name":"t"', '{"name":"w"'), /two tensors "w"/],
  ])("%s is refused", (_, text, message) => {
    expect(() => parseReproducer(text)).toThrow(message);
    expect(() => parseReproducer(text)).toThrow(expect.objectContaining({ code: "REPRODUCER" }));
  });
});
