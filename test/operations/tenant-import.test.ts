// A practice of one host at another one, with another master key and other hosts: what it sent before, and what it knows of people,
// works there; what cannot be taken is said, and leaves nothing.
import { hash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { Encrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import Database from 'better-sqlite3';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { arrivingFile, hashesOf } from '#src/accounts/moving/blocks.ts';
import { runCommandLine } from '#src/app/cli/commands.ts';
import { readTenantFile, type TenantHead, writeTenantFile } from '#src/operations/tenant-file.ts';
import { startApp, type TestApp } from '#test/support/app.ts';
import { expectLasting, type Lasting, makeLasting } from '#test/support/lasting.ts';
import { freePort, until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

let from: TestApp;
let to: TestApp;
let lasting: Lasting;
let receiver: SmtpReceiver;
let identity = '';
let key = '';
let id = '';

const OWN = 'praxis-eigen.example';
const LATER = new Date(Date.now() + 2 * 86_400_000).toISOString();

const inbound = { smtp: { inbound: { listen: '127.0.0.1:0' } } };
const at = (...names: string[]): string => path.join(from.home, ...names);

const run = async (home: string, ...args: string[]) => {
  let said = '';
  const print = (text: string): void => {
    said += text;
  };
  const exitCode = await runCommandLine([...args, '--config', path.join(home, 'service.yaml')], {
    environment: {},
    signals: { onEnd: () => undefined, onReload: () => undefined },
    print,
    printAll: async () => undefined,
    printError: print,
    isTerminal: false,
  });
  return { exitCode, said };
};
const take = (file: string, ...args: string[]) =>
  run(to.home, 'tenant', 'import', at(file), '--key', at('secret'), ...args);

const startTo = async (home?: string): Promise<TestApp> =>
  startApp({
    ...(home === undefined ? {} : { home }),
    receiver,
    config: {
      ...inbound,
      service: { host: 'mail.neu.example', managed_suffix: 'send.neu.example' },
      http: { listen: `127.0.0.1:${await freePort()}` },
    },
  });

/** The file with something else in its first line. */
const withHead = async (name: string, change: (head: TenantHead) => object): Promise<void> => {
  const head = await databaseOf();
  const changed = { ...head, ...change({ format: 1, bytes: 1, ...head }) };
  await writeTenantFile(at(name), at('database'), changed, { keys: [key] }, () => undefined);
};

const databaseOf = async (): Promise<Omit<TenantHead, 'format' | 'bytes'>> => {
  const {
    format: _,
    bytes: __,
    ...head
  } = await readTenantFile(
    at('praxis'),
    { keys: [identity] },
    async () => at('database'),
    () => undefined,
  );
  return head;
};

/** The file with another database in it, with the numbers of the first. */
const withDatabase = async (name: string, sql: string): Promise<void> => {
  const head = await databaseOf();
  const db = new Database(at('database'));
  db.exec(sql);
  db.close();
  await writeTenantFile(at(name), at('database'), head, { keys: [key] }, () => undefined);
};

/** The file with that many bytes in its first line, and with 2 MB. */
const withBytes = async (name: string, bytes: number): Promise<void> => {
  const head = { format: 1, ...(await databaseOf()), bytes };
  const content = zstdCompressSync(Buffer.concat([readFileSync(at('database')), Buffer.alloc(2_000_000)]));
  const encrypter = new Encrypter();
  encrypter.addRecipient(key);
  const plain = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), content]);
  writeFileSync(at(name), await encrypter.encrypt(plain));
};

beforeAll(async () => {
  receiver = await createSmtpReceiver();
  identity = await generateIdentity();
  key = await identityToRecipient(identity);
  from = await startApp({ config: inbound });
  lasting = await makeLasting(from);
  id = lasting.sender.practice.id;
  writeFileSync(at('secret'), `# created: today\n${identity}\n`);
  to = await startTo();
  // One of them has the number that the practice had.
  for (let count = 0; count < 3; count++) await to.createSender();
});
afterAll(async () => {
  await from?.remove();
  await to?.remove();
  await receiver?.stop();
});

