export * from "immer";
