// Mail that a practice receives is forwarded to an address that has agreed to it, over real SMTP: what comes out is what came in,
// under a return path of ours. Loops, floods, suppressed addresses and reports end where they should.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { simpleParser } from 'mailparser';
import { afterAll, afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { SECOND } from '#src/kernel/time.ts';
import { allRows } from '#test/support/all-rows.ts';
import { type Sender, startApp } from '#test/support/app.ts';
import { startDaemon } from '#test/support/daemon.ts';
import { startDnsZone } from '#test/support/dns-zone.ts';
import { startOpendkim } from '#test/support/opendkim.ts';
import { startPostfix } from '#test/support/postfix.ts';
import { freePort, until } from '#test/support/process.ts';
import { bring, deliveryStatus } from '#test/support/reports.ts';
import { createSmtpReceiver, OK, type ReceivedMessage } from '#test/support/smtp-receiver.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

const receiver = await createSmtpReceiver();
const dns = await startDnsZone();
dns.set('example.org', 'TXT', 'v=spf1 ip4:127.0.0.0/8 -all');
const queue = { retry: ['1s'], then_every: '1s', jitter: 0 };
const app = await startApp({
  receiver,
  runsTwice: true,
  config: { smtp: { inbound: { listen: '127.0.0.1:0' } }, dns: { resolvers: [dns.address] }, queue },
});
afterAll(async () => {
  await app.remove();
  await Promise.all([receiver.stop(), dns.stop()]);
});
afterEach(() => receiver.setBehaviour({}));

const SENDER = 'erika@example.org';
const letter = (id: string, more: readonly string[] = []): string =>
  [
    `From: Erika Muster <${SENDER}>`,
    `Message-ID: <${id}@example.org>`,
    'Subject: Frage zum Termin',
    'Date: Sun, 22 Nov 2026 10:00:00 +0000',
    ...more,
    '',
    'Guten Tag,',
    '.. und ein Punkt am Anfang.',
    '',
  ].join('\r\n');

const deliver = async (to: string, mail: string, { from = SENDER, port = app.inboundPort } = {}) =>
  expect(await bring(port, to, mail, from)).toMatch(/^250 /);

const to = (address: string): ReceivedMessage[] =>
  receiver.messages.filter(({ recipients }) => recipients[0]?.address === address);
const untilTo = async (address: string, count = 1): Promise<readonly ReceivedMessage[]> => {
  await until(`${count} mails to ${address}`, () => to(address).length >= count);
  return to(address);
};
const linkTo = async (address: string): Promise<string> => {
  const [asking] = await untilTo(address);
  const { text = '' } = await simpleParser(asking?.content ?? '');
  return /https?:\/\/[^/\s]+(\/api\/public\/forward\?t=[\w-]+)/.exec(text)?.[1] ?? '';
};

interface Shown {
  readonly forward_targets: readonly { address: string; status: string; reason: string | null }[];
}
const targetsOf = async ({ base, token }: Sender) =>
  (await app.request<Shown>('GET', `${base}/inbound`, undefined, token)).body.forward_targets;
const stateOf = async (sender: Sender) => {
  const [target] = await targetsOf(sender);
  return target && `${target.status} ${target.reason}`;
};
const patch = async ({ base, token }: Sender, options: object) => {
  const answer = await app.request('PATCH', `${base}/inbound`, options, token);
  expect(answer.status, answer.text).toBe(200);
};
const forwardsOf = ({ practice }: Sender) =>
  app.sql<{ target: string; status: string; diagnostic: string | null; attempts: number }>(
    practice.id,
    "SELECT target, status, diagnostic, attempts FROM inbound_forwards WHERE kind = 'forward' ORDER BY seq",
  );
const untilFollowed = (sender: Sender) =>
  until('all mail was followed', () => {
    const [row] = app.sql<{ behind: number }>(
      sender.practice.id,
      `SELECT (SELECT max(seq) FROM events WHERE type = 'inbound.received') - seq AS behind
       FROM event_cursors WHERE follower = 'forwards'`,
    );
    return (row?.behind ?? 1) <= 0;
  });
const untilEnded = (sender: Sender, count = 1) =>
  until(`${count} copies have ended`, () => {
    const rows = forwardsOf(sender);
    return rows.length >= count && rows.every(({ status }) => status !== 'pending');
  });

let number = 0;
/** A practice that forwards all of its mail to an address of its own, and what its mail is sent to. */
const forwarding = async ({ agrees = true } = {}) => {
  number += 1;
  const target = `front${number}@example.net`;
  const owner = `owner${number}@example.org`;
  const sender = await app.createSender({ owner_email: owner });
  await app.request('POST', `${sender.base}/inbound/enable`, {}, sender.token);
  await patch(sender, { catch_all: { forward_to: target } });
  const link = await linkTo(target);
  if (agrees) expect((await app.request('POST', link)).status).toBe(200);
  return { sender, owner, target, link, mailbox: `info@in.${sender.practice.managed_host}` };
};

describe('an address that mail is to be forwarded to', () => {
  test('is asked, and gets nothing before it has agreed', async () => {
    const { sender, target, link, mailbox } = await forwarding({ agrees: false });
    expect(await stateOf(sender)).toBe('unconfirmed null');
    await deliver(mailbox, letter('before'));
    await untilFollowed(sender);
    const shown = await app.request('GET', link, undefined, undefined, { 'Accept-Language': 'en' });
    expect(shown.text).toContain('Do you agree?');
    expect(shown.text).toContain('f…@example.net');
    expect(shown.text.match(/<form method="post"/g)).toHaveLength(2);
    expect(await stateOf(sender)).toBe('unconfirmed null');

    const agreed = await app.request('POST', link, undefined, undefined, { 'Accept-Language': 'en' });
    expect(agreed.text).toContain('Emails are forwarded to you');
    expect(await stateOf(sender)).toBe('confirmed null');
    await deliver(mailbox, letter('after'));
    const [, copy] = await untilTo(target, 2);
    expect(String(copy?.content)).toContain('<after@example.org>');
    await untilEnded(sender);
    expect(forwardsOf(sender)).toMatchObject([{ target, status: 'sent', attempts: 1 }]);
    expect(forwardsOf(sender)[0]?.diagnostic).toContain('250 2.0.0 Ok');
    const list = await allRows<{ id: string }>(app, `${sender.base}/inbound/messages`, app.adminToken);
    const [received, former] = await Promise.all(
      list.map(({ id }) =>
        app.request('GET', `${sender.base}/inbound/messages/${id}`, undefined, app.adminToken),
      ),
    );
    expect(received?.body).toMatchObject({ forwards: [{ to: target, status: 'sent' }] });
    expect(former?.body).toMatchObject({ forwards: [] });
  });

  test('ends it on the same page, and owners see why', async () => {
    const { sender, target, link, mailbox } = await forwarding();
    expect((await app.request('POST', `${link}&do=end`)).status).toBe(200);
    expect(await stateOf(sender)).toBe('failed declined');
    await deliver(mailbox, letter('declined'));
    // Named once more, it is not asked once more.
    await patch(sender, { catch_all: { forward_to: null } });
    await patch(sender, { catch_all: { forward_to: target } });
    expect(await stateOf(sender)).toBe('failed declined');
    await untilFollowed(sender);
    expect(to(target)).toHaveLength(1);
    const audit = await app.request<{ data: { action: string; after: unknown }[] }>(
      'GET',
      `${sender.base}/audit?action=inbound.forward_target`,
      undefined,
      app.adminToken,
    );
    expect(audit.body.data.map(({ after }) => after)).toEqual([
      { address: 'f…@example.net', status: 'failed', failure: 'declined' },
      { address: 'f…@example.net', status: 'confirmed', failure: null },
    ]);
  });

  test('is asked again when another was named meanwhile, and no link of before holds for a week', async () => {
    const { sender, target, link, mailbox } = await forwarding();
    await patch(sender, { catch_all: { forward_to: `other-${target}` } });
    expect((await app.request('GET', link)).status).toBe(404);
    await deliver(mailbox, letter('other'));
    await patch(sender, { catch_all: { forward_to: target } });
    expect(await stateOf(sender)).toBe('unconfirmed null');
    app.sql(sender.practice.id, 'UPDATE forward_targets SET asked_at = asked_at - 604800001');
    expect((await app.request('POST', link)).status).toBe(404);
    expect(await stateOf(sender)).toBe('unconfirmed null');

    const again = await app.request(
      'POST',
      `${sender.base}/inbound/ask-again`,
      { address: target },
      sender.token,
    );
    expect(again.status).toBe(204);
    const soon = await app.request(
      'POST',
      `${sender.base}/inbound/ask-again`,
      { address: 'x@y.test' },
      sender.token,
    );
    expect(soon.status).toBe(404);
  });

  test('has failed where the mail that asks it comes back, and can be asked again or named no more', async () => {
    const sender = await app.createSender();
    await app.request('POST', `${sender.base}/inbound/enable`, {}, sender.token);
    receiver.setBehaviour({ rcpt: () => '550 5.1.1 no such user here' });
    await patch(sender, { catch_all: { forward_to: 'typo@example.net' } });
    await until('it has failed', async () => (await stateOf(sender))?.startsWith('failed') === true);
    expect(await stateOf(sender)).toContain('no such user here');

    app.sql(sender.practice.id, 'UPDATE forward_targets SET asked_at = asked_at - 3600001');
    const body = { address: 'typo@example.net' };
    const again = await app.request('POST', `${sender.base}/inbound/ask-again`, body, sender.token);
    expect(again.status).toBe(204);
    expect(await stateOf(sender)).toBe('unconfirmed null');

    // One that is refused only after it was taken.
    receiver.setBehaviour({});
    await patch(sender, { catch_all: { forward_to: 'later@example.net' } });
    const [asking] = await untilTo('later@example.net');
    await until('it was asked', async () => (await stateOf(sender)) === 'unconfirmed null');
    const report = deliveryStatus('later@example.net', 'Action: failed', 'Status: 5.1.1');
    expect(await bring(app.inboundPort, asking?.mailFrom ?? '', report)).toMatch(/^250 /);
    await until('it has failed', async () => (await stateOf(sender))?.startsWith('failed') === true);
    await patch(sender, { catch_all: { forward_to: null } });
    expect(await targetsOf(sender)).toEqual([]);
  });

  test('is asked once an hour by all practices together, and not by a practice in safe mode', async () => {
    const { target } = await forwarding({ agrees: false });
    const other = await app.createSender();
    await patch(other, { catch_all: { forward_to: target } });
    const safe = await app.createSender();
    await app.request('POST', `${safe.base}/safe-mode`, { enabled: true }, app.adminToken);
    await patch(safe, { catch_all: { forward_to: `safe-${target}` } });
    await patch(other, { catch_all: { forward_to: `new-${target}` } });
    await untilTo(`new-${target}`);
    expect([to(target).length, to(`safe-${target}`).length]).toEqual([1, 0]);
  });

  test('is not asked while it is suppressed, nor more than three times', async () => {
    const { sender, target } = await forwarding({ agrees: false });
    const other = `other-${target}`;
    const suppression = { address: other, scope: 'team' };
    await app.request('POST', `${sender.base}/suppression`, suppression, sender.token);
    await patch(sender, { catch_all: { forward_to: other } });
    await until('it is not asked', async () => (await stateOf(sender)) === 'unconfirmed suppressed');

    app.sql(
      sender.practice.id,
      'UPDATE forward_targets SET asks = 3, asked_at = NULL WHERE address = ?',
      target,
    );
    await patch(sender, { catch_all: { forward_to: target.replace('@', '+1@') } });
    await until('it is not asked', async () => (await stateOf(sender)) === 'unconfirmed asked_enough');
    await patch(sender, { catch_all: { forward_to: target } });
    await until('it is not asked', async () => (await stateOf(sender)) === 'unconfirmed asked_enough');
    const again = await app.request(
      'POST',
      `${sender.base}/inbound/ask-again`,
      { address: target },
      sender.token,
    );
    expect(again.status).toBe(409);
    expect([to(target).length, to(other).length]).toEqual([1, 0]);
  });

  test('is one of ten at a domain that are asked in a day, and of those of one mailbox the only one', async () => {
    const sender = await app.createSender();
    const forwardTo = (targets: readonly string[]) =>
      patch(sender, {
        addresses: targets.map((forward_to, index) => ({ local_part: `box${index}`, forward_to })),
      });
    const numbers = Array.from({ length: 12 }, (_, index) => index);
    const asked = () => app.sql(sender.practice.id, 'SELECT 1 FROM forward_targets WHERE asks > 0').length;
    await forwardTo(numbers.map((index) => `victim+${index}@plus.test`));
    await until('one is asked', () => asked() === 1);
    await forwardTo(numbers.map((index) => `victim${index}@domain.test`));
    await until('ten more are asked', () => asked() === 11);
    const mails = () =>
      receiver.messages.flatMap(({ recipients }) => recipients.map(({ address }) => address));
    await until(
      'they have their mails',
      () => mails().filter((address) => address.endsWith('@domain.test')).length === 10,
    );
    expect(mails().filter((address) => address.endsWith('@plus.test'))).toHaveLength(1);
  });

  test('cannot be found by guessing links', async () => {
    for (const token of ['', 'AbCdEf', `1${'A'.repeat(35)}`])
      expect((await app.request('POST', `/api/public/forward?t=${token}`)).status).toBe(404);
  });
});

const verifiedByPython = async (mail: Buffer, record: string): Promise<string> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'forwarded-'));
  try {
    const file = path.join(folder, 'mail.eml');
    await writeFile(file, mail);
    const script =
      'import dkim, sys\nprint(dkim.verify(open(sys.argv[1], "rb").read(), dnsfunc=lambda name, timeout=5: sys.argv[2].encode()))';
    const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', script, file, record]);
    return stdout.trim();
  } finally {
    await rm(folder, { recursive: true });
  }
};

