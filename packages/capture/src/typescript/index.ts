/** @file Programs as TypeScript: `@sconce/capture/typescript`. */

export { moduleDeclarations } from "./module-declarations.js";
export type { SourceDifference } from "./module-file.js";
export { type DeclarationOptions, typeDeclarations } from "./type-declarations.js";
export {
  type TypescriptModule,
  type TypescriptOptions,
  typescriptModule,
  typescriptText,
} from "./typescript-text.js";
