import { createSconce } from "@sconce/session";
import { expect, test } from "vitest";
import * as names from "./index.js";

test("public names", () => {
  expect(Object.keys(names).sort()).toEqual(["default", "torchLibraries"]);
});

test("the plugin's operators run, its gradients only lower", () => {
  const sconce = createSconce({ plugins: [names.torchLibraries] });
  const ways = (names.torchLibraries.ops ?? []).map(({ target }) => [
    target,
    sconce.describeSupport(target).get("cpu"),
  ]);
  expect(ways.filter(([, way]) => way === "kernel").map(([target]) => target)).toEqual([
    "torchvision.nms.default",
    "torchvision.roi_align.default",
    "torchvision.roi_pool.default",
    "torchvision.ps_roi_align.default",
    "torchvision.ps_roi_pool.default",
    "torchvision.deform_conv2d.default",
    "transformers.grouped_mm_fallback.default",
  ]);
  expect(
    ways
      .filter(([, way]) => way !== "kernel")
      .every(([target]) => /_backward\.default$/.test(String(target))),
  ).toBe(true);
});
