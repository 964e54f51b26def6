/** @file What the user did on a branch, as commands and as a script. */
import { scriptComment, scriptString, shellPath, shellWord } from "@sconce/errors";
import type { Branch, RunPart } from "./branches.js";

/** A file that the commands and the script need: a text of the playground. */
interface OwnFile {
  readonly name: string;
  readonly source: string;
}

/** What was run at once with the same plugin. */
interface Group {
  readonly source: string | undefined;
  readonly pipeline: string;
}

/** A branch as text. */
export interface SessionText {
  readonly commands: string;
  readonly script: string;
  /** The texts of the playground, to be saved beside them. */
  readonly files: readonly OwnFile[];
}

/** Returns the commands and the script that do what was done up to a step. */
export function sessionText(branch: Branch, parts: readonly RunPart[]): SessionText {
  const groups = grouped(parts);
  const files = new Map<string, string>();
  if (branch.own?.source !== undefined) files.set(branch.own?.source, "model.ts");
  for (const { source } of groups)
    if (source !== undefined && !files.has(source)) files.set(source, `plugin${files.size + 1}.ts`);
  const start = branch.own?.source === undefined ? branch.fileName : `${branch.fileName}.pt2`;
  const output = `${start.replace(/\.\w+$/, "")}.out.pt2`;
  return {
    commands: commandsOf(branch, groups, files, { start, output }),
    script: scriptOf(branch, groups, files, { start, output }),
    files: [...files].map(([source, name]) => ({ name, source })),
  };
}

/** Parts that need no plugin run with the ones before or behind them. */
function grouped(parts: readonly RunPart[]): Group[] {
  const groups: Group[] = [];
  for (const { own, pipeline } of parts) {
    const source = own?.source;
    const last = groups.at(-1);
    if (last === undefined || (source !== undefined && last.source !== undefined && source !== last.source))
      groups.push({ source, pipeline });
    else
      groups[groups.length - 1] = {
        source: last.source ?? source,
        pipeline: [last.pipeline, pipeline].filter((text) => text !== "").join(","),
      };
  }
  return groups;
}

interface Names {
  readonly start: string;
  readonly output: string;
}

function commandsOf(
  branch: Branch,
  groups: readonly Group[],
  files: ReadonlyMap<string, string>,
  { start, output }: Names,
): string {
  const lines: string[] = [];
  if (branch.own?.source !== undefined)
    lines.push(`sconce export ${files.get(branch.own?.source)} -o ${shellPath(start)}`);
  if (groups.length === 0 && branch.own?.source === undefined) lines.push(`sconce print ${shellPath(start)}`);
  groups.forEach(({ source, pipeline }, i) => {
    const from = i === 0 ? start : stepName(output, i);
    const to = i === groups.length - 1 ? output : stepName(output, i + 1);
    const plugin = source === undefined ? "" : ` --plugin ./${files.get(source)}`;
    lines.push(
      `sconce lower ${shellPath(from)} -o ${shellPath(to)}${plugin} --passes ${shellWord(pipeline)}`,
    );
  });
  return `${lines.join("\n")}\n`;
}

const stepName = (output: string, step: number): string => output.replace(/\.out\.pt2$/, `.step${step}.pt2`);

function scriptOf(
  branch: Branch,
  groups: readonly Group[],
  files: ReadonlyMap<string, string>,
  { start, output }: Names,
): string {
  const isModel = branch.own?.source !== undefined;
  const isArchive = isModel || !/\.(sir|ir|txt|json)$/i.test(start);
  const archive = isArchive ? start : start.replace(/\.\w+$/, ".pt2");
  const needsSession = !isModel || groups.length > 0;
  const imported = [needsSession && "createSconce", isModel && "exportProgram"].filter(
    (name) => name !== false,
  );
  const fromNode = isModel ? "savePt2File" : "openPt2File, savePt2File";
  const pluginName = (source: string): string => files.get(source)!.replace(/\.ts$/, "");
  const plugins = [...files.keys()].filter((source) => source !== branch.own?.source);
  const lines = [
    ...(files.size > 0 ? ["// Node 22.18 and later load TypeScript."] : []),
    ...(isArchive
      ? []
      : [scriptComment(`// First: sconce convert ${shellPath(start)} ${shellPath(archive)}`)]),
    `import { ${imported.join(", ")} } from "sconce";`,
    `import { ${fromNode} } from "sconce/node";`,
    ...(isModel ? ['import * as module from "./model.ts";'] : []),
    ...plugins.map((source) => `import ${pluginName(source)} from "./${files.get(source)}";`),
    "",
  ];
  if (isModel)
    lines.push(
      "const { model, args, kwargs, dynamicShapes } = { kwargs: undefined, dynamicShapes: undefined, ...module };",
      "let program = exportProgram(model, args, { kwargs, dynamicShapes });",
    );
  groups.forEach(({ source, pipeline }, i) => {
    const session = `session${i === 0 ? "" : i + 1}`;
    const options = source === undefined ? "" : `{ plugins: [${pluginName(source)}] }`;
    lines.push(`const ${session} = createSconce(${options});`);
    if (i === 0 && !isModel) lines.push(openLine(archive, session));
    lines.push(`program = ${session}.transform(program, ${scriptString(pipeline)});`);
  });
  if (!isModel && groups.length === 0)
    lines.push("const session = createSconce();", openLine(archive, "session"));
  lines.push(`await savePt2File(program, ${scriptString(output)});`);
  return `${lines.join("\n")}\n`;
}

const openLine = (file: string, session: string): string =>
  `let program = await openPt2File(${scriptString(file)}, { operators: ${session}.operators });`;
