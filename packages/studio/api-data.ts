/**
 * @file What the playground's editor completes: the declarations of `sconce`, as the compiler
 * writes them, made into data when the page is built.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";
import type { ApiData, ApiExport, ApiMember, ApiType } from "./src/playground/api.js";

/** The parts of a syntax tree that are read here. */
interface Syntax {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [part: string]: unknown;
}

interface Declared {
  readonly file: string;
  readonly name: string;
  readonly nodes: Syntax[];
  /** Where the text of each node starts, the keyword `export` included. */
  readonly starts: number[];
}

interface Module {
  readonly text: string;
  readonly comments: readonly Syntax[];
  readonly declared: Map<string, Declared>;
  /** Names from other modules; `*` for a whole one. */
  readonly imported: Map<string, readonly [file: string, name: string]>;
  readonly exported: Map<string, readonly [file: string, name: string]>;
  readonly all: string[];
  /** Exported names that are types only. */
  readonly typeOnly: Set<string>;
}

const ROOT = fileURLToPath(new URL("../", import.meta.url));

/** Returns the declarations that a file exports, and the types that they name. */
export function apiData(entry: string): ApiData {
  return new Collector().collect(entry);
}

class Collector {
  readonly #modules = new Map<string, Module>();
  readonly #types: Record<string, ApiType> = {};
  readonly #aliases: Record<string, string> = {};
  readonly #queue: Declared[] = [];

