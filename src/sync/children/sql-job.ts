// The SQL Job and the Secret with its wish. The administrator's login is mounted from the connection Secret,
// so that it is copied nowhere.

import { PART, SQL_CONTAINER, SQL_PART } from '../../rds/job-state.ts';
import { connectionSecretName, rootSecretName } from '../../rds/names.ts';
import { SQL_JOB_PATHS, SQL_REFUSED, type SqlWish } from '../../rds/sql-wish.ts';
import type { ChildObject } from '../decide/observed.ts';
import { MANAGED_BY } from './labels.ts';
import { encoded } from './secrets.ts';

export type SqlJobWish = {
  /** Of the Job and of its Secret. */
  name: string;
  wish: SqlWish;
  /** By the file that the wish names. */
  passwords: Record<string, string>;
  image: string;
  /** The administrator whose password is in the Secret of root; absent: the login of the connection Secret. */
  root?: string;
};

/** For the Job with all its tries; the program ends itself earlier, to leave a report. */
const JOB_SECONDS = 300;
const PROGRAM_SECONDS = 120;
const NOBODY = 65532;
const FILE_MODE = 0o440;

const LABELS = { ...MANAGED_BY, [PART]: SQL_PART };

type Rds = { name: string; namespace: string };

export function sqlJob(rds: Rds, job: SqlJobWish): ChildObject[] {
  const metadata = { name: job.name, namespace: rds.namespace, labels: LABELS };
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata,
      type: 'Opaque',
      data: encoded({
        'wish.json': JSON.stringify(job.wish),
        ...job.passwords,
        ...(job.root === undefined ? {} : { username: job.root }),
      }),
    },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata,
      spec: {
        activeDeadlineSeconds: JOB_SECONDS,
        backoffLimit: 2,
        // What the server refuses once it refuses again.
        podFailurePolicy: {
          rules: [
            {
              action: 'FailJob',
              onExitCodes: { containerName: SQL_CONTAINER, operator: 'In', values: [SQL_REFUSED] },
            },
          ],
        },
        template: { metadata: { labels: LABELS }, spec: podSpec(rds, job) },
      },
    },
  ];
}

function podSpec(rds: Rds, { name, image, root }: SqlJobWish): Record<string, unknown> {
  return {
    restartPolicy: 'Never',
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: NOBODY,
      runAsGroup: NOBODY,
      fsGroup: NOBODY,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    containers: [
      {
        name: SQL_CONTAINER,
        image,
        command: ['node', 'src/jobs/sql.ts'],
        env: [{ name: 'SQL_DEADLINE_SECONDS', value: `${PROGRAM_SECONDS}` }],
        terminationMessagePath: SQL_JOB_PATHS.termination,
        terminationMessagePolicy: 'File',
        resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '256Mi' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [
          { name: 'wish', mountPath: SQL_JOB_PATHS.wish, readOnly: true },
          { name: 'login', mountPath: SQL_JOB_PATHS.login, readOnly: true },
        ],
      },
    ],
    volumes: [
      { name: 'wish', secret: { secretName: name, defaultMode: FILE_MODE } },
      root === undefined ? connectionLogin(rds) : rootLogin(rds, name),
    ],
  };
}

const items = (...keys: string[]) => keys.map((key) => ({ key, path: key }));

function connectionLogin({ name }: Rds): Record<string, unknown> {
  return {
    name: 'login',
    secret: {
      secretName: connectionSecretName(name),
      defaultMode: FILE_MODE,
      items: items('ip', 'port', 'username', 'password'),
    },
  };
}

/** The login of the connection Secret takes turns; the one of root is only the operator's. */
function rootLogin({ name }: Rds, job: string): Record<string, unknown> {
  return {
    name: 'login',
    projected: {
      defaultMode: FILE_MODE,
      sources: [
        { secret: { name: connectionSecretName(name), items: items('ip', 'port') } },
        { secret: { name: rootSecretName(name), items: items('password') } },
        { secret: { name: job, items: items('username') } },
      ],
    },
  };
}
