// A practice's directory that was copied into the data of another installation: it is used for nothing, and the start, the operator's
// health and its page say so.
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FILE_JOB } from '#src/accounts/tenants/file-job.ts';
import { startApp } from '#test/support/app.ts';
import { startDaemon } from '#test/support/daemon.ts';
import { until } from '#test/support/process.ts';
import { untilTestEnds } from './fixture.ts';

interface Health {
  readonly status: string;
  readonly databases: { readonly strays: unknown };
}

const NONE = { count: 0, named: [] };

test('a practice that was copied from elsewhere is named at the start', async () => {
  const started = untilTestEnds();
  const elsewhere = await startDaemon();
  started.defer(elsewhere.remove);
  const { id } = await elsewhere.createPractice({ name: 'Praxis anderswo' });
  await elsewhere.stop();

  const first = await startDaemon();
  started.defer(first.remove);
  expect(first.output()).not.toContain('belong to no practice');
  await first.stop();
  const { dataDir } = first;
  await cp(join(elsewhere.dataDir, 'tenants', id), join(dataDir, 'tenants', id), { recursive: true });
  const daemon = await startDaemon({ dataDir });
  started.defer(daemon.remove);
  await until('the log names it', () => daemon.output().includes('belong to no practice'));
  const line = daemon
    .output()
    .split('\n')
    .find((one) => one.includes('belong to no practice'));
  expect(JSON.parse(line ?? '')).toMatchObject({
    count: 1,
    directories: [id],
    msg: expect.stringMatching(/restore the two together, or move the directories away$/),
  });
  const unknown = await daemon.request('GET', `/api/practices/${id}`, undefined, daemon.adminToken);
  expect(unknown.status).toBe(404);
});

test('health names strays until they are gone, and neither practices nor what a file system keeps', async () => {
  const started = untilTestEnds();
  const app = await startApp();
  started.defer(app.remove);
  const { practice } = await app.createSender();
  const tenants = join(app.home, 'data', 'tenants');
  const look = async (): Promise<Health> => {
    await app.runJob(FILE_JOB);
    return (await app.request<Health>('GET', '/api/admin/health', undefined, app.adminToken)).body;
  };
  await mkdir(join(tenants, 'lost+found'));
  await mkdir(join(tenants, '.snapshot'));
  expect((await look()).databases.strays).toEqual(NONE);
  const copies = Array.from({ length: 21 }, (_, index) => `${practice.id}.${String(index).padStart(2, '0')}`);
  for (const name of copies) await cp(join(tenants, practice.id), join(tenants, name), { recursive: true });
  const { status, databases } = await look();
  expect([status, databases.strays]).toEqual(['ok', { count: 21, named: copies.slice(0, 20) }]);
  for (const name of copies) await rm(join(tenants, name), { recursive: true });
  expect((await look()).databases.strays).toEqual(NONE);
});
