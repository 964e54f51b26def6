/**
 * @file tsyringe, loaded after what it needs to be there. In a separate file: Bun loads a CommonJS
 * package when it links the first file that imports it, before it runs any file beside that one.
 */
import "./reflect.js";
import "reflect-metadata/lite";

export { container, type DependencyContainer, type InjectionToken, instanceCachingFactory } from "tsyringe";
