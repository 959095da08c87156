// Where the test runner keeps compiled code, and the packed typebox. A program with an environment of its own gets both
// too: it starts sooner, and nothing else changes.

const { NODE_COMPILE_CACHE, PACKED_TYPEBOX } = process.env;
const USE_PACKED = new URL('../../tools/use-packed.ts', import.meta.url).href;

export const COMPILED: Record<string, string> = {
  ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
  ...(PACKED_TYPEBOX === undefined ? {} : { PACKED_TYPEBOX, NODE_OPTIONS: `--import=${USE_PACKED}` }),
};
