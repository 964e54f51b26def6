import { expect, test } from "vitest";
import * as api from "./index.js";

test("public names", () => {
  expect(Object.keys(api).sort()).toMatchSnapshot();
});
