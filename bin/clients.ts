// Makes what of the clients (clients/node, clients/python) comes from the API's own description. A test fails where they are older
// than the routes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { startDaemon } from '#test/support/daemon.ts';
import { generatedFiles } from './clients/files.ts';

const ROOT = join(import.meta.dirname, '..');

const daemon = await startDaemon();
try {
  const answer = await fetch(`${daemon.origin}/openapi.yaml`);
  for (const [file, text] of Object.entries(generatedFiles(parse(await answer.text()))))
    writeFileSync(join(ROOT, file), text);
} finally {
  await daemon.remove();
}
