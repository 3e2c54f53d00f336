// The service's own mail, from the outbox to whoever it is for, and what a thief of the data directory finds of it. The
// notices are put into the outbox of a daemon that is down, as a crash before they were handed in leaves them.

import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import Database from 'better-sqlite3';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { type ParsedMail, simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOutbox } from '#src/accounts/mails/outbox.ts';
import type { Notice } from '#src/accounts/mails/schema.ts';
import { type NoticeRow, noticeStore } from '#src/accounts/mails/store.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { HOUR } from '#src/kernel/time.ts';
import { type AppOptions, type List, type Message, startApp, type TestApp } from '#test/support/app.ts';
import { keysIn } from '#test/support/keys.ts';
import { mailsTo, makeOwner, systemTenant } from '#test/support/people.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

/** Longer than real ones, so that no other bytes of the files happen to be the same. */
const CODE = `042317-${randomBytes(9).toString('hex')}`;
const TOKEN = `svc_inv_${randomBytes(24).toString('hex')}`;
const LINK = `https://mail.example.com/invitation/${TOKEN}`;
const TICKET = '0192f0c4-7a3e-7b1c-9d5e-2f6a8b1c3d4e';

const later = () => ({ expiresAfter: Date.now() + HOUR });
const notices: readonly Notice[] = [
  {
    kind: 'sign_in_code',
    code: CODE,
    minutes: 10,
    link: 'https://mail.example.com/app/sign-in',
    to: 'anna@example.org',
    language: 'de',
    ...later(),
  },
  {
    kind: 'invitation',
    practice: 'Praxis Dr. Müller',
    inviter: 'chef@example.org',
    link: LINK,
    expiresAt: Date.UTC(2030, 0, 1),
    to: 'bob@example.org',
    language: 'en',
    ...later(),
  },
  {
    kind: 'abuse_ticket',
    ticketId: TICKET,
    stage: 'open',
    to: 'carl@example.org',
    language: 'de',
    ...later(),
  },
];

/** In the registry of a daemon that is down. */
const inRegistry = <T>(home: string, work: (db: PlatformDb) => T): T => {
  const db = new Database(path.join(home, 'data', 'platform.db'), { fileMustExist: true }) as PlatformDb;
  try {
    return work(db);
  } finally {
    db.close();
  }
};

/** Resolves with the rows as they lie there now. */
const enqueue = async (home: string, given: readonly Notice[]): Promise<NoticeRow[]> => {
  const outbox = createOutbox(keysIn(home)('notices'));
  return inRegistry(home, (db) => {
    for (const notice of given) outbox.enqueue(db, notice, Date.now());
    return noticeStore(db).waiting(100);
  });
};

/** A daemon that finds the notices in its outbox when it starts. */
const startWith = async (given: readonly Notice[], options: AppOptions) => {
  const first = await startApp(options);
  await first.stop();
  const rows = await enqueue(first.home, given);
  return { app: await startApp({ ...options, home: first.home }), rows };
};

const untilEmpty = (app: TestApp) =>
  until('the outbox is empty', () => app.sql(null, 'SELECT 1 FROM notices').length === 0);

const messages = async (app: TestApp): Promise<readonly Message[]> => {
  const target = `/api/practices/${systemTenant(app)}/messages/search`;
  return (await app.request<List<Message>>('GET', target, undefined, app.adminToken)).body.data;
};

const untilProcessed = (app: TestApp, count: number) =>
  until(`${count} mails are processed`, async () => {
    const found = await messages(app);
    return found.length === count && found.every(({ status }) => status === 'processed');
  });

/** Names of files in the data directory that hold the text as it is, or in base64. */
const filesWith = async (app: TestApp, text: string): Promise<string[]> => {
  // The ends depend on what stands beside it.
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.from(`${' '.repeat(shift)}${text}`)
      .toString('base64')
      .slice(4, -4),
  );
  const found: string[] = [];
  for (const name of await app.files()) {
    const bytes = await readFile(path.join(app.home, 'data', name)).catch(() => Buffer.alloc(0));
    if ([text, ...shifted].some((form) => bytes.includes(form))) found.push(name);
  }
  return found;
};

const expectNothingToSteal = async (app: TestApp): Promise<void> => {
  for (const secret of [CODE, TOKEN]) expect(await filesWith(app, secret)).toEqual([]);
  // It would be found: what is no secret is.
  expect(await filesWith(app, 'Ihr Anmeldecode')).not.toEqual([]);
};

