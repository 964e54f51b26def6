import { expect, test } from "vitest";
import { latePart, presentPart } from "./late-part.js";

test("a part is loaded once, and is missing before", async () => {
  let loads = 0;
  const part = latePart("the module of tests", () => Promise.resolve(++loads));
  expect(part.value).toBeUndefined();
  expect(() => part.require()).toThrow(
    expect.objectContaining({ code: "PART_NOT_LOADED", message: "the module of tests is not loaded" }),
  );
  expect(await part.load()).toBe(1);
  expect(await part.load()).toBe(1);
  expect([part.value, part.require()]).toEqual([1, 1]);
});

test("a load that fails says which part, and the next one tries again", async () => {
  const cause = new Error("404");
  let fails = true;
  const part = latePart("the module of tests", () =>
    fails ? Promise.reject(cause) : Promise.resolve("here"),
  );
  await expect(part.load()).rejects.toMatchObject({
    code: "PART_NOT_LOADED",
    message: "the module of tests cannot be loaded",
    cause,
  });
  fails = false;
  expect(await part.load()).toBe("here");
});

test("a part that is present needs no load", async () => {
  const part = presentPart(3);
  expect([part.value, part.require(), await part.load()]).toEqual([3, 3, 3]);
});
