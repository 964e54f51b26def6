/** The version of Sconce; all of its packages have the same one. */
export const VERSION = "0.1.0";
