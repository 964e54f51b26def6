import { join } from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../batch.fixture.js";
import { sentError } from "../errors.js";
import { runBatchOnQueue, runBatchWorker } from "../index.js";

/** Nothing listens on the port of discarded messages. */
const queue = "redis://127.0.0.1:9";
const root = testFolder("worker");

test.each([
  ["workers", { workers: 0 }, /option workers is 0/],
  ["stalled", { stalled: 10 }, /option stalled is 10/],
  ["grace", { grace: -1 }, /option grace is -1/],
  ["idle", { idle: 0.5 }, /option idle is 0\.5/],
  ["queueName", { queueName: "a:b" }, /queue name "a:b"/],
  ["root", { root: join(root, "none") }, /the root .*none is not a folder/],
])("a worker checks %s before it connects", async (_, options, message) => {
  await expect(runBatchWorker({ queue, root, ...options })).rejects.toMatchObject({
    code: "BATCH_OPTION",
    message: expect.stringMatching(message),
  });
});

test("a worker whose options are right connects", async () => {
  await expect(runBatchWorker({ queue, root })).rejects.toMatchObject({ code: "BATCH_QUEUE" });
});

test.each([
  ["queueName", { queueName: "" }, /queue name ""/],
  ["root", { root: join(root, "none") }, /the root .*none is not a folder/],
])("a run on a queue checks %s first", async (_, options, message) => {
  const run = { queue, root, program: "model.pt2", inputs: "*.csv", output: join(root, "out"), ...options };
  await expect(runBatchOnQueue(run)).rejects.toMatchObject({
    code: "BATCH_OPTION",
    message: expect.stringMatching(message),
  });
});

test("what Sconce did not throw is sent as a fault of Sconce, with its stack", () => {
  const cause = new TypeError("x is not a function");
  expect(sentError(cause, "s.csv")).toEqual({
    name: "SconceError",
    code: "INTERNAL",
    message: expect.stringMatching(/^internal: TypeError: x is not a function\n +at /),
    where: "s.csv",
    fix: expect.any(String),
    docs: "errors/INTERNAL",
  });
});
