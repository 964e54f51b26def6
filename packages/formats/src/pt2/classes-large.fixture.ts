/** @file Hostile inputs of many megabytes: archives and IR text. */
import { makeZip, utf8 } from "../zip/zip.fixture.js";
import { node, records } from "./hostile.fixture.js";
import { loose } from "./pt2.fixture.js";

export const LARGE_ARCHIVES: readonly (readonly [what: string, bytes: () => Uint8Array])[] = [
  [
    "B-11 a million entries",
    () => makeZip(Array.from({ length: 1e6 }, (_, i) => ({ name: `m/${i}`, data: new Uint8Array(0) }))),
  ],
  [
    "B-39 a stack trace of 50 MB",
    () =>
      node((call) => {
        call["metadata"] = loose({ stack_trace: "x".repeat(50e6) });
      }),
  ],
  [
    "50 MB of weights that nothing reads",
    () => records((r) => r.set("data/weights/w", new Uint8Array(50e6))),
  ],
];

const sir = (body: string): string =>
  new TextDecoder("latin1").decode(utf8(`program "ATEN" {}\ngraph(%x: f32[2]) {\n${body}\nreturn (%x)\n}`));

export const LARGE_TEXTS: readonly (readonly [what: string, text: () => string])[] = [
  ["a string of 12 MB", () => sir(`%a = aten.relu.default("${"a".repeat(12e6)}")`)],
  ["a string of 12 MB of escapes", () => sir(`%a = aten.relu.default("${"\\n".repeat(6e6)}")`)],
  ["a comment of 20 MB", () => sir(`// ${"a".repeat(20e6)}`)],
  ["20 MB of comments", () => sir("// a comment\n".repeat(1.5e6))],
  ["a list of six million integers", () => sir(`%a = aten.relu.default([${"1,".repeat(6e6)}1])`)],
  ["a number of 12 MB", () => sir(`%a = aten.relu.default(${"1".repeat(12e6)})`)],
  ["brackets of 12 MB", () => sir(`%a = aten.relu.default(${"[".repeat(12e6)})`)],
];
