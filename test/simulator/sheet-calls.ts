// Every call of IAM, RDS and VPC in the sheet of API facts (sections 1, 2 and 5), typed off it: success code, shape,
// and whether it is refused while the instance is busy. Not made from the simulator, which is measured by it.
import { DEMO_DOMAIN, DEMO_PROJECT, DEMO_USER } from '../../src/simulator/demo-account.ts';
import { type Json, mysqlHa, passwordAuth, postgres } from './test-cloud.ts';

export type SheetCall = {
  /** P is the project, I an instance, B a manual backup, C an own parameter template, J a job. */
  call: string;
  /** The kind of instance it needs. */
  on?: Record<string, unknown>;
  body?: (ids: Ids) => unknown;
  headers?: (ids: Ids) => Record<string, string>;
  want: number;
  /** As tap's match has it: types by constructor. Absent: the body is empty. */
  shape?: Json;
  /** What a busy instance answers. */
  busy?: [number, string];
  /** Puts the instance into this state before. */
  from?: string;
  /** Needs no token. */
  isOpen?: boolean;
};

export type Ids = {
  instance: string;
  node: string;
  backup: string;
  template: string;
  job: string;
  token: string;
  network: Record<string, string>;
  order: Record<string, unknown>;
  now: number;
};

const BUSY: [number, string] = [409, 'DBS.200047'];
const job = { job_id: String };
const workflow = { workflowId: String };
const projects = {
  projects: [{ id: String, name: String, domain_id: String, enabled: true, is_domain: false }],
};
const parameters = {
  datastore_name: String,
  datastore_version_name: String,
  configuration_parameters: [
    {
      name: String,
      value: String,
      restart_required: Boolean,
      readonly: Boolean,
      value_range: String,
      type: /^(integer|string|boolean|list|float)$/,
      description: String,
    },
  ],
};
const version = { id: 'v3.6', status: 'stable', links: [{ rel: 'self', href: /\/v3\/$/ }] };
const token = { token: { methods: ['password'], expires_at: /Z$/, project: DEMO_PROJECT, catalog: Array } };
const fromBackup = (ids: Ids) => ({ instance_id: ids.instance, type: 'backup', backup_id: ids.backup });

const iam: SheetCall[] = [
  { call: 'GET /', want: 300, isOpen: true, shape: { versions: { values: [version] } } },
  { call: 'GET /v3', want: 200, isOpen: true, shape: { version } },
  { call: 'POST /v3/auth/tokens', want: 201, isOpen: true, body: () => passwordAuth(), shape: token },
  {
    call: 'GET /v3/auth/tokens',
    want: 200,
    headers: (ids) => ({ 'x-subject-token': ids.token }),
    shape: token,
  },
  { call: 'HEAD /v3/auth/tokens', want: 200, headers: (ids) => ({ 'x-subject-token': ids.token }) },
  { call: 'DELETE /v3/auth/tokens', want: 204, headers: (ids) => ({ 'x-subject-token': ids.token }) },
  {
    call: 'GET /v3/auth/catalog',
    want: 200,
    shape: { catalog: [{ type: 'identity' }], links: { self: String } },
  },
  { call: 'GET /v3/projects?name=eu-de', want: 200, shape: { ...projects, links: { next: null } } },
  { call: 'GET /v3/auth/projects', want: 200, shape: projects },
  { call: `GET /v3/users/${DEMO_USER.id}/projects`, want: 200, shape: projects },
  { call: 'GET /v3/auth/domains', want: 200, shape: { domains: [DEMO_DOMAIN] } },
  {
    call: 'POST /v3.0/OS-CREDENTIAL/securitytokens',
    want: 201,
    isOpen: true,
    body: (ids) => ({ auth: { identity: { methods: ['token'], token: { id: ids.token } } } }),
    shape: { credential: { access: String, secret: String, securitytoken: String, expires_at: /Z$/ } },
  },
];

