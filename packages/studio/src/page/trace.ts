/** @file A run as a file for trace viewers. */
import type { KernelView, ProfileRow } from "../engine/protocol.js";

/** Returns the events of a run, one behind the other: the device is thread 1, the host thread 2. */
export function traceText(rows: readonly ProfileRow[], kernels: readonly KernelView[] = []): string {
  let at = 0;
  const traceEvents = rows.map(({ nodes, target, milliseconds, place, modules, kernel }) => {
    const { flops, bytes } = kernel === undefined ? { flops: undefined, bytes: undefined } : kernels[kernel]!;
    const event = {
      name: target,
      ph: "X",
      pid: 1,
      tid: place === "host" ? 2 : 1,
      ts: at,
      dur: milliseconds * 1000,
      args: { node: nodes.map(({ node }) => node).join(", "), module: modules.join("."), flops, bytes },
    };
    at += milliseconds * 1000;
    return event;
  });
  return JSON.stringify({ traceEvents });
}
