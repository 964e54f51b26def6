import { expect, test } from "vitest";
import { loaded } from "./packages.js";

test("a package that is not installed is named, with the command that installs it", async () => {
  const missing = "fastify-that-is-not-there";
  await expect(loaded("fastify", () => import(missing))).rejects.toMatchObject({
    code: "SERVE_PACKAGE",
    message: expect.stringContaining("fastify is not installed"),
    fix: "run npm install fastify prom-client",
  });
});