const instances: SheetCall[] = [
  {
    call: 'GET /v3/P/instances',
    want: 200,
    shape: {
      total_count: 1,
      instances: [
        {
          id: /^[0-9a-f]{32}in01$/,
          status: 'ACTIVE',
          created: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/,
          port: Number,
          cpu: '2',
          mem: '4',
          private_ips: [String],
          volume: { type: String, size: Number },
          backup_strategy: { start_time: String, keep_days: Number },
          nodes: [
            { id: /no01$/, name: /_node0$/, role: 'master', status: 'ACTIVE', availability_zone: String },
          ],
          related_instance: [],
          tags: [],
          enable_ssl: false,
          charge_info: { charge_mode: 'postPaid' },
        },
      ],
    },
  },
  {
    call: 'POST /v3/P/instances',
    want: 202,
    body: (ids) => ids.order,
    shape: { instance: { id: /in01$/, status: 'BUILD', port: '3306', volume: { size: 40 } }, job_id: String },
  },
  { call: 'DELETE /v3/P/instances/I', want: 202, shape: job, busy: BUSY },
];

const action = (body: unknown): SheetCall => ({
  call: 'POST /v3/P/instances/I/action',
  want: 202,
  body: () => body,
  shape: job,
  busy: BUSY,
});

const changes: SheetCall[] = [
  action({ restart: {} }),
  action({ resize_flavor: { spec_code: 'rds.mysql.n1.xlarge.2' } }),
  action({ enlarge_volume: { size: 50 } }),
  action({ single_to_ha: { az_code_new_node: 'eu-de-02' } }),
  action({ change_volume: { volume_code: 'rds.mysql.volume.essd' } }),
  {
    call: 'PUT /v3/P/instances/I/failover',
    on: mysqlHa,
    want: 200,
    body: () => ({}),
    shape: { ...workflow, instanceId: String, nodeId: /no01$/ },
    busy: BUSY,
  },
  {
    call: 'PUT /v3/P/instances/I/failover/mode',
    on: mysqlHa,
    want: 200,
    body: () => ({ mode: 'async' }),
    shape: { ...workflow, instanceId: String, replicationMode: 'async' },
    busy: BUSY,
  },
  {
    call: 'PUT /v3/P/instances/I/failover/strategy',
    on: mysqlHa,
    want: 200,
    body: () => ({ repairStrategy: 'availability' }),
    shape: {},
    busy: BUSY,
  },
  {
    call: 'POST /v3/P/instances/I/migrateslave',
    on: mysqlHa,
    want: 200,
    body: (ids) => ({ nodeId: ids.node, azCode: 'eu-de-03' }),
    shape: workflow,
    busy: BUSY,
  },
  {
    call: 'POST /v3/P/instances/I/action/startup',
    from: 'SHUTDOWN',
    want: 200,
    body: () => ({}),
    shape: job,
  },
  { call: 'POST /v3/P/instances/I/action/shutdown', want: 200, body: () => ({}), shape: job, busy: BUSY },
  {
    call: 'POST /v3/P/instances/I/password',
    want: 200,
    body: () => ({ db_user_pwd: 'Neu-12345678' }),
    shape: {},
    busy: BUSY,
  },
  { call: 'PUT /v3/P/instances/I/name', want: 200, body: () => ({ name: 'renamed' }) },
  {
    call: 'PUT /v3/P/instances/I/alias',
    want: 200,
    body: () => ({ alias: null }),
    shape: { resp: 'successful' },
  },
  {
    call: 'PUT /v3/P/instances/I/port',
    want: 200,
    body: () => ({ port: 3307 }),
    shape: workflow,
    busy: BUSY,
  },
  {
    call: 'PUT /v3/P/instances/I/ip',
    want: 200,
    body: () => ({ new_ip: '192.168.7.7' }),
    shape: workflow,
    busy: BUSY,
  },
  {
    call: 'PUT /v3/P/instances/I/security-group',
    want: 200,
    body: (ids) => ({ security_group_id: ids.network.security_group_id }),
    shape: workflow,
    busy: BUSY,
  },
  { call: 'PUT /v3/P/instances/I/ssl', want: 200, body: () => ({ ssl_option: true }), shape: {}, busy: BUSY },
  {
    call: 'GET /v3/P/instances/I/ssl-cert/download-link',
    want: 200,
    shape: { cert_info_list: [{ category: 'international', download_link: /^http/ }] },
  },
  {
    call: 'PUT /v3/P/instances/I/public-ip',
    want: 200,
    body: () => ({ is_bind: true, public_ip: '80.158.1.2', public_ip_id: 'x' }),
    busy: BUSY,
  },
  {
    call: 'PUT /v3/P/instances/I/ops-window',
    want: 200,
    body: () => ({ start_time: '22:00', end_time: '02:00' }),
    shape: {},
  },
  { call: 'GET /v3/P/instances/I/disk-auto-expansion', want: 200, shape: { switch_option: false } },
  {
    call: 'PUT /v3/P/instances/I/disk-auto-expansion',
    want: 200,
    body: () => ({ switch_option: true, limit_size: 100, trigger_threshold: 15 }),
    shape: {},
    busy: BUSY,
  },
  {
    call: 'POST /v3/P/instances/I/db-upgrade',
    want: 202,
    body: () => ({ is_delayed: false }),
    shape: job,
    busy: BUSY,
  },
  { call: 'GET /v3/P/instances/I/major-version/available-version', on: postgres, want: 200, shape: Object },
  {
    call: 'POST /v3/P/instances/I/major-version/inspection',
    on: postgres,
    want: 200,
    body: () => ({ target_version: '17' }),
    shape: Object,
    busy: BUSY,
  },
  { call: 'GET /v3/P/instances/I/major-version/status?action=check', on: postgres, want: 200, shape: Object },
  {
    call: 'GET /v3/P/instances/I/major-version/inspection-histories',
    on: postgres,
    want: 200,
    shape: Object,
  },
  { call: 'GET /v3/P/instances/I/major-version/upgrade-histories', on: postgres, want: 200, shape: Object },
  {
    call: 'POST /v3/P/instances/I/create-dns',
    want: 202,
    body: () => ({ dns_type: 'private' }),
    shape: job,
    busy: BUSY,
  },
  {
    call: 'PUT /v3/P/instances/I/modify-dns',
    want: 202,
    body: () => ({ dns_type: 'private', dns_name_prefix: 'shop' }),
    shape: job,
    busy: BUSY,
  },
  { call: 'GET /v3/P/instances/I/dns?dns_type=private', want: 200, shape: Object },
  { call: 'GET /v3/P/instances/I/replication/status', want: 200, shape: Object },
  {
    call: 'PUT /v3/P/instances/recycle-policy',
    want: 200,
    body: () => ({ recycle_policy: { retention_period_in_days: '3' } }),
    shape: { result: 'success' },
  },
  { call: 'GET /v3/P/instances/recycle-policy', want: 200, shape: { retention_period_in_days: 7 } },
  { call: 'GET /v3/P/recycle-instances', want: 200, shape: { total_count: 0, instances: [] } },
];

