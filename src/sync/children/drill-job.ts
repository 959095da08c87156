// The Job of a drill and the Secret with its login and questions. The password is in the Secret before the cloud has it;
// address and questions come when there is somebody to ask.

import {
  DRILL_CONTAINER,
  DRILL_JOB_PATHS,
  DRILL_NOT_PASSED,
  DRILL_PART,
  DRILL_WISH_FILE,
} from '../../rds/drill-wish.ts';
import { PART } from '../../rds/job-state.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import type { ChildObject } from '../decide/observed.ts';
import { MANAGED_BY } from './labels.ts';
import { encoded } from './secrets.ts';

/** For the Job with all its tries; the program ends itself earlier, to leave a report. */
const JOB_SECONDS = 900;
const PROGRAM_SECONDS = 240;
const NOBODY = 65532;
const FILE_MODE = 0o440;

const LABELS = { ...MANAGED_BY, [PART]: DRILL_PART };

type Named = { name: string; namespace: string };

export function drillSecret(
  { name, namespace }: Named,
  drawn: { password: string; mark: string },
): ChildObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: LABELS, annotations: { [ANNOTATIONS.draw]: drawn.mark } },
    type: 'Opaque',
    data: encoded({ password: drawn.password }),
  };
}

export function drillJob({ name, namespace }: Named, image: string): ChildObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace, labels: LABELS },
    spec: {
      activeDeadlineSeconds: JOB_SECONDS,
      backoffLimit: 2,
      // A check that failed once fails again.
      podFailurePolicy: {
        rules: [
          {
            action: 'FailJob',
            onExitCodes: { containerName: DRILL_CONTAINER, operator: 'In', values: [DRILL_NOT_PASSED] },
          },
        ],
      },
      template: { metadata: { labels: LABELS }, spec: podSpec(name, image) },
    },
  };
}

function podSpec(secretName: string, image: string): Record<string, unknown> {
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
        name: DRILL_CONTAINER,
        image,
        command: ['node', 'src/jobs/drill.ts'],
        env: [{ name: 'DRILL_DEADLINE_SECONDS', value: `${PROGRAM_SECONDS}` }],
        terminationMessagePath: DRILL_JOB_PATHS.termination,
        terminationMessagePolicy: 'File',
        resources: { requests: { cpu: '50m', memory: '96Mi' }, limits: { memory: '256Mi' } },
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        volumeMounts: [{ name: 'drill', mountPath: DRILL_JOB_PATHS.files, readOnly: true }],
      },
    ],
    volumes: [
      {
        name: 'drill',
        secret: {
          secretName,
          defaultMode: FILE_MODE,
          // Named one by one: a pod waits for a Secret that does not have them all.
          items: ['ip', 'port', 'username', 'password', DRILL_WISH_FILE].map((key) => ({ key, path: key })),
        },
      },
    ],
  };
}