describe('a copy', () => {
  test('keeps the signature of its sender: opendkim signs, Postfix delivers, dkimpy verifies', {
    tags: ['debian/opendkim', 'debian/postfix', 'debian/python3-dkim'],
  }, async () => {
    const { target, mailbox } = await forwarding();
    const opendkim = await startOpendkim('example.org');
    const postfix = await startPostfix({ relayTo: app.inboundPort ?? 0, milterSocket: opendkim.socket });
    onTestFinished(async () => {
      await Promise.all([postfix.stop(), opendkim.stop()]);
    });
    const port = postfix.smtpPort;
    await deliver(mailbox, letter('signed', ['Content-Transfer-Encoding: 8bit', 'X-Text: \u00e4']), { port });
    const [, copy] = await untilTo(target, 2);
    const content = copy?.content ?? Buffer.alloc(0);
    expect(await verifiedByPython(content, opendkim.record)).toBe('True');
    const changed = Buffer.from(content.toString('latin1').replace('Punkt', 'Komma'), 'latin1');
    expect(await verifiedByPython(changed, opendkim.record)).toBe('False');
    expect(copy?.mailParameters).toContain('BODY=8BITMIME');
  });

  test('is what came, below the trace of this hop, under a return path of ours', async () => {
    const { sender, target, mailbox } = await forwarding();
    const mail = letter('whole', ['X-Long: a\r\n b', 'Return-Path: <written@by.hand>']);
    await deliver(mailbox, mail);
    const [, copy] = await untilTo(target, 2);
    const text = String(copy?.content);
    expect(text.endsWith(mail)).toBe(true);
    const trace = text.slice(0, -mail.length);
    expect(trace.startsWith(`Delivered-To: ${mailbox}\r\n`)).toBe(true);
    expect(trace).not.toMatch(/^Return-Path/im);
    expect(trace.match(/^Received:/gm)).toHaveLength(1);
    expect(copy?.mailFrom).toMatch(
      new RegExp(`^SRS0=[0-9a-f]{20}=\\d+=\\d+-\\d+@bounce\\.${sender.practice.managed_host}$`),
    );
    expect(copy?.mailFrom.indexOf('@')).toBeLessThanOrEqual(64);
  });

  test('of a report keeps the null sender', async () => {
    const { target, mailbox } = await forwarding();
    await deliver(mailbox, letter('null'), { from: '' });
    const [, copy] = await untilTo(target, 2);
    expect(copy?.mailFrom).toBe('');
  });

  test('is tried again after a temporary refusal, and is one for several addresses with the same target', async () => {
    const { sender, target, mailbox } = await forwarding();
    let refusals = 0;
    receiver.setBehaviour({
      rcpt: ({ address }) => (address === target && refusals++ < 2 ? '450 4.2.1 Later' : OK),
    });
    const talk = await talkTo(app.inboundPort ?? 0);
    await talk.hello();
    await talk.say(`MAIL FROM:<${SENDER}>`);
    for (const name of ['one', 'two']) await talk.say(`RCPT TO:<${mailbox.replace('info', name)}>`);
    await talk.say('DATA');
    expect(await talk.say(`${letter('twice')}.`)).toMatch(/^250 /);
    talk.end();
    await untilEnded(sender);
    expect(forwardsOf(sender)).toMatchObject([{ target, status: 'sent', attempts: 3 }]);
    expect(to(target)).toHaveLength(2);
  });
});

