import { didYouMean, SconceError } from "@sconce/errors";

/** Returns the error for a file of expected values that cannot be compared. */
export const badExpectation = (message: string): SconceError =>
  new SconceError({
    code: "EXPECTATION",
    message,
    fix: "name the tensors o0, o1, ... (outputs), buffer:NAME (state), input:0, ... (mutated inputs)",
  });

/** Returns the error for an error code that no section of the documentation has. */
export const unknownCode = (code: string, known: Iterable<string>): SconceError =>
  new SconceError({
    code: "UNKNOWN_CODE",
    message: `unknown error code "${code}"`,
    fix: didYouMean(
      code,
      known,
      "`sconce explain --codes` lists the codes; write ./NAME for a file of this name",
    ),
  });

/** Returns the error for a file that is too large to be put into a page. */
export const pageTooLarge = (file: string, bytes: number, most: number): SconceError =>
  new SconceError({
    code: "PAGE_TOO_LARGE",
    message: `${file} has ${bytes} bytes; a page can hold ${most}`,
    where: file,
    fix: "write a program without its weights first, with `sconce strip FILE --drop-weights -o SMALL.sir`, or leave out --output",
  });
