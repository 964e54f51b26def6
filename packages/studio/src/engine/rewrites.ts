/** @file The rewrites inside of one pass, one after the other. */
import type { ExportedProgram, Node } from "@sconce/ir";
import { PassManager, parsePipeline, type Rule } from "@sconce/passes";
import type { Sconce } from "@sconce/session";

/** A rewrite of a rule. */
export interface MadeRewrite {
  readonly rule: string;
  /** The node at the root of the match. */
  readonly node: string;
  /** The nested graph of the node; empty for the program's own graph. */
  readonly graph: string;
}

/** Returns the program after so many rewrites of a pass, and what they were. */
export function runRewrites(
  session: Sconce,
  program: ExportedProgram,
  pass: string,
  limit: number,
): { readonly program: ExportedProgram; readonly made: readonly MadeRewrite[] } {
  const made: MadeRewrite[] = [];
  let begun: MadeRewrite | undefined;
  const context = session.services.passManagers.context();
  const manager = new PassManager(
    {
      ...context,
      rewrites: {
        ...context.rewrites,
        allows: ({ name }: Pick<Rule, "name">, root: Node, graph: string) => {
          if (made.length >= limit) return false;
          begun = { rule: name, node: root.name, graph };
          return true;
        },
        fired: () => {
          if (begun !== undefined) made.push(begun);
        },
      },
    },
    // A pass that stops half-way may leave what it promises undone.
    { verify: false },
  );
  return { program: manager.run(program, parsePipeline(pass, session.passes, session)), made };
}
