import { SconceError } from "@sconce/errors";

/** Nodes that cannot be lowered to loops, each with its reason. */
export function notLowered(
  refused: readonly { readonly node: string; readonly reason: string }[],
): SconceError {
  const shown = refused.slice(0, 5).map(({ node, reason }) => `"${node}": ${reason}`);
  const more = refused.length > 5 ? `; and ${refused.length - 5} more` : "";
  return new SconceError({
    code: "NOT_LOWERED",
    message: `${refused.length} of the nodes cannot be lowered to loops: ${shown.join("; ")}${more}`,
    where: `node "${refused[0]!.node}"`,
    fix: "partition the program first, so that these nodes stay with the interpreter, or decompose them further",
  });
}
