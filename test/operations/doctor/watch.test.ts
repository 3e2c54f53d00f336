// The daemon's own look at the installation: over HTTP as the operator asks, and by its hourly job in the log.
// @module-tag slow
import { chmod, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DOCTOR_JOB } from '#src/operations/doctor/watch.ts';
import { startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';

interface State {
  readonly running: boolean;
  readonly ended_at: string | null;
  readonly findings: readonly {
    readonly number: number;
    readonly state: string;
    readonly found: string;
    readonly checked_at: string;
  }[];
}

const logged: { readonly check: number; readonly state: string; readonly found: string }[] = [];
/** Amounts change all the while. */
const warned = (lines: typeof logged): string[] =>
  lines
    .filter(({ state }) => state === 'warn')
    .map(({ check, found }) => `${check} ${found.replace(/\d+/g, '0')}`);
let app: TestApp;
beforeAll(async () => {
  app = await startApp({
    config: { doctor: { time_server: '127.0.0.1' }, dns: { resolvers: ['127.0.0.1:1'] } },
    onLog: (line) => {
      const said = JSON.parse(line);
      if (said.msg === 'doctor') logged.push(said);
    },
  });
});
afterAll(() => app.remove());

const ask = (method: string, body?: object) =>
  app.request<State>(method, '/api/admin/doctor', body, app.adminToken);
const stateOf = async (number: number): Promise<string | undefined> =>
  (await ask('GET')).body.findings.find((one) => one.number === number)?.state;

test('the operator asks for a look, and gets what it has found when it has ended', async () => {
  expect((await ask('GET')).body).toEqual({ running: false, ended_at: null, findings: [] });
  const begun = await ask('POST', {});
  expect([begun.status, begun.body.running]).toEqual([202, true]);
  await until('the look has ended', async () => !(await ask('GET')).body.running);
  const { findings, ended_at } = (await ask('GET')).body;
  expect(new Set(findings.map(({ number }) => number)).size).toBe(21);
  expect(findings.every(({ checked_at }) => checked_at === ended_at)).toBe(true);
  expect([await stateOf(7), await stateOf(8), await stateOf(9), await stateOf(20)]).toEqual([
    'ok',
    'ok',
    'ok',
    'skipped',
  ]);
  // Another at once would find the same.
  const again = await ask('POST', {});
  expect([again.status, (await ask('POST')).status]).toEqual([429, 400]);
  expect((await app.request('GET', '/api/admin/doctor')).status).toBe(401);
});

test('each hour the log has what failed, and of warnings those that are new', async () => {
  const token = path.join(app.home, 'admin.token');
  const { mode } = await stat(token);
  await chmod(token, 0o644);
  await app.runJob(DOCTOR_JOB);
  const first = logged.splice(0);
  expect(first).toContainEqual(expect.objectContaining({ check: 2, state: 'fail' }));
  expect(first).toContainEqual(expect.objectContaining({ check: 11, state: 'warn' }));
  await app.runJob(DOCTOR_JOB);
  const second = logged.splice(0);
  // A disk may have become slow meanwhile, which is news.
  const before = warned(first);
  expect(warned(second).filter((one) => before.includes(one))).toEqual([]);
  expect(second).toContainEqual(expect.objectContaining({ check: 2, state: 'fail' }));
  await chmod(token, mode);
  await app.runJob(DOCTOR_JOB);
  expect(logged.filter(({ check }) => check === 2)).toEqual([]);
  expect(await stateOf(2)).toBe('ok');
});
