// A whole practice is erased: what was there is certified, nothing of it is left, others stay, and nothing is erased by mistake.
import { createPublicKey, verify } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '#src/app/cli/commands.ts';
import type { Certificate } from '#src/app/erase-practice.ts';
import { canonicalJson } from '#src/audience/consent/entry.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { makeLasting } from '#test/support/lasting.ts';
import { join } from '#test/support/people.ts';
import { freePort, until } from '#test/support/process.ts';

let app: TestApp;
let sender: Sender;
let other: Sender;
let slug = '';
let id = '';
let unsubscribe = '';

const start = async (home?: string): Promise<TestApp> =>
  startApp({
    ...(home === undefined ? {} : { home }),
    config: {
      http: { listen: `127.0.0.1:${await freePort()}` },
      smtp: { inbound: { listen: '127.0.0.1:0' } },
    },
  });

const erase = async (...args: string[]) => {
  let said = '';
  const print = (text: string): void => {
    said += text;
  };
  const config = path.join(app.home, 'service.yaml');
  const exitCode = await runCommandLine(['tenant', 'erase', ...args, '--config', config], {
    environment: {},
    signals: { onEnd: () => undefined, onReload: () => undefined },
    print,
    printAll: async () => undefined,
    printError: print,
    isTerminal: false,
  });
  return { exitCode, said };
};
const slugOf = ({ practice }: Sender): string =>
  app.sql<{ slug: string }>(null, 'SELECT slug FROM tenants WHERE id = ?', practice.id)[0]?.slug ?? '';

beforeAll(async () => {
  app = await start();
  ({ sender, unsubscribe } = await makeLasting(app));
  id = sender.practice.id;
  slug = slugOf(sender);
  other = await app.createSender();
  await join(app, id, 'nur-hier@praxis.example', { role_id: 'owner' });
  for (const practice of [id, other.practice.id])
    await join(app, practice, 'beide@praxis.example', { role_id: 'owner' });
});
afterAll(() => app?.remove());

test('nothing is erased without its short name, or while mail is queued', async () => {
  const shown = await erase(id);
  expect(shown.said).toContain(`--yes ${slug}`);
  expect(shown.exitCode).toBe(1);
  expect((await erase(id, '--yes', slugOf(other))).said).toContain('nothing was erased');
  await app.send(sender, { scheduled_at: new Date(Date.now() + 86_400_000).toISOString() });
  expect((await erase(id, '--yes', slug)).said).toContain('One copy of its mail is still to be sent');
  const nowhere = path.join(app.home, 'absent', 'certificate.json');
  const unkept = await erase(id, '--yes', slug, '--discard-queue', '--certificate', nowhere);
  expect(unkept.said).toContain('nothing was erased');
  expect(unkept.exitCode).toBe(1);
  const refused = path.join(app.home, 'refused.json');
  await erase(id, '--yes', slug, '--certificate', refused);
  expect(existsSync(refused)).toBe(false);
  const [system] = app.sql<{ slug: string }>(null, "SELECT slug FROM tenants WHERE purpose = 'system'");
  expect((await erase(system?.slug ?? '', '--yes', system?.slug ?? '')).exitCode).toBe(1);
  expect((await app.request('GET', sender.base, undefined, sender.token)).status).toBe(200);
});

