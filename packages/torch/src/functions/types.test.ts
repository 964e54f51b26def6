import { describe, expect, it } from "vitest";
import { typeFiles } from "./type-text.fixture.js";
import "./torch.js";

describe("generated types", () => {
  it.each(Object.entries(typeFiles()))("%s is up to date", async (name, text) => {
    await expect(text).toMatchFileSnapshot(`./${name}`);
  });
});
