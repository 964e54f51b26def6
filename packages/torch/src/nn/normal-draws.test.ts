/**
 * @file Normal numbers are PyTorch's to the last bit: digests of what torch 2.14 draws on a CPU
 * with AVX2 (`hashlib.sha256(tensor.contiguous().view(torch.uint8).numpy().tobytes())`).
 */

import { createHash } from "node:crypto";
import { manualSeed, nn, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";

/** The first digits of the digest of a tensor's elements, in their logical order. */
const digest = (tensor: Tensor): string =>
  createHash("sha256").update(tensor.contiguous().storage.bytes).digest("hex").slice(0, 16);

const empty = (shape: readonly number[]): Tensor => torch.empty(shape);
const { init } = nn;

test.each<[count: number, wanted: string]>([
  [15, "c6386fdac463e93a"],
  [16, "935a5e561dac896d"],
  [17, "5afccee10eada60f"],
  [31, "49dd654c5d8c6cc3"],
  [33, "10dc8c0e6274b805"],
  [100, "1cfd8e334f2d1f3b"],
  [4096, "edd20d4b90f985da"],
  [10007, "8531317fb3e715c7"],
])("randn of %i numbers", (count, wanted) => {
  manualSeed(count);
  expect(digest(torch.randn(count))).toBe(wanted);
});

test.each<[name: string, count: number, make: (count: number) => Tensor, wanted: string]>([
  ["normal_", 20, (n) => torch.empty(n).normal_(0.3, 1.7), "8238ddd524591b3f"],
  ["normal_", 1000, (n) => torch.empty(n).normal_(0.3, 1.7), "045fb44c1137e235"],
  ["bfloat16", 1000, (n) => torch.empty(n, { dtype: "bfloat16" }).normal_(0.3, 1.7), "641974e97d162b23"],
  ["float16", 1000, (n) => torch.empty(n, { dtype: "float16" }).normal_(0.3, 1.7), "c0368b162affc52b"],
  ["complex64", 20, (n) => torch.randn(n, { dtype: "complex64" }), "96bb230836ec50ef"],
  ["complex64", 1000, (n) => torch.randn(n, { dtype: "complex64" }), "e2c6377ccbdb547c"],
])("%s of %i numbers", (_, count, make, wanted) => {
  manualSeed(count);
  expect(digest(make(count))).toBe(wanted);
});

test.each<[shape: readonly number[], xavier: string, kaiming: string]>([
  [[5, 7], "a403f868022d6e48", "964f332a52ccc8ed"],
  [[16, 16], "3ad4b15ad3633d88", "4f08d4ffa1d64aa4"],
  [[33, 17], "c20e01be2af07f8b", "17c7c2162ec02f98"],
  [[8, 4, 3, 3], "c8be838438aacc61", "b859848b2b2547fa"],
])("initial weights of shape %j", (shape, xavier, kaiming) => {
  manualSeed(7);
  expect(digest(init.xavierNormal_(empty(shape)))).toBe(xavier);
  manualSeed(7);
  expect(digest(init.kaimingNormal_(empty(shape)))).toBe(kaiming);
});

test("tensors of means and deviations round twice", () => {
  const mean = torch.arange(20, { dtype: "float32" }).div(7);
  const std = torch.arange(20, { dtype: "float32" }).div(3).add(0.1);
  const draw = (make: () => Tensor): string => {
    manualSeed(5);
    return digest(make());
  };
  expect(draw(() => torch.normal(mean, std))).toBe("3c5bc0f47ee657ad");
  expect(draw(() => torch.normal(mean, 1.7))).toBe("7b357445f588e0f3");
  expect(draw(() => torch.normal(0.3, std))).toBe("43a1aae812a78fdf");
  expect(draw(() => torch.empty(6, 8).t().normal_(0.3, 1.7))).toBe("cfb25af564963a45");
});

test("the weights of an embedding", () => {
  manualSeed(7);
  expect(digest(new nn.Embedding(10, 5).weight)).toBe("ae46e8dfaeabb9d5");
});

test("float64 differs in the last bit at most", () => {
  manualSeed(17);
  const wanted = [
    1.1334044055743933, -0.3396261958511767, 0.7376934232964427, 0.8514419108604585, -1.5945281557811837,
    -1.3358975990189317, 0.39975937921625415, -0.5182359019396884, 0.00892651332797321, -1.529960544059063,
    0.27564982108903263, 0.9570256510165234, -0.41126789034091465, -2.290042350672562, 0.24982736396850957,
    -0.5754154776340655, 0.3394419912229643,
  ];
  const got = torch.randn(17, { dtype: "float64" }).toArray() as readonly number[];
  got.forEach((value, i) => {
    expect(Math.abs(value - wanted[i]!)).toBeLessThanOrEqual(4.5e-16 * Math.abs(wanted[i]!));
  });
});
