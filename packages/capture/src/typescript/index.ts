/** @file Programs as TypeScript: `@sconce/capture/typescript`. */
export { type DeclarationOptions, typeDeclarations } from "./type-declarations.js";
export { type TypescriptOptions, typescriptText } from "./typescript-text.js";