describe('is not forwarded', () => {
  test('what was here before, or at too many servers', async () => {
    const { sender, target, mailbox } = await forwarding();
    await deliver(mailbox, letter('loop', [`Delivered-To: ${mailbox.toUpperCase()}`]));
    await deliver(
      mailbox,
      letter('hops', Array<string>(51).fill('Received: by a.test; Sun, 22 Nov 2026 10:00:00 +0000')),
    );
    await untilEnded(sender, 2);
    expect(forwardsOf(sender).map(({ status, attempts }) => [status, attempts])).toEqual([
      ['failed', 0],
      ['failed', 0],
    ]);
    expect(forwardsOf(sender)[0]?.diagnostic).toContain('loop');
    expect(to(target)).toHaveLength(1);
  });

  test('a mail to a suppressed address, to a stranger in safe mode, or of a paused practice before it goes on', async () => {
    const { sender, target, mailbox } = await forwarding();
    const suppression = { address: target, scope: 'team' };
    const { body } = await app.request<{ id: string }>(
      'POST',
      `${sender.base}/suppression`,
      suppression,
      sender.token,
    );
    await deliver(mailbox, letter('suppressed'));
    await untilEnded(sender);
    expect(forwardsOf(sender)[0]).toMatchObject({ status: 'suppressed', attempts: 0 });
    await app.request('DELETE', `${sender.base}/suppression/${body.id}`, undefined, sender.token);

    await app.request('POST', `${sender.base}/safe-mode`, { enabled: true }, app.adminToken);
    await deliver(mailbox, letter('safe'));
    await untilEnded(sender, 2);
    expect(forwardsOf(sender)[1]).toMatchObject({ status: 'failed', attempts: 0 });
    expect(forwardsOf(sender)[1]?.diagnostic).toContain('safe mode');
    await app.request('POST', `${sender.base}/approval`, { approved: true }, app.adminToken);
    await app.request('POST', `${sender.base}/safe-mode`, { enabled: false }, app.adminToken);

    await app.request('POST', `${sender.base}/pause`, { reason: 'Urlaub' }, app.adminToken);
    await deliver(mailbox, letter('paused'));
    await until('the copy is written', () => forwardsOf(sender).length === 3);
    expect(to(target)).toHaveLength(1);
    await app.request('POST', `${sender.base}/resume`, {}, app.adminToken);
    await untilTo(target, 2);
  });

  test('more than a hundred mails an hour', async () => {
    const { sender, target, mailbox } = await forwarding();
    await deliver(mailbox, letter('first'));
    await untilEnded(sender);
    app.sql(
      sender.practice.id,
      `INSERT INTO inbound_forwards (message_seq, kind, recipient, target, status, created_at, changed_at)
       SELECT message_seq, kind, recipient, target, 'sent', created_at, changed_at
       FROM inbound_forwards, json_each(?) LIMIT 98`,
      JSON.stringify(Array(98).fill(0)),
    );
    await deliver(mailbox, letter('hundredth'));
    await deliver(mailbox, letter('one too many'));
    await untilEnded(sender, 101);
    expect(
      forwardsOf(sender)
        .slice(-2)
        .map(({ status }) => status),
    ).toEqual(['sent', 'failed']);
    expect(forwardsOf(sender).at(-1)?.diagnostic).toContain('too many');
    expect(to(target)).toHaveLength(3);
  });
});