test('what cannot be taken is said, and leaves nothing', async () => {
  const due = await from.send(lasting.sender, {
    scheduled_at: new Date(Date.now() + 86_400_000).toISOString(),
  });
  from.sql(
    id,
    'UPDATE queue SET due_at = 1 WHERE message_seq = (SELECT seq FROM messages WHERE id = ?)',
    due,
  );
  await from.send(lasting.sender, { scheduled_at: LATER });
  from.sql(id, 'UPDATE practice SET custom_domain = ?, custom_verified_at = 1', OWN);
  from.sql(id, 'INSERT INTO sending_domains (name, attached_at, verified_at) VALUES (?, 1, 1)', OWN);
  expect(await run(from.home, 'tenant', 'export', id, at('praxis'), '--key', key)).toMatchObject({
    exitCode: 0,
  });
  await withHead('newer', ({ schema }) => ({ schema: { ...schema, version: 99 } }));
  await withHead('other-tables', ({ schema }) => ({ schema: { ...schema, hash: 7 } }));
  await withHead('other-id', () => ({ id: '018bcfe5-0000-7000-8000-000000000000' }));
  await withDatabase('trigger', 'CREATE TRIGGER hostile AFTER INSERT ON messages BEGIN SELECT 1; END');
  await withDatabase('view', 'ALTER TABLE practice RENAME TO x; CREATE VIEW practice AS SELECT * FROM x');
  await withBytes('more', 1_000_000);
  await withBytes('too-much', Number.MAX_SAFE_INTEGER);
  writeFileSync(at('cut'), readFileSync(at('praxis')).subarray(0, -100));
  const other = at('other-secret');
  writeFileSync(other, await generateIdentity());
  for (const [file, says] of [
    ['newer', 'start the newer program'],
    ['other-tables', 'with other tables under the same number'],
    ['other-id', 'The file is that of another practice.'],
    ['trigger', 'than this program makes (these differ: trigger hostile)'],
    ['view', 'than this program makes (these differ: table practice, '],
    ['more', 'it has more bytes than it says'],
    ['too-much', 'beside what storage.min_free_mib keeps'],
    ['cut', 'is damaged or cut off'],
    ['secret', 'no file of age'],
    ['nowhere', 'does not exist'],
  ] as const) {
    const { exitCode, said } = await take(file);
    expect(said).toContain(says);
    expect(exitCode).toBe(1);
  }
  // The DNS serves one of its DKIM tokens for a practice of the other host.
  const [token] = from.sql<{ token: string }>(id, 'SELECT token FROM dkim_keys WHERE position = 1');
  const [served] = to.sql<{ token: string }>(null, 'SELECT token FROM dkim_tokens');
  const serve = (now: string | undefined, before: string | undefined): void =>
    void to.sql(null, 'UPDATE dkim_tokens SET token = ? WHERE token = ?', now, before);
  serve(token?.token, served?.token);
  expect((await take('praxis')).said).toContain('belongs to another practice.');
  serve(served?.token, token?.token);
  expect((await run(to.home, 'tenant', 'import', at('praxis'), '--key', other)).said).toContain(
    'does not open by',
  );
  expect(to.sql(null, 'SELECT 1 FROM tenants WHERE id = ?', id)).toEqual([]);
  expect(existsSync(path.join(to.home, 'data/tenants', id))).toBe(false);
  expect(readdirSync(path.join(to.home, 'data/arriving'))).toEqual([]);
});

