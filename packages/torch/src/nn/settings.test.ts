import { nn } from "@sconce/capture";
import { float } from "@sconce/ir";
import { expect, test } from "vitest";

// Texts of PyTorch 2.14.
test.each([
  [new nn.LeakyReLU(float(1e16) as unknown as number), "LeakyReLU(negative_slope=1e+16)"],
  [new nn.LeakyReLU(1e-5, true), "LeakyReLU(negative_slope=1e-05, inplace=True)"],
  [new nn.Threshold(-Infinity, 0), "Threshold(threshold=-inf, value=0)"],
  [new nn.LSTM(1, 1, { dropout: 1, numLayers: 2 }), "LSTM(1, 1, num_layers=2, dropout=1.0)"],
])("floats are shown as Python shows them", (layer, text) => {
  expect(String(layer)).toBe(text);
});