describe('a report about a copy', () => {
  const forwarded = async () => {
    const scene = await forwarding();
    await deliver(scene.mailbox, letter('reported'));
    const [, copy] = await untilTo(scene.target, 2);
    await untilEnded(scene.sender);
    return { ...scene, returnPath: copy?.mailFrom ?? '' };
  };
  const report = (target: string, status: string, diagnostic: string) =>
    deliveryStatus(target, 'Action: failed', `Status: ${status}`, `Diagnostic-Code: smtp; ${diagnostic}`);

  test('that the address does not exist ends the forwarding, and goes no further', async () => {
    const { sender, owner, target, returnPath } = await forwarded();
    const before = receiver.messages.length;
    // Servers change the case of local parts.
    await deliver(returnPath.toLowerCase(), report(target, '5.1.1', '550 5.1.1 User unknown'), { from: '' });
    expect(forwardsOf(sender)[0]).toMatchObject({ status: 'failed', diagnostic: '550 5.1.1 User unknown' });
    expect(await stateOf(sender)).toBe('failed 550 5.1.1 User unknown');
    const [, notice] = await untilTo(owner, 2);
    expect((await simpleParser(notice?.content ?? '')).text).toContain('550 5.1.1 User unknown');
    expect(receiver.messages.slice(before).map(({ recipients }) => recipients[0]?.address)).not.toContain(
      SENDER,
    );
  });

  test('of another failure stays with the copy', async () => {
    const { sender, target, returnPath } = await forwarded();
    await deliver(returnPath, report(target, '5.2.2', '552 5.2.2 Mailbox full'), { from: '' });
    expect(forwardsOf(sender)[0]).toMatchObject({ status: 'failed', diagnostic: '552 5.2.2 Mailbox full' });
    expect(await stateOf(sender)).toBe('confirmed null');
  });

  test('is refused where its return path is forged, too old, or its sender not a server', async () => {
    const { returnPath } = await forwarded();
    const asked = async (from: string, address: string) => {
      const talk = await talkTo(app.inboundPort ?? 0);
      await talk.hello();
      await talk.say(`MAIL FROM:<${from}>`);
      const reply = await talk.say(`RCPT TO:<${address}>`);
      talk.end();
      return reply?.slice(0, 9);
    };
    expect(await asked('', returnPath)).toBe('250 2.1.5');
    expect(await asked(SENDER, returnPath)).toBe('550 5.1.1');
    expect(await asked('', returnPath.replace(/-\d+@/, '-999@'))).toBe('550 5.1.1');
    const day = /=(\d+)=\d+-/.exec(returnPath)?.[1] ?? '';
    expect(await asked('', returnPath.replace(`=${day}=`, `=${Number(day) - 1}=`))).toBe('550 5.1.1');
  });

  test('by the relay at once ends the forwarding too', async () => {
    const { sender, target, mailbox } = await forwarding();
    receiver.setBehaviour({ rcpt: ({ address }) => (address === target ? '550 5.1.1 User unknown' : OK) });
    await deliver(mailbox, letter('refused'));
    await untilEnded(sender);
    expect(forwardsOf(sender)[0]).toMatchObject({ status: 'failed', diagnostic: '550 5.1.1 User unknown' });
    expect(await stateOf(sender)).toBe('failed 550 5.1.1 User unknown');
  });
});

