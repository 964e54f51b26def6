import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sconce } from "./command.fixture.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-plugins-"));
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ["throws while it loads", 'throw new Error("boo");', /the plugin .*\.mjs cannot be loaded: boo/],
  ["is not JavaScript", "export default {", /the plugin .*\.mjs cannot be loaded: /],
  [
    "throws no error while it loads",
    "throw Object.create(null);",
    /cannot be loaded: something that has no text/,
  ],
  ["exports a function", "export default () => ({ name: 'p' });", /exports no plugin/],
  ["is empty", "", /exports no plugin/],
  ["has no default export", "export const other = 1;", /the plugin .*\.mjs exports no plugin/],
  ["exports null", "export default null;", /the plugin .*\.mjs exports no plugin/],
  ["exports an object without a name", "export default {};", /plugin 1 has a bad field name/],
  [
    "has a pass that is none",
    'export default { name: "p", passes: [{ name: "a", doc: "", options: {} }] };',
    /plugin "p" has a bad field passes\[0\]\.run: expected a function, got undefined/,
  ],
  [
    "has a name that throws",
    'export default { get name() { throw new Error("boo"); } };',
    /plugin 1 threw when its field name was read: boo/,
  ],
])("a plugin module that %s is refused", async (title, text, message) => {
  const file = join(folder, `${title.replaceAll(" ", "-")}.mjs`);
  await writeFile(file, text);
  const { code, err } = await sconce("passes", "--plugin", file);
  expect(code).toBe(2);
  expect(err).toMatch(/^error PLUGIN: /);
  expect(err).toMatch(message);
  expect(err).toMatch(/\n {2}fix /);
  expect(err).toContain(file);
});
