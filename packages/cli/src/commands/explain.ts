import { type Attempt, defineRule, explainRule, type Rule } from "@sconce/passes";
import type { Sconce } from "@sconce/session";
import type { Command } from "commander";
import { errorSections, isCode } from "../error-page.js";
import { usage } from "../errors.js";
import { json, type Outcome, type SafeIo } from "../io.js";
import { openSession, openWithWeights, repeatable, WEIGHTS_OPTION } from "../open.js";
import { unknownCode, unknownRule } from "./errors.js";

interface ExplainOptions {
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

export function explainCommand(program: Command, io: SafeIo, _outcome: Outcome): void {
  program
    .command("explain")
    .description(
      "Explain an error code, or why rewrite rules fire in a program, are refused or nearly match.",
    )
    .argument("[code|file]", "An error code, such as NO_VALUES, or a .pt2 or .sir file")
    .option("--codes", "List the error codes")
    .option("--rule <name>", "Explain this rule (repeatable); the default is all rules", repeatable)
    .option("--pattern <text>", "Explain this pattern: aten.add.Tensor($x, 0)")
    .option("--list", "List the rules")
    .option("--no-lower", "Keep the program as it is; the default lowers it with run_decompositions()")
    .option("--passes <pipeline>", "Run these passes first")
    .option(...WEIGHTS_OPTION)
    .option("--plugin <module>", "Load a plugin module with rules (repeatable)", repeatable)
    .option("--json", "Print JSON")
    .action(async (file: string | undefined, options: ExplainOptions) => {
      if (options.codes === true) return io.out(codesText(options.json));
      if (file !== undefined && isCode(file)) return io.out(codeText(file, options.json));
      const session = await openSession(io, options.plugin, undefined, file === undefined ? [] : [file]);
      if (options.list === true) {
        io.out(options.json ? json(listed(session)) : listText(session));
        return;
      }
      if (file === undefined)
        throw usage("missing argument: an error code or a file", "give a code, a program, --codes or --list");
      const rules = options.pattern === undefined ? chosen(session, options.rule) : [probe(options.pattern)];
      let exported = await openWithWeights(file, session, options.weights);
      if (options.lower) exported = session.runDecompositions(exported);
      if (options.passes !== undefined) exported = session.transform(exported, options.passes);
      const attempts = rules.flatMap((rule) =>
        explainRule(exported, rule, session.operators, (part) => session.ownerOf(part)),
      );
      io.out(options.json ? json(attempts) : textOf(attempts, rules));
    });
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
  return isJson ? json({ code, docs: `docs/reference/errors.md#${code.toLowerCase()}`, text }) : `${text}\n`;
}

/** @throws SconceError `UNKNOWN_RULE` */
function chosen(session: Sconce, names: readonly string[] | undefined): readonly Rule[] {
  if (names === undefined) return [...session.rules.values()];
  return names.map((name) => {
    const rule = session.rules.get(name);
    if (rule !== undefined) return rule;
    throw unknownRule(name, session.rules.keys());
  });
}

/** A rule that matches and changes nothing. */
const probe = (pattern: string): Rule =>
  defineRule({ name: "pattern", doc: pattern, match: pattern, replace: () => MATCHES });

const MATCHES = "matches";

const listed = (session: Sconce): object[] =>
  [...session.rules.values()].map(({ name, doc }) => ({ name, doc }));

const listText = (session: Sconce): string =>
  `${[...session.rules.values()].map(({ name, doc }) => `${name.padEnd(24)} ${doc}`).join("\n")}\n`;

/** Refusals where the pattern matches and the rule agrees. */
const BY_DRIVER: ReadonlySet<Attempt["kind"]> = new Set([
  "users",
  "order",
  "operator",
  "type",
  "cycle",
  "aliasing",
]);

function textOf(attempts: readonly Attempt[], rules: readonly Rule[]): string {
  const isHit = ({ reason }: Attempt): boolean => reason === undefined || reason === MATCHES;
  const lines = attempts.map((attempt) => {
    const { rule, node, target, graph, line, kind, reason } = attempt;
    const from = line === undefined ? "" : `, ${line}`;
    const place = `${rule}  %${node} = ${target}${graph === undefined ? "" : ` in ${graph}`}${from}`;
    if (isHit(attempt)) return `fires   ${place}`;
    const isRefused = BY_DRIVER.has(kind);
    return `${isRefused ? "refused" : "misses "} ${place}\n         ${reason}${isRefused ? ` (${kind})` : ""}`;
  });
  const hits = attempts.filter(isHit).length;
  const refused = attempts.filter(({ kind }) => BY_DRIVER.has(kind)).length;
  const what = rules.length === 1 ? `rule "${rules[0]!.name}"` : `${rules.length} rules`;
  lines.push(
    `${what}: ${hits} ${hits === 1 ? "match" : "matches"}, ${refused} refused, ${attempts.length - hits - refused} near misses`,
  );
  return `${lines.join("\n")}\n`;
}
