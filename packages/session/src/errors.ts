import { inNode, misspelled, SconceError } from "@sconce/errors";

/** Returns the error for a name of a rule that neither the session nor a pass of it has. */
export const unknownRule = (name: string, known: ReadonlySet<string>): SconceError =>
  new SconceError({
    code: "UNKNOWN_RULE",
    message: `unknown rule "${name}"`,
    ...misspelled(
      name,
      known,
      "`sconce explain --list` and `sconce.knownRules` list the rules; a pass declares its rules with `rules`, as rulePass does",
    ),
  });

/** Refuses other values than workers. @throws SconceError `INVALID_ARGUMENT` */
export function requireWorker(value: unknown): void {
  if (typeof value === "object" && value !== null && "postMessage" in value && "terminate" in value) return;
  throw new SconceError({
    code: "INVALID_ARGUMENT",
    message: `the first argument of worker is ${value === null ? "null" : typeof value} without \`postMessage\` and \`terminate\``,
    fix: `give a Worker, whose script calls serveSession(...)${inNode("; in Node, backendWorker(name) of sconce/node")}`,
  });
}
