import { countText } from "@sconce/errors";
import { programNameFindings, type SecurityFinding } from "@sconce/formats/security";
import {
  annotation,
  type ExportedProgram,
  type InputSpec,
  missingValues,
  type OutputSpec,
  rangeText,
} from "@sconce/ir";
import { fileName } from "../input-file.js";
import { json, type SafeIo } from "../io.js";
import { commandModel } from "../limits.js";
import { formatOf, openProgram, openReader, programNames } from "../open.js";
import { linesText, oneLine } from "../text.js";
import { type Facts, factsOf } from "./info-facts.js";
import { type InfoOptions, section, sizeOf, titleStyle } from "./info-text.js";
import { findingLines, NAMES_TITLE, withFindings } from "./name-findings.js";
import { missingLines, withoutValues } from "./without-values.js";

export async function info(file: string, options: InfoOptions, io: SafeIo): Promise<void> {
  if (options.security) return (await import("./info-security.js")).security(file, options, io);
  const programs = await programNames(file);
  const isChosen = commandModel() !== undefined || programs.includes("model") || options.loops === true;
  if (!isChosen && programs.length > 0)
    return (await import("./info-programs.js")).infoPrograms(file, options, io);
  const session =
    options.loops === true
      ? await (await import("../session.js")).openSession(io, options.plugin, undefined, [file])
      : undefined;
  const reader = session ?? (await openReader(io, options.plugin, [file]));
  const program = await openProgram(file, reader, options.loops ? {} : { weights: "lazy" });
  const format = await formatOf(file);
  const facts = factsOf(program, reader.operators, { format, fileBytes: await sizeOf(file) });
  const loops =
    session === undefined ? undefined : (await import("./info-loops.js")).loopsShown(program, session);
  const missing = missingValues(program);
  const names = programNameFindings(program);
  if (options.json) {
    const hash = options.hash === false ? {} : { hash: await program.hash() };
    const rest = {
      ...withoutValues(missing),
      ...(loops && { loops: loops.facts }),
      ...withFindings(names),
      ...(programs.length > 1 && { programs }),
    };
    io.out(json({ file, ...facts, ...hash, ...rest }));
  } else
    io.styled(
      textOf(file, program, facts, {
        missing: missingLines(missing),
        loops: loops?.lines ?? [],
        names,
        programs: programs.length > 1 ? programs.map(oneLine) : [],
      }),
      titleStyle,
    );
}

const KINDS = { pt2: "exported program (.pt2)", sir: "IR text (.sir)", "json-ir": "JSON IR" } as const;

/** `x: USER_INPUT f32[s77, 12]`, `p_w: PARAMETER net.weight f32[3, 2]`. */
function specText({ arg, kind, target }: InputSpec | OutputSpec, { graph }: ExportedProgram): string {
  const type = arg.name === "" ? undefined : annotation(graph.find(arg.name)?.meta.val);
  return [`${arg.name === "" ? "(constant)" : arg.name}:`, kind, target, type]
    .filter((part) => part !== null && part !== undefined)
    .join(" ");
}

/** What `info` shows besides the facts. */
interface Rest {
  readonly missing: readonly string[];
  /** Lines on the loop nests. */
  readonly loops: readonly string[];
  readonly names: readonly SecurityFinding[];
  /** The programs of an archive that has several. */
  readonly programs: readonly string[];
}

function textOf(
  file: string,
  program: ExportedProgram,
  facts: Facts,
  { missing, loops, names, programs }: Rest,
): string {
  const { unknownOperators, operators, parameters, constants } = facts;
  const { inputSpecs, outputSpecs } = program.graphSignature;
  const lines = [
    `${fileName(file)}: ${KINDS[facts.format]}, torch ${oneLine(facts.torch ?? "unknown")}, dialect ${oneLine(facts.dialect)}`,
    `${countText(facts.nodes, "node")}, ${countText(parameters.length, "parameter")} (${countText(facts.parameterElements, "element")}), ${countText(constants.length, "constant")}`,
    `${countText(facts.fileBytes, "byte")} in the file, ${countText(facts.stateBytes, "byte")} of state`,
    ...section("programs in the file (choose one with --model NAME)", programs),
    ...section(
      "inputs",
      inputSpecs.map((spec) => specText(spec, program)),
    ),
    ...section(
      "outputs",
      outputSpecs.map((spec) => specText(spec, program)),
    ),
    ...section("state without values (give it with --weights to run the program)", missing),
    ...section(
      "ranges",
      [...program.rangeConstraints].map(([name, range]) => `${name} in ${rangeText(range)}`),
    ),
    ...section(
      "operators",
      Object.entries(operators).map(([name, count]) => `${String(count).padStart(5)}  ${name}`),
    ),
    ...section("operators that only a plugin can define", unknownOperators),
    ...section(NAMES_TITLE, findingLines(names)),
    ...loops,
  ];
  return linesText(lines);
}
