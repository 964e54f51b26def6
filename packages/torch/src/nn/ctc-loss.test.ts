import { expect, test } from "vitest";
import { torch } from "../functions/torch.js";
import { manualSeed } from "../trace/eager.js";
import { CTCLoss } from "./index.js";

// The numbers are PyTorch 2.14's.
test("lengths of sequences are arrays or tensors", () => {
  manualSeed(0);
  const logits = torch.randn(5, 2, 4).logSoftmax(2);
  const targets = torch.tensor([
    [1, 2],
    [3, 1],
  ]);
  const loss = new CTCLoss();
  expect(loss(logits, targets, torch.tensor([5, 4]), torch.tensor([2, 1])).item()).toBeCloseTo(2.6301, 4);
  expect(loss(logits, targets, [5, 4], [2, 1]).item()).toBeCloseTo(2.6301, 4);
  expect(() => loss(logits, targets, torch.tensor([5.5, 4]), torch.tensor([2, 1]))).toThrow(
    "lengths are integers, got float32",
  );
});