const backupRow = {
  id: /br01$/,
  name: String,
  type: /^(auto|manual)$/,
  size: Number,
  status: 'COMPLETED',
  begin_time: /\+0000$/,
  end_time: /\+0000$/,
  instance_id: /in01$/,
  datastore: { type: 'MySQL', version: '8.0' },
};

const backups: SheetCall[] = [
  {
    call: 'GET /v3/P/instances/I/backups/policy',
    want: 200,
    shape: { backup_policy: { keep_days: 7, start_time: '01:00-02:00', period: String } },
  },
  {
    call: 'PUT /v3/P/instances/I/backups/policy',
    want: 200,
    body: () => ({ backup_policy: { keep_days: 5, start_time: '03:00-04:00', period: '1,3' } }),
  },
  {
    call: 'POST /v3/P/backups',
    want: 200,
    body: (ids) => ({ instance_id: ids.instance, name: 'by_hand' }),
    shape: {
      backup: {
        id: /br01$/,
        name: 'by_hand',
        begin_time: /T\d\d:\d\d:\d\d$/,
        status: 'BUILDING',
        type: 'manual',
      },
    },
    busy: BUSY,
  },
  { call: 'GET /v3/P/backups?instance_id=I', want: 200, shape: { backups: [backupRow], total_count: 2 } },
  { call: 'DELETE /v3/P/backups/B', want: 200 },
  {
    call: 'GET /v3/P/backup-files?backup_id=B',
    want: 200,
    shape: { files: [{ name: String, size: Number, download_link: /^http/ }], bucket: String },
  },
  { call: 'GET /v3/P/instances/I/restore-time', want: 200, shape: { restore_time: Array } },
  {
    call: 'POST /v3/P/instances/recovery',
    want: 200,
    body: (ids) => ({ source: fromBackup(ids), target: { instance_id: ids.instance } }),
    shape: job,
    busy: BUSY,
  },
  {
    call: 'POST /v3.1/P/instances/recovery',
    want: 202,
    body: (ids) => ({ source: fromBackup(ids), target: { instance_id: ids.instance } }),
    shape: job,
    busy: BUSY,
  },
  {
    call: 'POST /v3/P/instances',
    want: 202,
    body: (ids) => ({
      ...ids.order,
      datastore: undefined,
      region: undefined,
      restore_point: fromBackup(ids),
    }),
    shape: { instance: { status: 'BUILD' }, job_id: String },
  },
  {
    call: 'POST /v3/P/instances',
    want: 202,
    body: (ids) => ({
      name: 'reader',
      replica_of_id: ids.instance,
      flavor_ref: 'rds.mysql.n1.large.2.rr',
      volume: { type: 'CLOUDSSD', size: 40 },
      availability_zone: 'eu-de-01',
    }),
    shape: { instance: { status: 'BUILD' }, job_id: String },
    busy: BUSY,
  },
];

