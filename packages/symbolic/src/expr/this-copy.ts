import { packageCopy } from "@sconce/errors";

/** This copy of the package: what it makes cannot be mixed with what another copy makes. */
export const COPY = /* @__PURE__ */ packageCopy("@sconce/symbolic");
