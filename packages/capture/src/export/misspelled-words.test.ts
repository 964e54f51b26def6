/** @file Words that operators, layers and control flow check: the nearest one is suggested. */
import { SconceError } from "@sconce/errors";
import { expect, test } from "vitest";
import { associativeScan, exportProgram, nn, torch } from "../index.js";

const F = nn.functional;
const image = torch.ones(2, 3, 4, 4);
const rows = torch.ones(2, 3);
const places = torch.zeros(2, 3, { dtype: "int64" });
const kernel = torch.ones(3, 3, 3, 3);
const vectors = [torch.ones(2), torch.ones(2)];
const grid = torch.zeros(2, 3, 3, 2);

/** A word that types refuse. */
const typo = (word: string): never => word as never;

function errorOf(call: () => unknown): SconceError {
  try {
    call();
  } catch (error) {
    if (error instanceof SconceError) return error;
    throw error;
  }
  throw new Error("the word is taken");
}

test.each<[string, string, () => unknown]>([
  ["biliner", "bilinear", () => F.interpolate(image, { scaleFactor: 2, mode: typo("biliner") })],
  ["neares", "nearest", () => F.interpolate(image, { scaleFactor: 2, mode: typo("neares") })],
  ["reflct", "reflect", () => F.pad(image, [1, 1], { mode: typo("reflct") })],
  ["bilinar", "bilinear", () => F.gridSample(image, grid, { mode: typo("bilinar") })],
  ["zeroes", "zeros", () => F.gridSample(image, grid, { paddingMode: typo("zeroes") })],
  ["summ", "sum", () => F.mseLoss(rows, rows, { reduction: typo("summ") })],
  ["batch_mean", "batchmean", () => F.klDiv(rows, rows, { reduction: typo("batch_mean") })],
  ["amx", "amax", () => rows.scatterReduce(0, places, rows, { reduce: typo("amx") })],
  ["multply", "multiply", () => rows.scatter(0, places, rows, { reduce: typo("multply") })],
  ["tahn", "tanh", () => F.gelu(rows, { approximate: typo("tahn") })],
  ["flor", "floor", () => torch.div(rows, rows, { roundingMode: typo("flor") })],
  ["ji", "ij", () => torch.meshgrid(vectors, { indexing: typo("ji") })],
  ["rigth", "right", () => torch.searchsorted(vectors[0]!, vectors[0]!, { side: typo("rigth") })],
  ["nucl", "nuc", () => torch.linalg.norm(rows, typo("nucl"))],
  ["reducd", "reduced", () => torch.linalg.qr(rows, typo("reducd"))],
  ["orto", "ortho", () => torch.fft.fft(rows, { norm: typo("orto") })],
  ["liner", "linear", () => torch.quantile(rows, 0.5, { interpolation: typo("liner") })],
  ["sam", "same", () => F.conv2d(image, kernel, { padding: typo("sam") })],
  ["vald", "valid", () => new nn.Conv2d(3, 3, 3, { padding: typo("vald") })],
  ["circlar", "circular", () => new nn.Conv1d(3, 3, 3, { paddingMode: typo("circlar") })],
  ["rel", "relu", () => new nn.RNN(2, 2, { nonlinearity: typo("rel") })],
  ["gleu", "gelu", () => new nn.TransformerEncoderLayer(8, 2, { activation: typo("gleu") })],
  ["fanin", "fan_in", () => nn.init.kaimingUniform_(torch.ones(2, 2), { mode: typo("fanin") })],
  ["leaky_rel", "leaky_relu", () => nn.init.calculateGain("leaky_rel")],
  ["channel_last", "channels_last", () => torch.emptyLike(image, { memoryFormat: typo("channel_last") })],
  ["genric", "generic", () => associativeScan((a) => a, rows, { dim: 0, combineMode: typo("genric") })],
])("%s is probably %s", (word, meant, call) => {
  for (const run of [call, () => exportProgram(call as never, [], { checkSource: false })]) {
    const { fix, edits } = errorOf(run);
    expect(fix).toContain(`did you mean "${meant}"`);
    expect(edits).toEqual([{ find: word, replace: meant }]);
  }
});

test("a word that no other is near to gets the list alone", () => {
  const { fix, edits } = errorOf(() => F.l1Loss(rows, rows, { reduction: typo("average") }));
  expect([fix, edits]).toEqual(['use "none", "mean", "sum"', undefined]);
});

test("a name that all objects have is not a reduction", () => {
  const { code } = errorOf(() => F.l1Loss(rows, rows, { reduction: typo("constructor") }));
  expect(code).toBe("TORCH_ARGUMENT");
});