test('what another host sends is looked at too, before anything of it runs', async () => {
  const { key: wayKey } = await databaseOf();
  const db = new Database(at('database'));
  db.exec('CREATE TRIGGER hostile AFTER UPDATE ON practice BEGIN SELECT 1; END');
  db.close();
  const file = arrivingFile(path.join(to.home, 'data'), id);
  mkdirSync(path.dirname(file), { recursive: true });
  copyFileSync(at('database'), file);
  const digest = hash('sha256', await hashesOf(file), 'buffer').toString('base64');
  const body = { key: wayKey, digest, slug: 'praxis' };
  const answer = await to.request('POST', `/api/admin/arrivals/${id}`, body, to.adminToken);
  expect(answer.status, answer.text).toBe(409);
  expect(answer.text).toContain('other tables, indexes or triggers');
  expect(to.sql(null, 'SELECT 1 FROM tenants WHERE id = ?', id)).toEqual([]);
});

test('at a running host its links, return paths, suppressions and tokens work, and it signs', async () => {
  // What an import that was killed has left.
  const left = path.join(to.home, 'data/arriving', id);
  mkdirSync(left, { recursive: true });
  writeFileSync(path.join(left, 'tenant.db'), 'half');
  const { exitCode, said } = await take('praxis', '--slug', 'praxis-neu');
  expect(said).toContain('imported: praxis-neu');
  expect(exitCode).toBe(0);
  expect(said).toContain('HELD: 2 mails');
  expect(said).toContain(`${OWN} is its domain again once the DNS has proved it here`);
  expect(to.sql(null, 'SELECT name FROM domains WHERE tenant_id = ?', id)).toEqual([
    { name: 'praxis-neu.send.neu.example' },
  ]);
  expect(to.sql(id, 'SELECT custom_domain, pending_domain FROM practice')).toEqual([
    { custom_domain: null, pending_domain: OWN },
  ]);
  const [row] = to.sql<{ number: number }>(null, 'SELECT number FROM tenants WHERE id = ?', id);
  expect(row?.number).toBeGreaterThan(4);
  await expectLasting(to, lasting);
  const mail = receiver.messages.at(-1)?.content ?? expect.fail();
  expect(receiver.messages).toHaveLength(1);
  const resolver = async (name: string): Promise<string[][]> =>
    to
      .sql<{ record: string }>(null, 'SELECT record FROM dkim_tokens WHERE token = ?', name.split('.')[0])
      .map(({ record }) => [record]);
  const { results } = await dkimVerify(mail, { resolver: resolver as never });
  expect(results.map(({ signingDomain, status }) => [signingDomain, status.result])).toEqual([
    ['praxis-neu.send.neu.example', 'pass'],
    ['praxis-neu.send.neu.example', 'pass'],
  ]);
  // Both go on, and neither gives a number that the other gives.
  const numbers = (app: TestApp) =>
    app.sql<{ name: string; seq: number }>(
      id,
      "SELECT name, seq FROM sqlite_sequence WHERE name = 'recipients'",
    );
  expect(numbers(to)[0]?.seq).toBeGreaterThan((numbers(from)[0]?.seq ?? 0) + 1_000_000);
  const again = (await take('praxis')).said;
  expect(again).toContain('works on this host');
  expect(again).not.toContain('is damaged');
  const release = `${lasting.sender.base}/held-mail/release`;
  expect((await to.request('POST', release, {}, to.adminToken)).body).toMatchObject({ mails: 2 });
  const queued = () => to.sql<{ due_at: number }>(id, 'SELECT due_at FROM queue').map(({ due_at }) => due_at);
  await until('what was due has left', () => receiver.messages.length === 2 && queued().length === 1);
  expect(queued()).toEqual([Date.parse(LATER)]);
});

test('into a stopped host, from where the first host hears no more of its tokens', async () => {
  await to.stop();
  const second = await makeLasting(from);
  const practice = second.sender.practice.id;
  await run(from.home, 'tenant', 'export', practice, at('zweite'), '--key', key);
  const { exitCode, said } = await take('zweite');
  expect(said).toContain('nothing is held');
  expect(exitCode).toBe(0);
  to = await startTo(to.home);
  expect((await to.request('GET', second.unsubscribe)).status).toBe(200);
  expect((await to.request('GET', lasting.unsubscribe)).status).toBe(200);
  await to.untilStatus(second.sender, await to.send(second.sender), 'processed');
});
