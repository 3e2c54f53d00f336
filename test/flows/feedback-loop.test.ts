// What comes back of mails, over real SMTP: to their return paths, and to the address for complaints. What follows of it is
// looked at where users look, and row by row where nothing may follow.
import { afterEach, describe, expect, test } from 'vitest';
import { DAY } from '#src/kernel/time.ts';
import { type AppOptions, letter, type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { freePort, until } from '#test/support/process.ts';
import {
  absence,
  bounceOf,
  bring,
  deliveryStatus,
  feedbackReport,
  feedbackSource,
} from '#test/support/reports.ts';
import { createSmtpReceiver, OK, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { talkTo } from '#test/support/smtp-talk.ts';
import { createTestClock, type TestClock } from '#test/support/storage.ts';

const SIMULATOR = 'simulator.mail.example.com';
const FBL = 'fbl@mail.example.com';
const NOW = Date.UTC(2026, 10, 21, 12);

const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

interface Scene {
  readonly app: TestApp;
  readonly sender: Sender;
  readonly receiver: SmtpReceiver;
  readonly clock: TestClock;
}

/** The relay takes all mail; what comes back is brought by hand. */
const started = async (config: AppOptions['config'] = {}): Promise<Scene> => {
  const receiver = await createSmtpReceiver();
  endings.push(() => receiver.stop());
  const source = await feedbackSource();
  endings.push(() => source.dns.stop());
  const clock = createTestClock(NOW);
  const app = await startApp({
    receiver,
    clock,
    config: {
      ...source.config,
      service: { public_origin: 'https://mail.example.com' },
      smtp: { inbound: { listen: '127.0.0.1:0' } },
      ...config,
    },
  });
  endings.push(() => app.remove());
  return { app, sender: await app.createSender(), receiver, clock };
};

interface Copy {
  readonly id: string;
  readonly returnPath: string;
  /** Lines of its header. */
  readonly head: readonly string[];
}

const headOf = (content: Buffer): string[] =>
  content.toString('latin1').split('\r\n\r\n')[0]?.split('\r\n') ?? [];

/** Sent, and the relay's 250 written down. */
const sent = async (
  { app, sender, receiver }: Scene,
  fields: object = {},
  address?: string,
): Promise<Copy> => {
  const id = await app.send(sender, { ...fields });
  await until('all copies have left', () => app.sql(sender.practice.id, 'SELECT 1 FROM queue').length === 0);
  const { recipients } = await app.message(sender, id);
  const wanted = address ?? recipients[0]?.address;
  const mail = receiver.messages.findLast((one) => one.recipients[0]?.address === wanted);
  if (!mail) throw new Error(`the relay has nothing for ${wanted}`);
  return { id, returnPath: mail.mailFrom, head: headOf(mail.content) };
};

const TABLES = ['messages', 'recipients', 'queue', 'events', 'counters', 'channel_counters', 'suppressions'];
/** All that news could change, row by row. */
const rowsOf = ({ app, sender }: Scene): Record<string, unknown[]> =>
  Object.fromEntries(TABLES.map((table) => [table, app.sql(sender.practice.id, `SELECT * FROM ${table}`)]));

const isQueueEmpty = ({ app, sender }: Scene): boolean =>
  app.sql(sender.practice.id, 'SELECT 1 FROM queue').length === 0;

const countsOf = ({ app, sender }: Scene): Record<string, number> | undefined =>
  app.sql<Record<string, number>>(
    sender.practice.id,
    `SELECT sum(sent) AS sent, sum(delivered) AS delivered, sum(hard_bounced) AS hard, sum(soft_bounced) AS soft,
     sum(complaints) AS complaints, sum(unsubscribes) AS unsubscribes FROM counters`,
  )[0];
const NOTHING = { sent: 1, delivered: 0, hard: 0, soft: 0, complaints: 0, unsubscribes: 0 };

const suppressionsOf = ({ app, sender }: Scene) =>
  app.sql(
    sender.practice.id,
    'SELECT address, scope, reason, source_message_id AS message FROM suppressions ORDER BY address',
  );

const eventsOf = async ({ app, sender }: Scene, id: string): Promise<Record<string, unknown>[]> => {
  const path = `${sender.base}/messages/${id}/events`;
  return [
    ...(await app.request<{ data: Record<string, unknown>[] }>('GET', path, undefined, sender.token)).body
      .data,
  ];
};
const typesOf = async (scene: Scene, id: string): Promise<unknown[]> =>
  (await eventsOf(scene, id)).map(({ type }) => type);

const sendAgain = async ({ app, sender }: Scene, fields: object = {}) =>
  (await app.request('POST', `${sender.base}/send`, { ...letter, ...fields }, sender.token)).body;

interface Inbound {
  readonly reports: Record<string, number>;
  readonly refused: Record<string, number>;
}
const inboundOf = async ({ app }: Scene): Promise<Inbound> =>
  (await app.request<{ inbound: Inbound }>('GET', '/api/admin/health', undefined, app.adminToken)).body
    .inbound;

describe('the simulator, in the whole loop', () => {
  test.each([
    { local: 'success', status: 'delivered' },
    { local: 'bounce', status: 'hard_bounced' },
    { local: 'complaint', status: 'spam_complaint' },
    { local: 'ooto', status: 'auto_replied' },
  ] as const)(
    '$local@ ends in $status; nobody is suppressed, and nothing counted',
    async ({ local, status }) => {
      const port = await freePort();
      const upstreams = [{ name: 'own', kind: 'smtp', host: '127.0.0.1', port, tls: 'none' }];
      const app = await startApp({
        config: { upstreams, smtp: { inbound: { listen: `127.0.0.1:${port}` } } },
      });
      endings.push(() => app.remove());
      const sender = await app.createSender();
      const scene = { app, sender } as Scene;
      const id = await app.send(sender, { to: `${local}@${SIMULATOR}` });
      await app.untilStatus(sender, id, status);
      await until('the relay’s 250 is written down', async () =>
        (await typesOf(scene, id)).includes('message.sent'),
      );
      expect((await typesOf(scene, id)).toSorted()).toEqual(
        ['message.created', 'message.sent', `message.${status}`].toSorted(),
      );
      expect(suppressionsOf(scene)).toEqual([]);
      const { accepted: _, ...counts } =
        app.sql<Record<string, number>>(
          sender.practice.id,
          'SELECT sum(accepted) AS accepted, sum(sent) AS sent, sum(delivered) AS delivered, sum(hard_bounced + soft_bounced + complaints) AS bad FROM counters',
        )[0] ?? {};
      expect(Object.values(counts).every((count) => !count)).toBe(true);
      expect((await inboundOf(scene)).reports).toEqual({ changed: 1, unchanged: 0, unknown: 0 });
    },
  );
});

describe('a report at a return path', () => {
  const cases = [
    {
      name: 'of a mailbox that does not exist',
      report: bounceOf(letter.to),
      status: 'hard_bounced',
      counts: { hard: 1 },
      reason: 'hard_bounce',
    },
    {
      name: 'of a mailbox that does not exist, with a NUL in what it returns',
      report: bounceOf(letter.to).replace('\r\nStatus: 5.1.1', '\0\r\nStatus: 5.1.1\0'),
      status: 'hard_bounced',
      counts: { hard: 1 },
      reason: 'hard_bounce',
    },
    {
      name: 'of a full mailbox',
      report: deliveryStatus(
        letter.to,
        'Action: failed',
        'Status: 5.2.2',
        'Diagnostic-Code: smtp; 552 5.2.2 full',
      ),
      status: 'soft_bounced',
      counts: { soft: 1 },
      reason: null,
    },
    {
      name: 'of a delay',
      report: deliveryStatus(letter.to, 'Action: delayed', 'Status: 4.4.1'),
      status: 'delivery_delayed',
      counts: {},
      reason: null,
    },
    {
      name: 'of the delivery',
      report: deliveryStatus(letter.to, 'Action: delivered', 'Status: 2.0.0'),
      status: 'delivered',
      counts: { delivered: 1 },
      reason: null,
    },
    {
      name: 'of a complaint',
      report: feedbackReport('abuse', [], ['Subject: Ihr Termin']),
      status: 'spam_complaint',
      counts: { complaints: 1 },
      reason: 'complaint',
    },
    {
      name: 'by an answering machine',
      report: absence(),
      status: 'auto_replied',
      counts: {},
      reason: null,
    },
  ] as const;

  test.each(cases)('$name ends in $status, and once more changes nothing', async (row) => {
    const scene = await started();
    const { id, returnPath } = await sent(scene);
    expect(await bring(scene.app.inboundPort, returnPath, row.report)).toMatch('250 2.0.0');
    await scene.app.untilStatus(scene.sender, id, row.status);
    expect(await typesOf(scene, id)).toEqual(['message.created', 'message.sent', `message.${row.status}`]);
    expect(countsOf(scene)).toEqual({ ...NOTHING, ...row.counts });
    expect(suppressionsOf(scene)).toEqual(
      row.reason === null ? [] : [{ address: letter.to, scope: 'team', reason: row.reason, message: id }],
    );
    expect(await sendAgain(scene)).toMatchObject(
      row.reason === null ? { status: 'queued' } : { status: 'suppressed', code: 'recipient_suppressed' },
    );
    await until('the other one has left', async () => isQueueEmpty(scene));

    const before = rowsOf(scene);
    expect(await bring(scene.app.inboundPort, returnPath, row.report)).toMatch('250 2.0.0');
    expect(rowsOf(scene)).toEqual(before);
    expect((await inboundOf(scene)).reports).toEqual({ changed: 1, unchanged: 1, unknown: 0 });
  });

  test('that opts out keeps mail of that route from the person, and no other', async () => {
    const scene = await started();
    const { id, returnPath } = await sent(scene);
    await bring(scene.app.inboundPort, returnPath, feedbackReport('opt-out', [], []));
    await scene.app.untilStatus(scene.sender, id, 'unsubscribed');
    expect(suppressionsOf(scene)).toEqual([
      { address: letter.to, scope: 'route', reason: 'unsubscribe', message: id },
    ]);
    expect(await sendAgain(scene)).toMatchObject({ status: 'suppressed' });
    await scene.app.completeLegal(scene.sender.practice.id);
    expect(await sendAgain(scene, { route: 'broadcast', message_kind: 'newsletter' })).toMatchObject({
      status: 'queued',
    });
    await until('it has left', async () => isQueueEmpty(scene));
    const before = rowsOf(scene);
    await bring(scene.app.inboundPort, returnPath, feedbackReport('opt-out', [], []));
    expect(rowsOf(scene)).toEqual(before);
  });

  test.each(['not-spam', 'auth-failure', 'virus', 'other'])('of type %s changes nothing', async (type) => {
    const scene = await started();
    const { returnPath } = await sent(scene);
    const before = rowsOf(scene);
    expect(await bring(scene.app.inboundPort, returnPath, feedbackReport(type, [], []))).toMatch('250');
    expect(rowsOf(scene)).toEqual(before);
  });

  test('a complaint after a bounce says from then on that it is the person’s wish', async () => {
    const scene = await started();
    const { id, returnPath } = await sent(scene);
    await bring(scene.app.inboundPort, returnPath, bounceOf(letter.to));
    await bring(scene.app.inboundPort, returnPath, feedbackReport('abuse', [], []));
    expect(suppressionsOf(scene)).toEqual([
      { address: letter.to, scope: 'team', reason: 'complaint', message: id },
    ]);
  });

  test('may come before the relay’s 250 is written down', async () => {
    const scene = await started();
    const held = Promise.withResolvers<void>();
    const dot = async () => {
      await held.promise;
      return OK;
    };
    scene.receiver.setBehaviour({ dot });
    const id = await scene.app.send(scene.sender);
    await scene.receiver.waitForCommand(/ \.$/);
    const mail = scene.receiver.commands.find((line) => line.includes('MAIL FROM'));
    const returnPath = /<(.*?)>/.exec(mail ?? '')?.[1] ?? '';
    expect(await bring(scene.app.inboundPort, returnPath, bounceOf(letter.to))).toMatch('250 2.0.0');
    await scene.app.untilStatus(scene.sender, id, 'hard_bounced');
    held.resolve();
    await until('the 250 is written down', async () => (await typesOf(scene, id)).includes('message.sent'));
    expect((await scene.app.message(scene.sender, id)).status).toBe('hard_bounced');
    expect(countsOf(scene)).toEqual({ ...NOTHING, hard: 1 });
  });
});

describe('a return path that is not to be used', () => {
  const refusedAs = async (scene: Scene, returnPath: string, reason: string): Promise<void> => {
    const before = rowsOf(scene);
    for (const report of [bounceOf(letter.to), feedbackReport('abuse', [], []), absence()])
      await expect(bring(scene.app.inboundPort, returnPath, report)).rejects.toThrow(
        '550 5.1.1 no such mailbox',
      );
    expect(rowsOf(scene)).toEqual(before);
    const { refused } = await inboundOf(scene);
    expect(Object.entries(refused).filter(([, count]) => count > 0)).toEqual([[reason, 3]]);
  };

  test('is forged', async () => {
    const scene = await started();
    const { returnPath } = await sent(scene);
    await refusedAs(
      scene,
      returnPath.replace(/.(?=@)/, (last) => (last === 'a' ? 'b' : 'a')),
      'forged',
    );
  });

  test('is of a message that is kept no more', async () => {
    const scene = await started();
    const { id, returnPath } = await sent(scene);
    scene.app.sql(scene.sender.practice.id, 'DELETE FROM messages WHERE id = ?', id);
    await refusedAs(scene, returnPath, 'unknown');
  });

  test('is of a practice that is no more', async () => {
    const scene = await started();
    const { returnPath } = await sent(scene);
    scene.app.sql(null, "UPDATE tenants SET state = 'creating' WHERE id = ?", scene.sender.practice.id);
    await refusedAs(scene, returnPath, 'unknown');
    scene.app.sql(null, "UPDATE tenants SET state = 'active' WHERE id = ?", scene.sender.practice.id);
  });

  test('is of mail that has never left', async () => {
    const scene = await started();
    const { id, returnPath } = await sent(scene);
    // As it would be of one that waits: nobody can know the path from a mail.
    const { practice } = scene.sender;
    scene.app.sql(practice.id, "UPDATE recipients SET attempts = 0, status = 'queued'");
    scene.app.sql(practice.id, "DELETE FROM events WHERE type = 'message.sent'");
    expect(id).not.toBe('');
    await refusedAs(scene, returnPath, 'replayed');
  });

  test('is of mail that left more than sixty days ago', async () => {
    const scene = await started();
    const { id, returnPath } = await sent(scene);
    scene.clock.set(NOW + 60 * DAY);
    expect(await bring(scene.app.inboundPort, returnPath, absence())).toMatch('250');
    scene.clock.set(NOW + 60 * DAY + 1);
    await refusedAs(scene, returnPath, 'expired');
    expect((await scene.app.message(scene.sender, id)).status).toBe('auto_replied');
  });
});

describe('the address for complaints', () => {
  const complain = (scene: Scene, type: string, fields: readonly string[], head: readonly string[]) =>
    bring(scene.app.inboundPort, FBL, feedbackReport(type, fields, head), 'feedback@provider.example');
  const from = 'From: Praxis <noreply@praxis-am-markt.send.example.com>';
  const field = ({ head }: Copy, name: string): string =>
    head
      .join('\r\n')
      .split(/\r\n(?![ \t])/)
      .find((line) => line.startsWith(`${name}: `)) ?? '';

  /** Each tells of the copy in its own way; in all of them the mail was sent to two. */
  const ways = [
    {
      name: 'its return path',
      fields: ({ returnPath }: Copy) => [`Original-Mail-From: <${returnPath}>`],
      head: () => [],
    },
    {
      name: 'its return path in the returned mail',
      fields: () => [],
      head: ({ returnPath }: Copy) => [`Return-Path: <${returnPath}>`],
    },
    {
      name: 'its return path in a line of Received',
      fields: () => [],
      head: ({ returnPath }: Copy) => [
        `Received: from a by b (envelope-from <${returnPath}>);`,
        '\tSat, 21 Nov 2026 12:00:00 +0000',
      ],
    },
    {
      name: 'its unsubscribe link',
      fields: () => [],
      head: (copy: Copy) => [field(copy, 'List-Unsubscribe')],
    },
  ];

  test.each(ways)('finds the copy by $name', async ({ fields, head }) => {
    const scene = await started();
    const copy = await sent(scene, { to: [letter.to, 'anna@example.org'] }, letter.to);
    expect(await complain(scene, 'abuse', fields(copy), head(copy))).toMatch('250 2.0.0');
    const { recipients } = await scene.app.message(scene.sender, copy.id);
    expect(recipients.map(({ address, status }) => [address, status])).toEqual([
      [letter.to, 'spam_complaint'],
      ['anna@example.org', 'processed'],
    ]);
    expect(suppressionsOf(scene)).toEqual([
      { address: letter.to, scope: 'team', reason: 'complaint', message: copy.id },
    ]);
    expect(countsOf(scene)).toEqual({ ...NOTHING, sent: 2, complaints: 1 });
    const before = rowsOf(scene);
    expect(await complain(scene, 'abuse', fields(copy), head(copy))).toMatch('250 2.0.0');
    // By another way, the same complaint.
    expect(await bring(scene.app.inboundPort, copy.returnPath, feedbackReport('abuse', [], []))).toMatch(
      '250',
    );
    expect(rowsOf(scene)).toEqual(before);
    expect((await inboundOf(scene)).reports).toEqual({ changed: 1, unchanged: 2, unknown: 0 });
  });

  test('takes a Message-ID for enough where there was one recipient, whatever the report calls them', async () => {
    const scene = await started();
    const copy = await sent(scene);
    await complain(
      scene,
      'fraud',
      ['Original-Rcpt-To: redacted@provider.example'],
      [field(copy, 'Message-ID')],
    );
    await scene.app.untilStatus(scene.sender, copy.id, 'spam_complaint');
  });

  test('lets nobody who got a mail complain for the others who got it', async () => {
    const scene = await started();
    const copy = await sent(scene, { to: letter.to, cc: ['eve@example.net'] }, letter.to);
    const before = rowsOf(scene);
    for (const fields of [
      [],
      ['Original-Rcpt-To: <someone@example.net>'],
      [`Original-Rcpt-To: <${letter.to}>`],
      [`Removal-Recipient: ${letter.to}`],
    ])
      expect(
        await complain(scene, 'abuse', fields, [from, `To: ${letter.to}`, field(copy, 'Message-ID')]),
      ).toMatch('250');
    expect(rowsOf(scene)).toEqual(before);
    expect((await inboundOf(scene)).reports).toEqual({ changed: 0, unchanged: 0, unknown: 4 });
  });

  test('takes an opt-out for an unsubscription', async () => {
    const scene = await started();
    const copy = await sent(scene);
    await complain(scene, 'opt-out-list', [], [field(copy, 'List-Unsubscribe')]);
    await scene.app.untilStatus(scene.sender, copy.id, 'unsubscribed');
    expect(suppressionsOf(scene)).toMatchObject([{ scope: 'route', reason: 'unsubscribe' }]);
  });

  test('takes the mails that Outlook.com sends in place of reports', async () => {
    const scene = await started();
    const copy = await sent(scene, { to: [letter.to, 'anna@example.org'] }, letter.to);
    const content = [
      'From: <staff@hotmail.com>',
      'Subject: complaint about message from 192.0.2.1',
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary="b"',
      '',
      '--b',
      'Content-Type: message/rfc822',
      '',
      field(copy, 'List-Unsubscribe'),
      `X-HmXmrOriginalRecipient: <${letter.to}>`,
      field(copy, 'Message-ID'),
      '',
      'The mail.',
      '--b--',
      '',
    ].join('\r\n');
    expect(await bring(scene.app.inboundPort, FBL, content, 'staff@hotmail.com')).toMatch('250');
    expect(suppressionsOf(scene)).toMatchObject([{ address: letter.to, reason: 'complaint' }]);
  });

  test.each([
    { name: 'names nobody', head: ['Subject: x'] },
    { name: 'names a message of others', head: ['Message-ID: <1@example.org>', 'From: a@example.org'] },
    {
      name: 'names a message that never was',
      head: ['Message-ID: <01900000-0000-7000-8000-000000000000@praxis-am-markt.send.example.com>'],
    },
    {
      name: 'has a forged link',
      head: [`List-Unsubscribe: <https://mail.example.com/api/public/unsub?t=1${'A'.repeat(35)}>`],
    },
  ])('takes a report that $name, and nothing follows', async ({ head }) => {
    const scene = await started();
    await sent(scene);
    const before = rowsOf(scene);
    expect(await complain(scene, 'abuse', [], head)).toMatch('250 2.0.0');
    expect(rowsOf(scene)).toEqual(before);
    expect((await inboundOf(scene)).reports).toEqual({ changed: 0, unchanged: 0, unknown: 1 });
  });

  test('takes what is no report, and nothing follows', async () => {
    const scene = await started();
    const copy = await sent(scene);
    const before = rowsOf(scene);
    const content = `Subject: spam!\r\nMessage-ID: ${field(copy, 'Message-ID')}\r\n\r\n${copy.returnPath}\r\n`;
    expect(await bring(scene.app.inboundPort, FBL, content, 'eve@example.org')).toMatch('250');
    expect(rowsOf(scene)).toEqual(before);
  });

  test('is open to complaints as long as the message is known', async () => {
    const scene = await started();
    const copy = await sent(scene);
    scene.clock.set(NOW + 90 * DAY);
    await complain(scene, 'abuse', [`Original-Mail-From: <${copy.returnPath}>`], []);
    await scene.app.untilStatus(scene.sender, copy.id, 'spam_complaint');
  });

  test('asks whoever brings too many to come again', async () => {
    const scene = await started();
    const one = await talkTo(scene.app.inboundPort ?? 0);
    await one.hello();
    const codes = new Set<string>();
    for (let brought = 0; brought < 201; brought += 1) {
      await one.envelope('feedback@provider.example', FBL);
      one.write('Subject: x\r\n\r\n.\r\n');
      codes.add((await one.reply())?.slice(0, 9) ?? '');
    }
    one.end();
    expect([...codes]).toEqual(['250 2.0.0', '450 4.7.1']);
  });
});

test('each keeps further mail out at its scope, and the next sending says so', async () => {
  const scene = await started();
  const [bounced, complained, left] = ['a@example.org', 'b@example.org', 'c@example.org'];
  const first = await sent(scene, { to: bounced });
  await bring(scene.app.inboundPort, first.returnPath, bounceOf(bounced));
  const second = await sent(scene, { to: complained });
  await bring(scene.app.inboundPort, second.returnPath, feedbackReport('abuse', [], []));
  const third = await sent(scene, { to: left });
  await bring(scene.app.inboundPort, third.returnPath, feedbackReport('opt-out', [], []));
  expect(suppressionsOf(scene)).toEqual([
    { address: bounced, scope: 'team', reason: 'hard_bounce', message: first.id },
    { address: complained, scope: 'team', reason: 'complaint', message: second.id },
    { address: left, scope: 'route', reason: 'unsubscribe', message: third.id },
  ]);
  expect(await sendAgain(scene, { to: [bounced, complained, left, 'd@example.org'] })).toMatchObject({
    status: 'queued',
    code: 'recipients_suppressed',
    suppressed: [bounced, complained, left],
  });
});
