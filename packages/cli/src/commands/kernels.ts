import { amount, countText } from "@sconce/errors";
import type { ExecutionPlan } from "@sconce/ir";

/** Returns the kernels of a run as text: what each computes and costs, its loops and its source. */
export function kernelsText(backend: string, plan: ExecutionPlan | undefined): string {
  if (plan === undefined) return `backend ${backend} makes no kernels\n`;
  const { kernels, values, pieces } = plan;
  const planned = pieces.reduce((total, bytes) => total + bytes, 0);
  const head = `${countText(kernels.length, "kernel")}; ${countText(values.length, "value")} in ${amount(planned, "B")} of planned memory`;
  const texts = kernels.map(({ nodes, language, source, loops, perSizes, flops, bytes }, at) =>
    [
      `kernel ${at}: ${nodes.join(", ")}`,
      `${amount(flops, "flop")}, ${amount(bytes, "B")} read and written`,
      ...(perSizes === undefined ? [] : [`made for each set of sizes: ${perSizes}`]),
      loops,
      `${language}:`,
      indented(source),
    ].join("\n"),
  );
  return `${[head, ...texts].join("\n\n")}\n`;
}

const indented = (text: string): string => text.trimEnd().replace(/^(?=.)/gm, "  ");
