// Who may import whom (CONTRIBUTING.md says it in words). Every rule has a fixture in test/fixtures/imports that
// breaks it; test/tools/boundaries.test.ts fails when a rule has none, or when its fixture no longer breaks it.

const npm = (...names) => `(^|/)node_modules/(${names.join('|')})/`;
const ENTRIES = [
  '^src/server\\.ts$',
  '^src/simulator/main\\.ts$',
  '^src/local/(demo|main)[^/]*\\.ts$',
  '^src/jobs/',
  '^src/plugin/main\\.ts$',
];
/** Of an Rds, of an RdsBackup, and of a namespace that shares. */
const DECIDE = '^src/sync/(rdsbackup/|share/)?decide/';
const DEMO = '^src/local/demo[^/]*\\.ts$';
const PLAYGROUND = '^src/local/playground/';
const TYPE_ONLY = { dependencyTypesNot: ['type-only'] };
const NOT_CORE = { dependencyTypesNot: ['core'] };

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

module.exports = {
  forbidden: [
    rule(
      'rds-stands-alone',
      'src/rds is the resource itself: it imports only itself and typebox',
      { path: '^src/rds/' },
      { pathNot: ['^src/rds/', npm('typebox')] },
    ),
    rule(
      'errors-and-clock-import-nothing',
      'src/errors.ts and src/clock.ts are leaves',
      { path: '^src/(errors|clock)\\.ts$' },
      { path: '.' },
    ),
    rule(
      'decide-is-pure',
      'src/sync/decide imports src/rds, itself, and the types of children and of the cloud; no node:*, no package',
      { path: DECIDE },
      { pathNot: ['^src/rds/', DECIDE, '^src/sync/children/', '^src/otc/cloud\\.ts$'] },
    ),
    rule(
      'decide-borrows-types-only',
      'src/sync/decide may name types of children and of the cloud, never run their code',
      { path: DECIDE },
      { path: ['^src/sync/children/', '^src/otc/'], ...TYPE_ONLY },
    ),
    rule(
      'children-are-pure',
      'src/sync/children imports src/rds, itself, decide/observed.ts, and types of decide and of the cloud',
      { path: '^src/sync/children/' },
      { pathNot: ['^src/rds/', '^src/sync/decide/', '^src/sync/children/', '^src/otc/cloud\\.ts$'] },
    ),
    rule(
      'children-borrow-types-only',
      'src/sync/children may name types of decide and of the cloud, never run their code',
      { path: '^src/sync/children/' },
      { path: ['^src/sync/decide/', '^src/otc/'], pathNot: '^src/sync/decide/observed\\.ts$', ...TYPE_ONLY },
    ),
    rule(
      'sync-knows-no-stand-in',
      'src/sync imports decide, children, otc, rds, kube, errors, clock, metrics; no config, no stand-in',
      { path: '^src/sync/', pathNot: [DECIDE, '^src/sync/children/'] },
      {
        pathNot: [
          '^src/(sync|otc|rds|kube)/',
          '^src/(errors|clock|metrics)\\.ts$',
          npm('fastify', '@fastify/type-provider-typebox', 'pino', 'typebox'),
        ],
        ...NOT_CORE,
      },
    ),
    rule(
      'otc-knows-no-kubernetes',
      'src/otc imports only itself, errors, clock, undici and node:*',
      { path: '^src/otc/' },
      { pathNot: ['^src/otc/', '^src/(errors|clock)\\.ts$', npm('undici')], ...NOT_CORE },
    ),
    rule(
      'kube-knows-no-cloud',
      'src/kube imports only itself, rds, errors, clock, undici, yaml, types of pino and node:*',
      { path: '^src/kube/' },
      {
        pathNot: ['^src/(kube|rds)/', '^src/(errors|clock)\\.ts$', npm('undici', 'yaml', 'pino')],
        ...NOT_CORE,
      },
    ),
    rule(
      'receiver-only-hints',
      'src/receiver imports itself, rds, kube, clock, how messages look, fastify, undici and node:*; no sync',
      { path: '^src/receiver/' },
      {
        pathNot: [
          '^src/(receiver|rds|kube)/',
          '^src/clock\\.ts$',
          '^src/otc/(smn-message|monitoring)\\.ts$',
          npm('fastify', 'undici', 'pino'),
        ],
        ...NOT_CORE,
      },
    ),
    rule(
      'a-logger-is-a-parameter',
      'src/sync and src/kube name the type of pino; only src/logger.ts makes one',
      { path: '^src/', pathNot: '^src/(logger\\.ts$|jobs/)' },
      { path: npm('pino'), ...TYPE_ONLY },
    ),
    rule(
      'simulator-shares-no-code',
      'src/simulator imports only itself, clock, otc/send.ts and node:*: a shared mistake would hide itself',
      { path: '^src/simulator/' },
      { pathNot: ['^src/simulator/', '^src/clock\\.ts$', '^src/otc/send\\.ts$'], ...NOT_CORE },
    ),
    rule(
      'local-plays-metacontroller-only',
      'src/local imports only itself, clock, kube/api.ts, rds, yaml, undici and node:* (the demo may wire more)',
      { path: '^src/local/', pathNot: [DEMO, PLAYGROUND] },
      {
        pathNot: ['^src/(local|rds)/', '^src/clock\\.ts$', '^src/kube/api\\.ts$', npm('yaml', 'undici')],
        ...NOT_CORE,
      },
    ),
    rule(
      'playground-shows-stand-ins',
      'src/local/playground imports local, simulator, rds, clock, kube/api.ts, otc/send.ts, yaml, fastify and node:*',
      { path: PLAYGROUND },
      {
        pathNot: [
          '^src/(local|simulator|rds)/',
          '^src/clock\\.ts$',
          '^src/(kube/api|otc/send)\\.ts$',
          npm('yaml', 'fastify'),
        ],
        ...NOT_CORE,
      },
    ),
    rule(
      'jobs-never-sync',
      'src/jobs imports only itself, otc, rds, errors, clock and config of our own code',
      { path: '^src/jobs/' },
      { path: '^src/', pathNot: ['^src/(jobs|otc|rds)/', '^src/(errors|clock|config|logger)\\.ts$'] },
    ),
    rule(
      'plugin-is-a-client',
      'src/plugin imports only itself, rds, otc, clock, errors, what reads a kubeconfig, yaml and node:*; undici needs a newer Node',
      { path: '^src/plugin/' },
      {
        pathNot: [
          '^src/(plugin|rds)/',
          '^src/otc/(cloud|credentials|open|send)\\.ts$',
          '^src/(errors|clock)\\.ts$',
          '^src/kube/(api|connection|kubeconfig)\\.ts$',
          npm('yaml'),
        ],
        ...NOT_CORE,
      },
    ),
    rule(
      'nobody-needs-the-plugin',
      'the operator knows nothing of the command line',
      { path: '^src/', pathNot: '^src/plugin/' },
      { path: '^src/plugin/' },
    ),
    rule(
      'app-assembles-sync',
      'src/app.ts imports only sync and metrics of our own code',
      { path: '^src/app\\.ts$' },
      { path: '^src/', pathNot: ['^src/sync/', '^src/metrics\\.ts$'] },
    ),
    rule(
      'stand-ins-stay-outside',
      'the simulator and the local loop are imported only by server.ts, the demo, tests and bench',
      { pathNot: ['^src/server\\.ts$', '^src/(simulator|local)/', '^(test|bench)/'] },
      { path: '^src/(simulator|local)/' },
    ),
    rule(
      'process-belongs-to-entries',
      'only entry files touch the process (Biome watches the global, this rule the import)',
      { path: '^src/', pathNot: ENTRIES },
      { path: '^(node:)?process$' },
    ),
    rule(
      'src-never-imports-test',
      'src knows nothing of test, bench and tools',
      { path: '^src/' },
      { path: '^(test|bench|tools)/' },
    ),
    rule('no-cycles', 'modules form no circle', { path: '.' }, { circular: true }),
    rule(
      'no-barrels',
      'a file is imported where it lives; src has no index.ts',
      { path: ['^src/index\\.ts$', '^src/.+/index\\.ts$'] },
      { path: '.' },
    ),
    rule('everything-resolves', 'an import leads to a file', { path: '.' }, { couldNotResolve: true }),
  ],
  options: {
    // TypeScript 7 has no API that dependency-cruiser knows: without swc it sees no module at all.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^test/fixtures/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
