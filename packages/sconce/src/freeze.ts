/** @file Sessions take no further registrations once they have worked on a program. */
import { SconceError } from "@sconce/errors";
import type { OperatorTable } from "@sconce/ops";
import type { DependencyContainer } from "tsyringe";

/** Everything of a container that changes what it resolves. */
const WRITERS = [
  "register",
  "registerType",
  "registerInstance",
  "registerSingleton",
  "reset",
  "clearInstances",
  "beforeResolution",
  "afterResolution",
] as const satisfies readonly (keyof DependencyContainer)[];

const USED = "was used already: what is registered now would reach some of its work and not the rest";

/** Operators and services stay as they are from now on; later registrations are `REGISTRY_FROZEN`. */
export function freezeSession(container: DependencyContainer, operators: OperatorTable): void {
  operators.freeze(
    `the operators cannot be added: the session ${USED}`,
    "register operators before the first load, transform, compile or verify, or give them to createSconce in a plugin",
  );
  const refuse = (): never => {
    throw new SconceError({
      code: "REGISTRY_FROZEN",
      message: `the container takes no further services: the session ${USED}`,
      fix: "register services in `configure` of createSconce, or before the session is first used",
    });
  };
  for (const method of WRITERS) Object.defineProperty(container, method, { value: refuse });
}