describe('the automatic reply', () => {
  const REPLY = { subject: 'Wir haben geschlossen', text: 'Bis Montag.' };
  const answering = async () => {
    const sender = await app.createSender();
    await app.request('POST', `${sender.base}/inbound/enable`, {}, sender.token);
    return { sender, mailbox: `info@in.${sender.practice.managed_host}` };
  };
  const repliesOf = ({ practice }: Sender) =>
    app.sql<{ target: string; status: string }>(
      practice.id,
      "SELECT target, status FROM inbound_forwards WHERE kind = 'reply' ORDER BY seq",
    );

  test('is off at first; switched on it goes once to each person, as an answer', async () => {
    const { sender, mailbox } = await answering();
    const from = `person-${sender.practice.slug}@example.org`;
    const written = (id: string) => letter(id, [`To: ${mailbox}`, 'References: <earlier@example.org>']);
    await deliver(mailbox, written('off'), { from });
    await patch(sender, { automatic_reply: REPLY });
    await deliver(mailbox, written('on'), { from });
    await deliver(mailbox, written('on-2'), { from });
    const [reply] = await untilTo(from);
    const { headers, text, subject } = await simpleParser(reply?.content ?? '');
    expect(subject).toBe(REPLY.subject);
    expect(text).toContain(REPLY.text);
    expect(headers.get('auto-submitted')).toBe('auto-replied');
    expect(headers.get('in-reply-to')).toBe('<on@example.org>');
    expect(headers.get('references')).toEqual(['<earlier@example.org>', '<on@example.org>']);
    expect(headers.get('reply-to')).toMatchObject({ text: mailbox });
    expect(headers.has('dkim-signature')).toBe(true);
    await untilFollowed(sender);
    expect(repliesOf(sender)).toEqual([{ target: from, status: 'sent' }]);
    expect(to(from)).toHaveLength(1);
    const stored = JSON.stringify(
      app.sql(sender.practice.id, 'SELECT hex(sender_hash) FROM automatic_replies'),
    );
    expect(stored).not.toContain('person');

    await patch(sender, { automatic_reply: null });
    const followers = () =>
      app.sql(null, 'SELECT 1 FROM event_followers WHERE tenant_id = ?', sender.practice.id);
    await until('its mail is followed no more', () => followers().length === 0);
  });

  test('cannot pause the practice where it comes back, and takes a tenth of its mails at the most', async () => {
    const { sender, mailbox } = await answering();
    await patch(sender, { automatic_reply: REPLY });
    receiver.setBehaviour({
      rcpt: ({ address }) => (address.startsWith('attack') ? '550 5.1.1 User unknown' : OK),
    });
    for (let index = 0; index < 22; index++)
      await deliver(mailbox, letter(`attack${index}`, [`To: ${mailbox}`]), {
        from: `attack${index}@example.org`,
      });
    await untilFollowed(sender);
    const bounced = () =>
      app.sql(sender.practice.id, "SELECT 1 FROM recipients WHERE status = 'hard_bounced'").length;
    await until('the replies have come back', () => bounced() === 20);
    expect(repliesOf(sender)).toHaveLength(20);
    const { body } = await app.request<{ status: string }>('GET', sender.base, undefined, sender.token);
    expect(body.status).not.toBe('paused');
  });

  test.each<[string, string, readonly string[]]>([
    ['the null sender', '', []],
    ['a program', 'noreply@example.org', []],
    ['a mailing list', SENDER, ['List-Id: <list.example.org>']],
    ['bulk mail', SENDER, ['Precedence: bulk']],
    ['an automatic mail', SENDER, ['Auto-Submitted: auto-generated', 'X-Failed-Recipients: a@b.test']],
    ['mail that asks for none', SENDER, ['X-Auto-Response-Suppress: OOF']],
    ['a forged sender', 'erika@forged.test', []],
    ['a sender that nothing proves', 'erika@unproved.test', []],
    ['mail that does not name the mailbox', SENDER, ['To: others@example.org']],
  ])('does not answer %s', async (_, from, fields) => {
    const { sender, mailbox } = await answering();
    dns.set('forged.test', 'TXT', 'v=spf1 -all');
    await patch(sender, { automatic_reply: REPLY });
    const named = fields.some((field) => field.startsWith('To:')) ? [] : [`To: ${mailbox}`];
    await deliver(mailbox, letter('unanswered', [...named, ...fields]), { from });
    await untilFollowed(sender);
    expect(repliesOf(sender)).toEqual([]);
  });
});

