/** @file Which names of the server a request may use. */

const LOCAL = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/i;

/** Returns whether an address is for this machine alone. */
const isLoopback = (host: string): boolean => LOCAL.test(host);

/**
 * Returns whether a request may use this name, the value of `Host`. A page of another server whose
 * name resolves to this machine may not: browsers would let it read the answers.
 */
export function isAllowedHost(
  header: string | undefined,
  listensOn: string,
  allowed: readonly string[],
): boolean {
  if (!isLoopback(listensOn)) return true;
  const name = (header ?? "").replace(/:\d+$/, "");
  return isLoopback(name) || allowed.some((one) => one.toLowerCase() === name.toLowerCase());
}
