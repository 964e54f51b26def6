/** @file Files on servers, with the reason where a page may not ask for them. */
import type { LongWorkOptions } from "@sconce/errors";
import type { RandomAccess } from "@sconce/formats";
import { openUrl } from "@sconce/formats/http";
import { forbiddenByPolicy } from "../errors.js";

interface Violations {
  addEventListener?(type: "securitypolicyviolation", listener: (event: Violation) => void): void;
  removeEventListener?(type: "securitypolicyviolation", listener: (event: Violation) => void): void;
}

interface Violation {
  readonly blockedURI: string;
  readonly effectiveDirective: string;
}

/**
 * Opens a file on a server. Parts are read when they are needed, where the server serves ranges.
 * @throws SconceError `STUDIO_POLICY` where the policy of the page forbids the request, and those
 * of `openUrl`
 */
export async function openAddress(address: string, { signal }: LongWorkOptions): Promise<RandomAccess> {
  // Browsers report a forbidden request like one that the other server refuses.
  const here = globalThis as Violations;
  let directive: string | undefined;
  const note = ({ blockedURI, effectiveDirective }: Violation): void => {
    if (address.startsWith(blockedURI) || blockedURI === address) directive = effectiveDirective;
  };
  const target = typeof document === "undefined" ? here : (document as Violations);
  target.addEventListener?.("securitypolicyviolation", note);
  try {
    return await openUrl(address, { signal });
  } catch (error) {
    // The event of a violation comes after the failure.
    await new Promise((resolve) => setTimeout(resolve));
    throw directive === undefined ? error : forbiddenByPolicy(address, directive, error);
  } finally {
    target.removeEventListener?.("securitypolicyviolation", note);
  }
}
