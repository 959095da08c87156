// `node --import` this before a test file. tap follows every promise with async hooks to know which test an uncaught
// error belongs to: a sixth of the time of a test that drives the loop. Here such an error ends the file, with its stack.
import { registerHooks } from 'node:module';

const NO_DOMAIN = 'export class Domain { destroyed = false; destroy() { this.destroyed = true; } }';

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'async-hook-domain'
      ? { url: `data:text/javascript,${encodeURIComponent(NO_DOMAIN)}`, format: 'module', shortCircuit: true }
      : next(specifier, context),
});
