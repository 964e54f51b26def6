import { invalidProgram } from "../errors.js";
import type { Graph } from "../graph.js";
import type { OperatorLookup } from "../operator.js";
import type { ExportedProgram, ExportedProgramInit } from "../program.js";
import { ATEN, DIALECTS, type DialectRules } from "./dialect.js";
import { checkNodes, checkStructure } from "./graph-checks.js";
import { told } from "./kinds.js";
import { checkNodeParts, checkParts } from "./part-checks.js";
import type { Problem, Report } from "./problem.js";
import { checkModuleCalls, checkSignature } from "./signature-checks.js";

/** How strictly, and by whose knowledge, a program is checked. */
export interface VerifyOptions {
  /** The dialect to check against, by name or as rules; the program's own when left out. */
  readonly dialect?: string | DialectRules | undefined;
  /** Further dialects that programs may name. */
  readonly dialects?: ReadonlyMap<string, DialectRules> | undefined;
  /** Operator schemas; without them operators are judged by their names only. */
  readonly operators?: OperatorLookup | undefined;
}

/**
 * Every violation of the rules by the program, its nested graphs, signature and module call graph. Empty when valid. What
 * is of a wrong kind altogether is reported as `MALFORMED`, and what cannot be read without it is left out.
 */
export function verify(program: ExportedProgram, options: VerifyOptions = {}): Problem[] {
  const problems: Problem[] = [];
  const report: Report = (code, message, node) => problems.push({ code, message, node });
  try {
    checkProgram(program, options, problems, report);
  } catch (error) {
    // Parts that are read as they are made: getters that throw, lists that hold themselves.
    report("MALFORMED", `a part of it cannot be read (${errorText(error)})`);
  }
  return problems;
}

const errorText = (error: unknown): string => (error instanceof Error ? error.message : told(error));

function checkProgram(
  program: ExportedProgram,
  options: VerifyOptions,
  problems: Problem[],
  report: Report,
): void {
  const malformed = checkParts(program, report);
  const isRight = (...parts: (keyof ExportedProgramInit)[]): boolean =>
    !parts.some((part) => malformed.has(part));
  const rules = isRight("dialect") ? findRules(program.dialect, options, report) : ATEN;
  if (!isRight("graph")) return;
  const isRead = isRight("stateDict", "constants");
  const hasTensor = (target: string): boolean => !isRead || program.tensor(target) !== undefined;
  const ofGraph = verifyGraph(program.graph, rules, options, hasTensor);
  problems.push(...ofGraph);
  if (ofGraph.some(({ code, graph }) => code === "MALFORMED" && graph === "")) return;
  if (isRight("moduleCallGraph")) checkModuleCalls(program, report);
  if (isRead && isRight("graphSignature", "parameterNames")) checkSignature(program, report);
}

/** The same for a graph alone, nested ones included. */
export function verifyGraph(
  graph: Graph,
  rules: DialectRules = ATEN,
  options: VerifyOptions = {},
  hasTensor: (target: string) => boolean = () => false,
): Problem[] {
  const problems: Problem[] = [];
  const work: { readonly graph: Graph; readonly path: string }[] = [{ graph, path: "" }];
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const { graph: current, path } = item;
    const report: Report = (code, message, node) => problems.push({ code, message, node, graph: path });
    const context = { rules, operators: options.operators, isRoot: path === "", hasTensor };
    if (!checkNodeParts(current, report)) continue;
    checkStructure(current, context, report);
    checkNodes(current, context, report);
    for (const [target, nested] of [...current.subgraphs].reverse()) {
      work.push({ graph: nested, path: path === "" ? target : `${path}.${target}` });
    }
  }
  return problems;
}

/**
 * Refuses an invalid program.
 * @throws SconceError `INVALID_PROGRAM` listing the problems
 */
export function assertValid(program: ExportedProgram, options: VerifyOptions = {}): void {
  const problems = verify(program, options);
  if (problems.length > 0) throw invalidProgram(problems);
}

function findRules(name: string, options: VerifyOptions, report: Report): DialectRules {
  const wanted = options.dialect ?? name;
  if (typeof wanted !== "string") return wanted;
  const rules = options.dialects?.get(wanted) ?? DIALECTS.get(wanted);
  if (rules === undefined) report("UNKNOWN_DIALECT", `no rules are known for the dialect '${wanted}'`);
  return rules ?? ATEN;
}
