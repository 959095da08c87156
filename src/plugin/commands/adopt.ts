// `adopt --list`: instances of the project that no Rds manages, and manifests that would take them over.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { adoptManifest, type Unmanaged, unmanaged } from '../adopt-manifest.ts';
import { type Command, json, textFlag } from '../command.ts';
import { usage } from '../failure.ts';
import { instancesOf, openCloudView } from '../open-cloud.ts';
import type { Manifest } from '../restore-manifest.ts';
import { table } from '../screen.ts';

export const adopt: Command = {
  name: 'adopt',
  summary: 'find instances that no Rds manages and write manifests that take them over',
  synopsis: '--list [--write FOLDER] [-o yaml]',
  text: 'Reads the project by your OS_* variables and every Rds of the cluster; changes neither. A manifest names the instance in the annotation otc.mcsps.de/adopt, which is the consent, and says what the instance is already, so that nothing is changed by taking it over; deletionPolicy is Retain. Its root password is not known: put it into a Secret and name that in passwordSecretRef to get a connection Secret.',
  takes: [0, 0],
  options: {
    list: { means: 'list them (what else there may be to adopt comes with its own word)' },
    write: { takes: 'FOLDER', means: 'write one manifest each into this folder' },
  },
  outputs: ['table', 'json', 'yaml'],
  async run(given, world) {
    if (given.flags.list !== true)
      throw usage(
        'adopt needs --list.',
        'To take one over, apply its manifest: kubectl rds adopt --list -o yaml',
      );
    const cloud = openCloudView(world);
    const cluster = await world.connect();
    const found = unmanaged(await instancesOf(cloud), await cluster.rdss(undefined));
    const manifests = found
      .filter(({ hindrance }) => hindrance === undefined)
      .map(({ instance }) => adoptManifest(instance, cloud.credentials.region, cluster.namespace));
    const folder = textFlag(given, 'write');
    if (folder !== undefined) for (const file of written(folder, manifests)) world.tell(`wrote ${file}`);
    if (given.output === 'yaml')
      world.out(manifests.map((one) => stringify(one, { lineWidth: 110 })).join('---\n'));
    else if (given.output === 'json')
      world.out(json(found.map(({ instance, hindrance }) => ({ ...shown(instance), hindrance }))));
    else if (found.length > 0) world.out(listed(found, world.paint));
    if (found.length === 0) world.tell('Every instance of the project has its Rds.');
    else if (given.output === 'table' && folder === undefined)
      world.tell(
        'Manifests: kubectl rds adopt --list -o yaml, or --write FOLDER. Read them, then kubectl apply.',
      );
    return 0;
  },
};

const shown = ({ id, name, status, type, engine, version, flavor, volumeGb, ip }: Unmanaged['instance']) => ({
  id,
  name,
  status,
  type,
  engine,
  version,
  flavor,
  volumeGb,
  ip,
});

function listed(found: readonly Unmanaged[], paint: Parameters<typeof table>[2]): string {
  const rows = found.map(({ instance, hindrance }) => {
    const { id, name, status, type, engine, version, flavor, volumeGb } = shown(instance);
    return [name, id, status, type, `${engine} ${version}`, flavor, `${volumeGb} GB`, hindrance ?? ''];
  });
  return table(['NAME', 'ID', 'STATUS', 'TYPE', 'ENGINE', 'FLAVOR', 'VOLUME', 'HINDRANCE'], rows, paint);
}

/** Never over a file that is there: it may have been edited. */
function written(folder: string, manifests: readonly Manifest[]): string[] {
  mkdirSync(folder, { recursive: true });
  return manifests.map((manifest) => {
    const { namespace, name } = manifest.metadata;
    const file = join(folder, `${namespace}-${name}.yaml`);
    try {
      writeFileSync(file, stringify(manifest, { lineWidth: 110 }), { flag: 'wx' });
    } catch {
      throw usage(`${file} is there already, or cannot be written.`, 'Choose an empty folder.');
    }
    return file;
  });
}