describe('by a smarthost', () => {
  let receiver: SmtpReceiver;
  let app: TestApp;
  let rows: NoticeRow[];
  let options: AppOptions;

  beforeAll(async () => {
    receiver = await createSmtpReceiver();
    const dns = { authoritative: { listen: '127.0.0.1:0' }, zones: { addresses: ['127.0.0.1'] } };
    options = { receiver, config: { dns } };
    ({ app, rows } = await startWith(notices, options));
    await receiver.waitFor(notices.length);
    await untilProcessed(app, notices.length);
    // A notice is taken out after its mail is stored, which may have been sent by then.
    await untilEmpty(app);
  });
  afterAll(async () => {
    await app?.remove();
    await receiver?.stop();
  });

  const arrivedFor = (address: string) => {
    const found = receiver.messages.filter(({ recipients }) =>
      recipients.some((one) => one.address === address),
    );
    if (!found[0]) throw new Error(`nothing arrived for ${address}`);
    return { count: found.length, content: found[0].content };
  };
  const mailFor = (address: string): Promise<ParsedMail> => simpleParser(arrivedFor(address).content);

  test('each arrives once, in its language, decoded as it was meant', async () => {
    expect(receiver.messages).toHaveLength(3);
    const anna = await mailFor('anna@example.org');
    expect(anna.subject).toBe('Ihr Anmeldecode für Sendwerk');
    expect(anna.text?.split('\n')).toContain(CODE);
    expect(anna.text).toContain('Sie müssen nichts tun.');
    const bob = await mailFor('bob@example.org');
    expect(bob.subject).toBe('Invitation to “Praxis Dr. Müller” at Sendwerk');
    expect(bob.text?.split('\n')).toContain(LINK);
    const carl = await mailFor('carl@example.org');
    expect(carl.subject).toBe(`Ihre Meldung ist eingegangen (${TICKET})`);
  });

  test('is plain text from the service, and tells machines not to answer', async () => {
    for (const address of ['anna@example.org', 'bob@example.org', 'carl@example.org']) {
      const { from, html, headers } = await mailFor(address);
      expect(from?.value).toEqual([{ name: 'Sendwerk', address: 'noreply@sendwerk.send.example.com' }]);
      expect(html).toBe(false);
      expect(headers.get('auto-submitted')).toBe('auto-generated');
      expect(headers.get('x-auto-response-suppress')).toBe('All');
      expect(headers.get('content-type')).toMatchObject({ value: 'text/plain' });
    }
  });

  test('passes DKIM against the keys served over DNS', async () => {
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${app.dnsPort}`]);
    const { results } = await dkimVerify(arrivedFor('anna@example.org').content, {
      resolver: (name, type) => resolver.resolve(name, type) as never,
    });
    expect(results.map(({ signingDomain, status }) => [signingDomain, status.result])).toEqual([
      ['sendwerk.send.example.com', 'pass'],
      ['sendwerk.send.example.com', 'pass'],
    ]);
  });

  test('the operator sees what became of it, and not what it says', async () => {
    const [found] = (await messages(app)).filter(({ to }) => to[0]?.address === 'anna@example.org');
    const target = `/api/practices/${systemTenant(app)}/messages/${found?.id}`;
    const { body, text } = await app.request<Message>('GET', target, undefined, app.adminToken);
    expect(body).toMatchObject({ source: 'system', tag: 'sign_in_code', text: null, html: null });
    expect(body.recipients).toMatchObject([{ address: 'anna@example.org', status: 'processed' }]);
    expect(text).not.toContain(CODE);
  });

  test('a stolen data directory holds neither code nor link', async () => {
    await expectNothingToSteal(app);
  });

  test('what was handed in, but not yet taken out when the process died, is not sent again', async () => {
    await app.stop();
    const putBack = 'INSERT INTO notices VALUES (:seq, :id, :sealed, :expires_at, :created_at)';
    inRegistry(app.home, (db) => {
      for (const row of rows) db.prepare(putBack).run(row);
    });
    const [fresh] = await enqueue(app.home, [{ ...notices[2], to: 'dora@example.org' } as Notice]).then(
      (all) => all.slice(-1),
    );
    expect(fresh?.seq).toBeGreaterThan(rows.at(-1)?.seq ?? 0);
    app = await startApp({ ...options, home: app.home });
    await untilEmpty(app);
    await receiver.waitFor(4);
    await untilProcessed(app, 4);
    expect(receiver.messages).toHaveLength(4);
    expect(arrivedFor('dora@example.org').count).toBe(1);
    await expectNothingToSteal(app);
  });
});

describe('by the local mailbox of a fresh installation', () => {
  let app: TestApp;
  beforeAll(async () => {
    ({ app } = await startWith(notices, {}));
    await untilProcessed(app, notices.length);
  });
  afterAll(() => app?.remove());

  test('can be read by the operator', async () => {
    const [code] = await mailsTo(app, 'anna@example.org');
    expect(code?.text.split('\n')).toContain(CODE);
    const [invitation] = await mailsTo(app, 'bob@example.org');
    expect(invitation?.text).toContain(LINK);
  });

  test('lies there sealed, its size that of the mail', async () => {
    const [code] = await mailsTo(app, 'anna@example.org');
    const kept = app.sql<{ size_bytes: number; source: Buffer }>(
      systemTenant(app),
      "SELECT size_bytes, source FROM captures WHERE recipient = 'anna@example.org'",
    );
    expect(kept.map(({ size_bytes }) => size_bytes)).toEqual([code?.source.length]);
    expect(kept[0]?.source.includes('Subject:')).toBe(false);
  });

  test('a stolen data directory holds neither code nor link, while it runs and after', async () => {
    await expectNothingToSteal(app);
    await app.stop();
    await expectNothingToSteal(app);
  });
});

test('ordinary mail stays as it is: its content is shown to those who may see it', async () => {
  const app = await startApp();
  try {
    const sender = await app.createSender();
    const id = await app.send(sender);
    const { source, text } = await app.untilStatus(sender, id, 'processed');
    expect({ source, text }).toEqual({ source: 'api', text: 'Am Montag um 9:30 Uhr.' });
  } finally {
    await app.remove();
  }
});

test('goes by its own route, whatever is made the default of its practice', async () => {
  const app = await startApp();
  try {
    const base = `/api/practices/${systemTenant(app)}`;
    const made = await app.request('POST', `${base}/routes/broadcast/default`, undefined, app.adminToken);
    expect(made.status).toBe(200);
    const { id } = await app.createPractice();
    await makeOwner(app, id, 'dora@example.org');
    await until('the mail', async () => (await mailsTo(app, 'dora@example.org')).length === 1);
  } finally {
    await app.remove();
  }
});
