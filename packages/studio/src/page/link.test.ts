import { expect, test } from "vitest";
import { linkText, parseLink } from "./link.js";

test("links name the file, the passes, the step and the item", () => {
  const link = {
    file: "net_gpt",
    passes: "decompose,fold-constants{weights=true}",
    step: 2,
    item: "/L_a/L_b:x",
  };
  expect(parseLink(linkText(link))).toEqual(link);
  expect(linkText({ file: "digits", passes: "", step: 0, item: "" })).toBe("#/digits");
  expect(parseLink("#/digits")).toEqual({ file: "digits", passes: "", step: 0, item: "" });
});

test("other texts give nothing", () => {
  for (const hash of ["", "#", "#x", "#/", "#/a/b/-1", "#/a/b/1e9", "#/%E0%A4%A"])
    expect(parseLink(hash)).toBeUndefined();
});
