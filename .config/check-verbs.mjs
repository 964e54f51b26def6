/**
 * Fails on comments of functions that begin with a noun: they say what the function does, such as
 * "Returns the node of a tensor". Whole sentences ("Each step is rounded.") may stay, and functions
 * that return nothing may have any comment.
 */
import { parseFile, sourceFiles, walk } from "./source-files.mjs";

/** Types and data that a script writes. */
const GENERATED =
  /^packages\/torch\/src\/(functions|nn)\/(\w+-types|api-cases\.fixture)\.ts$|\.test\.tsx?$|\.d\.ts$/;

const NOUN = /^(The|An?|All|Every|Each)\b/;
const QUESTION = /^(Whether|What|How|Why|Which)\b/;
/** What makes a whole sentence of a text that begins with a noun. */
const VERB =
  /\b(is|are|do|does|has|have|had|was|were|can|may|must|would|will|could|cannot|goes|go|finds|gives?|takes?|represents|failed|fails|depends|becomes|holds?|makes|needs|gets|stays|says|knows|asks|decides|keeps|comes|works|adds|begins|starts|uses|refuses|accepts|computes|leaves|wants|scrolls|removes|means|belongs|fits?|lies?|returns|moves|contains|allows|sees|looks|waits)\b/;
/** What begins a clause of its own, whose verb does not count. */
const CLAUSE = /\b(that|which|whose|where|who|what|if|when|how|why|whether|as|but|than|because|so|until)\b|,/;

/** Whether a text begins with a noun, and its first clause has no verb. */
export function beginsWithNoun(text) {
  if (QUESTION.test(text)) return true;
  if (!NOUN.test(text)) return false;
  const clause = text.split(/[;:.,]\s|[;:.]$/)[0].replace(/`[^`]*`/g, "x");
  const verb = VERB.exec(clause);
  const inner = CLAUSE.exec(clause);
  return verb === null || (inner !== null && inner.index < verb.index);
}

const isFunction = (node) => /^(ArrowFunctionExpression|FunctionExpression)$/.test(node?.type ?? "");

/** The function that a node declares, which has the type that it returns; undefined for others. */
function declared(node) {
  if (node.type === "FunctionDeclaration" || node.type === "TSDeclareFunction") return node;
  if (node.type === "VariableDeclaration") {
    const [{ init }] = node.declarations;
    return isFunction(init) ? init : undefined;
  }
  const isMethod = node.kind === "method";
  if (/^(Method|TSAbstractMethod)Definition$/.test(node.type)) return isMethod ? node.value : undefined;
  return node.type === "TSMethodSignature" && isMethod ? node : undefined;
}

/**
 * Yields the comments of the functions of a file that return something: `start` and `end` are those
 * of the comment, `text` is what it says, and `returns` the type that the function returns.
 */
export function* functionComments({ text, program, comments }) {
  const found = [];
  walk(program, (node, parent) => {
    const type = declared(node)?.returnType?.typeAnnotation;
    if (type === undefined || /^TS(Void|Never)Keyword$/.test(type.type)) return;
    const returns = text.slice(type.start, type.end);
    if (/^asserts |^Promise<void>$/.test(returns)) return;
    const isExported = /^Export(Named|Default)Declaration$/.test(parent?.type ?? "");
    found.push({ start: isExported ? parent.start : node.start, returns });
  });
  const byEnd = new Map(comments.map((comment) => [comment.end, comment]));
  for (const { start, returns } of found) {
    const comment = byEnd.get(text.slice(0, start).trimEnd().length);
    if (comment?.type !== "Block" || !comment.value.startsWith("*")) continue;
    const said = comment.value
      .slice(1)
      .replace(/\n\s*\* ?/g, " ")
      .trim();
    yield { start: comment.start, end: comment.end, text: said, returns };
  }
}

if (process.argv[1] === import.meta.filename) {
  for (const path of sourceFiles("packages")) {
    if (GENERATED.test(path)) continue;
    const file = parseFile(path);
    for (const { start, text } of functionComments(file)) {
      if (!beginsWithNoun(text)) continue;
      const line = file.text.slice(0, start).split("\n").length;
      console.error(`${path}:${line}: begin with a verb ("Returns ..."): "${text.slice(0, 60)}"`);
      process.exitCode = 1;
    }
  }
}

export { GENERATED };