test('with it all of it goes while it sends, and the certificate says what it was', async () => {
  let sending = true;
  const load = (async () => {
    while (sending)
      if (
        (
          await app.request(
            'POST',
            `${sender.base}/send`,
            { to: 'last@example.org', subject: 'x', text: 'x' },
            sender.token,
          )
        ).status !== 202
      )
        return;
  })();
  const file = path.join(app.home, 'certificate.json');
  // What killed commands and a restore have left.
  const left = [`exporting/${id}-Ab1`, `arriving/${id}`].map((name) => path.join(app.home, 'data', name));
  const replaced = `replaced-20261124T020000Z/tenants/${id}`;
  for (const copy of [...left, path.join(app.home, 'data', replaced)]) mkdirSync(copy, { recursive: true });
  const { exitCode, said } = await erase(id, '--yes', slug, '--discard-queue', '--certificate', file);
  sending = false;
  await load;
  expect(said).toContain('rows of recipients');
  expect(said).toContain(`rm -r ${path.join(app.home, 'data', replaced)}`);
  expect(exitCode).toBe(0);
  expect(left.filter((copy) => existsSync(copy))).toEqual([]);
  const certificate = JSON.parse(readFileSync(file, 'utf8')) as Certificate;
  const { signature, ...facts } = certificate;
  expect(facts).toMatchObject({ practice: { id, slug }, rows: { suppressions: 1, webhooks: 1 } });
  expect(facts.copies).toEqual([replaced]);
  expect(facts.unsent).toBeGreaterThan(0);
  const key = createPublicKey(signature.public_key);
  const value = Buffer.from(signature.value, 'base64');
  expect(verify(null, Buffer.from(canonicalJson(facts)), key, value)).toBe(true);
  expect(existsSync(path.join(app.home, 'data/tenants', id))).toBe(false);
  expect(app.sql(null, 'SELECT 1 FROM tenants WHERE id = ?', id)).toEqual([]);
  expect(app.sql(null, 'SELECT email FROM accounts ORDER BY email')).toEqual([
    { email: 'beide@praxis.example' },
  ]);
  const [entry] = app.sql<{ after_json: string }>(
    null,
    "SELECT after_json FROM audit WHERE action = 'practice.erase'",
  );
  expect(JSON.parse(entry?.after_json ?? '')).toMatchObject({ sha256: facts.sha256 });
  expect((await app.request('GET', sender.base, undefined, sender.token)).status).toBe(401);
  expect((await app.request('GET', unsubscribe)).status).toBe(404);
  await app.untilStatus(other, await app.send(other), 'processed');
});

test('beside no daemon the command does it itself', async () => {
  await app.stop();
  const [old, young] = ['alt', 'jung'].map((name) => path.join(app.home, `data/exporting/${id}-${name}`));
  for (const copy of [old, young]) mkdirSync(copy ?? '', { recursive: true });
  utimesSync(old ?? '', 1, 1);
  const name = slugOf(other);
  const { exitCode, said } = await erase(other.practice.id, '--yes', name, '--json');
  expect(exitCode, said).toBe(0);
  expect(JSON.parse(said)).toMatchObject({ practice: { slug: name }, erased_by: 'system' });
  app = await start(app.home);
  expect(app.sql(null, "SELECT 1 FROM tenants WHERE purpose = 'practice'")).toEqual([]);
  // One may still be at the other.
  expect([old, young].map((copy) => existsSync(copy ?? ''))).toEqual([false, true]);
});

test('what was queued of it is forgotten: no error follows, and the times of others are stored', async () => {
  let offset = 0;
  const warnings: string[] = [];
  const lonely = await startApp({
    clock: { now: () => Date.now() + offset },
    onLog: (line) => void warnings.push(line),
  });
  const [gone, stays] = [await lonely.createSender(), await lonely.createSender()];
  const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();
  await lonely.send(gone, { scheduled_at: inHours(1) });
  const first = await lonely.send(stays, { scheduled_at: inHours(1) });
  await lonely.send(stays, { scheduled_at: inHours(48) });
  const [row] = lonely.sql<{ slug: string }>(null, 'SELECT slug FROM tenants WHERE id = ?', gone.practice.id);
  const body = { slug: row?.slug, discard_queue: true };
  const answer = await lonely.request('POST', `${gone.base}/erase`, body, lonely.adminToken);
  expect(answer.status).toBe(200);
  offset = 2 * 3_600_000;
  // It wakes who waits for a time.
  await lonely.send(stays);
  await lonely.untilStatus(stays, first, 'processed');
  const dueAt = (practice: string) =>
    lonely.sql<{ due_at: number }>(null, 'SELECT due_at FROM queue_due WHERE tenant_id = ?', practice);
  // While the other message is being sent, the job leaves the time as it is, and does it a minute later.
  await until('the time of the last message is stored', async () => {
    await lonely.runJob('bring the registry of due times up to date');
    return (dueAt(stays.practice.id)[0]?.due_at ?? 0) > Date.now() + 3 * 3_600_000;
  });
  expect(dueAt(gone.practice.id)).toEqual([]);
  await lonely.remove();
  expect(warnings).toEqual([]);
});