const lookups: SheetCall[] = [
  { call: 'GET /v3/P/datastores/postgresql', want: 200, shape: { dataStores: [{ id: String, name: '13' }] } },
  {
    call: 'GET /v3/P/flavors/MySQL?version_name=8.0',
    want: 200,
    shape: {
      flavors: [
        {
          id: String,
          spec_code: /^rds\.mysql\./,
          vcpus: /^\d+$/,
          ram: Number,
          version_name: Array,
          instance_mode: /^(ha|single|replica)$/,
          az_status: { 'eu-de-01': /^(normal|unsupported|sellout)$/ },
          group_type: String,
        },
      ],
    },
  },
  {
    call: 'GET /v3/P/instances/I/flavors-resize',
    want: 200,
    shape: {
      flavor_groups: [
        { group_type: String, compute_flavors: [{ code: String, vcpus: String, ram: String }] },
      ],
    },
  },
  {
    call: 'GET /v3/P/storage-type/mysql?version_name=8.0',
    want: 200,
    shape: { storage_type: [{ name: 'CLOUDSSD', az_status: Object }] },
  },
  { call: 'GET /v3/P/instances/I/storage-used-space', want: 200, shape: { node_id: /no01$/, used: /^\d/ } },
  { call: 'GET /v3/P/quotas', want: 200, shape: { quotas: { resources: [{ type: 'instance', used: 1 }] } } },
  { call: 'GET /v3/P/collations', want: 200, shape: { charSets: Array } },
];

const templates: SheetCall[] = [
  {
    call: 'GET /v3/P/configurations',
    want: 200,
    shape: {
      configurations: [{ id: /pr0\d$/, name: String, datastore_name: String, user_defined: Boolean }],
    },
  },
  {
    call: 'POST /v3/P/configurations',
    want: 200,
    body: () => ({
      name: 'mine',
      values: { wait_timeout: '60' },
      datastore: { type: 'MySQL', version: '8.0' },
    }),
    shape: { configuration: { id: /pr01$/, name: 'mine' } },
  },
  { call: 'GET /v3/P/configurations/C', want: 200, shape: { id: /pr01$/, name: 'own', ...parameters } },
  { call: 'PUT /v3/P/configurations/C', want: 200, body: () => ({ values: { wait_timeout: '90' } }) },
  { call: 'DELETE /v3/P/configurations/C', want: 200 },
  {
    call: 'PUT /v3/P/configurations/C/apply',
    want: 200,
    body: (ids) => ({ instance_ids: [ids.instance] }),
    shape: {
      configuration_id: /pr01$/,
      configuration_name: 'own',
      apply_results: [
        { instance_id: /in01$/, instance_name: String, restart_required: Boolean, success: true },
      ],
      success: true,
      job_id: String,
    },
  },
  { call: 'GET /v3/P/instances/I/configurations', want: 200, shape: parameters },
  {
    call: 'PUT /v3/P/instances/I/configurations',
    want: 200,
    body: () => ({ values: { wait_timeout: '60' } }),
    shape: { restart_required: false, job_id: String, ignored_params: [] },
    busy: [403, 'DBS.212033'],
  },
];