describe('while a relay keeps copies waiting', () => {
  const hanging = async (addresses: readonly string[]) => {
    const waiting = new Set<string>();
    const hung = Promise.withResolvers<string>();
    receiver.setBehaviour({
      rcpt: ({ address }) => {
        if (!addresses.includes(address)) return OK;
        waiting.add(address);
        return hung.promise;
      },
    });
    onTestFinished(() => hung.resolve('450 4.4.2 Timeout'));
    return { waiting, hung };
  };

  test('other practices are forwarded to, and answers go out, also of the same practice', async () => {
    const scenes = [await forwarding(), await forwarding()] as const;
    const other = await forwarding();
    const { waiting } = await hanging(scenes.map(({ target }) => target));
    for (const { mailbox } of scenes) await deliver(mailbox, letter('waits'));
    await until('both wait', () => waiting.size === 2);
    await deliver(other.mailbox, letter('other-goes'));
    await untilTo(other.target, 2);
    const [{ sender, mailbox }] = scenes;
    await patch(sender, { automatic_reply: { subject: 'Geschlossen', text: 'Bis Montag.' } });
    const from = `patient-${sender.practice.slug}@example.org`;
    await deliver(mailbox, letter('answered', [`To: ${mailbox}`]), { from });
    await untilTo(from);
  });

  test('a mail that is deleted takes its copy along, and the next one goes out', async () => {
    const { sender, target, mailbox } = await forwarding();
    const { waiting, hung } = await hanging([target]);
    await deliver(mailbox, letter('deleted'));
    await until('it waits', () => waiting.size === 1);
    const list = `${sender.base}/inbound/messages`;
    const { body } = await app.request<{ data: { id: string }[] }>('GET', list, undefined, app.adminToken);
    const deleted = `${list}/${body.data[0]?.id}`;
    expect((await app.request('DELETE', deleted, undefined, app.adminToken)).status).toBe(204);
    expect(forwardsOf(sender)).toEqual([]);
    await deliver(mailbox, letter('next'));
    receiver.setBehaviour({});
    hung.resolve('450 4.2.1 Later');
    const [, copy] = await untilTo(target, 2);
    expect(String(copy?.content)).toContain('<next@example.org>');
    await untilEnded(sender);
    expect(forwardsOf(sender)).toMatchObject([{ status: 'sent' }]);
  });
});

