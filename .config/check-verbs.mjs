/**
 * Fails on comments of functions that begin with a noun: they say what the function does, such as
 * "Returns the node of a tensor". Whole sentences ("Each step is rounded.") may stay, and functions
 * that return nothing may have any comment. Functions that return a boolean return "whether ...".
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
function beginsWithNoun(text) {
  if (QUESTION.test(text)) return true;
  if (!NOUN.test(text)) return false;
  const clause = text.split(/[;:.,]\s|[;:.]$/)[0].replace(/`[^`]*`/g, "x");
  const verb = VERB.exec(clause);
  const inner = CLAUSE.exec(clause);
  return verb === null || (inner !== null && inner.index < verb.index);
}

/** Types of functions that answer a question. */
const ANSWER = /^boolean$|^\w+ is /;
/** What a comment says that they return instead. */
const OTHER_RESULT = /^Returns (?!whether |true |false |the same |(the condition's|the) truth )/;

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
 * Yields the comments of the functions of a file that return something: `start` is that of the
 * comment, `text` is what it says, and `returns` the type that the function returns.
 */
function* functionComments({ text, program, comments }) {
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
    yield { start: comment.start, text: said, returns };
  }
}

/** The beginning that a comment lacks; undefined for none. */
function lacking({ text, returns }) {
  if (beginsWithNoun(text)) return "a verb, such as Returns";
  return ANSWER.test(returns) && OTHER_RESULT.test(text) ? "Returns whether" : undefined;
}

for (const path of sourceFiles("packages")) {
  if (GENERATED.test(path)) continue;
  const file = parseFile(path);
  for (const comment of functionComments(file)) {
    const beginning = lacking(comment);
    if (beginning === undefined) continue;
    const line = file.text.slice(0, comment.start).split("\n").length;
    console.error(`${path}:${line}: begin with ${beginning}: "${comment.text.slice(0, 60)}"`);
    process.exitCode = 1;
  }
}
