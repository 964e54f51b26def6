import { countText } from "@sconce/errors";
import type { Placement } from "@sconce/ir";
import { linesText } from "../text.js";

/** Where a program ran, as text: the device, how much of it ran there, and why the rest did not. */
export function placementText(backend: string, placement: Placement | undefined): string {
  if (placement === undefined) return `backend ${backend} has no device: it runs all calls itself\n`;
  const { device, nodes, regions, kernels, copies, fallbacks } = placement;
  const host = nodes.filter(({ place }) => place === "host");
  const lines = [
    `device ${device}`,
    `${nodes.length - host.length} of ${countText(nodes.length, "call")} on the device, in ${countText(regions, "region")} and ` +
      `${countText(kernels, "kernel")}; ${countText(copies.toDevice, "tensor")} copied to it, ${copies.toHost} back`,
    ...host.map(({ node, target, source, reason }) => {
      const place = fallbacks.includes(node) ? "host, this time:" : "host";
      const from = source === undefined || source === node ? "" : ` (from %${source})`;
      return `${place} %${node} = ${target}${from}: ${reason ?? "not taken"}`;
    }),
  ];
  return linesText(lines);
}