  collect(entry: string): ApiData {
    const exports = this.#exportsOf(entry);
    for (let next = this.#queue.pop(); next !== undefined; next = this.#queue.pop()) this.#addType(next);
    return { exports, types: this.#types, aliases: this.#aliases };
  }

  #exportsOf(file: string): Record<string, ApiExport> {
    const found: Record<string, ApiExport> = {};
    for (const name of this.#namesOf(file)) {
      const place = this.#resolve(file, name);
      if (place === undefined) continue;
      const [where, own] = place;
      if (own === "*") {
        this.#types[`typeof ${name}`] = { members: memberMap(this.#exportsOf(where)) };
        found[name] = { kind: "namespace", text: `namespace ${name}`, type: `typeof ${name}` };
        continue;
      }
      const declared = this.#module(where).declared.get(own);
      if (declared === undefined) continue;
      const one = this.#exportOf(name, declared);
      const { type: _, ...withoutValue } = one;
      found[name] = this.#isType(file, name) ? { ...withoutValue, kind: "type" } : one;
    }
    return found;
  }

  #namesOf(file: string, seen = new Set<string>()): Set<string> {
    const names = new Set<string>();
    if (seen.has(file)) return names;
    seen.add(file);
    const { exported, all } = this.#module(file);
    for (const name of exported.keys()) names.add(name);
    for (const other of all) for (const name of this.#namesOf(other, seen)) names.add(name);
    return names;
  }

  /** Where an exported name is declared. */
  #resolve(file: string, name: string, seen = new Set<string>()): readonly [string, string] | undefined {
    const key = `${file} ${name}`;
    if (seen.has(key)) return undefined;
    seen.add(key);
    const { exported, declared, imported, all } = this.#module(file);
    const own = exported.get(name);
    if (own !== undefined) {
      const [where, local] = own;
      if (local === "*") return own;
      if (where !== file) return this.#resolve(where, local, seen);
      if (declared.has(local)) return own;
      const from = imported.get(local);
      return from === undefined || from[1] === "*" ? from : this.#resolve(...from, seen);
    }
    for (const other of all) {
      const found = this.#resolve(other, name, seen);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Returns whether a name is exported as a type on the way to its declaration. */
  #isType(file: string, name: string, seen = new Set<string>()): boolean {
    const key = `${file} ${name}`;
    if (seen.has(key)) return false;
    seen.add(key);
    const { exported, typeOnly, all } = this.#module(file);
    if (typeOnly.has(name)) return true;
    const own = exported.get(name);
    if (own !== undefined) return own[0] !== file && this.#isType(...own, seen);
    const other = all.find((one) => this.#resolve(one, name) !== undefined);
    return other !== undefined && this.#isType(other, name, seen);
  }

  #exportOf(name: string, declared: Declared): ApiExport {
    const { file, nodes } = declared;
    const { text } = this.#module(file);
    const [node] = nodes;
    const doc = this.#doc(declared);
    this.#need(declared);
    const shown = (one: Syntax): string => flat(text.slice(one.start, headEnd(one, text)));
    switch (node!.type) {
      case "ClassDeclaration":
        return { kind: "class", text: shown(node!), type: `typeof ${declared.name}`, ...doc };
      case "TSInterfaceDeclaration":
        return { kind: "interface", text: shown(node!), ...doc };
      case "TSTypeAliasDeclaration":
        return { kind: "type", text: shown(node!), ...doc };
      case "TSDeclareFunction":
      case "FunctionDeclaration":
        return {
          kind: "function",
          text: nodes.map((one) => flat(text.slice(one.start, one.end)).replace(/^declare /, "")).join("\n"),
          type: functionType(node!, text),
          ...doc,
        };
      default: {
        const type = annotationOf((node!["id"] ?? node) as Syntax, text);
        return { kind: "const", text: `const ${name}${type === undefined ? "" : `: ${type}`}`, type, ...doc };
      }
    }
  }

  /** Remembers the types that a declaration names. */
  #need({ file, nodes, name }: Declared): void {
    const { text, declared, imported } = this.#module(file);
    const names = new Set([name]);
    for (const { start, end } of nodes)
      for (const [word] of text.slice(start, end).matchAll(/\b[A-Z]\w*/g)) names.add(word);
    for (const one of names) {
      if (one in this.#types || one in this.#aliases) continue;
      const from = imported.get(one);
      const place: readonly [string, string] | undefined = declared.has(one)
        ? [file, one]
        : from === undefined || from[1] === "*"
          ? undefined
          : this.#resolve(...from);
      const found = place === undefined ? undefined : this.#module(place[0]).declared.get(place[1]);
      if (found === undefined || !/^(Class|TSInterface|TSTypeAlias)/.test(found.nodes[0]!.type)) continue;
      // Set at once: a type may name itself.
      this.#types[one] = { members: {} };
      this.#queue.push({ ...found, name: one });
    }
  }

  #addType(declared: Declared): void {
    const { file, nodes, name } = declared;
    const { text } = this.#module(file);
    const [node] = nodes;
    if (node!.type === "TSTypeAliasDeclaration") {
      delete this.#types[name];
      this.#aliases[name] = flat(textOf(node!["typeAnnotation"] as Syntax, text));
    } else {
      const body = ((node!["body"] as Syntax)["body"] as Syntax[]).filter(isPublic);
      this.#types[name] = {
        ...extendsOf(node!, text),
        members: this.#members(
          file,
          body.filter((one) => one["static"] !== true),
        ),
      };
      const statics = this.#members(
        file,
        body.filter((one) => one["static"] === true),
      );
      if (node!.type === "ClassDeclaration") {
        const making = body.find((one) => one["kind"] === "constructor");
        this.#types[`typeof ${name}`] = {
          members: statics,
          ...(making === undefined ? {} : { makes: functionType(making["value"] as Syntax, text) }),
        };
      }
    }
    this.#need(declared);
  }

  #members(file: string, body: readonly Syntax[]): Record<string, ApiMember> {
    const { text } = this.#module(file);
    const members: Record<string, ApiMember> = {};
    for (const one of body) {
      const key = one["key"] as Syntax | undefined;
      if (key?.type !== "Identifier" || one["kind"] === "constructor" || one["computed"] === true) continue;
      const name = key["name"] as string;
      const isMethod = one["kind"] === "method" || one.type === "TSMethodSignature";
      const type = isMethod
        ? functionType((one["value"] ?? one) as Syntax, text)
        : one["kind"] === "get"
          ? annotationOf(
              ((one["value"] as Syntax | undefined)?.["returnType"] ?? one["returnType"]) as Syntax,
              text,
              true,
            )
          : annotationOf(one, text);
      members[name] ??= {
        text: flat(text.slice(one.start, one.end)).replace(/;$/, ""),
        ...(type === undefined ? {} : { type }),
        ...this.#docAt(file, one.start),
      };
    }
    return members;
  }

  #doc({ file, starts }: Declared): { readonly doc?: string } {
    return this.#docAt(file, starts[0]!);
  }

  /** Returns the comment right before a place. */
  #docAt(file: string, start: number): { readonly doc?: string } {
    const { text, comments } = this.#module(file);
    const comment = comments.findLast(({ end }) => end <= start);
    if (comment === undefined || text.slice(comment.end, start).trim() !== "") return {};
    const doc = text
      .slice(comment.start + 3, comment.end - 2)
      .replace(/\n\s*\* ?/g, "\n")
      .replace(/\{@link (\w+)\}/g, "$1")
      .trim();
    return text.startsWith("/**", comment.start) && !doc.startsWith("@file") ? { doc } : {};
  }

  #module(file: string): Module {
    let module = this.#modules.get(file);
    if (module === undefined) {
      module = readModule(file);
      this.#modules.set(file, module);
    }
    return module;
  }
}

function readModule(file: string): Module {
  const text = readFileSync(file, "utf8");
  const { program, comments } = parseSync(file, text);
  const module: Module = {
    text,
    comments: comments.map(({ type, start, end }) => ({ type, start, end })),
    declared: new Map(),
    imported: new Map(),
    exported: new Map(),
    all: [],
    typeOnly: new Set(),
  };
  for (const statement of program.body as unknown as Syntax[]) readStatement(statement, file, module);
  return module;
}

