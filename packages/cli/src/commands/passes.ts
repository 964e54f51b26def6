import { completePipeline, type OptionSpec, type Pass } from "@sconce/passes";
import type { Command } from "commander";
import { json, type Outcome, type SafeIo } from "../io.js";
import { openSession, repeatable } from "../open.js";

interface PassesOptions {
  readonly complete?: string;
  readonly plugin?: readonly string[];
  readonly json?: boolean;
  readonly bash?: boolean;
}

/**
 * Completes commands, files, and what stands behind `--passes`. Pipelines have commas and braces,
 * which bash breaks words at.
 */
const BASH = `_sconce() {
  local line=\${COMP_LINE:0:COMP_POINT} cur=\${COMP_WORDS[COMP_CWORD]} typed offer rest plugins=()
  if [[ $line =~ --passes[[:space:]]+([^[:space:]]*)$ ]]; then
    typed=\${BASH_REMATCH[1]}
    compopt -o nospace
    rest=$COMP_LINE
    while [[ $rest =~ --plugin[[:space:]]+([^[:space:]]+)(.*) ]]; do
      plugins+=(--plugin "\${BASH_REMATCH[1]}")
      rest=\${BASH_REMATCH[2]}
    done
    while IFS= read -r offer; do
      COMPREPLY+=("$cur\${offer#"$typed"}")
    done < <(sconce passes "\${plugins[@]}" --complete "$typed" 2>/dev/null)
  elif [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "info print lower run verify diff history ops passes explain bisect help" -- "$cur"))
  elif [[ \${COMP_WORDS[1]} == explain && $cur =~ ^[A-Z] ]]; then
    COMPREPLY=($(compgen -W "$(sconce explain --codes 2>/dev/null)" -- "$cur"))
  else
    COMPREPLY=($(compgen -f -- "$cur"))
  fi
}
complete -F _sconce sconce
`;

export function passesCommand(program: Command, io: SafeIo, _outcome: Outcome): void {
  program
    .command("passes")
    .description("List the passes and their options.")
    .option("--complete <text>", "Print completions of a partial pipeline, one per line")
    .option("--bash", "Print a completion script for bash: source <(sconce passes --bash)")
    .option("--plugin <module>", "Load a plugin module with passes (repeatable)", repeatable)
    .option("--json", "Print JSON")
    .action(async (options: PassesOptions) => {
      if (options.bash === true) {
        io.out(BASH);
        return;
      }
      const session = await openSession(io, options.plugin);
      const { passes } = session;
      if (options.complete !== undefined)
        io.out(
          completePipeline(options.complete, passes, session)
            .map((text) => `${text}\n`)
            .join(""),
        );
      else
        io.out(
          options.json
            ? json([...passes.values()].map(described))
            : [...passes.values()].map(textOf).join(""),
        );
    });
}

const described = ({ name, doc, options, requires, ensures }: Pass): object => ({
  name,
  doc,
  options: Object.fromEntries(
    Object.entries(options).map(([option, { default: value, doc: what, choices }]) => [
      option,
      {
        default: value,
        doc: what,
        choices: choices === undefined || "words" in choices ? choices?.kind : choices,
      },
    ]),
  ),
  requires,
  ensures,
});

function textOf({ name, doc, options, requires }: Pass): string {
  const needs = requires === undefined ? "" : ` Needs a program in the ${requires} dialect.`;
  const lines = Object.entries(options).map(
    ([option, spec]) =>
      `    ${option}=${JSON.stringify(spec.default)}  ${spec.doc}${choicesText(spec.choices)}\n`,
  );
  return `${name}\n    ${doc}${needs}\n${lines.join("")}`;
}

/** What an option may be, where that is one of a few words. */
const choicesText = (choices: OptionSpec["choices"]): string =>
  choices === undefined || "words" in choices ? "" : ` (${choices.join(", ")})`;
