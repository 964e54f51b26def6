/** @file Pickles of sample inputs, each with one fault. */

/** The bytes of a pickle, one for each character. */
export type PickleRow = readonly [name: string, pickle: string, code: string, where: string];

/** Pickles in the place of the sample inputs. */
export const PICKLE_ROWS: readonly PickleRow[] = [
  ["no bytes", "", "PICKLE_SYNTAX", "data/sample_inputs/model.pt data.pkl, byte 0"],
  ["only an end", ".", "PICKLE_SYNTAX", "data/sample_inputs/model.pt data.pkl, byte 1"],
  ["protocol 0", "(lp0\n.", "PICKLE_SYNTAX", "data/sample_inputs/model.pt data.pkl, byte 2"],
  ["protocol 99", "\x80\x63N.", "PICKLE_SYNTAX", "data/sample_inputs/model.pt data.pkl, byte 2"],
  ["an unknown opcode", "\x80\x02\xff.", "PICKLE_SYNTAX", "data/sample_inputs/model.pt data.pkl, byte 3"],
  ["no end", "\x80\x02N", "PICKLE_SYNTAX", "data/sample_inputs/model.pt data.pkl, byte 3"],
  ["bytes behind the end", "\x80\x02N.N", "PICKLE_SYNTAX", "data/sample_inputs/model.pt data.pkl, byte 4"],
  ["two values", "\x80\x02NN.", "PICKLE_SYNTAX", "data/sample_inputs/model.pt data.pkl, byte 5"],
  [
    "a call of os.system",
    "\x80\x02cposix\nsystem\nX\x04\0\0\0true\x85R.",
    "PICKLE_FORBIDDEN",
    "data/sample_inputs/model.pt",
  ],
  [
    "a call of eval",
    "\x80\x02cbuiltins\neval\nX\x01\0\0\x001\x85R.",
    "PICKLE_FORBIDDEN",
    "data/sample_inputs/model.pt",
  ],
  ["a call of a value", "\x80\x02K\x01)R.", "PICKLE_SYNTAX", "data/sample_inputs/model.pt data.pkl, byte 6"],
  [
    "arguments that are not a tuple",
    "\x80\x02ctorch\nSize\nK\x01R.",
    "PICKLE_SYNTAX",
    "data/sample_inputs/model.pt data.pkl, byte 17",
  ],
  [
    "a name of the stack that is not a text",
    "\x80\x04K\x01K\x02\x93.",
    "PICKLE_SYNTAX",
    "data/sample_inputs/model.pt data.pkl, byte 7",
  ],
  [
    "a name without an end",
    "\x80\x02cposix",
    "PICKLE_SYNTAX",
    "data/sample_inputs/model.pt data.pkl, byte 3",
  ],
  [
    "a text that is too long",
    "\x80\x02X\xff\xff\xff\x7fa.",
    "PICKLE_SYNTAX",
    "data/sample_inputs/model.pt data.pkl, byte 7",
  ],
  [
    "an integer that is too long",
    "\x80\x02\x8a\xff\x01.",
    "PICKLE_SYNTAX",
    "data/sample_inputs/model.pt data.pkl, byte 4",
  ],
  [
    "a tuple without a mark",
    "\x80\x02K\x01t.",
    "PICKLE_SYNTAX",
    "data/sample_inputs/model.pt data.pkl, byte 5",
  ],
  [
    "a pair of one value",
    "\x80\x02K\x01\x86.",
    "PICKLE_SYNTAX",
    "data/sample_inputs/model.pt data.pkl, byte 5",
  ],
  [
    "items without a list",
    "\x80\x02K\x01(K\x02e.",
    "PICKLE_SYNTAX",
    "data/sample_inputs/model.pt data.pkl, byte 8",
  ],
  [
    "items without a dict",
    "\x80\x02](K\x02K\x03u.",
    "PICKLE_SYNTAX",
    "data/sample_inputs/model.pt data.pkl, byte 9",
  ],
  [
    "a dict with half of an item",
    "\x80\x02}(K\x02u.",
    "PICKLE_SYNTAX",
    "data/sample_inputs/model.pt data.pkl, byte 7",
  ],
  [
    "a value that is not remembered",
    "\x80\x02h\x07.",
    "PICKLE_SYNTAX",
    "data/sample_inputs/model.pt data.pkl, byte 4",
  ],
  [
    "state for a number",
    "\x80\x02K\x01}b.",
    "PICKLE_FORBIDDEN",
    "data/sample_inputs/model.pt data.pkl, byte 6",
  ],
  ["a storage that is not described", "\x80\x02K\x01Q.", "PICKLE_SYNTAX", "data/sample_inputs/model.pt"],
  [
    "an object of another class",
    "\x80\x02cmy.module\nPoint\n)\x81.",
    "UNKNOWN_PYTREE_TYPE",
    "data/sample_inputs/model.pt",
  ],
  ["a list that contains itself", "\x80\x02]q\x00h\x00a.", "PICKLE_SYNTAX", "data/sample_inputs/model.pt"],
  ["the wrong structure", "\x80\x02K\x01.", "PICKLE_SYNTAX", "data/sample_inputs/model.pt"],
];
