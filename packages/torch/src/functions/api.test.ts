import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { exportProgram } from "@sconce/capture";
import { nodeText } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, it } from "vitest";
import { API_CASES, type ApiCase } from "./api-cases.fixture.js";

const FILE = new URL("../../../testing/fixtures/capture/api-graphs.json.gz", import.meta.url);
/** Per case: its calls, and the `torch_fn` of each; null for cases with operators of Python. */
const RECORDED = JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as Readonly<
  Record<string, readonly [readonly string[], readonly string[] | null]>
>;

const ramp = (shape: readonly number[]): Tensor => {
  const count = shape.reduce((a, b) => a * b, 1);
  return Tensor.from(
    Array.from({ length: count }, (_, i) => ((i * 7) % 11) / 11),
    shape,
    "float32",
  );
};

const INPUTS: Readonly<Record<string, () => Tensor>> = {
  x: () => ramp([2, 3, 4, 4]),
  y: () => ramp([2, 3, 4, 4]),
  u: () => ramp([2, 3, 4, 4]),
  m: () => ramp([3, 5]),
  t: () => Tensor.from([0, 4, 2]),
  v: () => ramp([4, 3, 6]),
  q: () => ramp([5, 2, 8]),
  w: () => ramp([24, 8]),
  b: () => ramp([24]),
  i: () =>
    Tensor.from([
      [0, 2, 1, 1],
      [3, 0, 2, 1],
    ]),
  k: () => Tensor.from([true, false, true, false]),
};

/** What export adds itself; `added-nodes.test.ts` checks its metadata. */
const ADDED = /^aten\.(_assert|sym_)|^operator\.[gl]e$/;

/**
 * The calls of the program that exporting a case gives, as PyTorch prints them; `torch_fn` of each.
 */
function calls([, inputs, run]: ApiCase): readonly [string[], string[]] {
  const program = exportProgram(
    run as never,
    inputs.map((name) => INPUTS[name]!()),
  );
  const nodes = [...program.graph.nodes()].filter(({ op }) => op === "call_function");
  const texts = nodes.map((node) =>
    nodeText(node, 0)
      .trim()
      .replace(/^%(\w+) : \[num_users=\d+\] = call_function\[target=(?:torch\.ops\.)?([^\]]+)\]/, "$1 = $2")
      .replaceAll("torch.ops.", ""),
  );
  const names = nodes.map(({ target, meta }) => (ADDED.test(target) ? "" : (meta.torchFn?.join(" ") ?? "")));
  return [texts, names];
}

describe("calls of the API record what PyTorch's export records", () => {
  it("has a case for each recorded program", () => {
    expect(API_CASES.map(([text]) => text)).toEqual(Object.keys(RECORDED));
  });

  it.each(API_CASES)("%s", (...one) => {
    const [texts, names] = calls(one);
    const [wantedTexts, wantedNames] = RECORDED[one[0]]!;
    expect(texts).toEqual(wantedTexts);
    if (wantedNames !== null) expect(names).toEqual(wantedNames);
  });
});
