// Who owns which database: lost status, labels, names that come back, and two that want the same.
import { type RdsState, READY, rds, type Scenario } from '../scenario.ts';

const ADOPT = 'otc.mcsps.de/adopt';
const KEPT = { deletionPolicy: 'Retain' };

/** What is found is looked at in two calls: the history must not end between them. */
const LOOKED_AT = ['Ready=True/Available', 'BackupsReady=True/BackupsFresh'];
const ADOPTED: RdsState = { phase: 'Ready', id: 'set', conditions: LOOKED_AT };

export const identity: Scenario[] = [
  {
    name: 'status-wiped',
    title: 'a wiped status is filled again from the journal; nothing is created twice',
    given: [rds('shop')],
    steps: [
      { do: 'waitRds', name: 'shop', until: READY },
      { do: 'rememberId', name: 'shop' },
      { do: 'wipeStatus', name: 'shop' },
      { do: 'waitRds', name: 'shop', until: { ...READY, id: 'same' } },
      { do: 'waitFor', kind: 'Secret', name: 'shop-connection', owned: true },
    ],
    cloud: { shop: { created: 1, now: 1, tagged: true } },
  },
  {
    name: 'wiped-early',
    title: 'a status wiped while the instance is being built is filled again too',
    given: [rds('shop')],
    steps: [
      { do: 'waitRds', name: 'shop', until: { phase: 'Creating', id: 'set' } },
      { do: 'rememberId', name: 'shop' },
      { do: 'wipeStatus', name: 'shop' },
      { do: 'waitRds', name: 'shop', until: { ...READY, id: 'same' } },
    ],
    cloud: { shop: { created: 1, now: 1, tagged: true } },
  },
  {
    name: 'relabel',
    title: 'labels of an Rds mean nothing: no finalize, no cloud write, children stay',
    given: [rds('shop')],
    steps: [
      { do: 'waitRds', name: 'shop', until: READY },
      { do: 'label', kind: 'Rds', name: 'shop', labels: { team: 'blue', 'controller-uid': 'nonsense' } },
      { do: 'pause', ms: 1500 },
      { do: 'label', kind: 'Rds', name: 'shop', labels: { team: null, 'controller-uid': null } },
      { do: 'pause', ms: 1500 },
      { do: 'waitFor', kind: 'Service', name: 'shop', owned: true },
      { do: 'waitRds', name: 'shop', until: READY },
      { do: 'expectNoCall', hook: 'finalize' },
    ],
    cloud: { shop: { created: 1, now: 1, tagged: true } },
  },
  {
    name: 'same-name',
    title: 'the same name with a new UID gets a new instance, the old one is gone',
    given: [rds('shop', { deletionPolicy: 'Delete' })],
    steps: [
      { do: 'waitRds', name: 'shop', until: READY },
      { do: 'rememberId', name: 'shop' },
      { do: 'delete', kind: 'Rds', name: 'shop' },
      { do: 'waitGone', kind: 'Rds', name: 'shop' },
      { do: 'apply', objects: [rds('shop', { deletionPolicy: 'Delete' })] },
      { do: 'waitRds', name: 'shop', until: { ...READY, id: 'other' } },
    ],
    cloud: { shop: { created: 2, now: 1, finalBackups: 0, tagged: true } },
  },
  {
    name: 'kept-and-adopted',
    title: 'a kept database is never doubled under its old name; consent takes it over',
    given: [rds('shop', KEPT)],
    steps: [
      { do: 'waitRds', name: 'shop', until: READY },
      { do: 'rememberId', name: 'shop' },
      { do: 'delete', kind: 'Rds', name: 'shop' },
      { do: 'waitGone', kind: 'Rds', name: 'shop' },
      { do: 'waitCollected' },
      { do: 'expectCloud', rds: { shop: { created: 1, now: 1, tagged: false } } },
      { do: 'apply', objects: [rds('shop', KEPT)] },
      { do: 'waitRds', name: 'shop', until: { id: 'unset', conditions: ['Ready=False/AdoptionNeeded'] } },
      { do: 'annotate', name: 'shop', annotations: { [ADOPT]: '$id:shop' } },
      {
        do: 'waitRds',
        name: 'shop',
        until: {
          phase: 'Ready',
          id: 'same',
          conditions: [...LOOKED_AT, 'CredentialsSafe=Unknown/RootPasswordUnknown'],
        },
      },
      { do: 'waitFor', kind: 'Service', name: 'shop', owned: true },
    ],
    cloud: { shop: { created: 1, now: 1, tagged: true } },
  },
  {
    name: 'two-adopters',
    title: 'two Rds with one adopt id: one wins, the other says why not, and gets it once it is let go',
    given: [rds('source', KEPT)],
    steps: [
      { do: 'waitRds', name: 'source', until: READY },
      { do: 'rememberId', name: 'source' },
      { do: 'delete', kind: 'Rds', name: 'source' },
      { do: 'waitGone', kind: 'Rds', name: 'source' },
      {
        do: 'apply',
        objects: ['left', 'right'].map((name) => rds(name, KEPT, { annotations: { [ADOPT]: '$id:source' } })),
      },
      {
        do: 'waitOne',
        names: ['left', 'right'],
        until: ADOPTED,
        as: 'winner',
        others: 'loser',
      },
      { do: 'waitRds', name: 'loser', until: { id: 'unset', conditions: ['Synced=False/CloudRefused'] } },
      { do: 'expectCloud', rds: { source: { created: 1, now: 1, tagged: true } } },
      { do: 'delete', kind: 'Rds', name: 'winner' },
      { do: 'waitGone', kind: 'Rds', name: 'winner' },
      { do: 'annotate', name: 'loser', annotations: { 'otc.mcsps.de/reconcile': '1' } },
      { do: 'waitRds', name: 'loser', until: ADOPTED },
    ],
    cloud: {
      source: { created: 1, now: 1, tagged: true },
      winner: { created: 0, now: 0 },
      loser: { created: 0, now: 0 },
    },
  },
];
