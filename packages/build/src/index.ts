export { type BuildOptions, type BuildTarget, type BuiltModule, buildModule } from "./build-module.js";
export type { BuildReport, BuiltFile, HostCall } from "./report.js";
