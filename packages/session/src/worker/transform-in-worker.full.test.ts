/** @file Workers of passes that take too much memory, leave, or do not begin. */
import type { SconceError } from "@sconce/errors";
import { expect, test } from "vitest";
import { passWorker } from "../worker-entries/worker-node.js";
import { failure, HOSTILE, mlp, pathOf, placeOf, sconce } from "./hostile.fixture.js";

const MIB = 2 ** 20;
const run = (passes: string, maxBytes?: number): Promise<SconceError> =>
  failure(sconce.transformInWorker(mlp, passes, { worker: () => passWorker([HOSTILE], { maxBytes }) }));

test("goes on after a worker that ends, and after a deep recursion", async () => {
  const [stack, left, later] = await Promise.all([run("recurse"), run("leave"), run("reject-later")]);
  expect(stack).toMatchObject({ code: "PASS_FAILED", where: placeOf("recurse") });
  expect(left).toMatchObject({ code: "PASS_WORKER", message: expect.stringContaining("code 3") });
  expect(later).toMatchObject({ code: "PASS_WORKER", message: expect.stringContaining("nothing waits") });
});

test("ends a worker that takes too much memory, on its heap and outside of it", async () => {
  // One at a time: outside of heaps, only the memory of the process is known.
  for (const pass of ["fill-heap", "fill-arrays"])
    expect(await run(pass, 64 * MIB)).toMatchObject({ code: "PASS_MEMORY", where: placeOf(pass) });
});

test("plugins may not end their load, not exist, and be canceled", async () => {
  const withModule = (module: string, milliseconds?: number): Promise<SconceError> =>
    failure(sconce.transformInWorker(mlp, "dce", { worker: () => passWorker([module]), milliseconds }));
  const canceled = new AbortController();
  const onStart = (): void => canceled.abort("enough");
  const [endless, missing, aborted] = await Promise.all([
    withModule(pathOf("hostile-load"), 200),
    withModule(pathOf("not-there")),
    failure(
      sconce.transformInWorker(mlp, "spin", {
        worker: () => passWorker([HOSTILE]),
        signal: canceled.signal,
        onStart,
      }),
    ),
  ]);
  expect(endless).toMatchObject({
    code: "PASS_TIMEOUT",
    message: expect.stringContaining("the load of the plugins"),
  });
  expect(missing.code).toBe("PLUGIN");
  expect(aborted).toMatchObject({ code: "ABORTED", cause: "enough" });
});
