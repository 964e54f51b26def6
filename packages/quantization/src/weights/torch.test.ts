/**
 * @file What PyTorch expands written weights to, bit by bit. `WRITE_QUANTIZED=FOLDER` writes the
 * files that `packages/testing/oracle/quantized_weights.py` reads.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ExportedProgram, inputsOf } from "@sconce/ir";
import { builtinPasses, parsePipeline } from "@sconce/passes";
import { savePt2File } from "@sconce/session/files";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { context, inputTensors, recorded, transformed } from "../programs.fixture.js";
import { weightQuantization } from "./pass.js";

const FILE = new URL("../../../testing/fixtures/quantization/weights.json", import.meta.url);
const DIGESTS = JSON.parse(readFileSync(FILE, "utf8")) as Readonly<Record<string, Record<string, string>>>;
const FOLDER = process.env.WRITE_QUANTIZED;

const PASSES = new Map([...builtinPasses, weightQuantization].map((pass) => [pass.name, pass]));
const FORMS = {
  int8: "quantize-weights{bits=8}",
  "int8-groups": "quantize-weights{bits=8,group=32,symmetric=false}",
  int4: "quantize-weights{bits=4,group=32}",
  "int4-zero": "quantize-weights{bits=4,group=32,symmetric=false,scheme=mse}",
  int2: "quantize-weights{bits=2}",
  half: "quantize-weights{dtype=float16}",
  "int4-lowered": "quantize-weights{bits=4},decompose",
} as const;
const PROGRAMS = ["net_gpt", "net_bert", "net_resnet", "digits", "ops_convolutions"] as const;

/** Values of calls that only the state flows into, as digests. */
function digestsOf(program: ExportedProgram, name: string): Record<string, string> {
  const { graphSignature } = program;
  const constant = new Set(
    graphSignature.inputSpecs.flatMap(({ target, arg }) => (target === null ? [] : [arg.name])),
  );
  const found: Record<string, string> = {};
  context.run!(program, inputTensors(name), (node, value) => {
    const inputs = inputsOf(node);
    if (node.op !== "call_function" || inputs.length === 0) return;
    if (!inputs.every((input) => constant.has(input))) return;
    constant.add(node.name);
    if (!(value instanceof Tensor) || value.dtype !== "float32") return;
    const { data, storageOffset, numel } = value.contiguous();
    const bytes = (data as Float32Array).slice(storageOffset, storageOffset + numel);
    found[node.name] = createHash("sha256").update(new Uint8Array(bytes.buffer)).digest("hex").slice(0, 16);
  });
  return found;
}

describe.each(PROGRAMS)("%s", (name) => {
  test.each(Object.entries(FORMS))("%s: expanded weights have PyTorch's bits", async (form, pipeline) => {
    const program = transformed(await recorded(name), parsePipeline(pipeline, PASSES) as never);
    const file = `${name}.${form}.pt2`;
    if (FOLDER !== undefined) await savePt2File(program, join(FOLDER, file), {});
    const got = digestsOf(program, name);
    expect(Object.keys(got).length).toBeGreaterThan(0);
    expect(got).toEqual(DIGESTS[file]);
  });
});
