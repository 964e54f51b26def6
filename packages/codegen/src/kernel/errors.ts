import { SconceError } from "@sconce/errors";

/** Returns the error for a line that is not part of a kernel's text. */
export const kernelText = (line: number, text: string, problem: string): SconceError =>
  new SconceError({
    code: "KERNEL_TEXT",
    message: `the text is not a kernel: ${problem}: ${JSON.stringify(text.slice(0, 80))}`,
    where: `line ${line}`,
    fix: "write the text as `printKernel` does",
  });

/** Returns the error for a kernel that breaks a rule. */
export const kernelInvalid = (problem: string, statement: string): SconceError =>
  new SconceError({
    code: "KERNEL_INVALID",
    message: `the kernel is invalid: ${problem}`,
    where: `statement ${JSON.stringify(statement)}`,
    fix: "correct the schedule or the transform that made the statement",
  });
