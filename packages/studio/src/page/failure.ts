/** @file Failures as the page shows them. */
import { RequestError } from "../engine/client.js";

/** A failure as the page shows it. */
export interface Failure {
  readonly title: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly where: string | undefined;
  readonly fix: string | undefined;
}

/** Returns what the page shows of something that was thrown. */
export function failureOf(title: string, error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const typed = error instanceof RequestError ? error : undefined;
  return { title, message, code: typed?.code, where: typed?.where, fix: typed?.fix };
}
