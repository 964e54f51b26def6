/// <reference lib="webworker" preserve="true" />
/**
 * @file The worker of the playground: runs one text of the user, and is then ended by the page. A
 * server may give this file a separate policy, `script-src 'self' blob:`.
 */
import type { FromPlayground, ToPlayground } from "../playground/messages.js";

const send = (message: FromPlayground): void => self.postMessage(message);

/** Runs a script as a module: its address is all that the policy has to allow. */
async function importScript(script: string): Promise<Readonly<Record<string, unknown>>> {
  const url = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  try {
    return (await import(/* @vite-ignore */ url)) as Readonly<Record<string, unknown>>;
  } finally {
    URL.revokeObjectURL(url);
  }
}

/** Returns the directive that keeps this worker from running scripts of a text. */
async function forbiddenBy(): Promise<string | undefined> {
  let directive: string | undefined;
  const note = (event: SecurityPolicyViolationEvent): void => {
    directive = event.effectiveDirective;
  };
  self.addEventListener("securitypolicyviolation", note);
  try {
    await importScript("export {}");
    return undefined;
  } catch {
    return directive ?? "script-src";
  } finally {
    self.removeEventListener("securitypolicyviolation", note);
  }
}

/** What the user's text prints is shown in the page. */
function showLog(): void {
  for (const name of ["log", "info", "warn", "error", "debug"] as const)
    console[name] = (...values: readonly unknown[]) =>
      send({
        kind: "log",
        text: values.map((value) => (typeof value === "string" ? value : shown(value))).join(" "),
      });
}

function shown(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  const text = String(value);
  if (!text.startsWith("[object ")) return text;
  try {
    return JSON.stringify(value, (_, item: unknown) => (typeof item === "bigint" ? String(item) : item));
  } catch {
    return text;
  }
}

self.addEventListener("message", ({ data }: MessageEvent<ToPlayground>) => {
  showLog();
  void import("../playground/run.js").then(async ({ runModule }) =>
    send(await runModule(data, { importScript, isScript: (url) => url.startsWith("blob:") })),
  );
});
void forbiddenBy().then((policy) => send({ kind: "ready", policy }));
