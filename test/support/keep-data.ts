// `npm run keep-data`: makes a data directory of this version, of an installation that has been in use for two weeks, and keeps it
// compressed in test/fixtures/data-<schema>. To be run before a release that brings a new schema; each later version has to open it
// (test/app/kept-data.test.ts). One that was released is never made again.
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exit, stdout } from 'node:process';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { loadSchema } from '#src/app/schema.ts';
import { startScene } from '#test/dashboard/scene.ts';

const NOW = Date.UTC(2026, 10, 23, 9);
const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url));

const compressed = (bytes: Buffer): Buffer =>
  brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });

const target = path.join(FIXTURES, `data-${loadSchema().tenant.length}`);
await rm(target, { recursive: true, force: true });
const scene = await startScene({ now: NOW, port: 8_480 });
const { app, practice, ids } = scene;
try {
  const [scheduled] = app.sql<{ id: string }>(
    practice.practice.id,
    'SELECT id FROM messages WHERE scheduled_at > ?',
    NOW,
  );
  const empty = Object.entries(app.rowCounts(practice.practice.id)).filter(([, rows]) => rows === 0);
  stdout.write(`tables without a row: ${empty.map(([name]) => name).join(', ')}\n`);
  await app.stop();
  const data = path.join(app.home, 'data');
  for (const id of await readdir(path.join(data, 'tenants'))) {
    await mkdir(path.join(target, 'tenants', id), { recursive: true });
    const file = path.join('tenants', id, 'tenant.db');
    await writeFile(path.join(target, `${file}.br`), compressed(await readFile(path.join(data, file))));
  }
  await writeFile(
    path.join(target, 'platform.db.br'),
    compressed(await readFile(path.join(data, 'platform.db'))),
  );
  await copyFile(path.join(app.home, 'master.key'), path.join(target, 'master.key'));
  const facts = {
    made_at: NOW,
    practice: practice.practice.id,
    token: practice.token,
    message: ids.message,
    scheduled: scheduled?.id,
  };
  await writeFile(path.join(target, 'facts.json'), `${JSON.stringify(facts, null, 2)}\n`);
} finally {
  // Connections of the scene's other ends may stay open for minutes.
  await app.remove();
  exit();
}
