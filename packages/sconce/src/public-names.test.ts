import { expect, test } from "vitest";
import * as sconce from "./index.js";

test("public names", () => {
  expect(Object.keys(sconce).sort()).toMatchSnapshot();
});
