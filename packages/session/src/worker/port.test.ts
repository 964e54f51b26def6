import { expect, test } from "vitest";
import { listen, type WorkerPort } from "./port.js";

test("a page's worker whose script does not load ends with a reason", () => {
  const target = new EventTarget();
  const port = {
    postMessage: () => {},
    addEventListener: target.addEventListener.bind(target),
  } as WorkerPort;
  const reasons: unknown[] = [];
  listen(port, "error", (reason) => reasons.push(reason));
  target.dispatchEvent(new Event("error"));
  target.dispatchEvent(Object.assign(new Event("error"), { message: "boom" }));
  expect(reasons).toEqual([expect.stringContaining("its script did not load"), "boom"]);
});
