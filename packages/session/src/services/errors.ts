import { misspelled, SconceError } from "@sconce/errors";

/** Returns the error for a name among the `services` of createSconce that no service has. */
export const unknownService = (name: string, known: readonly string[]): SconceError =>
  new SconceError({
    code: "UNKNOWN_SERVICE",
    message: `unknown service "${name}"`,
    where: "`services` of createSconce",
    ...misspelled(name, known, `the services are: ${known.join(", ")}`),
  });
