// A delete is asked about once more; what is done with the data depends on the manifest.

import { ask, byId, setText } from './dom.js';

export function confirmDelete(key) {
  const dialog = byId('confirm');
  setText(byId('confirm-title'), `Delete ${key}?`);
  setText(
    byId('confirm-text'),
    'As with kubectl delete. What becomes of the data is what deletionPolicy says; unless told otherwise, a backup comes first.',
  );
  dialog.returnValue = 'no';
  dialog.addEventListener(
    'close',
    async () => {
      if (dialog.returnValue !== 'yes') return;
      const answer = await ask('DELETE', `api/rds/${key}`);
      if (!answer.ok) setText(byId('rds-message'), answer.message);
    },
    { once: true },
  );
  dialog.showModal();
}
