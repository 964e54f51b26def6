import { didYouMean, SconceError } from "@sconce/errors";

/** A name among the `services` of createSconce that no service has. */
export const unknownService = (name: string, known: readonly string[]): SconceError =>
  new SconceError({
    code: "UNKNOWN_SERVICE",
    message: `unknown service "${name}"`,
    where: "`services` of createSconce",
    fix: didYouMean(name, known, `the services are: ${known.join(", ")}`),
  });
