// The log Job and the Secret with its credential. The credential is a file that only its container sees; nothing
// secret is in the Job itself.

import { isoTime } from '../../rds/conditions.ts';
import { PART } from '../../rds/job-state.ts';
import { FORM_ANNOTATION, LOGS_PART, UNTIL_ANNOTATION } from '../../rds/log-children.ts';
import { CONTAINER_DEADLINE_SECONDS, JOB_DEADLINE_SECONDS, type LogOrder } from '../../rds/log-order.ts';
import { LOG_NAMES, type LogName } from '../../rds/log-report.ts';
import type { EngineName } from '../../rds/spec.ts';
import type { ChildObject, IssuedCredential } from '../decide/observed.ts';
import { MANAGED_BY } from './labels.ts';
import { encoded } from './secrets.ts';

export type LogJobInputs = {
  name: string;
  namespace: string;
  image: string;
  instanceId: string;
  engine: EngineName;
  logs: LogOrder;
};

const LABELS = { ...MANAGED_BY, [PART]: LOGS_PART };

export function credentialSecret(
  namespace: string,
  { name, form, files, untilMs }: IssuedCredential,
): ChildObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace,
      labels: LABELS,
      annotations: {
        [FORM_ANNOTATION]: form,
        [UNTIL_ANNOTATION]: isoTime(untilMs),
      },
    },
    type: 'Opaque',
    // What is in it is the only way to revoke it: nobody may write over it.
    immutable: true,
    data: encoded(files),
  };
}

const MOUNT = '/var/run/rds-pilot';
const FILE = 'access.json';
const REPORT_FILE = '/dev/termination-log';
/** The image's own user: the API server takes no name for it. */
const USER = 65532;

export function logJob(inputs: LogJobInputs): ChildObject {
  const { name, namespace } = inputs;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace, labels: LABELS },
    spec: {
      // A second pod would find a credential that the first one has revoked.
      backoffLimit: 0,
      activeDeadlineSeconds: JOB_DEADLINE_SECONDS,
      template: {
        metadata: { labels: LABELS },
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          securityContext: {
            runAsNonRoot: true,
            runAsUser: USER,
            runAsGroup: USER,
            fsGroup: USER,
            seccompProfile: { type: 'RuntimeDefault' },
          },
          containers: LOG_NAMES.map((log) => container(log, inputs)),
          volumes: LOG_NAMES.map((log) => ({
            name: volumeOf(log),
            secret: { secretName: name, defaultMode: 0o440, items: [{ key: log, path: FILE }] },
          })),
        },
      },
    },
  };
}

const volumeOf = (log: LogName) => `${log}-credential`;

function container(log: LogName, { image, instanceId, engine, logs }: LogJobInputs) {
  const top = log === 'slowlog' && logs.top > 0 ? ['--top', `${logs.top}`] : [];
  return {
    name: log,
    image,
    command: ['node', 'src/jobs/logs.ts', log],
    args: [
      ...['--instance', instanceId, '--engine', engine],
      ...['--from', isoTime(logs.fromMs), '--to', isoTime(logs.toMs)],
      ...['--deadline-seconds', `${CONTAINER_DEADLINE_SECONDS}`],
      ...['--credential-file', `${MOUNT}/${FILE}`, '--report-file', REPORT_FILE],
      ...top,
    ],
    terminationMessagePath: REPORT_FILE,
    volumeMounts: [{ name: volumeOf(log), mountPath: MOUNT, readOnly: true }],
    resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '256Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}
