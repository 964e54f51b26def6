/**
 * Fails where an object without a text becomes a string, `[object Object]`: in a template, by
 * `String`, `+` or `join`. Types come from the compiler; arrays count as their items. Values of
 * unknown type pass.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as ast from "typescript/unstable/ast";
import { API, TypeFlags } from "typescript/unstable/sync";
import { pathFrom, posix, ROOT } from "./paths.mjs";

const packages = join(ROOT, "packages");
const projects = readdirSync(packages).map((name) => join(packages, name, "tsconfig.json"));

/** Expressions of a file that become strings, and those with a `join`. */
function converted(file) {
  const [found, joined] = [[], []];
  const visit = (node) => {
    if (ast.isTemplateExpression(node) && !ast.isTaggedTemplateExpression(node.parent))
      found.push(...node.templateSpans.map((span) => span.expression));
    else if (ast.isCallExpression(node)) {
      const { expression: callee, arguments: args } = node;
      if (ast.isIdentifier(callee) && callee.text === "String" && args.length === 1) found.push(args[0]);
      else if (ast.isPropertyAccessExpression(callee) && callee.name.text === "join")
        joined.push(callee.expression);
    } else if (ast.isBinaryExpression(node) && node.operatorToken.kind === ast.SyntaxKind.PlusToken)
      found.push(node.left, node.right);
    node.forEachChild(visit);
  };
  visit(file);
  return { found, joined };
}

/** Why a value of the type has no text; undefined when it has one. */
function problemOf(type, checker, depth = 0) {
  if (type === undefined || depth > 8) return undefined;
  if ((type.flags & (TypeFlags.Union | TypeFlags.Intersection)) !== 0) {
    const problems = (type.getTypes() ?? []).map((one) => problemOf(one, checker, depth + 1));
    // A branded string has a text.
    if ((type.flags & TypeFlags.Intersection) !== 0 && problems.includes(undefined)) return undefined;
    return problems.find((problem) => problem !== undefined);
  }
  if ((type.flags & TypeFlags.TypeParameter) !== 0)
    return problemOf(checker.getBaseConstraintOfType(type), checker, depth + 1);
  if ((type.flags & TypeFlags.Object) === 0) return undefined;
  if (checker.isArrayType(type) || checker.isTupleType(type)) {
    const items = checker.getTypeArguments(type).map((one) => problemOf(one, checker, depth + 1));
    return items.find((problem) => problem !== undefined);
  }
  const name = checker.typeToString(type);
  const owner = checker.getPropertyOfType(type, "toString")?.getParent()?.name;
  // What is left of `unknown` may be anything; errors have a text, which the library does not
  // declare.
  const hasText = name === "{}" || ["message", "stack"].every((key) => checker.getPropertyOfType(type, key));
  return hasText || (owner !== undefined && owner !== "Object") ? undefined : name;
}

const api = new API({ cwd: ROOT });
const problems = new Set();
try {
  for (const config of projects) {
    const snapshot = api.updateSnapshot({ openProject: config });
    const { program, checker } = snapshot.getProject(config);
    const typesOf = (nodes) => (nodes.length === 0 ? [] : checker.getTypeAtLocation(nodes));
    const isList = (type) => type !== undefined && checker.isArrayLikeType(type);
    for (const name of program.getSourceFileNames()) {
      if (!posix(name).startsWith(posix(join(config, "..", "src")))) continue;
      const file = program.getSourceFile(name);
      const { found, joined } = converted(file);
      const lists = typesOf(joined).flatMap((type, i) => (isList(type) ? [joined[i]] : []));
      const expressions = [...found, ...lists];
      typesOf(expressions).forEach((type, i) => {
        const problem = problemOf(type, checker);
        if (problem === undefined) return;
        const { line } = file.getLineAndCharacterOfPosition(expressions[i].getStart(file));
        problems.add(
          `${pathFrom(ROOT, name)}:${line + 1}: a value of type ${problem} becomes "[object Object]"`,
        );
      });
    }
  }
} finally {
  api.close();
}
for (const problem of problems) console.error(problem);
if (problems.size > 0) process.exitCode = 1;
