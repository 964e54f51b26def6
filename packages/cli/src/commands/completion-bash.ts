/** @file The script for bash. */
import { type CompletedCommand, GLOBAL_OPTIONS } from "./completion-words.js";

const words = (list: readonly string[]): string => `"${list.join(" ")}"`;

/** Cases of options with words as values, of one command. */
const valueCases = ({ name, options }: CompletedCommand): string =>
  options
    .flatMap(({ long, short, values }) => {
      const flags = [long, ...(short === undefined ? [] : [short])]
        .map((flag) => `${name}:${flag}`)
        .join("|");
      if (values === undefined || values.kind === "pipeline") return [];
      const list = values.kind === "words" ? `_sconce_words ${words(values.words)}` : undefined;
      return [`    ${flags}) ${list ?? (values.kind === "file" ? "_sconce_files" : ":")}; return ;;\n`];
    })
    .join("");

const optionCase = ({ name, options }: CompletedCommand): string =>
  `    ${name}) _sconce_words ${words([...options.map(({ long }) => long), ...GLOBAL_OPTIONS])} ;;\n`;

const argumentCase = ({ name, values }: CompletedCommand): string =>
  values.kind === "words" ? `    ${name}) _sconce_words ${words(values.words)} ;;\n` : "";

/**
 * Words are taken from the line: bash breaks its own at the commas, braces and colons of pipelines
 * and backends.
 */
export const bashScript = (commands: readonly CompletedCommand[]): string => `# Completion of sconce for bash:
#   source <(sconce completion bash)
_sconce_words() {
  local word typed=\${line##*[[:space:]]}
  for word in $1; do
    [[ $word == "$typed"* ]] && COMPREPLY+=("$cur\${word#"$typed"}")
  done
  if [[ \${COMPREPLY[0]-} == *= ]]; then compopt -o nospace 2>/dev/null; fi
}
_sconce_files() {
  local offer
  compopt -o filenames 2>/dev/null
  while IFS= read -r offer; do COMPREPLY+=("$offer"); done < <(compgen -f -- "$cur")
}
_sconce_passes() {
  local offer rest=$line plugins=()
  compopt -o nospace 2>/dev/null
  while [[ $rest =~ --plugin[[:space:]]+([^[:space:]]+)(.*) ]]; do
    plugins+=(--plugin "\${BASH_REMATCH[1]}")
    rest=\${BASH_REMATCH[2]}
  done
  while IFS= read -r offer; do
    COMPREPLY+=("$cur\${offer#"$1"}")
  done < <(sconce passes "\${plugins[@]}" --complete "$1" 2>/dev/null)
}
_sconce() {
  local line=\${COMP_LINE:0:COMP_POINT} cur=\${COMP_WORDS[COMP_CWORD]} command="" previous="" word
  COMPREPLY=()
  if [[ $line =~ --passes(=|[[:space:]]+)([^[:space:]]*)$ ]]; then
    _sconce_passes "\${BASH_REMATCH[2]}"
    return
  fi
  [[ $cur == [:=] ]] && cur=""
  for word in \${line%"\${line##*[[:space:]]}"}; do
    if [[ $word == sconce || $word == */sconce ]]; then continue; fi
    if [[ -z $command && $word != -* ]]; then command=$word; fi
    previous=$word
  done
  if [[ -z $command ]]; then
    _sconce_words ${words([...commands.map(({ name }) => name), "--version", "--help", ...GLOBAL_OPTIONS])}
    return
  fi
  case $command:$previous in
${commands.map(valueCases).join("")}  esac
  if [[ \${line##*[[:space:]]} == -* ]]; then
    case $command in
${commands.map(optionCase).join("")}    esac
    return
  fi
  if [[ $command == explain && \${line##*[[:space:]]} =~ ^[A-Z] ]]; then
    _sconce_words "$(sconce explain --codes 2>/dev/null)"
    [[ \${#COMPREPLY[@]} -gt 0 ]] && return
  fi
  case $command in
${commands.map(argumentCase).join("")}    *) _sconce_files ;;
  esac
}
complete -F _sconce sconce
`;