function readStatement(statement: Syntax, file: string, module: Module): void {
  const from = (statement["source"] as { value?: string } | null | undefined)?.value;
  const other = from === undefined ? undefined : fileOf(from, file);
  const specifiers = (statement["specifiers"] ?? []) as Syntax[];
  if (statement.type === "ImportDeclaration") {
    if (other === undefined) return;
    for (const one of specifiers) {
      const local = nameOf(one["local"]);
      const name = one.type === "ImportSpecifier" ? nameOf(one["imported"]) : "*";
      module.imported.set(local, [other, name]);
    }
  } else if (statement.type === "ExportAllDeclaration") {
    if (other === undefined) return;
    const name = statement["exported"];
    if (name === null || name === undefined) module.all.push(other);
    else module.exported.set(nameOf(name), [other, "*"]);
  } else if (statement.type === "ExportNamedDeclaration") {
    for (const one of specifiers) {
      if (from !== undefined && other === undefined) continue;
      const name = nameOf(one["exported"]);
      module.exported.set(name, [other ?? file, nameOf(one["local"])]);
      if (one["exportKind"] === "type" || statement["exportKind"] === "type") module.typeOnly.add(name);
    }
    const declaration = statement["declaration"] as Syntax | null;
    if (declaration === null) return;
    for (const name of declare(declaration, file, module, statement.start))
      module.exported.set(name, [file, name]);
  } else declare(statement, file, module, statement.start);
}

function declare(node: Syntax, file: string, module: Module, start: number): string[] {
  const parts = node.type === "VariableDeclaration" ? (node["declarations"] as Syntax[]) : [node];
  return parts.flatMap((part) => {
    const id = part["id"] as Syntax | null | undefined;
    if (id?.type !== "Identifier") return [];
    const name = nameOf(id);
    const known = module.declared.get(name);
    if (known === undefined) module.declared.set(name, { file, name, nodes: [part], starts: [start] });
    else if (part.type === known.nodes[0]!.type) known.nodes.push(part);
    return [name];
  });
}

const nameOf = (node: unknown): string => {
  const { name, value } = node as { readonly name?: string; readonly value?: string };
  return name ?? value ?? "";
};

/**
 * Returns the declarations of a module: a file beside another one, or an entry of a package here.
 */
function fileOf(name: string, from: string): string | undefined {
  if (name.startsWith(".")) return join(dirname(from), name.replace(/\.js$/, ".d.ts"));
  const [, own, entry = ""] = /^@sconce\/([^/]+)(\/.*)?$/.exec(name) ?? [];
  if (own === undefined) return undefined;
  const folder = join(ROOT, own);
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly types: string }>>;
  };
  const types = exports[`.${entry}`]?.types;
  const file = types === undefined ? undefined : join(folder, types);
  return file !== undefined && existsSync(file) ? file : undefined;
}

const isPublic = (member: Syntax): boolean =>
  member["accessibility"] !== "private" &&
  (member["key"] as Syntax | undefined)?.type !== "PrivateIdentifier";

const flat = (text: string): string =>
  text
    .replace(/\/\*\*?[\s\S]*?\*\//g, "")
    .replace(/\s+/g, " ")
    .trim();

const textOf = ({ start, end }: Syntax, text: string): string => text.slice(start, end);

/** Returns the type of what is declared, as text. */
function annotationOf(
  node: Syntax | null | undefined,
  text: string,
  isAnnotation = false,
): string | undefined {
  const annotation = (isAnnotation ? node : node?.["typeAnnotation"]) as Syntax | null | undefined;
  const type = annotation?.["typeAnnotation"] as Syntax | undefined;
  return type === undefined ? undefined : flat(textOf(type, text));
}

/** Returns a function or method as the text of a function type. */
function functionType(node: Syntax, text: string): string {
  const params = (Array.isArray(node["params"]) ? node["params"] : []) as Syntax[];
  const list = params.map((one) => flat(textOf(one, text))).join(", ");
  return `(${list}) => ${annotationOf(node["returnType"] as Syntax | undefined, text, true) ?? "void"}`;
}

/** Where the part of a declaration ends that names it: before the members. */
function headEnd(node: Syntax, text: string): number {
  const body = node["body"] as Syntax | undefined;
  return body === undefined ? node.end : text.lastIndexOf("{", body.start + 1);
}

function extendsOf(node: Syntax, text: string): { readonly extends?: readonly string[] } {
  const names: string[] = [];
  const parent = node["superClass"] as Syntax | null | undefined;
  if (parent !== null && parent !== undefined) names.push(textOf(parent, text));
  for (const one of (node["extends"] ?? []) as Syntax[]) names.push(flat(textOf(one, text)));
  return names.length === 0 ? {} : { extends: names };
}

const memberMap = (exports: Record<string, ApiExport>): Record<string, ApiMember> =>
  Object.fromEntries(
    Object.entries(exports).map(([name, { text, doc, type }]) => [
      name,
      { text, ...(doc === undefined ? {} : { doc }), ...(type === undefined ? {} : { type }) },
    ]),
  );
