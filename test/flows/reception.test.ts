// Mail from the world in the mailboxes of practices: what is stored for each, and how it joins the messages it answers.
import { afterAll, expect, test } from 'vitest';
import { allRows } from '#test/support/all-rows.ts';
import { type List, type Sender, startApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

interface Received {
  readonly id: string;
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly state: string;
  readonly thread_id: string;
  readonly reply_to_message_id: string | null;
  readonly internet_message_id: string | null;
}

const app = await startApp({
  config: { smtp: { inbound: { listen: '127.0.0.1:0' } }, limits: { inbound_mib: 1 } },
});
afterAll(() => app.remove());

const openMailbox = async (options: object = {}): Promise<Sender & { readonly host: string }> => {
  const sender = await app.createSender();
  const path = `${sender.base}/inbound`;
  await app.request('POST', `${path}/enable`, {}, sender.token);
  await app.request('PATCH', path, { dmarc_action: 'accept', ...options }, sender.token);
  return { ...sender, host: `in.${sender.practice.managed_host}` };
};

const received = ({ base, token }: Sender): Promise<readonly Received[]> =>
  allRows<Received>(app, `${base}/inbound/messages`, token);

const mail = (fields: Readonly<Record<string, string>>, text = 'Guten Tag'): string =>
  [...Object.entries(fields).map(([name, value]) => `${name}: ${value}`), '', text, ''].join('\r\n');

/** The last reply. */
const deliver = async (
  recipients: readonly string[],
  content: string,
  from = 'anna@patient.example',
): Promise<string | null> => {
  const talk = await talkTo(app.inboundPort ?? 0);
  try {
    await talk.hello();
    await talk.say(`MAIL FROM:<${from}>`);
    for (const recipient of recipients) {
      const answer = await talk.say(`RCPT TO:<${recipient}>`);
      if (!answer?.startsWith('250')) return answer;
    }
    await talk.say('DATA');
    talk.write(`${content.replace(/^\./gm, '..')}\r\n.\r\n`);
    return await talk.reply();
  } finally {
    talk.end();
  }
};

test('a mail to two practices is stored once in each, and neither learns of the other', async () => {
  const [one, two] = [await openMailbox(), await openMailbox()];
  const content = mail({ From: 'anna@patient.example', To: `a@${one.host}`, Subject: 'An beide' });
  expect(await deliver([`a@${one.host}`, `b@${one.host}`, `c@${two.host}`], content)).toMatch(/^250 2\.0\.0/);
  expect(await received(one)).toMatchObject([{ recipients: [`a@${one.host}`, `b@${one.host}`] }]);
  expect(await received(two)).toMatchObject([{ recipients: [`c@${two.host}`] }]);
  const [theirs] = await received(two);
  const source = await app.request(
    'GET',
    `${two.base}/inbound/messages/${theirs?.id}/raw`,
    undefined,
    two.token,
  );
  expect(source.text).not.toContain(`b@${one.host}`);
});

test('where one of two practices has no room, the mail comes again, and is not twice in the other', async () => {
  const [one, two] = [await openMailbox(), await openMailbox()];
  const filling = mail(
    { From: 'anna@patient.example', Subject: 'Groß' },
    'x'.repeat(70).concat('\r\n').repeat(9_000),
  );
  expect(await deliver([`a@${two.host}`], filling)).toMatch(/^250/);
  const content = mail(
    { From: 'anna@patient.example', Subject: 'An beide' },
    'y'.repeat(70).concat('\r\n').repeat(7_000),
  );
  const recipients = [`a@${one.host}`, `b@${two.host}`];
  expect(await deliver(recipients, content)).toMatch(/^452 4\.2\.2/);
  await app.reconfigure({ limits: { inbound_mib: 10 } });
  try {
    expect(await deliver(recipients, content)).toMatch(/^250/);
    expect(await received(one)).toHaveLength(1);
    expect(await received(two)).toHaveLength(2);
    // Another mail with the same content is another mail.
    expect(await deliver(recipients, content)).toMatch(/^250/);
    expect(await received(one)).toHaveLength(2);
  } finally {
    await app.reconfigure({ limits: { inbound_mib: 1 } });
  }
});

test('mail held or quarantined takes a quarter of the room, and leaves the rest to the inbox', async () => {
  const practice = await openMailbox({ catch_all: { mode: 'hold' }, addresses: [{ local_part: 'info' }] });
  const large = mail({ From: 'anna@patient.example' }, 'x'.repeat(70).concat('\r\n').repeat(2_500));
  expect(await deliver([`a@${practice.host}`], large)).toMatch(/^250/);
  expect(await deliver([`b@${practice.host}`], large)).toMatch(/^452 4\.2\.2/);
  expect(await deliver([`info@${practice.host}`], large)).toMatch(/^250/);
  const { body } = await app.request<{ counts: { bytes: number; set_aside_bytes: number } }>(
    'GET',
    `${practice.base}/inbound`,
    undefined,
    practice.token,
  );
  const { counts } = body;
  expect(counts).toMatchObject({ held: 1, unread: 1, set_aside_quota_bytes: 256 * 1_024 });
  expect(counts.bytes).toBeGreaterThan(counts.set_aside_bytes);
  // What is released makes room.
  const held = (await received(practice)).find(({ state }) => state === 'held');
  const release = `${practice.base}/inbound/messages/${held?.id}/release`;
  expect((await app.request('POST', release, {}, practice.token)).status).toBe(200);
  expect(await deliver([`b@${practice.host}`], large)).toMatch(/^250/);
});

const send = async (sender: Sender, body: object): Promise<{ id: string; internet_message_id: string }> => {
  const accepted = await app.request<{ id: string }>(
    'POST',
    `${sender.base}/send`,
    { to: 'anna@patient.example', subject: 'Ihr Termin', text: 'Montag um 10:30', ...body },
    sender.token,
  );
  expect(accepted.status).toBe(202);
  const path = `${sender.base}/messages/${accepted.body.id}`;
  await until('it is sent', async () => {
    const { body: shown } = await app.request<{ status: string }>('GET', path, undefined, sender.token);
    return shown.status !== 'queued';
  });
  return (
    await app.request<{ id: string; internet_message_id: string }>('GET', path, undefined, sender.token)
  ).body;
};

interface Timeline {
  readonly data: readonly {
    readonly status: string;
    readonly recipient: string | null;
    readonly detail: string | null;
  }[];
}
const eventsOf = async ({ base, token }: Sender, id: string): Promise<readonly string[]> => {
  const { body } = await app.request<List<{ type: string }>>(
    'GET',
    `${base}/messages/${id}/events`,
    undefined,
    token,
  );
  return body.data.map(({ type }) => type);
};

test('a conversation has one thread, and each reply is in the timeline of the message it answers', async () => {
  const practice = await openMailbox();
  const address = `praxis@${practice.host}`;
  const first = await send(practice, { reply_to: address });
  const names = { From: 'Anna Beispiel <Anna@Patient.example>', To: address, Subject: 'Re: Ihr Termin' };
  const reply = mail({
    ...names,
    'Message-ID': '<r1@patient.example>',
    'In-Reply-To': first.internet_message_id,
    References: first.internet_message_id,
  });
  expect(await deliver([address], reply)).toMatch(/^250/);
  expect(await received(practice)).toMatchObject([
    { reply_to_message_id: first.id, thread_id: first.id, internet_message_id: '<r1@patient.example>' },
  ]);
  expect(await eventsOf(practice, first.id)).toContain('inbound.received');
  const { body } = await app.request<Timeline>(
    'GET',
    `${practice.base}/messages/${first.id}/timeline`,
    undefined,
    practice.token,
  );
  expect(body.data.at(-1)).toMatchObject({ recipient: 'anna@patient.example' });

  const second = await send(practice, {
    reply_to: address,
    headers: {
      'In-Reply-To': '<r1@patient.example>',
      References: `${first.internet_message_id} <r1@patient.example>`,
    },
  });
  // A program that quotes only the message it answers.
  const again = mail({
    ...names,
    'Message-ID': '<r2@patient.example>',
    'In-Reply-To': second.internet_message_id,
  });
  expect(await deliver([address], again)).toMatch(/^250/);
  expect((await received(practice))[0]).toMatchObject({
    reply_to_message_id: second.id,
    thread_id: first.id,
  });
});

test('what another practice sent is not found by its Message-ID', async () => {
  const [one, two] = [await openMailbox(), await openMailbox()];
  const { internet_message_id } = await send(one, {});
  const reply = mail({ From: 'anna@patient.example', 'In-Reply-To': internet_message_id });
  expect(await deliver([`a@${two.host}`], reply)).toMatch(/^250/);
  expect(await received(two)).toMatchObject([{ reply_to_message_id: null }]);
});

test('an automatic reply is a signal about its message and no mail for people', async () => {
  const practice = await openMailbox();
  const address = `praxis@${practice.host}`;
  const { id, internet_message_id } = await send(practice, { reply_to: address });
  const reply = mail({
    From: 'anna@patient.example',
    To: address,
    Subject: 'Automatische Antwort: Ihr Termin',
    'In-Reply-To': internet_message_id,
    'Auto-Submitted': 'auto-replied',
  });
  expect(await deliver([address], reply, '')).toMatch(/^250/);
  expect(await received(practice)).toEqual([]);
  expect(await eventsOf(practice, id)).toContain('message.auto_replied');
  // One that answers nothing of ours is not thrown away.
  const stray = mail({
    From: 'bot@shop.example',
    Subject: 'Automatic reply: hello',
    'Auto-Submitted': 'auto-replied',
  });
  expect(await deliver([address], stray, '')).toMatch(/^250/);
  expect(await received(practice)).toHaveLength(1);
});

test('an automatic reply that is no signal is mail: the second one, and one that the recipient has not written alone', async () => {
  const practice = await openMailbox({
    addresses: [{ local_part: 'held', mode: 'hold' }],
    dmarc_action: 'accept',
  });
  const address = `praxis@${practice.host}`;
  const { id, internet_message_id } = await send(practice, { reply_to: address });
  const reply = (fields: Readonly<Record<string, string>>): string =>
    mail({
      From: 'anna@patient.example',
      'In-Reply-To': internet_message_id,
      'Auto-Submitted': 'auto-replied',
      ...fields,
    });
  const signals = async (): Promise<number> =>
    (await eventsOf(practice, id)).filter((type) => type === 'message.auto_replied').length;

  expect(await deliver([address], reply({ From: 'eve@example.org', Subject: 'forged' }), '')).toMatch(/^250/);
  const ofTwo = reply({ From: 'anna@patient.example, eve@example.org', Subject: 'of two' });
  expect(await deliver([address], ofTwo, '')).toMatch(/^250/);
  expect(await deliver([`held@${practice.host}`], reply({ Subject: 'held' }), '')).toMatch(/^250/);
  expect(await signals()).toBe(0);
  expect(await received(practice)).toMatchObject([
    { subject: 'held', state: 'held' },
    { subject: 'of two', state: 'inbox' },
    { subject: 'forged', state: 'inbox' },
  ]);

  const first = reply({ Subject: 'first' });
  expect(await deliver([address], first, '')).toMatch(/^250/);
  // The 250 was lost.
  expect(await deliver([address], first, '')).toMatch(/^250/);
  expect([await signals(), (await received(practice)).length]).toEqual([1, 3]);
  expect(await deliver([address], reply({ Subject: 'second' }), '')).toMatch(/^250/);
  expect(await signals()).toBe(1);
  expect((await received(practice))[0]).toMatchObject({ subject: 'second', reply_to_message_id: id });
});

test('what one practice has closed off is not stored there beside a recipient that takes everything', async () => {
  const [open, closed] = [
    await openMailbox(),
    await openMailbox({ senders: { block: ['eve@example.org'] }, max_bytes: 2_000 }),
  ];
  const both = [`a@${open.host}`, `a@${closed.host}`];
  expect(await deliver(both, mail({ From: 'eve@example.org' }))).toMatch(/^550 5\.7\.1/);
  expect(
    await deliver(both, mail({ From: 'anna@patient.example' }, 'x'.repeat(900).concat('\r\n').repeat(3))),
  ).toMatch(/^552 5\.3\.4/);
  expect([await received(open), await received(closed)]).toEqual([[], []]);
  expect(await deliver(both, mail({ From: 'anna@patient.example' }))).toMatch(/^250/);
});

/** Of a message that was sent for it. */
const returnPathOf = async (practice: Sender): Promise<{ id: string; path: string }> => {
  const { id } = await send(practice, {});
  const { body } = await app.request<List<{ return_path: string }>>(
    'GET',
    `${practice.base}/captures`,
    undefined,
    practice.token,
  );
  return { id, path: body.data[0]?.return_path ?? '' };
};

test('a person who answers to the return path reaches the mailbox', async () => {
  const practice = await openMailbox({ catch_all: { mode: 'reject' } });
  const { id, path } = await returnPathOf(practice);
  const reply = mail({ From: 'anna@patient.example', Subject: 'Re: Ihr Termin' });
  expect(await deliver([path], reply)).toMatch(/^250/);
  const mails = await received(practice);
  expect(mails).toMatchObject([{ reply_to_message_id: id, state: 'inbox' }]);
  // By the token of the path anyone could report bounces.
  expect(mails[0]?.recipients).toEqual([path.replace(/^.*@/, 'b@')]);
  expect(JSON.stringify(mails)).not.toContain('b+');
});

test('mail of people to a return path is held, blocked and refused as other mail of the practice', async () => {
  const practice = await openMailbox({
    addresses: [{ local_part: 'b' }],
    catch_all: { mode: 'hold' },
    senders: { block: ['eve@example.org'] },
  });
  const { path } = await returnPathOf(practice);
  const reply = mail({ From: 'anna@patient.example', Subject: 'Re: Ihr Termin' });
  expect(await deliver([path], reply, 'eve@example.org')).toMatch(/^550 5\.7\.1/);
  expect(await deliver([path], reply)).toMatch(/^250/);
  expect(await received(practice)).toMatchObject([{ state: 'held' }]);
  await app.request('POST', `${practice.base}/inbound/disable`, {}, practice.token);
  expect(await deliver([path], reply)).toMatch(/^550 5\.2\.1/);
  expect(await received(practice)).toHaveLength(1);
});

test('an answer by return path is there once, though a mailbox of the same mail has no room at first', async () => {
  const [one, two] = [await openMailbox(), await openMailbox()];
  const { path } = await returnPathOf(one);
  const filling = mail(
    { From: 'anna@patient.example', Subject: 'Groß' },
    'x'.repeat(70).concat('\r\n').repeat(9_000),
  );
  expect(await deliver([`a@${two.host}`], filling)).toMatch(/^250/);
  const recipients = [path, `a@${two.host}`];
  const answer = mail({ From: 'anna@patient.example' }, 'y'.repeat(70).concat('\r\n').repeat(6_300));
  expect(await deliver(recipients, answer)).toMatch(/^452 4\.2\.2/);
  expect(await deliver(recipients, answer)).toMatch(/^452 4\.2\.2/);
  expect(await received(one)).toHaveLength(1);
});

test('while little of the disk is free, mail is asked to come again', async () => {
  const short = await startApp({
    config: { smtp: { inbound: { listen: '127.0.0.1:0' } }, storage: { min_free_mib: 1_000_000_000 } },
  });
  try {
    const { base, token, practice } = await short.createSender();
    await short.request('POST', `${base}/inbound/enable`, {}, token);
    await short.request('GET', '/healthz');
    const talk = await talkTo(short.inboundPort ?? 0);
    await talk.hello();
    await talk.say('MAIL FROM:<anna@patient.example>');
    expect(await talk.say(`RCPT TO:<a@in.${practice.managed_host}>`)).toMatch(/^452 4\.3\.1/);
    talk.end();
  } finally {
    await short.remove();
  }
});
