import { type Attempt, defineRule, explainRule, type Rule } from "@sconce/passes";
import type { ExplainedAttempt, Sconce } from "@sconce/session";
import { codeIn, errorSections } from "../error-page.js";
import { usage } from "../errors.js";
import { json, type SafeIo } from "../io.js";
import { openWithWeights } from "../open.js";
import { runPasses } from "../pass-run.js";
import { openSession } from "../session.js";
import type { PassRunOptions } from "../shared-options.js";
import { linesText } from "../text.js";
import { unknownCode } from "./errors.js";

export interface ExplainOptions extends PassRunOptions {
  readonly codes?: boolean;
  readonly rule?: readonly string[];
  readonly pattern?: string;
  readonly list?: boolean;
  readonly lower: boolean;
  readonly passes?: string;
  readonly weights?: string;
  readonly plugin?: readonly string[];
  readonly json?: boolean;
}

export async function explain(file: string | undefined, options: ExplainOptions, io: SafeIo): Promise<void> {
  if (options.codes === true) return io.out(codesText(options.json));
  const code = file === undefined ? undefined : codeIn(file);
  if (code !== undefined) return io.out(codeText(code, options.json));
  const session = await openSession(io, options.plugin, undefined, file === undefined ? [] : [file]);
  if (options.list === true) {
    io.out(options.json ? json(listed(session)) : listText(session));
    return;
  }
  if (file === undefined)
    throw usage("missing argument: an error code or a file", "give a code, a program, --codes or --list");
  const loaded = await openWithWeights(file, session, options.weights);
  const exported = runPasses(loaded, session, options, io);
  const { pattern, rule } = options;
  const attempts =
    pattern === undefined
      ? session.explain(exported, rule)
      : explainRule(exported, probe(pattern), session.operators);
  const names =
    pattern === undefined ? (rule ?? session.knownRules.map((one) => one.rule.name)) : ["pattern"];
  io.out(options.json ? json(attempts) : textOf(attempts, names));
}

function codesText(isJson = false): string {
  const codes = [...errorSections().keys()].sort();
  return isJson ? json(codes) : codes.map((code) => `${code}\n`).join("");
}

/** @throws SconceError `UNKNOWN_CODE` */
function codeText(code: string, isJson = false): string {
  const sections = errorSections();
  const text = sections.get(code);
  if (text === undefined) throw unknownCode(code, sections.keys());
  return isJson ? json({ code, docs: `errors/${code}`, text }) : `${text}\n`;
}

/** Returns a rule that matches and changes nothing. */
const probe = (pattern: string): Rule =>
  defineRule({ name: "pattern", doc: pattern, match: pattern, replace: () => MATCHES });

const MATCHES = "matches";

const listed = ({ knownRules }: Sconce): object[] =>
  knownRules.map(({ rule: { name, doc }, pass }) => ({ name, doc, ...(pass !== undefined && { pass }) }));

const listText = ({ knownRules }: Sconce): string =>
  linesText(
    knownRules.map(({ rule: { name, doc }, pass }) => {
      const suffix = pass === undefined ? "" : ` (pass ${pass})`;
      return `${name.padEnd(24)} ${doc}${suffix}`;
    }),
  );

/** Refusals where the pattern matches and the rule agrees. */
const BY_DRIVER: ReadonlySet<Attempt["kind"]> = new Set([
  "users",
  "order",
  "operator",
  "type",
  "cycle",
  "aliasing",
]);

function textOf(attempts: readonly ExplainedAttempt[], rules: readonly string[]): string {
  const isHit = ({ reason }: ExplainedAttempt): boolean => reason === undefined || reason === MATCHES;
  const lines = attempts.flatMap((attempt) => {
    const { rule, node, target, graph, line, kind, reason, pass } = attempt;
    const from = line === undefined ? "" : `, ${line}`;
    const place = `${rule}${pass === undefined ? "" : ` (pass ${pass})`}  %${node} = ${target}${graph === undefined ? "" : ` in ${graph}`}${from}`;
    if (isHit(attempt)) return `fires   ${place}`;
    const isRefused = BY_DRIVER.has(kind);
    return [
      `${isRefused ? "refused" : "misses "} ${place}`,
      `         ${reason}${isRefused ? ` (${kind})` : ""}`,
    ];
  });
  const hits = attempts.filter(isHit).length;
  const refused = attempts.filter(({ kind }) => BY_DRIVER.has(kind)).length;
  const what = rules.length === 1 ? `rule "${rules[0]!}"` : `${rules.length} rules`;
  lines.push(
    `${what}: ${hits} ${hits === 1 ? "match" : "matches"}, ${refused} refused, ${attempts.length - hits - refused} near misses`,
  );
  return linesText(lines);
}
