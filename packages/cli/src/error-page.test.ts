import { expect, test } from "vitest";
import { sconce } from "./command.fixture.js";
import { documentedFix, errorSections } from "./error-page.js";

test("sconce explain CODE prints the section of the code", async () => {
  const { code, out } = await sconce("explain", "NO_VALUES");
  expect(code).toBe(0);
  expect(out).toMatch(/^NO_VALUES\n\n/);
  expect(out).toContain("--weights");
  const json = JSON.parse((await sconce("explain", "NO_VALUES", "--json")).out);
  expect(json).toEqual({ code: "NO_VALUES", docs: "errors/NO_VALUES", text: out.trim() });
  expect((await sconce("explain", json.docs)).out).toBe(out);
});

test("an unknown code gets a suggestion", async () => {
  const { code, err } = await sconce("explain", "NO_VALUE");
  expect(code).toBe(2);
  expect(err).toContain('error UNKNOWN_CODE: unknown error code "NO_VALUE"\n  fix did you mean "NO_VALUES"');
});

test("every section can be explained, and --codes lists them", async () => {
  const codes = (await sconce("explain", "--codes")).out.trim().split("\n");
  expect(codes).toEqual([...errorSections().keys()].sort());
  expect(JSON.parse((await sconce("explain", "--codes", "--json")).out)).toEqual(codes);
  for (const one of codes) expect((await sconce("explain", one)).out).toMatch(new RegExp(`^${one}\n`));
});

test("every code has a documented fix, in plain text", () => {
  for (const code of errorSections().keys())
    expect(documentedFix(code), code).toMatch(/^(?!.*\]\().{10,}[.:)`]$/);
  expect(documentedFix("NO_CODE")).toBeUndefined();
});

test("errors of the command name the explanation of their code", async () => {
  const { err } = await sconce("print", "nope.pt2");
  expect(err).toBe(
    "error FILE: there is no file or folder nope.pt2\n  fix check the path and its permissions\n  see sconce explain FILE\n",
  );
});
