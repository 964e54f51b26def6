/** @file Errors of `exportProgram`. */
import { describeValue, SconceError } from "@sconce/errors";

/** Arguments that are not an array. */
export const badArguments = (args: unknown): SconceError =>
  new SconceError({
    code: "EXPORT_ARGUMENTS",
    message: `Expecting \`args\` to be an array of example positional inputs, got ${describeValue(args)}`,
    fix: "give the example arguments as an array: `exportProgram(model, [x])`",
  });

/** What is neither a module nor a function. */
export const notExportable = (target: unknown): SconceError =>
  new SconceError({
    code: "EXPORT_ARGUMENTS",
    message: `Expected \`mod\` to be a module or a function, got ${describeValue(target)}`,
    fix: "pass an `nn.Module` or a function of tensors",
  });
