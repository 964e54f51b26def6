import { expect, test } from "vitest";
// @ts-expect-error a script without types
import { currentText, generatedText } from "../../generate.mjs";

test("the runtime of modules is bundled from its sources", async () => {
  expect((currentText as () => string)()).toBe(await (generatedText as () => Promise<string>)());
});
