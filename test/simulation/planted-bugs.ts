// Known-bad variants of src, as exact edits: proof that the simulation would see them. An edit that no longer fits
// its file fails loudly and must be renewed.

import { BACKUP_BUGS } from './planted-backup-bugs.ts';
import { plantedBug as bug, edit, type PlantedBug } from './planted-bug.ts';
import { DRILL_BUGS } from './planted-drill-bugs.ts';
import { JOB_BUGS } from './planted-job-bugs.ts';
import { ROTATION_BUGS } from './planted-rotation-bugs.ts';
import { SHARE_BUGS } from './planted-share-bugs.ts';
import { STANDING_BUGS } from './planted-standing-bugs.ts';

export type { PlantedBug };

const noLiveRead = edit(
  'sync/act/claim.ts',
  'const because = await staleAgainstLive(deps, observed, action.write);',
  'const because = (await Promise.resolve(undefined)) as string | undefined;',
);

export const WITHOUT_JOURNAL: PlantedBug = bug(
  'skip the journal: nothing is claimed',
  ['claim-before-write'],
  edit(
    'sync/act/claim.ts',
    'const claimed = await deps.journal.swap(held, {\n    ...claim(held.journal, action.op),\n    ...source,\n    ...action.also,\n  });',
    'const claimed = { ...held, journal: { ...claim(held.journal, action.op), ...source } };',
  ),
);

