import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { torch } from "../functions/torch.js";
import { manualSeed } from "../trace/eager.js";
import { GRU, LSTM, RNN } from "./index.js";

// The first outputs of PyTorch 2.14, with seed 0 for the weights and seed 1 for the call.
test.each([
  ["LSTM", () => new LSTM(3, 5, { numLayers: 2, dropout: 0.5 }), [-0.105836, 0.033329, 0.114998, 0.013425]],
  [
    "GRU",
    () => new GRU(3, 5, { numLayers: 3, dropout: 0.3, bidirectional: true }),
    [-0.099048, 0.151286, 0.107306, -0.10192],
  ],
  ["RNN", () => new RNN(3, 5, { numLayers: 2, dropout: 0.5 }), [0.455037, 0.555686, -0.542953, -0.343379]],
] as const)("%s drops between its layers while it trains", (_name, make, expected) => {
  manualSeed(0);
  const layer: (x: Tensor) => readonly unknown[] = make();
  const x = torch.randn(4, 2, 3);
  manualSeed(1);
  const values = [...((layer(x)[0] as Tensor).reshape(-1).toArray() as Iterable<number>)].slice(0, 4);
  expected.forEach((value, i) => {
    expect(values[i]).toBeCloseTo(value, 5);
  });
});
