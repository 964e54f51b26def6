/**
 * Fails where fewer than 95 % of a package's public names are documented: each export of its entry
 * points, and the public members of exported classes, interfaces and object types. With `--list`,
 * prints the share of each package and the names without TSDoc.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { normalized } from "./paths.mjs";
import { parseFile, ROOT } from "./source-files.mjs";

const LEAST = 0.95;

const files = new Map();
/** A file with its doc comments by the place where each ends. */
function fileOf(path) {
  if (!files.has(path)) {
    const file = parseFile(path);
    const docs = file.comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"));
    files.set(path, Object.assign(file, { docEnds: docs.map(({ end }) => end) }));
  }
  return files.get(path);
}

/** Whether a doc comment stands right before a place of a file. */
const isDocumented = ({ text, docEnds }, start) =>
  docEnds.some((end) => end <= start && text.slice(end, start).trim() === "");

/** The path of the source that a relative specifier names. */
const sourceOf = (from, specifier) => normalized(join(dirname(from), specifier)).replace(/\.js$/, ".ts");

const nameOf = (node) => node?.name ?? node?.value;

/** The declarations of a statement by name. */
function declared(statement) {
  if (statement.type === "VariableDeclaration")
    return statement.declarations.flatMap(({ id }) =>
      id.type === "ObjectPattern"
        ? id.properties.map(({ value }) => [value.name, statement])
        : [[id.name, statement]],
    );
  return statement.id?.name === undefined ? [] : [[statement.id.name, statement]];
}

/** The public names of a file. */
function namesOf(path) {
  const names = new Set();
  for (const { type, source, declaration, specifiers, exported } of fileOf(path).program.body) {
    if (type === "ExportAllDeclaration") {
      if (exported !== null) names.add(nameOf(exported));
      else if (source.value.startsWith("."))
        for (const name of namesOf(sourceOf(path, source.value))) names.add(name);
    } else if (type === "ExportNamedDeclaration") {
      for (const specifier of specifiers) names.add(nameOf(specifier.exported));
      if (declaration !== null) for (const [name] of declared(declaration)) names.add(name);
    }
  }
  return names;
}

/**
 * The declarations of a name of a file, through imports and exports: several when it is overloaded.
 */
function declarationsOf(path, name) {
  const file = fileOf(path);
  const found = [];
  for (const statement of file.program.body) {
    const { type, source, declaration, specifiers, exported } = statement;
    const from = source?.value.startsWith(".") ? sourceOf(path, source.value) : undefined;
    if (type === "ExportAllDeclaration" && exported === null && from !== undefined)
      found.push(...declarationsOf(from, name));
    for (const specifier of specifiers ?? []) {
      const [outer, inner] =
        type === "ImportDeclaration"
          ? [specifier.local, specifier.imported]
          : [specifier.exported, specifier.local];
      if (nameOf(outer) !== name || (source === null && nameOf(inner) === name)) continue;
      if (from !== undefined || source === null) found.push(...declarationsOf(from ?? path, nameOf(inner)));
    }
    const node = declaration ?? statement;
    for (const [one] of declared(node)) if (one === name) found.push({ file, node, start: statement.start });
  }
  return found;
}

/**
 * The members of an object type, also within intersections. Alternatives of a union are part of its
 * own text.
 */
function typeMembers(type) {
  if (type.type === "TSTypeLiteral") return type.members;
  return type.type === "TSIntersectionType" ? type.types.flatMap(typeMembers) : [];
}

/** Whether a member says which kind of object it is in: `readonly kind: "node"`. */
const isDiscriminant = ({ typeAnnotation }) => typeAnnotation?.typeAnnotation.type === "TSLiteralType";

const isPublic = ({ accessibility, key, kind, computed, override }) =>
  accessibility !== "private" &&
  accessibility !== "protected" &&
  key?.type !== "PrivateIdentifier" &&
  kind !== "constructor" &&
  computed !== true &&
  override !== true;

/** Public members of a declaration, by name: methods with overloads have one entry. */
function membersOf({ file, node }) {
  const list =
    node.type === "TSTypeAliasDeclaration" ? typeMembers(node.typeAnnotation) : (node.body?.body ?? []);
  const members = new Map();
  if (!/^(ClassDeclaration|TSInterfaceDeclaration|TSTypeAliasDeclaration)$/.test(node.type)) return members;
  for (const member of list) {
    if (member.key === undefined || !isPublic(member) || isDiscriminant(member)) continue;
    const name = nameOf(member.key);
    members.set(name, (members.get(name) ?? false) || isDocumented(file, member.start));
  }
  return members;
}

/** The sources of a package's entry points. */
function entriesOf(folder) {
  const { exports } = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));
  const sources = Object.values(exports).flatMap((entry) => entry["@sconce/source"] ?? []);
  return sources.map((source) => normalized(join(folder, source)));
}

/** Public names of a package and of their members, with whether each is documented. */
function publicNames(folder) {
  const names = new Map();
  for (const entry of entriesOf(folder))
    for (const name of namesOf(entry)) {
      const declarations = declarationsOf(entry, name);
      if (declarations.length === 0) continue;
      const place = `${declarations[0].file.path} ${name}`;
      names.set(
        place,
        declarations.some(({ file, start }) => isDocumented(file, start)),
      );
      for (const declaration of declarations)
        for (const [member, documented] of membersOf(declaration))
          names.set(`${place}.${member}`, documented);
    }
  return names;
}

const list = process.argv.includes("--list");
for (const name of readdirSync(join(ROOT, "packages"))) {
  const names = publicNames(`packages/${name}`);
  const missing = [...names].flatMap(([place, documented]) => (documented ? [] : [place]));
  const share = names.size === 0 ? 1 : 1 - missing.length / names.size;
  if (list) for (const place of missing) console.log(place);
  if (share < LEAST || list) {
    const percent = Math.floor(share * 1000) / 10;
    console[list ? "log" : "error"](`${name}: ${percent} % of ${names.size} public names are documented`);
  }
  if (share < LEAST) process.exitCode = 1;
}