export const PLANTED_BUGS: readonly PlantedBug[] = [
  WITHOUT_JOURNAL,
  bug(
    'assume that a lost swap won',
    ['claim-before-write', 'one-write-per-claim', 'one-instance-per-uid', 'restart-once-per-order'],
    edit(
      'kube/journal.ts',
      'return lease.metadata?.annotations?.[NONCE] === mark ? held(uid, lease) : undefined;',
      'return mark ? held(uid, lease) : undefined;',
    ),
  ),
  bug(
    'a conflict is no obstacle: go on with the newer journal',
    ['claim-before-write', 'one-write-per-claim', 'one-instance-per-uid', 'restart-once-per-order'],
    edit(
      'kube/journal.ts',
      "if (answer.status === 409 || (answer.status === 404 && request.method === 'PUT')) return undefined;",
      "if (answer.status === 409 || (answer.status === 404 && request.method === 'PUT')) return await read(uid);",
    ),
  ),
  bug(
    'skip the live read',
    ['only-what-the-spec-says', 'create-only-for-living', 'keeps-what-is-retained', 'restart-once-per-order'],
    noLiveRead,
  ),
  bug(
    'skip the live read and never close the journal',
    ['only-what-the-spec-says', 'create-only-for-living', 'no-orphan', 'one-instance-per-uid', 'converges'],
    noLiveRead,
    edit(
      'sync/decide/finalize.ts',
      'if (!journal?.closed) return close(o, journal);',
      'if (!journal) return close(o, journal);',
    ),
  ),
  bug(
    'live read without the generation',
    ['only-what-the-spec-says', 'create-only-for-living', 'keeps-what-is-retained', 'backup-before-delete'],
    edit(
      'sync/act/stale.ts',
      'if ((now.metadata.generation ?? 1) !== metadata.generation)',
      'if (now.metadata.generation === -1)',
    ),
  ),
  bug(
    'settle too early after a create',
    ['one-instance-per-uid', 'no-orphan'],
    edit(
      'rds/journal.ts',
      'const settled = (journal.createClaimedAt ?? Number.NEGATIVE_INFINITY) + timing.settleMs;',
      'const settled = (journal.createClaimedAt ?? Number.NEGATIVE_INFINITY) + 5_000;',
    ),
  ),
  bug(
    'settle too early after a restart',
    ['restart-once-per-order'],
    edit(
      'sync/decide/settle-open.ts',
      'const settled = op.at + o.timing.settleMs;',
      'const settled = op.at + 1_000;',
    ),
  ),
  bug(
    'trust one empty list',
    ['no-orphan', 'one-instance-per-uid', 'converges'],
    edit(
      'rds/journal.ts',
      '(journal.absence?.count ?? 0) >= ABSENCE_READS',
      '(journal.absence?.count ?? 0) >= 1',
    ),
  ),
  bug(
    'finalize without a proof of absence',
    ['no-orphan'],
    edit('sync/decide/removal.ts', 'if (absenceProven(journal, at, o.timing)) {', 'if (at > 0) {'),
  ),
  bug(
    'a known id that is missing is created again',
    ['one-instance-per-uid', 'journal-never-forgets', 'converges'],
    edit(
      'sync/decide/sync.ts',
      'if (o.journal.id !== undefined) return instance ? manage(o, instance) : missing(o);',
      'if (o.journal.id !== undefined && instance) return manage(o, instance);',
    ),
  ),
  bug(
    'an unknown outcome counts as a refusal',
    ['one-instance-per-uid', 'no-orphan', 'restart-once-per-order'],
    edit('sync/act/claim.ts', "if (error.outcome === 'unknown')", "if (error.code === 'never')"),
  ),
  bug(
    'a 5xx counts as a refusal',
    ['one-instance-per-uid', 'no-orphan', 'restart-once-per-order'],
    edit('otc/errors.ts', 'return status >= 400 && status < 500 && status !== 408', 'return status >= 400'),
  ),
  bug(
    'repeat a timed-out write',
    ['one-write-per-claim', 'one-instance-per-uid', 'restart-once-per-order'],
    edit(
      'otc/retry.ts',
      'if (!isRepeatable(request)) return send(request);',
      "if (request.method === 'HEAD' && !isRepeatable(request)) return send(request);",
    ),
  ),
  bug(
    'the look-up by name finds nothing',
    ['one-instance-per-uid', 'no-orphan', 'converges'],
    edit(
      'sync/fresh-look.ts',
      'const namesakes = [...(byName?.value ?? [])];',
      'const namesakes = [...(byName?.value ?? []).slice(0, 0)];',
    ),
  ),
  bug(
    'a refusal forgets the id',
    ['journal-never-forgets'],
    edit(
      'rds/journal.ts',
      'const { op, createClaimedAt, ...rest } = journal;',
      'const { op, createClaimedAt, id: _id, ...rest } = journal;',
    ),
  ),
  bug(
    'wipe status: build it from nothing',
    ['status-keeps-id', 'converges', 'silent'],
    edit('sync/answer.ts', '    previous,\n', '    previous.id === undefined ? previous : {},\n'),
    edit('sync/loop.ts', 'status: { ...view.newerStatus, ...answer.status }', 'status: answer.status'),
  ),
  bug(
    'tell an id that the journal does not have',
    ['status-keeps-id'],
    edit(
      'sync/act/claim.ts',
      'const recorded = await deps.journal.swap(claimed, next).catch(() => undefined);',
      'const recorded = (await deps.journal.swap(claimed, next).catch(() => undefined)) ?? { ...claimed, journal: next };',
    ),
  ),
  bug(
    'drop children whose inputs are not known',
    ['children-never-shrink'],
    edit('sync/children/children.ts', 'made ?? observedAgain(o, kind, childName)', 'made'),
  ),
  bug(
    'redraw the password',
    ['password-matches', 'no-hot-loop', 'converges'],
    edit(
      'sync/children/children.ts',
      'made: drawRoot ? rootSecret({ name, namespace }, o.draw()) : undefined,',
      'made: drawRoot || o.draw ? rootSecret({ name, namespace }, o.draw()) : undefined,',
    ),
  ),
  bug(
    'delete without a backup',
    ['backup-before-delete'],
    edit(
      'sync/decide/final-backup.ts',
      "const isWanted = effectivePolicy(o) === 'Snapshot' && !isForced(o);",
      "const isWanted = effectivePolicy(o) === 'Snapshot' && !isForced(o) && !journal.closed;",
    ),
  ),
  bug(
    'a failed backup will do',
    ['backup-before-delete'],
    edit(
      'sync/decide/final-backup.ts',
      "if (latest.status === 'COMPLETED') {",
      "if (latest.status !== 'BUILDING') {",
    ),
  ),
  bug(
    'Retain deletes',
    ['keeps-what-is-retained'],
    edit(
      'sync/decide/removal.ts',
      "if (effectivePolicy(o) === 'Retain') {",
      "if (effectivePolicy(o) === 'Retain' && !journal.closed) {",
    ),
  ),
  bug(
    'a namespace that goes takes its databases along',
    ['keeps-what-is-retained', 'converges'],
    edit(
      'sync/decide/deletion-policy.ts',
      "deletionPolicy === 'Snapshot' && (o.namespaceTerminating || o.crdTerminating)",
      "deletionPolicy === 'Snapshot' && o.namespaceTerminating && !o.namespaceTerminating",
    ),
  ),
  bug(
    'an order is carried out and not noted',
    ['restart-once-per-order'],
    edit(
      'sync/decide/carried-out.ts',
      'return { ...next, handled: { ...next.handled, [ANNOTATIONS.restart]: op.key } };',
      'return next;',
    ),
  ),
  bug(
    'the task list is not believed',
    ['restart-once-per-order'],
    edit(
      'sync/decide/changes/evidence.ts',
      'hasTask(o, since, /restart|reboot/i)',
      'hasTask(o, since, /never/i)',
    ),
  ),
  bug(
    'paused is not looked at',
    ['create-only-for-living', 'only-what-the-spec-says'],
    edit('sync/decide/sync.ts', 'if (o.spec.paused || annotation', 'if (annotation'),
  ),
  bug(
    'adopt what belongs to another Rds',
    ['foreign-untouched'],
    edit(
      'sync/act/ownership.ts',
      'if (isLiving || !(await takeOver(deps, instanceId, uid))) {',
      "if (isLiving && instanceId === '') {",
    ),
    edit(
      'sync/act/ownership.ts',
      'if (!(await deps.ownerLeases.take(instanceId, uid))) throw owned(instanceId);',
      '',
    ),
  ),
  bug(
    'an error quotes the secrets of its request',
    ['no-secret-told'],
    edit(
      'otc/errors.ts',
      'const words = redact(text, secrets).slice(0, longestText);',
      'const words = redact(text, secrets.slice(0, 0)).slice(0, 4000);',
    ),
  ),
  bug(
    'the order for the cloud is logged',
    ['no-secret-told'],
    edit(
      'sync/act/claim.ts',
      'deps.log.info({ op: claimed.journal.op }, ',
      'deps.log.info({ op: claimed.journal.op, order }, ',
    ),
  ),
  bug(
    'call again at once when the view is stale',
    ['no-hot-loop'],
    edit('sync/loop.ts', 'const STALE_RETRY_SECONDS = 2;', 'const STALE_RETRY_SECONDS = 0;'),
  ),
  bug(
    'a stamp that changes with every call',
    ['silent', 'no-hot-loop', 'converges'],
    edit('rds/conditions.ts', 'if (before && isSame(before, wish, moment)) continue;', ''),
    edit(
      'rds/conditions.ts',
      'before && before.status === wish.status ? before.lastTransitionTime : isoTime(moment.nowMs),',
      'isoTime(moment.nowMs),',
    ),
  ),
  bug(
    'calls start at any time',
    ['answer-in-time'],
    edit(
      'sync/budget.ts',
      ': Math.min(CALL_DEADLINE_MS, LIMITS.answerMs - RECORD_MS - elapsedMs()),',
      ': CALL_DEADLINE_MS,',
    ),
    edit(
      'sync/budget.ts',
      'elapsedMs() > LIMITS.startCallsMs',
      'elapsedMs() > 60_000 + RECORD_MS + LIMITS.answerMs',
    ),
  ),
  bug(
    'the window is not looked at',
    ['waits-for-the-window'],
    edit(
      'sync/decide/changes/pending.ts',
      'return isOpen ? undefined : `in the maintenance window from ${isoTime(at)}, ${consent}`;',
      'return isOpen || consent ? undefined : `in the maintenance window from ${isoTime(at)}, ${consent}`;',
    ),
  ),
  bug(
    'a restart for parameters comes by itself',
    ['waits-for-the-window', 'restart-once-per-order'],
    edit(
      'sync/decide/changes/pending.ts',
      'if (!wish.needsConsent) return undefined;',
      'if (wish.field) return undefined;',
    ),
  ),
  bug(
    'a parameter that the cloud does not know is sent',
    ['converges', 'silent'],
    edit(
      'sync/decide/changes/parameters.ts',
      "if (!parameter) return 'has no such parameter';",
      'if (!parameter) return undefined;',
    ),
  ),
  bug(
    'tags of others are taken off',
    ['converges', 'silent', 'foreign-untouched'],
    edit(
      'sync/decide/changes/settings.ts',
      'const left = remembered(o).tags.filter((key) => !(key in wanted) && key in instance.tags);',
      'const left = [...remembered(o).tags, ...Object.keys(instance.tags)].filter((key) => !(key in wanted));',
    ),
  ),
  bug(
    'a read replica is made again without a proof that there is none',
    ['one-replica-per-name'],
    edit(
      'sync/decide/replica-record.ts',
      "if (missing === 'early') return next(NOTHING);",
      "if (missing === 'early') return next({ kind: 'swapJournal', journal: withoutCounter(refused(journal)) });",
    ),
  ),
  ...JOB_BUGS,
  ...ROTATION_BUGS,
  ...SHARE_BUGS,
  ...STANDING_BUGS,
  ...DRILL_BUGS,
  ...BACKUP_BUGS,
  bug(
    'values from before the last change count',
    ['autopilot-once'],
    edit(
      'sync/decide/autopilot/evidence.ts',
      'at >= sinceMs && value >= threshold;',
      'at >= sinceMs - 3_600_000 && value >= threshold;',
    ),
    edit(
      'sync/decide/autopilot/situation.ts',
      'return scale.decidedAt === undefined || at >= scale.decidedAt + autopilot.cooldownMs;',
      'return scale.decidedAt === undefined || at >= scale.decidedAt + autopilot.cooldownMs * 0;',
    ),
  ),
  bug(
    'the bound of the disk is not looked at',
    ['autopilot-in-bounds'],
    edit(
      'sync/decide/autopilot/disk.ts',
      'return Math.min(maxGb, presentGb + steps * stepGb);',
      'return Math.max(maxGb, presentGb + steps * stepGb) + 10;',
    ),
  ),
  bug(
    'the bound of the machine is not looked at',
    ['autopilot-in-bounds'],
    edit(
      'sync/decide/autopilot/machine.ts',
      'isWithin(present, flavor) && hasMore(flavor) && (!max || isWithin(flavor, max))',
      'isWithin(present, flavor) && hasMore(flavor) && (!max || flavor.vcpus > max.vcpus)',
    ),
  ),
  bug(
    'alarms are made without a note',
    ['alarms-are-noted', 'no-alarm-left'],
    edit(
      'sync/act/watch.ts',
      'if (create.length === 0 && subscribe === undefined) return held;',
      'if (create.length >= 0 || subscribe === undefined) return held;',
    ),
  ),
  bug(
    'a delete does not look for alarms',
    ['no-alarm-left'],
    edit(
      'sync/decide/autopilot/unwatch.ts',
      'if (!verdict.finalized || !journal?.watch || !journal.closed) return verdict;',
      'if (verdict.finalized || !journal?.watch || !journal.closed) return verdict;',
    ),
  ),
  bug(
    'alarms that may still show up are not waited for',
    ['no-alarm-left', 'converges'],
    edit(
      'sync/decide/autopilot/alarms.ts',
      "return watch.at >= watchedSince(record) + timing.settleMs ? 'gone' : 'wait';",
      "return watch.at >= watchedSince(record) + timing.settleMs * 0 ? 'gone' : 'wait';",
    ),
  ),
  bug(
    'too many alarms stay',
    ['converges', 'silent'],
    edit(
      'sync/decide/autopilot/alarms.ts',
      'remove: watch.alarms.filter(({ id }) => !ids.includes(id)).map(({ id }) => id),',
      'remove: watch.alarms.filter(({ id }) => ids.length === 0 && !ids.includes(id)).map(({ id }) => id),',
    ),
  ),
];