const span = 'start_date=2025-01-01T00:00:00+0000&end_date=2025-01-02T00:00:00+0000';
const slowRow = { count: String, time: String, database: String, query_sample: String, type: String };
const download = { status: /^(FINISH|CREATING|FAILED)$/, list: Array, count: Number };

const logsTagsJobs: SheetCall[] = [
  {
    call: `GET /v3/P/instances/I/errorlog?${span}`,
    want: 200,
    shape: { error_log_list: [{ time: String, level: String, content: String }], total_record: Number },
  },
  {
    call: `GET /v3/P/instances/I/slowlog?${span}`,
    want: 200,
    shape: { slow_log_list: [slowRow], total_record: Number },
  },
  {
    call: 'POST /v3.1/P/instances/I/slow-logs/statistics',
    want: 200,
    body: () => ({ start_time: '2025-01-01T00:00:00+0000', end_time: '2025-01-02T00:00:00+0000' }),
    shape: { slow_log_list: [{ rows_sent: Number, rows_examined: Number }], total_count: Number },
  },
  { call: 'POST /v3/P/instances/I/slowlog-download', want: 200, body: () => ({}), shape: download },
  { call: 'POST /v3/P/instances/I/errorlog-download', want: 200, body: () => ({}), shape: download },
  {
    call: 'POST /v3/P/instances/I/tags/action',
    want: 200,
    body: () => ({ action: 'create', tags: [{ key: 'k', value: 'v' }] }),
  },
  { call: 'GET /v3/P/instances/I/tags', want: 200, shape: { tags: [] } },
  { call: 'GET /v3/P/tags', want: 200, shape: { tags: [] } },
  {
    call: 'GET /v3/P/jobs?id=J',
    want: 200,
    shape: {
      job: {
        id: String,
        name: 'CreateMysqlSingleHAInstance',
        status: 'Completed',
        created: /\+0000$/,
        ended: /\+0000$/,
        process: String,
        instance: { id: /in01$/, name: String },
        entities: { instance: { endpoint: /:3306$/ }, resource_ids: Array },
      },
    },
  },
  {
    call: 'GET /v3/P/tasklist',
    want: 200,
    shape: {
      total_count: Number,
      actions: Array,
      tasks: [{ id: String, create_time: Number, status: String }],
    },
  },
];

const vpc: SheetCall[] = [
  {
    call: 'GET /v1/P/vpcs',
    want: 200,
    shape: { vpcs: [{ id: String, name: 'default', status: 'OK', routes: [] }] },
  },
  {
    call: 'GET /v1/P/subnets',
    want: 200,
    shape: { subnets: [{ id: String, vpc_id: String, neutron_network_id: String, dnsList: Array }] },
  },
  {
    call: 'GET /v2.0/security-groups?name=default',
    want: 200,
    shape: { security_groups: [{ id: String, name: 'default', security_group_rules: [] }] },
  },
  { call: 'GET /v1/P/security-groups', want: 200, shape: { security_groups: [{ id: String }] } },
  {
    call: 'GET /v2.0/networks?name=default',
    want: 200,
    shape: { networks: [{ id: String, subnets: [String] }] },
  },
  { call: 'GET /v2.0/routers?name=default', want: 200, shape: { routers: [{ id: String }] } },
  { call: 'GET /v1/P/publicips', want: 200, shape: { publicips: [] } },
];

export const sheet: Record<'iam' | 'rds' | 'vpc', SheetCall[]> = {
  iam,
  rds: [...instances, ...changes, ...backups, ...lookups, ...templates, ...logsTagsJobs],
  vpc,
};
