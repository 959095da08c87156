// Call sites of the cloud and what can go wrong at each. A new call of src/otc must get its row here: an unknown
// one stops the schedule.

import type { OtcRequest } from '../../src/otc/send.ts';

const TRANSPORT = [
  'timeout-before',
  'timeout-after',
  'connection',
  '500-before',
  '503',
  '401',
  '403',
  '404',
  '429',
  '429-no-header',
  'slow',
  'pause',
  'truncated',
  'empty',
  'echo',
  'kill-before',
  'kill-after',
] as const;

const READ = TRANSPORT;
/** Lists that may lie by leaving rows out. */
const LIST = [...READ, 'missing-page', 'empty-list'] as const;
const WRITE = [...TRANSPORT, '500-after', 'late', '409'] as const;

export const OTC_SITES = {
  'otc login': READ,
  'otc flavors': LIST,
  'otc vpcs': READ,
  'otc subnets': READ,
  'otc security groups': READ,
  'otc list': LIST,
  'otc find by id': LIST,
  'otc find by name': LIST,
  'otc backups': LIST,
  'otc tasks': LIST,
  'otc tags': READ,
  'otc job': READ,
  'otc create': [...WRITE, 'failed-build', 'stuck-build', 'sold-out'],
  'otc delete': WRITE,
  'otc backup': [...WRITE, 'failed-backup'],
  'otc restart': WRITE,
  'otc enlarge': WRITE,
  'otc resize': WRITE,
  'otc password': WRITE,
  'otc tag': WRITE,
  'otc untag': WRITE,
} as const satisfies Record<string, readonly string[]>;

export type OtcSite = keyof typeof OTC_SITES;

/** Must not be repeated: sent only under a claim. */
export const CLAIMED_SITES: ReadonlySet<string> = new Set<OtcSite>([
  'otc create',
  'otc delete',
  'otc backup',
  'otc restart',
  'otc enlarge',
  'otc resize',
  'otc password',
]);

export const isWriteSite = (site: OtcSite): boolean =>
  CLAIMED_SITES.has(site) || site === 'otc tag' || site === 'otc untag';

const byRoute: Record<string, OtcSite> = {
  'POST /v3/auth/tokens': 'otc login',
  'GET /v3/{project}/flavors/{db}': 'otc flavors',
  'GET /v1/{project}/vpcs': 'otc vpcs',
  'GET /v1/{project}/subnets': 'otc subnets',
  'GET /v2.0/security-groups': 'otc security groups',
  'GET /v3/{project}/backups': 'otc backups',
  'GET /v3/{project}/tasklist': 'otc tasks',
  'GET /v3/{project}/instances/{id}/tags': 'otc tags',
  'GET /v3/{project}/jobs': 'otc job',
  'POST /v3/{project}/instances': 'otc create',
  'DELETE /v3/{project}/instances/{id}': 'otc delete',
  'POST /v3/{project}/backups': 'otc backup',
  'POST /v3/{project}/instances/{id}/password': 'otc password',
};

const verbs: [string, OtcSite][] = [
  ['"restart"', 'otc restart'],
  ['"enlarge_volume"', 'otc enlarge'],
  ['"resize_flavor"', 'otc resize'],
];

/** undefined: a call that nobody told the simulation about. */
export function otcSite(request: OtcRequest): OtcSite | undefined {
  const key = `${request.method} ${request.route}`;
  const known = byRoute[key];
  if (known) return known;
  const body = request.body ?? '';
  if (key === 'GET /v3/{project}/instances') {
    if (/[?&]id=/.test(request.url)) return 'otc find by id';
    return /[?&]name=/.test(request.url) ? 'otc find by name' : 'otc list';
  }
  if (key === 'POST /v3/{project}/instances/{id}/tags/action') {
    return body.includes('"create"') ? 'otc tag' : 'otc untag';
  }
  const verb = verbs.find(([word]) => body.includes(word))?.[1];
  return key === 'POST /v3/{project}/instances/{id}/action' ? verb : undefined;
}

/** `/instances/{id}/…` -> id; for a backup the instance in the body. */
export function instanceIdOf(request: OtcRequest): string | undefined {
  const fromPath = /\/instances\/([0-9a-f]{32}in\d\d)/.exec(request.url)?.[1];
  return fromPath ?? /"instance_id":"([^"]+)"/.exec(request.body ?? '')?.[1];
}
