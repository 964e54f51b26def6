/** @file The script for zsh. */
import {
  type CompletedCommand,
  type CompletedOption,
  GLOBAL_OPTIONS,
  type Values,
} from "./completion-words.js";

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** Brackets and colons have a meaning in what `_arguments` takes. */
const described = (text: string): string => text.replace(/[[\]:\\]/g, "\\$&");

function action(values: Values): string {
  if (values.kind === "words")
    return `(${values.words.map((word) => word.replaceAll(":", "\\:")).join(" ")})`;
  return { file: "_files", pipeline: "_sconce_passes", text: " " }[values.kind];
}

function argumentsOf({ long, short, description, values }: CompletedOption): string[] {
  const value = values === undefined ? "" : `:value:${action(values)}`;
  const flags = [`${long}${values === undefined ? "" : "="}`, ...(short === undefined ? [] : [short])];
  return flags.map((flag) => quoted(`*${flag}[${described(description)}]${value}`));
}

function commandCase({ name, options, values }: CompletedCommand): string {
  const files = name === "explain" ? "_sconce_explained" : action(values);
  const lines = [
    ...options.flatMap(argumentsOf),
    ...GLOBAL_OPTIONS.map((option) => quoted(option)),
    quoted(`*:argument:${files}`),
  ];
  return `    ${name})\n      _arguments ${lines.join(" \\\n        ")} ;;\n`;
}

export const zshScript = (commands: readonly CompletedCommand[]): string => `#compdef sconce
# Completion of sconce for zsh:
#   source <(sconce completion zsh)
# or write it to a file _sconce in a folder of $fpath.
_sconce_passes() {
  local -a offers plugins
  local i
  for (( i = 1; i < \${#words}; i++ )); do
    [[ \${words[i]} == --plugin ]] && plugins+=(--plugin \${words[i+1]})
  done
  # Braces are not those of the shell here, so the word is taken as it is typed, without its quote.
  local typed=\${words[CURRENT]#--passes=}
  typed=\${typed#[\\"\\']}
  offers=(\${(f)"$(sconce passes \${plugins} --complete "$typed" 2>/dev/null)"})
  compadd -U -S '' -- \${offers}
}
_sconce_explained() {
  local -a codes
  if [[ $PREFIX == [A-Z]* ]]; then
    codes=(\${(f)"$(sconce explain --codes 2>/dev/null)"})
    compadd -- \${codes} && return
  fi
  _files
}
_sconce() {
  local -a commands
  commands=(
${commands.map(({ name, description }) => `    ${quoted(`${name}:${description.replaceAll(":", "\\:")}`)}`).join("\n")}
  )
  if (( CURRENT == 2 )); then
    if [[ $PREFIX == -* ]]; then
      compadd -- --version --help ${GLOBAL_OPTIONS.join(" ")}
    else
      _describe command commands
    fi
    return
  fi
  local command=\${words[2]}
  shift words
  (( CURRENT-- ))
  case $command in
${commands.map(commandCase).join("")}  esac
}
compdef _sconce sconce
`;
