// `version`: which plugin this is.

import { type Command, json } from '../command.ts';

export const version: Command = {
  name: 'version',
  summary: 'show the version of this plugin',
  synopsis: '',
  text: 'Plugin and operator of one version fit; older ones of the same minor version do too.',
  takes: [0, 0],
  options: {},
  outputs: ['table', 'json'],
  isOffline: true,
  async run({ output }, world) {
    world.out(output === 'json' ? json({ version: world.version }) : `kubectl-rds ${world.version}\n`);
    return 0;
  },
};
