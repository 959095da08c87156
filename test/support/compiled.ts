// Where the test runner keeps compiled code. A program with an environment of its own gets it too: it starts sooner, and
// nothing else changes.

const { NODE_COMPILE_CACHE } = process.env;

export const COMPILED: Record<string, string> =
  NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
