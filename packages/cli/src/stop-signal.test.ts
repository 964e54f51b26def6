import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { expect, test } from "vitest";

const MODULE = new URL("../dist/stop-signal.js", import.meta.url).href;
const script = (hasWork: boolean): string => `
  const { stopSignal } = await import(${JSON.stringify(MODULE)});
  const stop = stopSignal(() => ${hasWork});
  stop.signal.addEventListener("abort", () => console.log("stops"));
  setInterval(() => {}, 1000);
  console.log("listens");`;

test.each([
  ["SIGTERM", "SIGTERM"],
  ["SIGTERM", "SIGINT"],
  ["SIGINT", "SIGTERM"],
] as const)("%s asks the process to stop, and %s after it ends the process", async (first, second) => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script(true)]);
  const ended = once(child, "close");
  expect(String(await once(child.stdout, "data"))).toBe("listens\n");
  child.kill(first);
  expect(String(await once(child.stdout, "data"))).toBe("stops\n");
  child.kill(second);
  expect(await ended).toEqual([128 + constants.signals[second], null]);
});

test.each(["SIGTERM", "SIGINT"] as const)("%s ends a process without work", async (signal) => {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script(false)]);
  const ended = once(child, "close");
  await once(child.stdout, "data");
  child.kill(signal);
  expect(await ended).toEqual([128 + constants.signals[signal], null]);
});