test('a stop waits for copies and messages that hang one drain together', async () => {
  const drain = 6 * SECOND;
  const silent = await createSmtpReceiver();
  const hung = Promise.withResolvers<string>();
  let waiting = 0;
  silent.setBehaviour({
    rcpt: () => {
      waiting += 1;
      return hung.promise;
    },
  });
  const stopped = await startApp({
    receiver: silent,
    config: {
      smtp: { inbound: { listen: '127.0.0.1:0' } },
      dns: { resolvers: [dns.address] },
      shutdown: { drain: '6s' },
    },
  });
  onTestFinished(async () => {
    hung.resolve(OK);
    await stopped.remove();
    await silent.stop();
  });
  const sender = await stopped.createSender();
  await stopped.request('POST', `${sender.base}/inbound/enable`, {}, sender.token);
  const options = { catch_all: { forward_to: 'front@example.net' } };
  await stopped.request('PATCH', `${sender.base}/inbound`, options, stopped.adminToken);
  stopped.sql(sender.practice.id, "UPDATE forward_targets SET status = 'confirmed'");
  await stopped.send(sender);
  await deliver(`info@in.${sender.practice.managed_host}`, letter('hangs'), { port: stopped.inboundPort });
  const pending = () => stopped.sql(sender.practice.id, 'SELECT 1 FROM inbound_forwards WHERE attempts = 1');
  await until('both hang', () => waiting >= 2 && pending().length === 1);
  const before = performance.now();
  await stopped.stop();
  expect(performance.now() - before).toBeLessThan(2 * drain);
});

