import { spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MODES } from "@sconce/backend-gpujs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sconce } from "../command.fixture.js";
import { COMMAND_NAMES } from "../command-table.js";

/** Runs a script of a shell; undefined where the shell is not installed. */
function inShell(shell: string, script: string, cwd: string): readonly string[] | undefined {
  const { stdout, error } = spawnSync(shell, ["-c", script], { encoding: "utf8", cwd });
  return error === undefined ? stdout.split("\n").filter((line) => line !== "") : undefined;
}

/** The command that a completion asks: it shows what it was asked, as an offer. */
const ANSWERS = `sconce() { case "$*" in
  "explain --codes") echo NO_VALUES; echo NO_RUNNER ;;
  *--complete*) echo "\${@: -1}able="; echo "$*" >&3 ;;
esac; }`;

let folder: string;
let bash: string;
let fish: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-complete-"));
  await writeFile(join(folder, "model.pt2"), "");
  await writeFile(join(folder, "my model.pt2"), "");
  bash = (await sconce("completion", "bash")).out;
  fish = (await sconce("completion", "fish")).out;
});
afterAll(() => rm(folder, { recursive: true }));

const CASES: readonly (readonly [line: string, offers: readonly string[]])[] = [
  ["sconce ver", ["verify"]],
  ["sconce --quiet ver", ["verify"]],
  ["sconce help pri", ["print"]],
  ["sconce print --for", ["--format"]],
  ["sconce lower x.pt2 --tim", ["--timing"]],
  ["sconce print --format me", ["mermaid"]],
  ["sconce lower x.pt2 --print-after ", ["all", "changed"]],
  ["sconce run x.pt2 --backend gpujs:weba", ["gpujs:webasm"]],
  ["sconce completion ", ["bash", "fish", "zsh"]],
  ["sconce info x.pt2 --limit ter", ["terms="]],
  ["sconce info mod", ["model.pt2"]],
  ["sconce lower x.pt2 -o mod", ["model.pt2"]],
  ["sconce explain NO_V", ["NO_VALUES"]],
  ["sconce print x.pt2 --passes decompose{t", ["decompose{table="]],
];

describe("bash", () => {
  /** What bash puts in place of the word at the end of a line, with its own way to break words. */
  const complete = (line: string, also = "", before = ""): readonly string[] | undefined => {
    const words = line.split(" ");
    const last = words.pop()!;
    // Bash breaks words at these, too.
    const [, head = "", current = ""] = /^(.*[:={,])?(.*)$/.exec(last)!;
    const script = `${bash}
${ANSWERS}
${before}
exec 3>/dev/null
COMP_LINE='${line}'; COMP_POINT=${line.length}
COMP_WORDS=(${[...words, head, current].map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length + 1}
_sconce; for offer in "\${COMPREPLY[@]}"; do echo "${head}$offer"; done; ${also}`;
    return inShell("bash", script, folder);
  };

  test.each(CASES)("completes %j", (line, offers) => {
    const found = complete(line);
    if (found !== undefined) expect([...found].sort()).toEqual(offers);
  });

  test("asks for pipelines with the plugins of the line", () => {
    const line = "sconce print x.pt2 --plugin a.js --plugin b.js --passes decompose{t";
    const script = `${bash}
${ANSWERS}
COMP_LINE='${line}'; COMP_POINT=${line.length}; COMP_WORDS=(${line.replace("{", " ")}); COMP_CWORD=9
exec 3>&1; _sconce 2>/dev/null`;
    const found = inShell("bash", script, folder);
    if (found !== undefined)
      expect(found).toEqual(["passes --plugin a.js --plugin b.js --complete decompose{t"]);
  });

  test.each([
    ["sconce info x.pt2 --limit ter", ["-o nospace", "terms="]],
    ["sconce print --format me", ["mermaid"]],
  ])("%j leaves no blank after =", (line, lines) => {
    const found = complete(line, "", 'compopt() { echo "$*"; }');
    if (found !== undefined) expect(found).toEqual(lines);
  });

  test("files with blanks stay whole", () => {
    const found = complete("sconce info my");
    if (found !== undefined) expect(found).toEqual(["my model.pt2"]);
  });
});

describe("fish", () => {
  test.each(CASES)("completes %j", (line, offers) => {
    const answers = `function sconce
  switch "$argv"
    case "explain --codes"
      echo NO_VALUES
    case "*--complete*"
      echo $argv[-1]able=
  end
end`;
    const script = `${fish}\n${answers}\ncomplete -C '${line}'`;
    const found = inShell("fish", script, folder)?.map((offer) => offer.split("\t")[0]!);
    if (found !== undefined) expect([...new Set(found)].sort()).toEqual(offers);
  });
});

describe("the scripts", () => {
  test("offer the modes of gpujs", () => {
    expect([...new Set(bash.match(/gpujs:\w+/g))]).toEqual(MODES.map((mode) => `gpujs:${mode}`));
  });

  test.each(["bash", "zsh", "fish"])("%s has every command, and the shell can read it", async (shell) => {
    const { code, out } = await sconce("completion", shell);
    expect(code).toBe(0);
    for (const name of COMMAND_NAMES) expect(out).toMatch(new RegExp(`\\b${name}\\b`));
    const path = join(folder, `script.${shell}`);
    await writeFile(path, out);
    const { error, stderr, status } = spawnSync(shell, ["-n", path], { encoding: "utf8" });
    if (error === undefined) expect([status, stderr]).toEqual([0, ""]);
  });
});
