import { expect, test } from "vitest";
import { linkText, packText, parseLink, unpackText } from "./link.js";

test("links name the file, the passes, the step and the item", () => {
  const link = {
    file: "net_gpt",
    passes: "decompose,fold-constants{weights=true}",
    step: 2,
    item: "/L_a/L_b:x",
    code: "q-_0",
  };
  expect(parseLink(linkText(link))).toEqual(link);
  expect(linkText({ file: "digits", passes: "", step: 0, item: "", code: "" })).toBe("#/digits");
  expect(parseLink("#/digits")).toEqual({ file: "digits", passes: "", step: 0, item: "", code: "" });
});

test("a link may have texts alone", () => {
  const link = { file: "", passes: "", step: 0, item: "", code: "q-_0" };
  expect(parseLink(linkText(link))).toEqual(link);
  expect(parseLink("#///0/")).toBeUndefined();
});

test("a link brings a text, and refuses a damaged or a very long one", async () => {
  const text = `const sum = "Σ\u{1d400}"; // ${"long ".repeat(200)}`;
  const packed = await packText(text);
  expect(packed).toMatch(/^[\w-]+$/);
  expect(packed.length).toBeLessThan(text.length / 5);
  expect(await unpackText(packed)).toBe(text);
  expect(await unpackText(packed.slice(0, -8))).toBeUndefined();
  expect(await unpackText("%%%")).toBeUndefined();
  expect(await unpackText(await packText("a".repeat(200_001)))).toBeUndefined();
});

test("other texts give nothing", () => {
  for (const hash of ["", "#", "#x", "#/", "#/a/b/-1", "#/a/b/1e9", "#/%E0%A4%A"])
    expect(parseLink(hash)).toBeUndefined();
});
