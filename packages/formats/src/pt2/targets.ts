/** @file Call targets: from the spelling of files to the spelling of graphs. */
import { type Read, readString } from "../json/place.js";
import { OPERATOR_PREFIX, PYTHON_OPERATOR_PREFIX } from "./schema.js";

/** Returns the target of a call or of an operator argument, as files spell it. */
export function targetText(target: string): string {
  if (target.startsWith("operator.")) return PYTHON_OPERATOR_PREFIX + target.slice("operator.".length);
  if (target === "torch.sym_sqrt") return "torch._sym_sqrt";
  if (target.startsWith("#") || target.startsWith("math.") || target.startsWith("torch.")) return target;
  return OPERATOR_PREFIX + target;
}

const OVERLOAD = /^[A-Za-z_]\w*\.[A-Za-z_][\w.]*$/;
const EXTENSION = /^#[A-Za-z_]\w*:[\w.:]+$/;

/**
 * `torch.ops.aten.add.Tensor` becomes `aten.add.Tensor`, `_operator.add` becomes `operator.add`;
 * others stay. Only the spelling is checked here: the text is never looked up in any object of the
 * host.
 * @throws SconceError `PT2_TARGET` for text that cannot be a target
 */
export const readTarget: Read<string> = (value, place) => {
  const text = readString(value, place);
  const target = text.startsWith(OPERATOR_PREFIX)
    ? text.slice(OPERATOR_PREFIX.length)
    : text.startsWith(PYTHON_OPERATOR_PREFIX)
      ? `operator.${text.slice(PYTHON_OPERATOR_PREFIX.length)}`
      : text;
  if (!OVERLOAD.test(target) && !EXTENSION.test(target)) {
    throw place.fail("PT2_TARGET", `${JSON.stringify(text.slice(0, 100))} is not a call target`);
  }
  return target;
};
