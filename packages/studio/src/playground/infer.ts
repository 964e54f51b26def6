/** @file Types of expressions in the text of the playground, by its syntax tree. */
import type { SyntaxNode } from "@lezer/common";
import type { ApiData } from "./api.js";
import { elementType, itemType, madeType, membersOf, parameterType, resultType } from "./types.js";

/** How many steps an answer may take: recursive definitions have none. */
const MOST_STEPS = 200;

/** Finds types in one text. */
export class Inference {
  readonly #api: ApiData;
  readonly #text: string;
  #steps = 0;

  constructor(api: ApiData, text: string) {
    this.#api = api;
    this.#text = text;
  }

  /** Returns the type of an expression, as text. */
  typeOf(node: SyntaxNode | null): string | undefined {
    if (node === null || ++this.#steps > MOST_STEPS) return undefined;
    switch (node.name) {
      case "VariableName":
        return this.#variable(node);
      case "MemberExpression":
        return this.#member(node);
      case "CallExpression": {
        const type = this.typeOf(node.firstChild);
        return type === undefined ? undefined : resultType(this.#api, type);
      }
      case "NewExpression": {
        const type = this.typeOf(node.getChild("VariableName") ?? node.getChild("MemberExpression"));
        return type === undefined ? undefined : madeType(type);
      }
      case "ParenthesizedExpression":
      case "NonNullExpression":
        return this.typeOf(node.firstChild?.name === "(" ? node.firstChild.nextSibling : node.firstChild);
      case "BinaryExpression":
        return node.getChild("as") === null && node.getChild("satisfies") === null
          ? undefined
          : this.#slice(node.lastChild);
      default:
        return undefined;
    }
  }

  /** Returns the type that is expected of an expression, from the code around it. */
  expectedOf(node: SyntaxNode): string | undefined {
    const { parent } = node;
    if (parent === null || ++this.#steps > MOST_STEPS) return undefined;
    if (parent.name === "ArgList") return this.#argument(parent, node);
    if (parent.name === "Property") {
      const around = parent.parent === null ? undefined : this.expectedOf(parent.parent);
      const name = this.#slice(parent.firstChild);
      return around === undefined ? undefined : membersOf(this.#api, around)[name ?? ""]?.type;
    }
    if (parent.name === "ArrayExpression") {
      const around = this.expectedOf(parent);
      return around === undefined ? undefined : elementType(this.#api, around);
    }
    if (parent.name === "BinaryExpression" && parent.getChild("satisfies") !== null)
      return this.#slice(parent.lastChild);
    if (parent.name === "VariableDeclaration") return this.#annotation(parent);
    return undefined;
  }

  #slice(node: SyntaxNode | null | undefined): string | undefined {
    return node === null || node === undefined ? undefined : this.#text.slice(node.from, node.to);
  }

  #annotation(node: SyntaxNode | null): string | undefined {
    const text = this.#slice(node?.getChild("TypeAnnotation"));
    return text?.replace(/^:\s*/, "");
  }

  #argument(list: SyntaxNode, node: SyntaxNode): string | undefined {
    const callee = list.parent?.name === "NewExpression" ? list.prevSibling : list.parent?.firstChild;
    const type = this.typeOf(callee ?? null);
    let at = 0;
    for (let before = node.prevSibling; before !== null; before = before.prevSibling)
      if (before.name === ",") at++;
    return type === undefined ? undefined : parameterType(this.#api, type, at);
  }

  #member(node: SyntaxNode): string | undefined {
    const type = this.typeOf(node.firstChild);
    if (type === undefined) return undefined;
    const name = this.#slice(node.getChild("PropertyName"));
    if (name !== undefined) return membersOf(this.#api, type)[name]?.type;
    const index = node.getChild("Number");
    return itemType(this.#api, type, index === null ? 0 : Number(this.#slice(index)));
  }

  /** Returns the declaration of a name that is nearest above its use. */
  #variable(use: SyntaxNode): string | undefined {
    const name = this.#slice(use)!;
    for (let scope: SyntaxNode | null = use.parent; scope !== null; scope = scope.parent) {
      for (const place of ["ParamList", "VariableDeclaration", "ForSpec", "ForOfSpec"])
        for (const part of scope.getChildren(place)) {
          const found = this.#definition(part, name);
          if (found !== undefined) return this.#definedType(found);
        }
      // Parameters are beside the body, in the function; `for (const x of xs)` is beside its body.
      const own = scope.getChild("VariableDefinition");
      if (scope.name === "ArrowFunction" && own !== null && this.#slice(own) === name)
        return this.#definedType(own);
    }
    const known = this.#api.exports[this.#imported(use, name) ?? ""];
    return known?.type;
  }

  /** Returns the exported name that an import brings under a name. */
  #imported(use: SyntaxNode, name: string): string | undefined {
    let top = use;
    while (top.parent !== null) top = top.parent;
    for (const one of top.getChildren("ImportDeclaration")) {
      const [, list = ""] = /\{([^}]*)\}/.exec(this.#slice(one)!) ?? [];
      for (const part of list.split(",")) {
        const [imported = "", local = imported] = part
          .trim()
          .replace(/^type\s+/, "")
          .split(/\s+as\s+/);
        if (local === name) return imported;
      }
    }
    return undefined;
  }

  #definition(part: SyntaxNode, name: string): SyntaxNode | undefined {
    const cursor = part.cursor();
    do {
      const { from, to } = cursor;
      const isDefinition = cursor.name === "VariableDefinition";
      const isShort = cursor.name === "PropertyName" && cursor.node.parent?.name === "PatternProperty";
      if ((isDefinition || isShort) && this.#text.slice(from, to) === name) return cursor.node;
      // Definitions in a body of a function are of another scope.
    } while (
      cursor.next(cursor.name !== "Block" && cursor.name !== "ArrowFunction") &&
      cursor.from < part.to
    );
    return undefined;
  }

  #definedType(node: SyntaxNode): string | undefined {
    const { parent } = node;
    if (parent === null) return undefined;
    switch (parent.name) {
      case "VariableDeclaration":
        return this.#annotation(parent) ?? this.typeOf(node.parent!.getChild("Equals")?.nextSibling ?? null);
      case "ForOfSpec":
      case "ForSpec": {
        const type = this.typeOf(parent.getChild("of")?.nextSibling ?? null);
        return type === undefined ? undefined : elementType(this.#api, type);
      }
      case "ArrowFunction": {
        const expected = this.expectedOf(parent);
        return expected === undefined ? undefined : parameterType(this.#api, expected, 0);
      }
      case "ParamList":
        return this.#parameter(parent, node);
      case "PatternProperty": {
        const around = parent.parent === null ? undefined : this.#definedType(parent.parent);
        const name = this.#slice(parent.getChild("PropertyName") ?? node);
        return around === undefined ? undefined : membersOf(this.#api, around)[name ?? ""]?.type;
      }
      case "ArrayPattern": {
        const around = this.#definedType(parent);
        return around === undefined ? undefined : itemType(this.#api, around, commasBefore(node));
      }
      default:
        return undefined;
    }
  }

  #parameter(list: SyntaxNode, node: SyntaxNode): string | undefined {
    const next = node.nextSibling;
    if (next?.name === "TypeAnnotation") return this.#slice(next)?.replace(/^:\s*/, "");
    const around = list.parent;
    if (around === null) return undefined;
    // A method of an object is a property; a function is an expression.
    const expected = around.name === "Property" ? this.#methodType(around) : this.expectedOf(around);
    return expected === undefined ? undefined : parameterType(this.#api, expected, commasBefore(node));
  }

  #methodType(property: SyntaxNode): string | undefined {
    const around = property.parent === null ? undefined : this.expectedOf(property.parent);
    const name = this.#slice(property.firstChild);
    return around === undefined ? undefined : membersOf(this.#api, around)[name ?? ""]?.type;
  }
}

function commasBefore(node: SyntaxNode): number {
  let count = 0;
  for (let before = node.prevSibling; before !== null; before = before.prevSibling)
    if (before.name === ",") count++;
  return count;
}
