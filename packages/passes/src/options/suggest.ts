/** @file "Did you mean ...?" */
export { didYouMean, suggestions } from "@sconce/errors";
