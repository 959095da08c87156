// A scenario is data: what is applied, what is done to it, what must then be true. The runner reads it, on
// either engine.
import type { KubeObject } from '../../src/kube/api.ts';
import type { Fault } from '../../src/simulator/faults.ts';

/** A manifest without namespace; the scenario's own is filled in. `$id:shop` stands for a remembered id. */
export type Manifest = KubeObject & {
  metadata: { name: string; labels?: Record<string, string>; annotations?: Record<string, string> };
};

export type RdsState = {
  phase?: string;
  /** `Ready=True/Available`; any part after the type may be left out. */
  conditions?: string[];
  /** `same`: the remembered one; `other`: set, and not the remembered one. */
  id?: 'set' | 'unset' | 'same' | 'other';
  handled?: Record<string, string>;
  generation?: number;
  finalizer?: boolean;
  /** The cloud must have told us the address. */
  ip?: boolean;
  volumeGb?: number;
  /** `app@% #2 Idle`: the account, how often its login was replaced, and what is under way. */
  logins?: string[];
};

export type CloudState = {
  /** Instances ever made for this Rds (all its UIDs), and those that exist now. */
  created: number;
  now: number;
  restarts?: number;
  finalBackups?: number;
  /** Whether our tag is on what exists now. */
  tagged?: boolean;
};

export type Step =
  | { do: 'apply'; objects: Manifest[] }
  /** `isHurried`: a label is changed now and then, since a settled Rds is looked at once a minute. */
  | { do: 'waitRds'; name: string; until: RdsState; isHurried?: boolean }
  /** Any of the given states, for races that may end either way. */
  | { do: 'waitOne'; names: string[]; until: RdsState; as: string; others: string }
  | {
      do: 'waitGone';
      kind: 'Rds' | 'RdsBackup' | 'Service' | 'Secret' | 'Namespace';
      name: string;
    }
  /** The garbage collector works when it likes; every scenario ends with this, for a history that is whole. */
  | { do: 'waitCollected' }
  /** `says`: the reason of its condition Ready. */
  | { do: 'waitBackup'; name: string; phase: string; says?: string }
  | { do: 'expectRefused'; object: Manifest; message: string }
  /** Backups in the cloud that were made for RdsBackups of this namespace: ever, and now. */
  | { do: 'expectBackups'; made: number; now: number }
  | { do: 'waitFor'; kind: 'Service' | 'EndpointSlice' | 'Secret'; name: string; owned: boolean }
  | { do: 'waitEvent'; type: 'Normal' | 'Warning'; reason: string; message?: string }
  | { do: 'delete'; kind: 'Rds' | 'RdsBackup' | 'Service' | 'Secret' | 'Namespace'; name: string }
  | { do: 'deleteCrd' }
  | { do: 'waitCrdGone' }
  | { do: 'annotate'; name: string; annotations: Record<string, string> }
  | { do: 'label'; kind: 'Rds' | 'Service'; name: string; labels: Record<string, string | null> }
  | { do: 'wipeStatus'; name: string }
  | { do: 'rememberId'; kind?: 'Rds' | 'RdsBackup'; name: string }
  | { do: 'fault'; fault: Fault }
  | { do: 'waitCloud'; name: string; now: number }
  | { do: 'expectCloud'; rds: Record<string, CloudState> }
  | { do: 'markCloud' }
  | { do: 'expectNoCloudCall' }
  | { do: 'expectNoCloudWrite' }
  | { do: 'expectNoCall'; hook: 'finalize' | 'sync' }
  /** Keeps the next answer that says this phase away from the loop until `release`. */
  | { do: 'holdAnswer'; name: string; phase: string }
  | { do: 'waitHeld' }
  | { do: 'release' }
  /** The next sync call shows the hook the newest parent that still had this phase and this annotation. */
  | { do: 'showStale'; name: string; withAnnotation: string; withoutHandled: string }
  | { do: 'waitShown' }
  | { do: 'killReplicaOf'; name: string }
  | { do: 'killReplicas' }
  | { do: 'startReplicas' }
  | { do: 'killEngine' }
  | { do: 'startEngine' }
  | { do: 'editController'; times: number; everyMs: number }
  | { do: 'hookToken'; token: 'wrong' | 'right' }
  | { do: 'leaseRights'; granted: boolean }
  | { do: 'pause'; ms: number }
  /** Logs in on the real server with what the Secret says, or said when it was remembered. */
  | { do: 'rememberLogin'; secret: string }
  | { do: 'logIn'; secret: string; as: 'published' | 'remembered'; works: boolean }
  /** Data in percent of the disk, until an alarm of the cloud has gone off. */
  | { do: 'fillDisk'; name: string; percent: number };

export type Scenario = {
  /** Also the namespace. */
  name: string;
  title: string;
  /** It disturbs everybody, so it runs alone. */
  exclusive?: boolean;
  given?: Manifest[];
  steps: Step[];
  /** Names that match are one and the same to the history: which of many alike goes first is chance. */
  alike?: string;
  /** The end: every Rds that ever was, and what the cloud has for it. */
  cloud: Record<string, CloudState>;
};

type Spec = Record<string, unknown>;

/** The smallest Rds; MySQL with a generated password. */
export const rds = (
  name: string,
  spec: Spec = {},
  metadata: Omit<Manifest['metadata'], 'name'> = {},
): Manifest => ({
  apiVersion: 'otc.mcsps.de/v1alpha1',
  kind: 'Rds',
  metadata: { name, ...metadata },
  spec: { flavorref: 'rds.mysql.n1.large.2', volumetype: 'CLOUDSSD', volumesize: 40, ...spec },
});

export const READY: RdsState = {
  phase: 'Ready',
  id: 'set',
  ip: true,
  conditions: ['Ready=True/Available', 'Synced=True/UpToDate'],
};

export const backup = (name: string, spec: Spec): Manifest => ({
  apiVersion: 'otc.mcsps.de/v1alpha1',
  kind: 'RdsBackup',
  metadata: { name },
  spec,
});
