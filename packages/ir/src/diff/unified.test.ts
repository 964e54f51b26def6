import fc from "fast-check";
import { expect, test } from "vitest";
import { unifiedDiff } from "./unified.js";

const lines = (text: string): string[] => [...text];

test("equal texts have no difference", () => {
  expect(unifiedDiff(lines("abc"), lines("abc"))).toEqual([]);
});

test("changes stand between three lines around them, near ones together", () => {
  expect(unifiedDiff(lines("abcdefghij"), lines("abcdXfghYij"))).toEqual([
    "@@ -2,9 +2,10 @@",
    " b",
    " c",
    " d",
    "-e",
    "+X",
    " f",
    " g",
    " h",
    "+Y",
    " i",
    " j",
  ]);
});

test("distant changes have separate hunks", () => {
  const heads = unifiedDiff(lines("abcdefghijklmnop"), lines("Abcdefghijklmnop-")).filter((line) =>
    line.startsWith("@@"),
  );
  expect(heads).toEqual(["@@ -1,4 +1,4 @@", "@@ -14,3 +14,4 @@"]);
});

test("ranges of one line and of none as diff writes them", () => {
  expect(unifiedDiff([], ["a"])).toEqual(["@@ -0,0 +1 @@", "+a"]);
  expect(unifiedDiff(["a"], [])).toEqual(["@@ -1 +0,0 @@", "-a"]);
});

test("a difference applied to the one text gives the other", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c", "}"), { maxLength: 40 });
  fc.assert(
    fc.property(text, text, (before, after) => {
      const patched: string[] = [];
      let position = 0;
      for (const line of unifiedDiff(before, after)) {
        const head = /^@@ -(\d+)(?:,(\d+))? /.exec(line);
        if (head !== null) {
          const start = Number(head[1]) - (head[2] === "0" ? 0 : 1);
          patched.push(...before.slice(position, start));
          position = start;
        } else if (line[0] === "+") patched.push(line.slice(1));
        else {
          expect(before[position]).toBe(line.slice(1));
          if (line[0] === " ") patched.push(line.slice(1));
          position++;
        }
      }
      expect([...patched, ...before.slice(position)]).toEqual(after);
    }),
    { seed: 3 },
  );
});
