import { type ExportedProgram, requireProgram, sourceLine } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { RefusalKind } from "./context.js";
import { rewriteProgram } from "./rewrite.js";
import type { Rule } from "./rule.js";

/** A place that a rule was tried at: its root's operator stands there. */
export interface Attempt {
  /** The name of the rule. */
  readonly rule: string;
  /** The node at the root, and its operator. */
  readonly node: string;
  /** What the node calls. */
  readonly target: string;
  /** The nested graph of the node: `true_graph_0`; left out for the program's own graph. */
  readonly graph?: string;
  /** The user's line that the node comes from, `model.py:12`. */
  readonly line?: string | undefined;
  /** Why the rule does not fire there; undefined where it does. */
  readonly reason: string | undefined;
  /**
   * What refuses: the pattern or the rule's own guard; or, where both agree, the driver, for
   * example because an output would share memory with an input (`aliasing`). Undefined where the
   * rule fires.
   */
  readonly kind: RefusalKind | undefined;
}

/**
 * Where a rule fires in a program, and where it nearly does, with the reason: the first difference
 * from the pattern, the user outside of the match, or what the guard says. Each place is reported
 * once, for the program as given.
 *
 * @param ownerOf the plugin that the rule is of, for errors
 */
export function explainRule(
  program: ExportedProgram,
  rule: Rule,
  operators: OperatorTable,
  ownerOf?: (part: Rule) => string | undefined,
): Attempt[] {
  requireProgram(program, "explainRule");
  const attempts = new Map<string, Attempt>();
  rewriteProgram(program, [rule], {
    operators,
    ownerOf,
    allows: () => true,
    observe: ({ root, graph, reason, kind }) => {
      const key = `${graph} ${root.name}`;
      const known = attempts.get(key);
      if (known !== undefined && (known.reason === undefined || reason !== undefined)) return;
      const line = sourceLine(root);
      const place = {
        node: root.name,
        target: root.target,
        ...(graph !== "" && { graph }),
        ...(line !== undefined && { line }),
      };
      attempts.set(key, { rule: rule.name, ...place, reason, kind });
    },
  });
  return [...attempts.values()];
}
