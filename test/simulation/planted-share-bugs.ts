// Known-bad variants of sharing Secrets with other namespaces.

import { plantedBug as bug, edit, type PlantedBug } from './planted-bug.ts';

const SHARE = 'sync/share/decide/share.ts';
const LOOP = 'sync/share/loop.ts';
const NOT_ALLOWED =
  'if (!allowed.some((one) => one.namespace === namespace.name)) return { because: UNKNOWN };';

export const SHARE_BUGS: readonly PlantedBug[] = [
  bug(
    'a Secret is copied without the consent of its Rds',
    ['shared-with-consent'],
    edit(SHARE, NOT_ALLOWED, ''),
    edit(
      SHARE,
      'if (source && !isAllowedFor(source, allowed, namespace.name)) return { because: UNKNOWN };',
      '',
    ),
  ),
  bug(
    'a namespace that is allowed gets a copy without asking',
    ['shared-with-consent'],
    edit(
      'rds/sharing.ts',
      'const asked: Asked[] = [];\n  const refused: Refused[] = [];\n  for (const text of entriesOf(value)) {',
      "const asked: Asked[] = [];\n  const refused: Refused[] = [];\n  for (const text of entriesOf(value ?? 'team-a/db1')) {",
    ),
  ),
  bug(
    'a copy stays when the Rds takes its word back',
    ['shared-where-agreed'],
    edit(
      SHARE,
      NOT_ALLOWED,
      `if (!allowed.some((one) => one.namespace === namespace.name)) {
    const old = view.attachments[0];
    return old ? { copy: again(old) } : { because: UNKNOWN };
  }`,
    ),
  ),
  bug(
    'a copy stays when the namespace takes its wish back',
    ['shared-where-agreed'],
    edit(
      LOOP,
      'function answerOf({ namespace }: Shared,',
      'function answerOf({ namespace, attachments }: Shared,',
    ),
    edit(
      LOOP,
      'attachments: [...copies.values()],',
      'attachments: copies.size > 0 ? [...copies.values()] : attachments.map(again),',
    ),
  ),
  bug(
    "somebody else's Secret is written over",
    ['foreign-secret-untouched'],
    edit(
      LOOP,
      'if (!known) return nameProblem(shared, copy.metadata.name);',
      'if (!known) return undefined;',
    ),
  ),
  bug(
    'a Secret counts by its name and marks, wherever it is',
    ['copy-of-its-source', 'shared-where-agreed'],
    edit(
      SHARE,
      'namespace === asked.namespace &&\n    key === `${namespace}/${name}` &&\n',
      "key.endsWith(`/${name}`) && namespace !== '' &&\n",
    ),
    edit(
      SHARE,
      "annotations?.[ANNOTATIONS.belongsTo] === owner &&\n    ownerReferences.some((one) => one.uid === uid && one.kind === 'Rds' && one.controller === true)",
      'annotations?.[ANNOTATIONS.belongsTo] === owner && ownerReferences.length < 99',
    ),
  ),
  bug(
    'a star is everyone',
    ['shared-with-consent'],
    edit(
      'rds/sharing.ts',
      "if (/[*?]/.test(text)) refused.push({ text, because: NO_WILD_CARD });\n    else if (!NAMESPACE.test(namespace) || user === '')",
      "if (text === '*') allowed.push(...['app-1', 'app-2'].map((one) => ({ namespace: one, user: undefined })));\n    else if (!NAMESPACE.test(namespace) || user === '')",
    ),
  ),
  bug(
    'a copy keeps its first value',
    ['shared-where-agreed'],
    edit(
      SHARE,
      'if (source) return { copy: copyOf(namespace.name, asked.namespace, source) };',
      `if (source) {
    const made = copyOf(namespace.name, asked.namespace, source);
    const old = view.attachments.find(({ metadata }) => metadata.name === made.metadata.name);
    return { copy: old ? again(old) : made };
  }`,
    ),
  ),
  bug(
    'a namespace is believed as it was shown',
    ['shared-with-consent'],
    edit(
      LOOP,
      'if (!deps.readLiveNamespace || !isConcerned || shared.isTerminating) return shared;',
      'if (isConcerned || !deps.readLiveNamespace || shared.isTerminating) return shared;',
    ),
  ),
  bug(
    'the copy of a user outlives the user',
    ['shared-where-agreed'],
    edit(
      SHARE,
      'const isDeclared = users.some((user) => isUser(account, user));',
      'const isDeclared = users.length >= 0;',
    ),
  ),
  bug(
    'no answer of the API server counts as no',
    ['copy-stays'],
    edit(LOOP, 'return retry(error.message);', "return { kind: 'answer', answer: { attachments: [] } };"),
  ),
  bug(
    'a Secret that lost its marks for a moment takes the copy along',
    ['copy-stays'],
    edit(
      SHARE,
      'if (kept) return { copy: again(kept) };',
      'if (kept && !live) return { copy: again(kept) };',
    ),
  ),
  bug(
    'a refusal is not told',
    ['shared-where-agreed'],
    edit(
      LOOP,
      'const isTold = (namespace.annotations',
      'const isTold = copies.size === 0 || (namespace.annotations',
    ),
  ),
];
