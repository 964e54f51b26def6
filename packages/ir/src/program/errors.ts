import { misspelled, SconceError } from "@sconce/errors";

/** Values that do not fit the state of a program. */
export const stateMismatch = (reasons: readonly string[], where: string | undefined): SconceError =>
  new SconceError({
    code: "STATE_MISMATCH",
    message: `the tensors given do not fit the state of the program: ${reasons.join("; ")}`,
    where,
    fix: "give tensors as `sconce info` lists them, one value for tensors that share memory",
  });

/** Values for names that no state of the program has. */
export function unknownState(names: readonly string[], known: Iterable<string>): SconceError {
  const [first = ""] = names;
  return new SconceError({
    code: "UNKNOWN_STATE",
    message: `the program has no parameter, buffer or constant ${names.map((name) => JSON.stringify(name)).join(", ")}`,
    ...misspelled(first, known, "`sconce info` lists the names; leave out the other tensors"),
  });
}

/** `action` needs the values of tensors that have none; `missing` describes each of them. */
export const valuesNeeded = (
  action: string,
  missing: readonly string[],
  where: string | undefined,
  fix: string,
): SconceError =>
  new SconceError({
    code: "NO_VALUES",
    message: `${action} needs the values of ${missing.length === 1 ? "1 tensor that has none" : `${missing.length} tensors that have none`}: ${missing.join(", ")}`,
    where,
    fix,
  });

/** Something else where a function takes a program. */
export const notAProgram = (call: string, what: string, fix: string): SconceError =>
  new SconceError({
    code: "INVALID_ARGUMENT",
    message: `${call} takes an ExportedProgram, and got ${what}`,
    where: call,
    fix,
  });

/** `<class 'Point'>`: a class in the words of Python. */
const classText = (name: string): string => `<class '${name}'>`;

type Named = { readonly name: string };

const registration = (message: string, fix: string): SconceError =>
  new SconceError({ code: "PYTREE_REGISTRATION", message, fix });

export const fieldsMissing = (type: Named): SconceError =>
  registration(
    `field_names must be specified with a list of all fields used to initialize ${classText(type.name)}, as it is not a dataclass.`,
    `list the fields: registerDataclass(${type.name}, { fields: ["a", "b"] })`,
  );

export const alreadyRegistered = (type: Named): SconceError =>
  registration(
    `${classText(type.name)} is already registered as pytree node.`,
    "register a class once, where it is defined",
  );

export const oneDumpFunction = (type: Named): SconceError =>
  registration(
    `Both to_dumpable_context and from_dumpable_context for ${classText(type.name)} must be None or registered.`,
    "give both toDumpableContext and fromDumpableContext, or neither",
  );

export const noEquals = (type: Named): SconceError =>
  registration(
    "register_constant(cls) expects `cls` to have a non-default `__eq__` implementation.",
    `give ${type.name} a method \`equals(other)\`, or pass { equals: (a, b) => ... }`,
  );

export const noKeys = (type: Named): SconceError =>
  new SconceError({
    code: "PYTREE_KEYS",
    message: `Did not find a flatten_with_keys_fn for type: ${classText(type.name)}. Please pass a flatten_with_keys_fn argument to register_pytree_node.`,
    fix: `pass flattenWithKeys to registerPytreeNode(${type.name}, ...)`,
  });

export const treeTooDeep = (depth: number): SconceError =>
  new SconceError({
    code: "TREE_DEPTH",
    message: `the containers of a value are nested more than ${depth} deep`,
    fix: "check that no container contains itself; flatten the structure",
  });

export const notSerializable = (name: string): SconceError =>
  new SconceError({
    code: "TREE_NOT_SERIALIZABLE",
    message: `No registered serialization name for ${classText(name)} found. Please update your _register_pytree_node call with a \`serialized_type_name\` kwarg.`,
    fix: `register ${name} with a serializedTypeName; constants have none and cannot be saved`,
  });

export const contextNotSerializable = (name: string): SconceError =>
  new SconceError({
    code: "TREE_NOT_SERIALIZABLE",
    message:
      "Unable to serialize context. Please make the context json dump-able, or register a custom serializer using _register_pytree_node.",
    where: name,
    fix: `pass toDumpableContext and fromDumpableContext where ${name} is registered`,
  });
