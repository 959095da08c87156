// Writes the CRDs and the pages that are derived from the code: `npm run generate`. A test compares.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { generatedFiles } from './generated-files.ts';

for (const [path, text] of Object.entries(generatedFiles())) {
  const file = new URL(`../${path}`, import.meta.url);
  mkdirSync(dirname(file.pathname), { recursive: true });
  writeFileSync(file, text);
}
