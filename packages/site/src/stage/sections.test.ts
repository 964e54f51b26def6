import { expect, test } from "vitest";
import { withSections } from "./sections.js";

const pages = (text: string): Map<string, string> =>
  new Map([
    ["index.md", text],
    ["other.md", "# Other\n\nintro\n\n## Part\n\n[link](./x.md)\n\n## Next\n\nend\n"],
  ]);

test("a page shows sections of other pages", () => {
  const text = '# Home\n\n<!-- section: other.md "Part" -->\n\n<!-- section: other.md "Other" -->\n';
  expect(withSections("index.md", pages(text))).toBe("# Home\n\n[link](./x.md)\n\nintro\n");
  expect(withSections("index.md", pages('<!-- section: other.md "Next" -->'))).toBe("end");
});

test("a section that is not there, or in another folder, fails the build", () => {
  expect(() => withSections("index.md", pages('<!-- section: other.md "Gone" -->'))).toThrow(
    'index.md: other.md has no section "Gone"',
  );
  expect(() => withSections("index.md", pages('<!-- section: gone.md "Part" -->'))).toThrow("no section");
  expect(() => withSections("index.md", pages('<!-- section: a/other.md "Part" -->'))).toThrow("folder");
});
