/** @file Plugin: operators of torchvision and transformers. */
export * from "@sconce/torch-libraries";
export { default } from "@sconce/torch-libraries";
