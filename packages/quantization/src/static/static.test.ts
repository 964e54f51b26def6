import { readFileSync } from "node:fs";
import type { ExportedProgram } from "@sconce/ir";
import { builtinPasses, parsePipeline, passCall } from "@sconce/passes";
import { castTensor, readSafetensors, Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import type { Quantizer } from "../annotate/quantizer.js";
import type { Annotation, QuantizationSpec } from "../annotate/spec.js";
import { context, inputTensors, operators, recorded, textProgram, transformed } from "../programs.fixture.js";
import { reportValues } from "../report/value-report.js";
import { calibrate } from "./calibrate.js";
import { convertQuantization } from "./convert.js";
import { quantizationConversion, quantizationPreparation, randomCalibration } from "./passes.js";
import { prepareQuantization } from "./prepare.js";

const run = context.run!;
const PASSES = new Map(
  [...builtinPasses, quantizationPreparation, randomCalibration, quantizationConversion].map((pass) => [
    pass.name,
    pass,
  ]),
);
const lowered = (program: ExportedProgram, pipeline: string): ExportedProgram =>
  transformed(program, parsePipeline(pipeline, PASSES) as never);

const IMAGES = new URL("../../../sconce/examples/digits-images.safetensors", import.meta.url);
const { tensors } = readSafetensors(readFileSync(IMAGES));
const images = castTensor(tensors.get("images")!, "float32");
const labels = [...(tensors.get("labels")!.data as Uint8Array)];
const samples = [0, 1, 2, 3].map((i) => [
  images.asStrided([24, 1, 8, 8], [64, 64, 8, 1], i * 24 * 64).contiguous(),
]);

function correct(program: ExportedProgram): number {
  const [logits] = run(program, [images]).outputs as [Tensor];
  const scores = logits.contiguous().data as Float32Array;
  return labels.filter((label, row) => {
    const own = scores.subarray(row * 10, row * 10 + 10);
    return own.indexOf(Math.max(...own)) === label;
  }).length;
}

describe("the digit classifier in int8", () => {
  test.each(["histogram", "min-max", "moving-average", "percentile"])(
    "static, observer %s: at least 356 of 360",
    async (observer) => {
      const program = await recorded("digits");
      const prepared = lowered(
        program,
        `decompose,fold-batch-norm,prepare-quantization{observer=${observer}}`,
      );
      const notes: string[] = [];
      const calibrated = calibrate(prepared, { run, samples, note: (text) => notes.push(text) });
      const quantized = lowered(calibrated, "convert-quantization");
      expect(notes).toEqual([]);
      expect(correct(quantized)).toBeGreaterThanOrEqual(356);
      expect([...quantized.stateDict.values()].filter(({ dtype }) => dtype === "int8")).toHaveLength(4);
    },
  );

  test("dynamic: at least 356 of 360, without calibration", async () => {
    const program = await recorded("digits");
    const pipeline = "decompose,fold-batch-norm,prepare-quantization{mode=dynamic},convert-quantization";
    const quantized = lowered(program, pipeline);
    expect(correct(quantized)).toBeGreaterThanOrEqual(356);
    expect(quantized.opHistogram().get("quantized_decomposed.choose_qparams.tensor")).toBe(2);
  });

  test("each node that reads a value has its own dequantize, and equal parameters", async () => {
    const prepared = lowered(await recorded("digits"), "decompose,fold-batch-norm,prepare-quantization");
    const { graph } = convertQuantization(calibrate(prepared, { run, samples }), operators);
    for (const node of graph.calls()) {
      if (!node.target.includes("dequantize_per_tensor")) continue;
      expect(graph.users(node.name)).toHaveLength(1);
      const [codes] = node.args as unknown as readonly [{ name: string }];
      expect(node.args.slice(1)).toEqual(graph.node(codes.name).args.slice(1));
    }
  });

  test("a pass calibrates on random inputs, and says so", async () => {
    const pipeline =
      "decompose,fold-batch-norm,prepare-quantization,calibrate{samples=2},convert-quantization";
    expect(correct(lowered(await recorded("digits"), pipeline))).toBeGreaterThan(300);
    const prepared = lowered(await recorded("digits"), "decompose,fold-batch-norm,prepare-quantization");
    const notes: string[] = [];
    const noted = { ...context, note: (text: string) => void notes.push(text) };
    randomCalibration.run(prepared, noted, passCall(randomCalibration, { samples: 1 }).options);
    expect(notes[0]).toContain("calibrated on random inputs");
  });
});

const LAYER = textProgram(`sconce-ir 1
program "ATEN" {
  parameter "w": f32[4, 4]
  input %p_w: PARAMETER "w"
  input %x: USER_INPUT
  output %relu: USER_OUTPUT
}
graph(%p_w: f32[4, 4], %x: f32[4, 4]) {
  %linear: f32[4, 4] = aten.linear.default(%x, %p_w)
  %relu: f32[4, 4] = aten.relu.default(%linear)
  return (%relu)
}`);
const matrix = (values: (i: number) => number): Tensor =>
  Tensor.from(
    Array.from({ length: 16 }, (_, i) => values(i)),
    [4, 4],
    "float32",
  );

describe("alarms name the node", () => {
  test("an edge that no sample reached", () => {
    const prepared = prepareQuantization(LAYER);
    expect(() => convertQuantization(prepared, operators)).toThrow("no sample gave a value of %x");
    const calibrated = calibrate(prepared, { run, samples: [[matrix(() => Number.NaN)]] });
    expect(() => convertQuantization(calibrated, operators)).toThrow("no sample gave a value of %x");
  });

  test("a scale of zero", () => {
    const notes: string[] = [];
    const samples = [[matrix(() => 0)]];
    calibrate(prepareQuantization(LAYER), { run, samples, note: (text) => notes.push(text) });
    expect(notes).toEqual([
      expect.stringContaining("the scale of %x would be zero"),
      expect.stringContaining("the scale of %relu would be zero"),
    ]);
  });

  test("infinite values stay in float, and masks keep their meaning", async () => {
    const notes: string[] = [];
    const prepared = lowered(await recorded("net_gpt"), "decompose,fold-batch-norm,prepare-quantization");
    const samples = [inputTensors("net_gpt")];
    const calibrated = calibrate(prepared, { run, samples, note: (text) => notes.push(text) });
    expect(notes).toContainEqual(expect.stringMatching(/^%where has infinite values/));
    const quantized = lowered(calibrated, "convert-quantization");
    const { outputs } = reportValues(await recorded("net_gpt"), quantized, samples, run);
    expect(outputs[0]!.snr).toBeGreaterThan(30);
  });

  test("values that are written to state stay in float", async () => {
    const prepared = lowered(await recorded("pm_buffer_updates"), "decompose,prepare-quantization");
    const written = new Set(prepared.buffersToMutate.keys());
    expect(written.size).toBeGreaterThan(0);
    for (const name of written) expect(prepared.graph.node(name).target).not.toContain("observe");
  });

  test("samples stay as they are, also where the program writes to its inputs", async () => {
    const program = lowered(await recorded("pm_input_mutation"), "decompose");
    const samples = [inputTensors("pm_input_mutation")];
    const before = samples[0]!.map((tensor) => tensor.toArray());
    const prepared = prepareQuantization(program);
    const quantized = convertQuantization(calibrate(prepared, { run, samples }), operators);
    expect(reportValues(program, quantized, samples, run).outputs.at(-1)!.snr).toBeGreaterThan(30);
    expect(samples[0]!.map((tensor) => tensor.toArray())).toEqual(before);
  });

  test("recurrent layers, whose views move in memory, run and are near", async () => {
    for (const name of ["net_gru", "net_lstm"]) {
      const prepared = lowered(await recorded(name), "decompose,prepare-quantization{observer=min-max}");
      const samples = [inputTensors(name)];
      const quantized = lowered(calibrate(prepared, { run, samples }), "convert-quantization");
      const { outputs } = reportValues(await recorded(name), quantized, samples, run);
      for (const { snr } of outputs) expect(snr).toBeGreaterThan(25);
    }
  });

  test("excluded calls stay in float", async () => {
    const prepared = lowered(
      await recorded("digits"),
      "decompose,fold-batch-norm,prepare-quantization{exclude=[aten.addmm.default,convolution_2]}",
    );
    const quantized = convertQuantization(calibrate(prepared, { run, samples }), operators);
    expect([...quantized.stateDict.values()].filter(({ dtype }) => dtype === "int8")).toHaveLength(1);
  });

  test("saturated values", () => {
    const notes: string[] = [];
    const prepared = prepareQuantization(LAYER, { observer: "percentile", percentile: 0.5 });
    calibrate(prepared, { run, samples: [[matrix((i) => i)]], note: (text) => notes.push(text) });
    expect(notes[0]).toMatch(/^[\d.]+ % of the values of %x lie outside of \[.*\] and saturate/);
  });

  test("a weight with zero points in a symmetric kernel", () => {
    const spec: QuantizationSpec = { range: { min: -128, max: 127 }, isSymmetric: false, eps: 2 ** -12 };
    const weight = { ...spec, channelAxis: 0 };
    const quantizer = (symmetricWeights: boolean): Quantizer => ({
      name: "mine",
      symmetricWeights,
      annotate: () =>
        new Map<string, Annotation>([
          [
            "linear",
            {
              inputs: new Map([
                ["x", spec],
                ["p_w", weight],
              ]),
              output: spec,
            },
          ],
        ]),
    });
    expect(() => prepareQuantization(LAYER, {}, quantizer(true))).toThrow(
      'the quantizer "mine" annotates the weight %p_w with a zero point',
    );
    const prepared = prepareQuantization(LAYER, {}, quantizer(false));
    const calibrated = calibrate(prepared, { run, samples: [[matrix((i) => i - 8)]] });
    const quantized = convertQuantization(calibrated, operators);
    expect(quantized.stateDict.get("w_zero")?.dtype).toBe("int32");
  });
});

describe("what is refused", () => {
  const quantizer = (annotations: readonly (readonly [string, Annotation])[]): Quantizer => ({
    name: "mine",
    symmetricWeights: true,
    annotate: () => new Map(annotations),
  });

  test("annotations of nodes that are not there, and of edges without parameters", () => {
    const nowhere = quantizer([["conv", { inputs: new Map() }]]);
    expect(() => prepareQuantization(LAYER, {}, nowhere)).toThrow("annotates %conv, which is not a node");
    const circular = quantizer([
      ["linear", { inputs: new Map(), output: { node: "relu" } }],
      ["relu", { inputs: new Map(), output: { node: "linear" } }],
    ]);
    expect(() => prepareQuantization(LAYER, {}, circular)).toThrow("shares the parameters of");
  });

  test("a program without observers, and without samples", () => {
    expect(() => convertQuantization(LAYER, operators)).toThrow("needs observers, and the program has none");
    expect(() => calibrate(LAYER, { run, samples: [] })).toThrow("needs observers");
    expect(() => calibrate(prepareQuantization(LAYER), { run, samples: [] })).toThrow("there are no samples");
  });

  test("a program that was not lowered", async () => {
    const program = await recorded("digits");
    expect(() => lowered(program, "prepare-quantization")).toThrow(/ATEN/);
  });
});
