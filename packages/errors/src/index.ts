export { amount } from "./amount.js";
export { Budget, LIMITS, type Limits, WORK_OPTIONS, type WorkKind, type WorkOptions } from "./budget.js";
export { isDigit, isLetter } from "./characters.js";
export {
  foreignInstance,
  markClass,
  markObject,
  type PackageCopy,
  packageCopy,
  requireSameCopy,
} from "./copies.js";
export { describeValue, isRawBytes, platformClass } from "./describe-value.js";
export type { CauseJson, SconceErrorJson } from "./error-json.js";
export { fileFault, systemCode } from "./file-faults.js";
export {
  dotLabel,
  markupLine,
  markupText,
  mermaidLabel,
  scriptComment,
  scriptString,
  shellPath,
  shellWord,
} from "./generated-text.js";
export { type LatePart, latePart, partNotLoaded, presentPart } from "./late-part.js";
export { checkOptions, type OptionNames, optionValue } from "./options.js";
export { type PlainJsonOptions, parsePlainJson } from "./plain-json.js";
export { inNode } from "./platform.js";
export {
  LONG_WORK,
  type LongWorkOptions,
  type Progress,
  ProgressReport,
  throwIfAborted,
  userCallback,
  type WorkPhase,
} from "./progress.js";
export { isDetached, requireBytes, requireText, TRANSFERRED_FIX } from "./require-text.js";
export { requireWord, type WordProblem } from "./require-word.js";
export {
  internalError,
  isSconceError,
  SconceError,
  type SconceErrorInit,
  UNREACHABLE_MODULE_FIX,
  withoutStacks,
} from "./sconce-error.js";
export {
  didYouMean,
  type ErrorEdit,
  editOf,
  misspelled,
  nearestEdit,
  suggestions,
  suggestionText,
} from "./suggest.js";
export { thrownText } from "./thrown.js";
export { VERSION } from "./version.js";
export { visibleJson, visibleLine, visibleText } from "./visible.js";
export { countText, withArticle } from "./words.js";
export { eachInPieces, finish, finishWithPauses, inScope, PAUSE_MS, pause, type Work } from "./work.js";
