// `node --import` this: whoever asks for typebox gets it packed, from the folder in PACKED_TYPEBOX (see packed.ts).
import { registerHooks } from 'node:module';

const { PACKED_TYPEBOX: folder } = process.env;
const ASKED = /^typebox(?:\/([a-z/]+))?$/;

if (folder !== undefined)
  registerHooks({
    resolve(specifier, context, next) {
      const [asked, name = 'index'] = ASKED.exec(specifier) ?? [];
      return asked === undefined
        ? next(specifier, context)
        : { url: `${folder}${name}.mjs`, format: 'module', shortCircuit: true };
    },
  });
