import { spawnSync } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createSconce } from "@sconce/session";
import { transform } from "sucrase";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Engine } from "../engine/engine.js";
import { branch } from "./branches.fixture.js";
import type { RunPart } from "./branches.js";
import { sessionText } from "./session-text.js";

const path = (place: string): string => fileURLToPath(new URL(place, import.meta.url));
const COMMAND = `"${process.execPath}" "${path("../../../sconce/bin/sconce.js")}"`;
/** In this folder, `sconce` is the package of the repository. */
const PACKAGES = path("../../../../node_modules");
const session = createSconce();

let folder: string;

beforeAll(async () => {
  await mkdir(PACKAGES, { recursive: true });
  folder = await mkdtemp(join(PACKAGES, ".sconce-session-"));
  await cp(path("../../../sconce/examples/digits.pt2"), join(folder, "digits.pt2"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function run(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { cwd: folder, encoding: "utf8", shell: false });
  expect(`${stderr} ${status}`).toMatch(/ 0$/);
}

const example = (name: string): Promise<string> => readFile(path(`../../playground/${name}.ts`), "utf8");

/** Writes the texts; Node 20 reads no TypeScript. */
async function writeFiles(files: ReturnType<typeof sessionText>["files"]): Promise<void> {
  for (const { name, source } of files) {
    const { code } = transform(source, { transforms: ["typescript"], disableESTransforms: true });
    await writeFile(join(folder, name.replace(".ts", ".mjs")), code);
  }
}

async function programOf(file: string): Promise<string> {
  return String(await session.load(await readFile(join(folder, file))));
}

test("commands and script of a branch give the same program", async () => {
  const parts: RunPart[] = [
    { pipeline: "relu-to-clamp", own: { name: "clamp", source: await example("clamp") }, steps: 1 },
    { pipeline: "decompose,fold-constants{weights=true},dce", steps: 3 },
  ];
  const { commands, script, files } = sessionText(branch({ fileName: "digits.pt2" }), parts);
  await writeFiles(files);
  const own = (text: string): string => text.replaceAll(".ts", ".mjs");
  run("sh", ["-ec", `sconce() { ${COMMAND} "$@"; }\n${own(commands)}`]);
  const byCommands = await programOf("digits.out.pt2");
  expect(byCommands).toContain("aten.clamp.default");
  await rm(join(folder, "digits.out.pt2"));
  await writeFile(join(folder, "script.mjs"), own(script));
  run(process.execPath, ["script.mjs"]);
  expect(await programOf("digits.out.pt2")).toBe(byCommands);
});

test("the command reads the text that the page saves, with its tensors", async () => {
  const engine = new Engine();
  const { id } = await engine.open(new Blob([await readFile(join(folder, "digits.pt2"))]), "digits.pt2", {});
  const saved = await engine.save(id, "sir", "digits", {});
  await writeFile(join(folder, "saved.sir"), new Uint8Array(await saved.arrayBuffer()));
  run("sh", ["-ec", `${COMMAND} convert saved.sir again.pt2`]);
  const [before, after] = await Promise.all(
    ["digits.pt2", "again.pt2"].map(async (file) => session.load(await readFile(join(folder, file)))),
  );
  expect(String(after)).toBe(String(before));
  for (const [name, tensor] of before!.stateDict)
    expect(after!.stateDict.get(name)!.toArray()).toEqual(tensor.toArray());
});

test("a model is exported, and then goes through the same passes", async () => {
  const source = await example("model");
  const own = branch({ fileName: "Net", own: { name: "model", source } });
  const { script, files } = sessionText(own, [{ pipeline: "decompose", steps: 1 }]);
  await writeFiles(files);
  const name = basename(files[0]!.name, ".ts");
  await writeFile(join(folder, "model-script.mjs"), script.replaceAll(".ts", ".mjs"));
  expect(name).toBe("model");
  run(process.execPath, ["model-script.mjs"]);
  expect(await programOf("Net.out.pt2")).toContain("aten.addmm");
});
