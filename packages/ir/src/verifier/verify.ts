import {
  checkOptions,
  finish,
  inScope,
  isSconceError,
  type OptionNames,
  type Work,
  withoutStacks,
} from "@sconce/errors";
import { ATEN, type DialectRules } from "../graph/dialect.js";
import { invalidProgram } from "../graph/errors.js";
import type { Graph } from "../graph/graph.js";
import type { OperatorLookup } from "../graph/operator.js";
import { errorText, type Problem, type Report } from "../graph/problem.js";
import { lineOf } from "../graph/source-line.js";
import type { ExportedProgram } from "../program/program.js";
import { refusePromise } from "../program/require-program.js";
import { DIALECTS } from "./dialects.js";
import { FIXES } from "./fixes.js";
import { checkNodes, checkStructure } from "./graph-checks.js";
import { NearNames } from "./near-names.js";
import { checkModuleCalls, checkSignature } from "./signature-checks.js";
import { type Bound, checkRanges, checkSymbols, checkTexts } from "./symbol-checks.js";

/** How strictly, and by whose knowledge, a program is checked. */
export interface VerifyOptions {
  /** The dialect to check against, by name or as rules; the program's own when left out. */
  readonly dialect?: string | DialectRules | undefined;
  /** Further dialects that programs may name. */
  readonly dialects?: ReadonlyMap<string, DialectRules> | undefined;
  /** Operator schemas; without them only the names of operators are checked. */
  readonly operators?: OperatorLookup | undefined;
}

const VERIFY: OptionNames<VerifyOptions> = { dialect: true, dialects: true, operators: true };

/**
 * Returns every rule violation in the program, its nested graphs, signature and module call graph.
 * Empty when the program is valid. Parts with a wrong type are reported as `MALFORMED`; `verifyAll`
 * of `@sconce/ir/verify` reports which.
 */
export function verify(program: ExportedProgram, options: VerifyOptions = {}): Problem[] {
  return finish(verifySteps(program, options));
}

/** As {@link verify}, in pieces. */
export function* verifySteps(program: ExportedProgram, options: VerifyOptions = {}): Work<Problem[]> {
  checkOptions("verify", options, VERIFY);
  refusePromise(program, "verify");
  const problems: Problem[] = [];
  const report = reporter(program.graph, undefined, problems);
  try {
    const rules = findRules(program.dialect, options, report);
    const hasTensor = (target: string): boolean => program.tensor(target) !== undefined;
    problems.push(...(yield* verifyGraphSteps(program.graph, rules, options, hasTensor)));
    checkModuleCalls(program, report);
    checkSignature(program, report);
    checkRanges(program, report);
    checkTexts(program, report);
  } catch (error) {
    if (isSconceError(error, "TWO_COPIES")) throw error;
    report("MALFORMED", `a part of it cannot be read (${errorText(error)})`);
  }
  return problems;
}

/** Returns the same for a graph alone, nested ones included. */
export function verifyGraph(
  graph: Graph,
  rules: DialectRules = ATEN,
  options: VerifyOptions = {},
  hasTensor: (target: string) => boolean = () => false,
): Problem[] {
  return finish(verifyGraphSteps(graph, rules, options, hasTensor));
}

/** As {@link verifyGraph}, in pieces. */
export function verifyGraphSteps(
  graph: Graph,
  rules: DialectRules,
  options: VerifyOptions,
  hasTensor: (target: string) => boolean,
): Work<Problem[]> {
  checkOptions("verifyGraph", options, VERIFY);
  return inScope(graphProblems(graph, rules, options, hasTensor), withoutStacks);
}

function* graphProblems(
  graph: Graph,
  rules: DialectRules,
  options: VerifyOptions,
  hasTensor: (target: string) => boolean,
): Work<Problem[]> {
  const problems: Problem[] = [];
  const bound: Bound = new Set();
  const near = new NearNames();
  const sound = new Set<string>();
  const work: { readonly graph: Graph; readonly path: string }[] = [{ graph, path: "" }];
  for (let item = work.pop(); item !== undefined; item = work.pop()) {
    const { graph: current, path } = item;
    const report = reporter(current, path, problems);
    const context = { rules, operators: options.operators, isRoot: path === "", near, sound, hasTensor };
    checkStructure(current, context, report);
    yield;
    yield* checkNodes(current, context, report);
    yield;
    checkSymbols(current, options.operators, bound, report);
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

/**
 * Runs what takes a valid program. Where it breaks on a program that nothing verified, the problems
 * of the program are the error.
 * @throws SconceError `INVALID_PROGRAM`, and what `run` throws
 */
export function onValid<T>(program: ExportedProgram, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!isSconceError(error)) assertValid(program);
    throw error;
  }
}

/** Adds problems with the user's line of their node, and what to do about them. */
function reporter(graph: Graph | null, path: string | undefined, problems: Problem[]): Report {
  return (code, message, node, fix = FIXES[code]) => {
    const line = node === undefined ? undefined : lineOf(graph, node);
    problems.push({
      code,
      message,
      node,
      ...(path !== undefined && { graph: path }),
      ...(line !== undefined && { line }),
      ...(fix !== undefined && { fix }),
    });
  };
}

function findRules(name: string, options: VerifyOptions, report: Report): DialectRules {
  const wanted = options.dialect ?? name;
  if (typeof wanted !== "string") return wanted;
  const rules = options.dialects?.get(wanted) ?? DIALECTS.get(wanted);
  if (rules === undefined) report("UNKNOWN_DIALECT", `no rules are known for the dialect '${wanted}'`);
  return rules ?? ATEN;
}
