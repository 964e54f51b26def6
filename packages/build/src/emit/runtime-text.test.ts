import { expect, test } from "vitest";
// @ts-expect-error a script without types
import { currentText, generatedText } from "../../generate.mjs";

test("the runtime of modules is bundled from its sources", async () => {
  const isCurrent = (currentText as () => string)() === (await (generatedText as () => Promise<string>)());
  expect(isCurrent, "run `npm run generate -w @sconce/build`").toBe(true);
});
