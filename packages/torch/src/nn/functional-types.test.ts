import { expect, it } from "vitest";
import { functionalTypes } from "./functional-types.fixture.js";

it("the types of nn.functional are up to date", async () => {
  await expect(functionalTypes()).toMatchFileSnapshot("./functional-types.ts");
});
