/** @file The script for fish. */
import {
  type CompletedCommand,
  type CompletedOption,
  GLOBAL_OPTIONS,
  type Values,
} from "./completion-words.js";

const quoted = (text: string): string => `'${text.replace(/['\\]/g, "\\$&")}'`;

function action(values: Values): string {
  switch (values.kind) {
    case "words":
      return ` -x -a ${quoted(values.words.join(" "))}`;
    case "pipeline":
      return " -x -a '(__sconce_passes)'";
    case "file":
      return " -r -F";
    case "text":
      return " -x";
  }
}

const optionLine = (command: string, { long, short, description, values }: CompletedOption): string =>
  `complete -c sconce -n '__sconce_is ${command}' -l ${long.slice(2)}` +
  `${short === undefined ? "" : ` -s ${short.slice(1)}`}${values === undefined ? "" : action(values)} -d ${quoted(description)}\n`;

const commandLines = ({ name, description, options, values }: CompletedCommand): string =>
  `complete -c sconce -n __sconce_is_first -f -a ${name} -d ${quoted(description)}\n` +
  (values.kind === "words" ? `complete -c sconce -n '__sconce_is ${name}'${action(values)}\n` : "") +
  options.map((option) => optionLine(name, option)).join("");

export const fishScript = (commands: readonly CompletedCommand[]): string => `# Completion of sconce for fish:
#   sconce completion fish | source
function __sconce_words
    for word in (commandline -opc)[2..]
        string match -q -- '-*' $word; or echo $word
    end
end
function __sconce_is_first
    set -l words (__sconce_words)
    test (count $words) -eq 0
end
function __sconce_is
    set -l words (__sconce_words)
    test (count $words) -gt 0; and test $words[1] = $argv[1]
end
function __sconce_passes
    set -l plugins
    set -l words (commandline -opc)
    for i in (seq (count $words))
        test $words[$i] = --plugin; and set -a plugins --plugin $words[(math $i + 1)]
    end
    sconce passes $plugins --complete (commandline -ct | string replace -r '^--passes=' '') 2>/dev/null
end
${commands.map(commandLines).join("")}complete -c sconce -n '__sconce_is explain' -a '(sconce explain --codes 2>/dev/null)'
${GLOBAL_OPTIONS.map((option) => `complete -c sconce -l ${option.slice(2)}\n`).join("")}`;