test('kill -9 while the relay has a copy: it goes out after the next start', async () => {
  let hangs = true;
  const slow = await createSmtpReceiver();
  const port = await freePort();
  const config = {
    upstreams: [{ name: 'relay', kind: 'smtp', host: '127.0.0.1', port: slow.port, tls: 'none' }],
    smtp: { inbound: { listen: `127.0.0.1:${port}` } },
    dns: { resolvers: [dns.address] },
    queue,
  };
  let daemon = await startDaemon({ config });
  onTestFinished(async () => {
    await daemon.remove();
    await slow.stop();
  });
  const { id } = await daemon.createPractice({});
  const base = `/api/practices/${id}`;
  const call = <Body>(method: string, place: string, body?: object) =>
    daemon.request<Body>(method, place, body, daemon.adminToken);
  const practice = await call<{ managed_host: string }>('GET', base);
  await call('POST', `${base}/inbound/enable`, {});
  await call('PATCH', `${base}/inbound`, { catch_all: { forward_to: 'late@example.net' } });
  await slow.waitFor(1);
  const { text = '' } = await simpleParser(slow.messages[0]?.content ?? '');
  await daemon.request('POST', /\/api\/public\/forward\?t=[\w-]+/.exec(text)?.[0] ?? '');

  let tries = 0;
  slow.setBehaviour({
    rcpt: () => {
      tries += 1;
      return hangs ? new Promise<string>(() => {}) : OK;
    },
  });
  await deliver(`info@in.${practice.body.managed_host}`, letter('killed'), { port });
  await until('the relay has it', () => tries > 0);
  daemon.child.kill('SIGKILL');
  await until('it is dead', () => daemon.child.exitCode !== null || daemon.child.signalCode !== null);
  hangs = false;
  daemon = await startDaemon({ config, dataDir: daemon.dataDir });
  await slow.waitFor(2);
  expect(String(slow.messages[1]?.content)).toContain('<killed@example.org>');
});
