// The listener for mail from the world, over raw sockets: whom it takes mail for, what it refuses and how, and that no
// bytes of a message are ever taken for commands.
// @module-tag slow

import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { behaviourOf } from '#src/feedback/simulator.ts';
import { createByteBudget } from '#src/kernel/byte-budget.ts';
import { createLog } from '#src/kernel/log.ts';
import { TenantMoved } from '#src/kernel/moved.ts';
import { MINUTE } from '#src/kernel/time.ts';
import { decodeReturnPath, encodeReturnPath, type ReturnPathTarget } from '#src/mail/verp.ts';
import { createGreylist } from '#src/smtp/greylist.ts';
import { createInbound, type Inbound, type InboundOptions, type InboundWork } from '#src/smtp/inbound.ts';
import { createCertificate, shownCertificate } from '#test/support/certificate.ts';
import { testTokenKeys } from '#test/support/keys.ts';
import { until } from '#test/support/process.ts';
import { type SmtpTalk, talkTo } from '#test/support/smtp-talk.ts';

const key = testTokenKeys(1);
const NEW_HOST = {
  origin: 'https://neu.example',
  host: 'neu.example',
  mail: { host: '127.0.0.1', port: 25 },
};
const own = encodeReturnPath(key, { tenantNumber: 7, recipientId: 42 }, 'praxis.example');
const certificate = createCertificate(['mail.example.com']);
const MIB = 1_024 * 1_024;

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

interface Scene {
  readonly port: number;
  readonly inbound: Inbound;
  readonly reported: { targets: readonly ReturnPathTarget[]; mailFrom: string; content: string }[];
  readonly simulated: string[];
  readonly complained: string[];
  readonly received: {
    recipients: readonly unknown[];
    protocol: string;
    mailFrom: string;
    content: string;
  }[];
  readonly told: { recipient: string; mailFrom: string; content: string }[];
  readonly defects: string[];
  /** From the address of this machine that is given. */
  talk(localAddress?: string): Promise<SmtpTalk>;
}

const started = async (
  options: Partial<InboundOptions> = {},
  work: Partial<InboundWork> = {},
): Promise<Scene> => {
  const reported: Scene['reported'] = [];
  const simulated: string[] = [];
  const complained: string[] = [];
  const told: Scene['told'] = [];
  const received: Scene['received'] = [];
  const defects: string[] = [];
  const inbound = createInbound({
    listen: { host: '127.0.0.1', port: 0 },
    certificates: null,
    serviceHost: 'mail.example.com',
    simulatorDomain: 'simulator.mail.example.com',
    managedSuffix: 'send.example.com',
    decodeReturnPath: (address) => decodeReturnPath(key, address),
    decodeUnsubscribeAddress: () => null,
    isExpected: () => false,
    decodeForwardPath: () => null,
    simulates: (localPart) => behaviourOf(localPart) !== null,
    requireHolderHere: (host) => {
      if (host === 'moved.example') throw new TenantMoved(NEW_HOST);
    },
    isSendingHost: (host) => ['moved.example', 'praxis.example', 'xn--zahnrzte-4za.example'].includes(host),
    messageBytes: 10 * MIB,
    greylist: null,
    clientRate: () => ({ perSecond: 1, burst: 1_000 }),
    budget: createByteBudget(64 * MIB),
    now: () => Date.UTC(2026, 10, 21),
    log: createLog('error', { write: (line) => void defects.push(line) }),
    work: {
      returnPathStatus: async () => 'current',
      admit: async ({ host, localPart, named }) => {
        if (host !== 'praxis.example') return { refusal: 'disabled' };
        return named || localPart === 'nobody' ? { refusal: 'no_mailbox' } : { tenantId: host };
      },
      admitAnswers: (returnPaths) =>
        returnPaths.map(({ address, target }) => ({
          tenantId: `${target.tenantNumber}`,
          address,
          answers: target.recipientId,
        })),
      writeTo: async () => null,
      requireHere: () => undefined,
      handOn: async () => ({ result: 'accepted' }),
      listing: async () => null,
      receive: async (recipients, { envelope: { protocol, mailFrom }, content }) => {
        received.push({ recipients, protocol, mailFrom, content: content.toString() });
        return { kind: 'stored' };
      },
      complain: async ({ envelope, content }) => {
        complained.push(`${envelope.clientAddress} ${content.toString('latin1')}`);
        return 'changed';
      },
      report: async (returnPaths, { envelope: { mailFrom }, content }) => {
        const targets = returnPaths.map(({ target }) => target);
        reported.push({ targets, mailFrom, content: content.toString('latin1') });
        return targets.map(() => 'changed' as const);
      },
      unsubscribe: async () => 'unchanged',
      expected: () => {},
      forwardReport: async () => 'unchanged',
      simulate: async ({ recipient, returnPath }) => {
        simulated.push(`${recipient} ${returnPath}`);
        return true;
      },
      domainReport: async ({ kind, envelope: { mailFrom, clientAddress } }) => {
        complained.push(`${kind} ${mailFrom} ${clientAddress}`);
        return 'taken';
      },
      mailOperator: async ({ recipient, mailFrom, content }) => {
        told.push({ recipient, mailFrom, content: content.toString('latin1') });
        return true;
      },
      ...work,
    },
    ...options,
  });
  endings.push(() => inbound.stop(0));
  const { port } = await inbound.start();
  const talk = async (localAddress?: string): Promise<SmtpTalk> => {
    const one = await talkTo(port, '127.0.0.1', localAddress);
    endings.push(() => one.end());
    return one;
  };
  return { port, inbound, reported, simulated, complained, received, told, defects, talk };
};

/** The reply to RCPT. */
const rcpt = async ({ talk }: Scene, to: string, from = ''): Promise<string | null> => {
  const one = await talk();
  await one.hello();
  await one.say(`MAIL FROM:<${from}>`);
  const reply = await one.say(`RCPT TO:<${to}>`);
  one.end();
  return reply;
};

describe('what it offers', () => {
  test('names itself and only what it does', async () => {
    const one = await (await started()).talk();
    expect(await one.reply()).toBe('220 mail.example.com ESMTP');
    const lines = (await one.say('EHLO client.example.net'))?.split('\n') ?? [];
    expect(
      lines
        .slice(1)
        .map((line) => line.slice(4))
        .toSorted(),
    ).toEqual(['8BITMIME', 'ENHANCEDSTATUSCODES', 'PIPELINING', 'SIZE 10485760', 'SMTPUTF8']);
  });

  test.each([
    ['AUTH PLAIN AGEAYg==', '500'],
    ['STARTTLS', '500'],
    ['EXPN staff', '500'],
    ['BDAT 3 LAST', '500'],
    ['XCLIENT ADDR=192.0.2.1', '500'],
    ['WIZ me', '500'],
    ['VRFY erika', '252'],
    ['NOOP', '250'],
    ['MAIL FROM:<a@b.example> SMTPUTF8', '250'],
    ['MAIL FROM:<a@b.example> SMTPUTF8=yes', '501'],
    ['MAIL FROM:<ärztin@b.example> SMTPUTF8', '250'],
    ['MAIL FROM:<ärztin@b.example>', '553'],
    ['MAIL FROM:<a@b.example> BODY=8BITMIME', '250'],
    ['MAIL FROM:<a@b.example> RET=HDRS', '555'],
    ['RCPT TO:<a@b.example>', '503'],
    ['DATA', '503'],
  ])('%s is answered with %s and an enhanced code', async (command, code) => {
    const one = await (await started()).talk();
    await one.hello();
    const reply = await one.say(command);
    expect(reply).toMatch(new RegExp(`^${code} ${code[0]}\\.\\d+\\.\\d+ \\S`));
  });
});

test('a parameter of RCPT that was not offered is refused', async () => {
  const one = await (await started()).talk();
  await one.hello();
  await one.say('MAIL FROM:<>');
  expect(await one.say(`RCPT TO:<${own}> NOTIFY=SUCCESS`)).toMatch('555 5.5.4');
});

describe('whom it takes mail for', () => {
  const bounceOf = (to: string) => `${own.split('@')[0]}@${to}`;
  test.each([
    { name: 'a return path of ours', to: own, code: '250 2.1.5' },
    { name: 'the same in capitals', to: own.toUpperCase(), code: '250 2.1.5' },
    { name: 'the same with another separator', to: own.replace('b+', 'b='), code: '250 2.1.5' },
    {
      name: 'its token at another host of ours',
      to: bounceOf('bounce.xn--zahnrzte-4za.example'),
      code: '550 5.1.1',
    },
    { name: 'its token at a foreign host', to: bounceOf('bounce.example.org'), code: '550 5.7.1' },
    { name: 'a bounce address without a token', to: 'erika@bounce.praxis.example', code: '550 5.1.1' },
    { name: 'a stranger', to: 'erika@example.org', code: '550 5.7.1' },
    { name: 'a mailbox', to: 'erika@in.praxis.example', code: '250 2.1.5' },
    { name: 'a mailbox with a plus-part', to: 'Erika+shop@IN.praxis.example', code: '250 2.1.5' },
    { name: 'a mailbox that does not exist', to: 'nobody@in.praxis.example', code: '550 5.1.1' },
    { name: 'a host whose practice receives none', to: 'a@in.xn--zahnrzte-4za.example', code: '550 5.2.1' },
    { name: 'the same in quotes', to: '"nobody"@in.praxis.example', code: '550 5.1.1' },
    { name: 'the same with an escape', to: '"no\\body"@in.praxis.example', code: '550 5.1.1' },
    { name: 'an escape without quotes', to: 'no\\body@in.praxis.example', code: '55' },
    { name: 'what needs its quotes', to: '"er,ika"@in.praxis.example', code: '550 5.1.1' },
    { name: 'a mailbox at a foreign host', to: 'erika@in.example.org', code: '550 5.7.1' },
    { name: 'postmaster of a receiving host', to: 'Postmaster@in.praxis.example', code: '250 2.1.5' },
    {
      name: 'abuse of a receiving host that receives none',
      to: 'abuse@in.xn--zahnrzte-4za.example',
      code: '250 2.1.5',
    },
    { name: 'an address with an umlaut', to: 'ärztin@in.praxis.example', code: '553 5.6.7' },
    { name: 'someone on the sending host itself', to: 'erika@praxis.example', code: '550 5.1.1' },
    { name: 'nobody on the service host', to: 'erika@mail.example.com', code: '550 5.1.1' },
    { name: 'what begins like a return path', to: 'b+1abc@bounce.praxis.example', code: '550 5.1.1' },
    { name: 'complaints', to: 'fbl@mail.example.com', code: '250 2.1.5' },
    { name: 'complaints in capitals', to: 'FBL@MAIL.example.com', code: '250 2.1.5' },
    { name: 'complaints at a bounce host', to: 'fbl@bounce.praxis.example', code: '250 2.1.5' },
    { name: 'complaints at the simulator', to: 'fbl@simulator.mail.example.com', code: '550 5.1.1' },
    { name: 'reports of DMARC', to: 'dmarc@mail.example.com', code: '250 2.1.5' },
    { name: 'reports of TLS', to: 'TLS-RPT@mail.example.com', code: '250 2.1.5' },
    {
      name: 'reports of DMARC at a receiving host',
      to: 'dmarc@in.xn--zahnrzte-4za.example',
      code: '550 5.2.1',
    },
    { name: 'a name of the language', to: 'constructor@mail.example.com', code: '550 5.1.1' },
    { name: 'postmaster without a domain', to: 'postmaster', code: '250 2.1.5' },
    { name: 'Postmaster on the service host', to: 'Postmaster@mail.example.com', code: '250 2.1.5' },
    { name: 'Postmaster in quotes', to: '"postmaster"@mail.example.com', code: '250 2.1.5' },
    { name: 'abuse on the service host', to: 'abuse@MAIL.example.com', code: '250 2.1.5' },
    { name: 'postmaster of a bounce host', to: 'postmaster@bounce.praxis.example', code: '250 2.1.5' },
    { name: 'postmaster of the simulator', to: 'postmaster@simulator.mail.example.com', code: '250 2.1.5' },
    { name: 'postmaster of a foreign bounce host', to: 'postmaster@bounce.example.org', code: '550 5.7.1' },
    { name: 'a source route through us', to: '@mail.example.com:erika@example.org', code: '550 5.7.1' },
    { name: 'a percent hack', to: 'erika%example.org@mail.example.com', code: '550 5.1.1' },
  ])('$name: $code', async ({ to, code }) => {
    expect(await rcpt(await started(), to)).toMatch(code);
  });

  test('a return path on a domain with umlauts', async () => {
    const scene = await started();
    const path = encodeReturnPath(key, { tenantNumber: 7, recipientId: 43 }, 'xn--zahnrzte-4za.example');
    expect(await rcpt(scene, path)).toMatch('250 2.1.5');
  });

  test.each([
    { name: 'a mail of ours', to: 'success', from: own, code: '250 2.1.5' },
    { name: 'with anything behind a plus', to: 'bounce+case-1', from: own, code: '250 2.1.5' },
    { name: 'in capitals', to: 'OOTO', from: own, code: '250 2.1.5' },
    { name: 'of a stranger', to: 'success', from: 'eve@example.org', code: '550 5.7.1' },
    { name: 'from the null sender', to: 'bounce', from: '', code: '550 5.7.1' },
    { name: 'to a mailbox it does not have', to: 'successful', from: own, code: '550 5.1.1' },
    { name: 'to another it does not have', to: '+success', from: own, code: '550 5.1.1' },
  ])('the simulator, $name: $code', async ({ to, from, code }) => {
    expect(await rcpt(await started(), `${to}@simulator.mail.example.com`, from)).toMatch(code);
  });

  test('no altered character of a token passes', async () => {
    const scene = await started({ limits: { mistakes: 10_000 } });
    const one = await scene.talk();
    await one.hello();
    await one.say('MAIL FROM:<>');
    const local = own.slice(0, own.indexOf('@'));
    for (let at = 0; at < local.length; at += 1)
      for (const other of ['a', '2', 'x'].filter((char) => char !== local[at])) {
        const forged = `${local.slice(0, at)}${other}${local.slice(at + 1)}@bounce.praxis.example`;
        expect(await one.say(`RCPT TO:<${forged}>`), forged).toMatch('550 5.1.1');
      }
    const { forged, ...others } = scene.inbound.stats().refused;
    // The first two characters are its form: without them it is an address that somebody has made up.
    expect(forged + others.no_mailbox).toBeGreaterThan(60);
    expect(others.no_mailbox).toBeLessThanOrEqual(6);
    expect(others).toMatchObject({ relaying: 0, stranger: 0, unknown: 0, replayed: 0, expired: 0 });
  });

  test.each(['unknown', 'replayed', 'expired'] as const)(
    'a genuine return path that is %s is refused in the words of a forged one, and counted',
    async (fault) => {
      const scene = await started({}, { returnPathStatus: async () => fault });
      const forged = await rcpt(
        scene,
        own.replace(/.(?=@)/, (last) => (last === 'a' ? 'b' : 'a')),
      );
      expect(await rcpt(scene, own)).toBe(forged);
      expect(forged).toBe('550 5.1.1 no such mailbox');
      const none = { relaying: 0, no_mailbox: 0, stranger: 0, unknown: 0, replayed: 0, expired: 0 };
      expect(scene.inbound.stats().refused).toMatchObject({ ...none, forged: 1, [fault]: 1 });
    },
  );

  test('a return path that cannot be looked up at the moment may be tried again', async () => {
    const scene = await started({}, { returnPathStatus: async () => Promise.reject(new Error('disk')) });
    expect(await rcpt(scene, own)).toMatch('451 4.3.0');
    expect(scene.defects).toHaveLength(1);
    expect(scene.inbound.stats().refused).toMatchObject({ forged: 0, unknown: 0 });
  });

  test('commands that come behind a RCPT wait until it has been looked up, and are answered in their order', async () => {
    const asked: number[] = [];
    const held = Promise.withResolvers<void>();
    const returnPathStatus: InboundWork['returnPathStatus'] = async ({ recipientId }) => {
      asked.push(recipientId);
      await held.promise;
      return recipientId === 42 ? 'current' : 'unknown';
    };
    const scene = await started({}, { returnPathStatus });
    const other = encodeReturnPath(key, { tenantNumber: 7, recipientId: 43 }, 'praxis.example');
    const one = await scene.talk();
    await one.hello();
    one.write(`MAIL FROM:<>\r\nRCPT TO:<${own}>\r\nRCPT TO:<${other}>\r\nDATA\r\n`);
    await until('the first is being looked up', async () => asked.length > 0);
    expect(asked).toEqual([42]);
    held.resolve();
    const replies = [await one.reply(), await one.reply(), await one.reply(), await one.reply()];
    expect(replies.map((reply) => reply?.slice(0, 9))).toEqual([
      '250 2.1.0',
      '250 2.1.5',
      '550 5.1.1',
      '354 End d',
    ]);
    one.write('Subject: x\r\n\r\n.\r\n');
    expect(await one.reply()).toMatch('250 2.0.0');
    expect(scene.reported.map(({ targets, mailFrom }) => [targets, mailFrom])).toEqual([
      [[{ tenantNumber: 7, recipientId: 42 }], ''],
    ]);
  });

  test('content that is sent before the RCPT has been looked up is no content', async () => {
    const held = Promise.withResolvers<'current'>();
    let isAsked = false;
    const returnPathStatus: InboundWork['returnPathStatus'] = () => {
      isAsked = true;
      return held.promise;
    };
    const scene = await started({}, { returnPathStatus });
    const one = await scene.talk();
    await one.hello();
    one.write(`MAIL FROM:<>\r\nRCPT TO:<${own}>\r\nDATA\r\nSubject: x\r\n\r\n.\r\n`);
    held.resolve('current');
    expect(await one.rest()).toMatch(/554 5\.5\.0 [^\r\n]*\r\n$/);
    expect(isAsked).toBe(true);
    expect(scene.reported).toEqual([]);
  });
});

describe('a message', () => {
  test('comes whole, without stuffed dots, and 250 is said after it was dealt with', async () => {
    const order: string[] = [];
    let go = (): void => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const scene = await started(
      {},
      {
        report: async (targets, { content }) => {
          order.push(`dealt with ${content.toString()}`);
          await held;
          return targets.map(() => 'changed' as const);
        },
      },
    );
    const one = await scene.talk();
    await one.hello();
    await one.envelope('', own);
    one.write('Subject: x\r\n\r\n..one\r\n...two\r\n.\r\n');
    await until('it is being dealt with', async () => order.length === 1);
    const reply = one.reply().then((said) => order.push(said ?? ''));
    go();
    await reply;
    expect(order).toEqual(['dealt with Subject: x\r\n\r\n.one\r\n..two\r\n', '250 2.0.0 received']);
    expect(scene.inbound.stats().reports.changed).toBe(1);
  });

  test('to several return paths is read once for all of them', async () => {
    const scene = await started();
    const other = encodeReturnPath(key, { tenantNumber: 8, recipientId: 1 }, 'praxis.example');
    const one = await scene.talk();
    await one.hello();
    await one.say('MAIL FROM:<mailer-daemon@example.org>');
    await one.say(`RCPT TO:<${own}>`);
    await one.say(`RCPT TO:<${other}>`);
    await one.say('DATA');
    one.write('Subject: x\r\n\r\n.\r\n');
    expect(await one.reply()).toMatch(/^250 /);
    expect(scene.reported.map(({ targets }) => targets)).toEqual([
      [
        { tenantNumber: 7, recipientId: 42 },
        { tenantNumber: 8, recipientId: 1 },
      ],
    ]);
  });

  test('of a complaint is dealt with as it came, and counted by what came of it', async () => {
    const scene = await started();
    const one = await scene.talk();
    await one.hello();
    await one.envelope('feedback@provider.example', 'fbl@mail.example.com');
    one.write('Subject: x\r\n\r\n.\r\n');
    expect(await one.reply()).toBe('250 2.0.0 received');
    expect(scene.complained).toEqual(['127.0.0.1 Subject: x\r\n\r\n']);
    expect(scene.inbound.stats().reports).toEqual({ changed: 1, unchanged: 0, unknown: 0 });
  });

  test('of a report about a domain is dealt with by its address, and counted', async () => {
    const scene = await started();
    const one = await scene.talk();
    await one.hello();
    await one.say('MAIL FROM:<noreply@receiver.example>');
    await one.say('RCPT TO:<dmarc@mail.example.com>');
    await one.say('RCPT TO:<tls-rpt@mail.example.com>');
    await one.say('DATA');
    one.write('Subject: x\r\n\r\n.\r\n');
    expect(await one.reply()).toBe('250 2.0.0 received');
    expect(scene.complained).toEqual([
      'dmarc noreply@receiver.example 127.0.0.1',
      'tls noreply@receiver.example 127.0.0.1',
    ]);
    expect(scene.inbound.stats().domain_reports).toEqual({ taken: 2, not_taken: 0 });
  });

  test('for the operator bears where it came from', async () => {
    const scene = await started();
    const one = await scene.talk();
    await one.hello();
    await one.envelope('eve@example.org', 'postmaster@mail.example.com');
    one.write('Subject: help\r\n\r\nhelp\r\n.\r\n');
    expect(await one.reply()).toBe('250 2.0.0 received');
    expect(scene.told).toHaveLength(1);
    expect(scene.told[0]?.mailFrom).toBe('eve@example.org');
    expect(scene.told[0]?.content).toMatch(
      /^Return-Path: <eve@example\.org>\r\nReceived: from client\.example\.net \(\[127\.0\.0\.1\]\)\r\n by mail\.example\.com with ESMTP id \S+;\r\n Sat, 21 Nov 2026 00:00:00 \+0000\r\nSubject: help\r\n\r\nhelp\r\n$/,
    );
  });

  test.each([
    {
      name: 'the disk fails',
      work: { report: async () => Promise.reject(new Error('disk')) },
      to: own,
      code: '451 4.3.0',
      defects: 1,
    },
    {
      name: 'the answer cannot be handed over',
      work: { simulate: async () => false },
      to: 'bounce@simulator.mail.example.com',
      code: '451 4.4.0',
      defects: 0,
    },
    {
      name: 'too many complaints come',
      work: { complain: async () => null },
      to: 'fbl@mail.example.com',
      code: '450 4.7.1',
      defects: 0,
    },
    {
      name: 'a complaint cannot be stored',
      work: { complain: async () => Promise.reject(new Error('disk')) },
      to: 'fbl@mail.example.com',
      code: '451 4.3.0',
      defects: 1,
    },
    {
      name: 'too many reports about domains come',
      work: { domainReport: async () => 'busy' as const },
      to: 'dmarc@mail.example.com',
      code: '450 4.7.1',
      defects: 0,
    },
    {
      name: 'the operator gets too much',
      work: { mailOperator: async () => false },
      to: 'abuse@mail.example.com',
      code: '450 4.7.1',
      defects: 0,
    },
  ])('is to be brought again where $name', async ({ work, to, code, defects }) => {
    const scene = await started({}, work);
    const one = await scene.talk();
    await one.hello();
    await one.envelope(own, to);
    one.write('Subject: x\r\n\r\n.\r\n');
    expect(await one.reply()).toMatch(code);
    expect(scene.defects).toHaveLength(defects);
  });

  test('that has run in a circle is refused', async () => {
    const scene = await started();
    const one = await scene.talk();
    await one.hello();
    await one.envelope('', own);
    one.write(`${'Received: from a by b; date\r\n'.repeat(101)}\r\n.\r\n`);
    expect(await one.reply()).toMatch('554 5.4.6');
    expect(scene.reported).toEqual([]);
  });

  test('with a header that would not be read whole is refused, one just below that is taken', async () => {
    const scene = await started();
    const one = await scene.talk();
    await one.hello();
    const field = (at: number): string => `X-${at}: ${'a'.repeat(900)}\r\n`;
    const say = async (head: string): Promise<string | null> => {
      await one.envelope('a@b.example', 'erika@in.praxis.example');
      one.write(`${head}\r\ntext\r\n.\r\n`);
      return one.reply();
    };
    expect(await say(Array.from({ length: 280 }, (_, at) => field(at)).join(''))).toBe(
      '552 5.3.4 the header has more than 245760 bytes or 980 fields',
    );
    expect(await say('X: y\r\n'.repeat(981))).toMatch('552 5.3.4 the header');
    expect(scene.received).toEqual([]);
    expect(await say(Array.from({ length: 260 }, (_, at) => field(at)).join(''))).toMatch('250');
    expect(await say('X: y\r\n'.repeat(980))).toMatch('250');
    expect(scene.received.length).toBe(2);
  });

  describe('with a NUL', () => {
    const NUL_REFUSED = '550 5.6.0 the message holds a NUL, which must be encoded (base64)';

    test('is read at a return path, with another sign for it', async () => {
      const scene = await started();
      const one = await scene.talk();
      await one.hello();
      await one.envelope('', own);
      one.write('Subject: x\r\n\r\n\0user\0 unknown\0\r\n.\r\n');
      expect(await one.reply()).toBe('250 2.0.0 received');
      expect(scene.reported.map(({ content }) => content)).toEqual(['Subject: x\r\n\r\n?user? unknown?\r\n']);
    });

    test.each([
      ['a mailbox', ['erika@in.praxis.example']],
      ['postmaster', ['postmaster@mail.example.com']],
      ['a complaint', ['fbl@mail.example.com']],
      ['a return path and a mailbox', [own, 'erika@in.praxis.example']],
    ])('is refused at %s', async (_, recipients) => {
      const scene = await started();
      const one = await scene.talk();
      await one.hello();
      await one.say('MAIL FROM:<a@b.example>');
      for (const recipient of recipients) expect(await one.say(`RCPT TO:<${recipient}>`)).toMatch('250');
      await one.say('DATA');
      one.write('Subject: x\r\n\r\na\0b\r\n.\r\n');
      expect(await one.rest()).toBe(`${NUL_REFUSED}\r\n`);
      const { reported, received, told, complained } = scene;
      expect([reported, received, told, complained]).toEqual([[], [], [], []]);
    });

    test('is refused at a return path where it is no report', async () => {
      const scene = await started({}, { report: async () => null });
      const one = await scene.talk();
      await one.hello();
      await one.envelope('anna@example.org', own);
      one.write('Subject: x\r\n\r\na\0b\r\n.\r\n');
      expect(await one.rest()).toBe(`${NUL_REFUSED}\r\n`);
      expect(scene.received).toEqual([]);
    });
  });

  test('that is announced too large is refused at once, one that grows too large at its end', async () => {
    const scene = await started({ limits: { messageBytes: 100_000 } });
    const one = await scene.talk();
    await one.hello();
    expect(await one.say('MAIL FROM:<> SIZE=100001')).toMatch('552 5.3.4');
    await one.envelope('', own);
    one.write(`${`${'a'.repeat(998)}\r\n`.repeat(101)}.\r\n`);
    expect(await one.reply()).toMatch('552 5.3.4');
    await one.envelope('', own);
    one.write('Subject: x\r\n\r\n.\r\n');
    expect(await one.reply()).toMatch(/^250 /);
    expect(scene.reported).toHaveLength(1);
  });

  test('for the operator may be less large than for others', async () => {
    const scene = await started({ messageBytes: 11 * MIB });
    const one = await scene.talk();
    await one.hello();
    await one.envelope('', 'postmaster@mail.example.com');
    one.write(`${`${'a'.repeat(1_022)}\r\n`.repeat(10 * 1_024)}x\r\n.\r\n`);
    expect(await one.reply()).toMatch('552 5.3.4');
    expect(scene.told).toEqual([]);
  });

  test('waits where too many large ones are being received', async () => {
    const scene = await started({ budget: createByteBudget(100_000) });
    const one = await scene.talk();
    await one.hello();
    await one.envelope('', own);
    one.write(`${`${'a'.repeat(998)}\r\n`.repeat(60)}.\r\n`);
    expect(await one.reply()).toMatch('452 4.3.1');
    await one.envelope('', own);
    one.write('Subject: x\r\n\r\n.\r\n');
    expect(await one.reply()).toMatch(/^250 /);
  });

  test('that is cut off leaves nothing behind', async () => {
    const scene = await started();
    const one = await scene.talk();
    await one.hello();
    await one.envelope('', own);
    one.write('Subject: x\r\n\r\nhalf of it\r\n');
    one.end();
    await until('it is gone', async () => scene.inbound.stats().connections === 0);
    expect(scene.reported).toEqual([]);
    expect(scene.defects).toEqual([]);
  });
});

describe('mail to mailboxes', () => {
  const mailbox = 'erika@in.praxis.example';
  const bring = async (one: SmtpTalk, from: string, ...to: readonly string[]): Promise<string | null> => {
    await one.say(`MAIL FROM:<${from}>`);
    for (const each of to) await one.say(`RCPT TO:<${each}>`);
    await one.say('DATA');
    one.write('Subject: x\r\n\r\nGruß\r\n.\r\n');
    return one.reply();
  };

  test('goes to each recipient, with what the dialogue said; others of the same mail get theirs', async () => {
    const scene = await started();
    const one = await scene.talk();
    await one.hello();
    const to = [mailbox, own, 'ERIKA@in.praxis.example', 'max@in.praxis.example'];
    to.push('"max"@in.praxis.example', '"abuse"@in.praxis.example');
    expect(await bring(one, 'Eve@xn--bcher-kva.example', ...to)).toBe('250 2.0.0 received');
    expect(scene.received).toEqual([
      {
        recipients: [
          { kind: 'mailbox', tenantId: 'praxis.example', address: 'ERIKA@in.praxis.example' },
          { kind: 'mailbox', tenantId: 'praxis.example', address: 'max@in.praxis.example' },
        ],
        protocol: 'ESMTP',
        mailFrom: 'Eve@xn--bcher-kva.example',
        content: 'Subject: x\r\n\r\nGruß\r\n',
      },
    ]);
    expect(scene.reported).toHaveLength(1);
    expect(scene.told).toMatchObject([{ recipient: 'abuse@in.praxis.example' }]);
    expect(scene.inbound.stats()).toMatchObject({ received: 1, to_operator: 1 });
  });

  test('recipients of one transaction are not those of the next', async () => {
    const scene = await started();
    const one = await scene.talk();
    await one.hello();
    await one.say('MAIL FROM:<>');
    await one.say(`RCPT TO:<${mailbox}>`);
    await one.say('RSET');
    await bring(one, '', own);
    expect(scene.received).toEqual([]);
    expect(scene.reported).toHaveLength(1);
  });

  test('that is refused after its content is refused for all', async () => {
    const refusal = {
      kind: 'refused',
      code: 550,
      text: '5.7.1 the message is spam',
      reason: 'spam',
    } as const;
    const scene = await started({}, { receive: async () => refusal });
    const one = await scene.talk();
    await one.hello();
    expect(await bring(one, 'eve@example.org', mailbox, own)).toBe('550 5.7.1 the message is spam');
    expect(scene.inbound.stats().received).toBe(0);
  });

  test('asks for the mailbox with the sender and the declared size', async () => {
    const asked: unknown[] = [];
    const scene = await started(
      {},
      {
        admit: async (recipient, mail) => {
          asked.push(recipient, mail);
          return { refusal: 'full' };
        },
      },
    );
    const one = await scene.talk();
    await one.hello();
    await one.say('MAIL FROM:<eve@example.org> SIZE=2000');
    expect(await one.say(`RCPT TO:<${mailbox}>`)).toMatch('452 4.2.2');
    expect(asked).toEqual([
      { host: 'praxis.example', localPart: 'erika', named: false },
      { mailFrom: 'eve@example.org', size: 2_000 },
    ]);
    expect(scene.inbound.stats().refused).toMatchObject({ full: 1 });
  });

  test('is limited per client; reports are not', async () => {
    const scene = await started({ clientRate: () => ({ perSecond: 1, burst: 2 }) });
    const one = await scene.talk();
    await one.hello();
    await bring(one, '', mailbox, 'max@in.praxis.example');
    await one.say('MAIL FROM:<>');
    expect(await one.say(`RCPT TO:<${mailbox}>`)).toMatch('450 4.7.1');
    expect(await one.say(`RCPT TO:<${own}>`)).toMatch('250 2.1.5');
    const other = await scene.talk('127.0.0.2');
    await other.hello();
    await other.envelope('', mailbox);
  });

  test('of a client on a block list is refused with the list; reports, complaints and postmaster are not', async () => {
    const listing = async (address: string) => (address === '127.0.0.2' ? 'zen.spamhaus' : null);
    const scene = await started({}, { listing });
    const [listed, other] = [await scene.talk('127.0.0.2'), await scene.talk()];
    await listed.hello();
    await listed.say('MAIL FROM:<>');
    expect(await listed.say(`RCPT TO:<${mailbox}>`)).toBe(
      '554 5.7.1 your address is on a block list: zen.spamhaus',
    );
    for (const to of [own, 'fbl@mail.example.com', 'postmaster@mail.example.com'])
      expect(await listed.say(`RCPT TO:<${to}>`)).toMatch('250 2.1.5');
    await other.hello();
    await other.envelope('', mailbox);
  });

  describe('at a return path, where it is no report', () => {
    const noReport = { report: async () => null };

    test('goes with the mailboxes, and a refusal is for all', async () => {
      let code = 452;
      const recipients: unknown[] = [];
      const scene = await started(
        {},
        {
          ...noReport,
          receive: async (readers) => {
            recipients.push(readers);
            return code === 250
              ? { kind: 'stored' }
              : { kind: 'refused', code, text: '4.2.2 full', reason: 'full' };
          },
        },
      );
      const one = await scene.talk();
      await one.hello();
      expect(await bring(one, 'eve@example.org', own, mailbox)).toBe('452 4.2.2 full');
      code = 250;
      expect(await bring(one, 'eve@example.org', own, mailbox)).toMatch('250');
      const all = [{ address: mailbox }, { tenantId: '7', answers: 42, address: own }];
      expect(recipients).toMatchObject([all, all]);
      expect(scene.inbound.stats()).toMatchObject({ received: 1, reports: { changed: 0, unchanged: 0 } });
    });

    test('is refused where no practice receives it, but for the null sender', async () => {
      const scene = await started({}, { ...noReport, admitAnswers: () => [] });
      const one = await scene.talk();
      await one.hello();
      expect(await bring(one, 'eve@example.org', own)).toBe('550 5.2.1 this host receives no mail');
      expect(await bring(one, 'eve@example.org', own, mailbox)).toMatch('250');
      expect(await bring(one, '', own)).toMatch('250');
      expect(scene.inbound.stats()).toMatchObject({ received: 1, refused: { disabled: 1 } });
    });

    test('passes the limits and block lists of clients, and the limits of the practice', async () => {
      let isBusy = false;
      const scene = await started(
        { clientRate: () => ({ perSecond: 1, burst: 1 }) },
        {
          ...noReport,
          listing: async (address) => (address === '127.0.0.2' ? 'zen.spamhaus' : null),
          admitAnswers: () => (isBusy ? { refusal: 'busy' } : [{ tenantId: 'a', address: own }]),
        },
      );
      const [one, listed, other] = [
        await scene.talk(),
        await scene.talk('127.0.0.2'),
        await scene.talk('127.0.0.3'),
      ];
      for (const each of [one, listed, other]) await each.hello();
      expect(await bring(one, 'eve@example.org', own)).toMatch('250');
      expect(await bring(one, 'eve@example.org', own)).toMatch('450 4.7.1');
      expect(await bring(listed, 'eve@example.org', own)).toMatch('554 5.7.1');
      isBusy = true;
      expect(await bring(other, 'eve@example.org', own)).toMatch('451 4.7.1');
      expect(scene.received).toHaveLength(1);
    });
  });

  test('costs its client more where it is large, and the largest may still come', async () => {
    const scene = await started({ clientRate: () => ({ perSecond: 1, burst: 4 }) });
    const bringLarge = async (mib: number, from: string): Promise<string | null> => {
      const one = await scene.talk(from);
      await one.hello();
      await one.envelope('eve@example.org', mailbox);
      one.write(`\r\n${'x'.repeat(1_020)}\r\n${`${'x'.repeat(1_022)}\r\n`.repeat(mib * 1_024 - 1)}`);
      one.write('.\r\n');
      return one.reply();
    };
    expect(await bringLarge(2, '127.0.0.1')).toMatch('250');
    expect(await bringLarge(3, '127.0.0.1')).toMatch('450 4.7.1');
    expect(await bringLarge(3, '127.0.0.2')).toMatch('250');
    expect(scene.received).toHaveLength(2);
  });

  test('that has to come again is not brought to the operator again', async () => {
    let isFull = true;
    const full = { kind: 'refused', code: 452, text: '4.2.2 full', reason: 'full' } as const;
    const scene = await started({}, { receive: async () => (isFull ? full : { kind: 'stored' }) });
    const one = await scene.talk();
    await one.hello();
    const to = ['postmaster@mail.example.com', mailbox];
    expect(await bring(one, 'eve@example.org', ...to)).toMatch('452');
    expect(await bring(one, 'eve@example.org', ...to)).toMatch('452');
    isFull = false;
    expect(await bring(one, 'eve@example.org', ...to)).toMatch('250');
    expect(scene.told).toHaveLength(1);
    // Another mail with the same content is another mail.
    expect(await bring(one, 'eve@example.org', ...to)).toMatch('250');
    expect(scene.told).toHaveLength(2);
  });

  test('a report whose return path the new host of a practice has made is handed on to it', async () => {
    const handedOn: string[] = [];
    const scene = await started(
      {},
      {
        handOn: async (_, { recipient }) => {
          handedOn.push(recipient);
          return { result: 'accepted' };
        },
      },
    );
    const one = await scene.talk();
    await one.hello();
    const to = own
      .replace('praxis.example', 'moved.example')
      .replace(/.(?=@)/, (last) => (last === 'a' ? 'b' : 'a'));
    expect(await bring(one, '', to)).toMatch('250');
    expect(handedOn).toEqual([to]);
  });

  test('that has to come again is not handed on again to who has it at another host', async () => {
    let isFull = true;
    const handedOn: string[] = [];
    const full = { kind: 'refused', code: 452, text: '4.2.2 full', reason: 'full' } as const;
    const scene = await started(
      {},
      {
        admit: async ({ host, localPart }) => {
          if (localPart.startsWith('moved')) throw new TenantMoved(NEW_HOST);
          return { tenantId: host };
        },
        handOn: async (_, { recipient }) => {
          if (recipient.startsWith('moved-2') && isFull) return { result: 'broken' };
          handedOn.push(recipient);
          return { result: 'accepted' };
        },
        receive: async () => (isFull ? full : { kind: 'stored' }),
      },
    );
    const one = await scene.talk();
    await one.hello();
    const [first, second] = ['moved-1@in.praxis.example', 'moved-2@in.praxis.example'];
    // Another recipient's host is away; then one of this host cannot get it.
    expect(await bring(one, 'eve@example.org', first, second)).toMatch('451');
    expect(await bring(one, 'eve@example.org', first, mailbox)).toMatch('452');
    expect(handedOn).toEqual([first]);
    isFull = false;
    expect(await bring(one, 'eve@example.org', first, second, mailbox)).toMatch('250');
    expect(handedOn).toEqual([first, second]);
    // Another mail with the same content is another mail.
    expect(await bring(one, 'eve@example.org', first)).toMatch('250');
    expect(handedOn).toEqual([first, second, first]);
  });

  test('of an unknown network is taken when it comes again, where that is asked for; reports at once', async () => {
    let now = 0;
    const greylist = createGreylist({
      wait: 5 * MINUTE,
      clock: { now: () => now },
      storage: { load: () => [], save: async () => undefined },
      log: createLog('warn', { write: () => undefined }),
    });
    const scene = await started({ greylist });
    const one = await scene.talk();
    await one.hello();
    await one.say('MAIL FROM:<eve@example.org>');
    expect(await one.say(`RCPT TO:<${own}>`)).toMatch('250 2.1.5');
    expect(await one.say('RCPT TO:<nobody@in.praxis.example>')).toMatch('550 5.1.1');
    expect(await one.say(`RCPT TO:<${mailbox}>`)).toBe('451 4.7.1 greylisted, try again later');
    now = 5 * MINUTE;
    expect(await one.say(`RCPT TO:<${mailbox}>`)).toMatch('250 2.1.5');
  });
});

describe('addresses that are not ASCII', () => {
  test('come with SMTPUTF8, which Received says', async () => {
    const scene = await started({ certificates: shownCertificate(certificate) });
    const one = await scene.talk();
    await one.hello();
    await one.startTls(certificate.certificate);
    await one.say('EHLO client.example.net');
    await one.say('MAIL FROM:<用户@例え.example> SMTPUTF8');
    expect(await one.say('RCPT TO:<ärztin@in.praxis.example>')).toMatch('250 2.1.5');
    expect(await one.say('RCPT TO:<postmaster@mail.example.com>')).toMatch('250 2.1.5');
    await one.say('DATA');
    one.write('Subject: ä\r\n\r\n.\r\n');
    expect(await one.reply()).toMatch(/^250/);
    expect(scene.received).toMatchObject([
      {
        protocol: 'UTF8SMTPS',
        mailFrom: '用户@xn--r8jz45g.example',
        recipients: [{ address: 'ärztin@in.praxis.example' }],
      },
    ]);
    const told = Buffer.from(scene.told[0]?.content ?? '', 'latin1').toString();
    expect(told).toContain('Return-Path: <用户@xn--r8jz45g.example>\r\n');
    expect(told).toContain(' with UTF8SMTPS id ');
    // The next mail says nothing of it.
    await one.say('MAIL FROM:<eve@example.org>');
    expect(await one.say('RCPT TO:<ärztin@in.praxis.example>')).toMatch('553 5.6.7');
  });

  test('are not announced by a MAIL that was refused', async () => {
    const one = await (await started()).talk();
    await one.hello();
    expect(await one.say('MAIL FROM:<a@b.example> SMTPUTF8 RET=HDRS')).toMatch('555');
    await one.say('MAIL FROM:<a@b.example>');
    expect(await one.say('RCPT TO:<ärztin@in.praxis.example>')).toMatch('553 5.6.7');
  });

  test.each([
    ['broken UTF-8', Buffer.from('RCPT TO:<\xe4rztin@in.praxis.example>\r\n', 'latin1'), '501 5.5.2'],
    ['an overlong form', Buffer.from('RCPT TO:<\xc0\xafx@in.praxis.example>\r\n', 'latin1'), '501 5.5.2'],
    ['an invisible character', Buffer.from('RCPT TO:<a\u200bb@in.praxis.example>\r\n'), '501 5.1.3'],
  ])('with %s are refused', async (_, command, code) => {
    const one = await (await started()).talk();
    await one.hello();
    await one.say('MAIL FROM:<> SMTPUTF8');
    one.write(command);
    expect(await one.reply()).toMatch(code);
  });
});

test('dots that begin lines are what was meant, wherever the segments are cut', async () => {
  const scene = await started({ limits: { perClient: 1_000, connections: 1_000 } });
  const content = '.\r\n..\r\nx: y\r\n\r\n.\r\n.z.\r\n\r\n..\r\nend.\r\n.\r\n';
  const bytes = Buffer.from(`${content.replace(/^\./gm, '..')}.\r\nQUIT\r\n`);
  await Promise.all(
    Array.from(bytes, async (_, cut) => {
      const one = await scene.talk();
      await one.hello();
      await one.envelope('', own);
      const single = Array.from(bytes.subarray(cut, cut + 8), (octet) => Buffer.of(octet));
      await one.writePieces([bytes.subarray(0, cut), ...single, bytes.subarray(cut + 8)]);
      expect(await one.rest(), `cut at ${cut}`).toBe('250 2.0.0 received\r\n221 2.0.0 Bye\r\n');
    }),
  );
  expect(scene.reported.map((one) => one.content)).toEqual(Array.from(bytes, () => content));
});

describe('smuggling', () => {
  const smuggled = `MAIL FROM:<>\r\nRCPT TO:<${own}>\r\nDATA\r\nSubject: smuggled\r\n\r\n.\r\n`;
  const ends = [
    '\n.\n',
    '\n.\r\n',
    '\r\n.\n',
    '\r.\r',
    '\r.\r\n',
    '\r\n.\r',
    '\r\0\n.\r\n',
    '\r\n.\0\n',
    '\n..\n',
    '\r\n.\r\r\n',
  ];
  for (const end of ends)
    test(`${JSON.stringify(end)} ends no message, wherever the segments are cut`, async () => {
      const scene = await started({ limits: { perClient: 1_000, connections: 1_000 } });
      const bytes = Buffer.from(`Subject: x\r\n\r\none${end}${smuggled}\r\n.\r\nQUIT\r\n`, 'latin1');
      const from = bytes.indexOf('one') + 1;
      const cuts = Array.from({ length: end.length + 5 }, (_, index) => from + index);
      const said = await Promise.all(
        cuts.map(async (cut) => {
          const one = await scene.talk();
          await one.hello();
          await one.envelope('', own);
          await one.writePieces([bytes.subarray(0, cut), bytes.subarray(cut)]);
          return one.rest();
        }),
      );
      for (const one of said) expect(one).toMatch(/^55\d 5\.[56]\.\d .*\r\n$/);
      const byByte = await scene.talk();
      await byByte.hello();
      await byByte.envelope('', own);
      await byByte.writePieces([...bytes].map((byte) => Buffer.of(byte)));
      await byByte.rest();
      expect(scene.reported).toEqual([]);
    });

  test('a NUL before a dot ends no message at a return path, wherever the segments are cut', async () => {
    const scene = await started({ limits: { perClient: 1_000, connections: 1_000 } });
    const bytes = Buffer.from(`Subject: x\r\n\r\none\r\n\0.\r\n${smuggled}QUIT\r\n`, 'latin1');
    for (let cut = bytes.indexOf('one'); cut < bytes.indexOf('MAIL') + 5; cut += 1) {
      const one = await scene.talk();
      await one.hello();
      await one.envelope('', own);
      await one.writePieces([bytes.subarray(0, cut), bytes.subarray(cut)]);
      expect(await one.rest()).toBe('250 2.0.0 received\r\n221 2.0.0 Bye\r\n');
    }
    const whole = `Subject: x\r\n\r\none\r\n?.\r\n${smuggled.slice(0, -3)}`;
    expect(new Set(scene.reported.map(({ content }) => content))).toEqual(new Set([whole]));
  });

  test.each([
    { name: 'a command that ends in LF alone', bytes: 'NOOP\nNOOP\r\n', code: '550 5.5.2' },
    { name: 'a bare CR in a command', bytes: 'NOOP\rNOOP\r\n', code: '550 5.5.2' },
    { name: 'a NUL in a command', bytes: 'NOOP\0\r\n', code: '550 5.5.2' },
    { name: 'content sent before 354', bytes: 'DATA\r\nSubject: x\r\n\r\n.\r\n', code: '554 5.5.0' },
    { name: 'commands behind EHLO', bytes: 'EHLO x\r\nMAIL FROM:<>\r\n', code: '554 5.5.0' },
  ])('$name ends the connection', async ({ bytes, code }) => {
    const scene = await started();
    const one = await scene.talk();
    await one.hello();
    one.write(bytes);
    expect(await one.rest()).toMatch(new RegExp(`^${code} [^\\r\\n]*\\r\\n$`));
    expect(scene.reported).toEqual([]);
  });

  test('a client that talks before the greeting is sent away', async () => {
    const scene = await started();
    // The greeting comes after a tenth of a second of that clock.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const one = await scene.talk();
    one.write('EHLO x\r\nMAIL FROM:<>\r\n');
    expect(await one.rest()).toMatch(/^(?:421|554) [^\r\n]*\r\n$/);
  });

  test('MAIL, RCPT and DATA may come in one segment', async () => {
    const scene = await started();
    const one = await scene.talk();
    await one.hello();
    one.write(`MAIL FROM:<>\r\nRCPT TO:<${own}>\r\nDATA\r\n`);
    expect(await one.reply()).toMatch(/^250 2\.1\.0/);
    expect(await one.reply()).toMatch(/^250 2\.1\.5/);
    expect(await one.reply()).toMatch(/^354/);
    one.write(`Subject: x\r\n\r\n.\r\nMAIL FROM:<>\r\nRCPT TO:<${own}>\r\nDATA\r\n`);
    expect(await one.reply()).toMatch(/^250 2\.0\.0/);
    expect(await one.reply()).toMatch(/^250 2\.1\.0/);
  });
});

describe('STARTTLS', () => {
  test('is offered, works, and forgets what was said before it', async () => {
    const scene = await started({ certificates: shownCertificate(certificate) });
    const one = await scene.talk();
    await one.reply();
    expect(await one.say('EHLO client.example.net')).toContain('STARTTLS');
    await one.say('MAIL FROM:<>');
    await one.startTls(certificate.certificate);
    expect(await one.say(`RCPT TO:<${own}>`)).toMatch('503');
    expect(await one.say('EHLO client.example.net')).not.toContain('STARTTLS');
    await one.envelope('eve@example.org', 'postmaster@mail.example.com');
    one.write('Subject: x\r\n\r\n.\r\n');
    expect(await one.reply()).toMatch(/^250 /);
    expect(scene.told[0]?.content).toContain('with ESMTPS id');
  });

  test('bytes that came in clear behind it are thrown away', async () => {
    const scene = await started({ certificates: shownCertificate(certificate) });
    const one = await scene.talk();
    await one.hello();
    await one.startTls(certificate.certificate, `EHLO x\r\nMAIL FROM:<>\r\nRCPT TO:<${own}>\r\n`);
    expect(await one.say('DATA')).toMatch('503');
    expect(await one.say('EHLO client.example.net')).toMatch(/^250-/);
    expect(await one.say(`RCPT TO:<${own}>`)).toMatch('503');
  });

  test('a renewed certificate is shown to later connections', async () => {
    const certificates = shownCertificate(certificate);
    const scene = await started({ certificates });
    const before = await scene.talk();
    await before.hello();
    await before.startTls(certificate.certificate);
    const next = createCertificate(['mail.example.com']);
    certificates.use(next);
    const one = await scene.talk();
    await one.hello();
    await one.startTls(next.certificate);
    expect(await before.say('NOOP')).toMatch(/^250 /);
  });
});

describe('limits', () => {
  test('of connections in all and of one client', async () => {
    const scene = await started({ limits: { perClient: 2 } });
    const [one, two] = [await scene.talk(), await scene.talk()];
    await one.hello();
    await two.hello();
    const three = await scene.talk();
    expect(await three.reply()).toMatch('421 4.7.0');
    expect(await three.reply()).toBeNull();
    one.end();
    await until('a place is free', async () => scene.inbound.stats().connections === 1);
    const four = await scene.talk();
    expect(await four.reply()).toMatch(/^220 /);
  });

  test('four clients that keep all places with commands that lead to nothing give way to a fifth', async () => {
    const scene = await started();
    const kept = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        const one = await scene.talk(`127.0.0.${2 + (index % 4)}`);
        await one.hello();
        return one;
      }),
    );
    const last = scene.talk('127.0.0.6');
    for (const one of kept) for (const command of ['NOOP', 'RSET', 'EHLO x']) one.write(`${command}\r\n`);
    const fifth = await last;
    await fifth.hello();
    await fifth.envelope('', own);
    fifth.write('Subject: x\r\n\r\n.\r\n');
    expect(await fifth.reply()).toMatch(/^250 /);
    // The replies to the three commands come first, or some of them.
    expect(await Promise.race(kept.map((one) => one.rest()))).toMatch(/421 4\.3\.2 the place is needed/);
    await until('it is gone', () => scene.inbound.stats().connections === 200);
    // Those that come back get places of their like.
    for (let again = 0; again < 20; again += 1) await (await scene.talk('127.0.0.2')).hello();
    await fifth.envelope('', own);
  });

  test('a message that is coming keeps its place; idle connections of the same client give way first', async () => {
    const scene = await started({ limits: { connections: 3, perClient: 3 } });
    const busy = await scene.talk('127.0.0.2');
    await busy.hello();
    await busy.envelope('', own);
    const [one, two] = [await scene.talk('127.0.0.2'), await scene.talk('127.0.0.2')];
    await one.hello();
    await two.hello();
    busy.write(`Subject: x\r\n\r\n${`${'a'.repeat(998)}\r\n`.repeat(20)}`);
    await pause(50);
    const [three, four] = [await scene.talk('127.0.0.3'), await scene.talk('127.0.0.4')];
    await three.hello();
    await four.hello();
    expect([await one.reply(), await two.reply()]).toEqual([
      expect.stringMatching(/^421 4\.3\.2/),
      expect.stringMatching(/^421 4\.3\.2/),
    ]);
    busy.write('.\r\n');
    expect(await busy.reply()).toMatch(/^250 /);
  });

  const afterMinutes = async (
    minutes: number,
    say: (one: SmtpTalk) => Promise<unknown>,
    meanwhile = 'NOOP\r\nRSET\r\nEHLO x\r\n',
  ): Promise<SmtpTalk> => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const scene = await started({ certificates: shownCertificate(certificate) });
    const one = await scene.talk();
    await until('it is there', () => scene.inbound.stats().connections === 1);
    await vi.advanceTimersByTimeAsync(100);
    await one.hello();
    await say(one);
    for (let halves = 0; halves < 2 * minutes; halves += 1) {
      await vi.advanceTimersByTimeAsync(MINUTE / 2);
      one.write(meanwhile);
      await new Promise((resolve) => setImmediate(resolve));
    }
    vi.useRealTimers();
    return one;
  };
  afterEach(() => void vi.useRealTimers());

  test.each([
    ['says nothing of use', async () => undefined],
    ['names a sender alone', (one: SmtpTalk) => one.say('MAIL FROM:<>')],
    [
      'is refused its recipients',
      async (one: SmtpTalk) => {
        await one.say('MAIL FROM:<>');
        await one.say('RCPT TO:<eve@example.org>');
      },
    ],
  ])('a client that %s has a minute', async (_, say) => {
    const one = await afterMinutes(1, say);
    await one.rest();
  });

  test('a TLS handshake that was begun has a minute', async () => {
    const one = await afterMinutes(1, (talk) => talk.say('STARTTLS'), '');
    await one.rest();
  });

  test('a client that has named a recipient may be idle for longer', async () => {
    const one = await afterMinutes(3, async (talk) => {
      await talk.say('MAIL FROM:<>');
      await talk.say(`RCPT TO:<${own}>`);
    });
    one.write('QUIT\r\n');
    expect(await one.rest()).toMatch(/^221 /m);
  });

  test('of recipients: the rest may come in another transaction', async () => {
    const scene = await started();
    const one = await scene.talk();
    await one.hello();
    await one.say('MAIL FROM:<>');
    for (let recipientId = 1; recipientId <= 100; recipientId += 1) {
      const to = encodeReturnPath(key, { tenantNumber: 1, recipientId }, 'praxis.example');
      expect(await one.say(`RCPT TO:<${to}>`)).toMatch(/^250/);
    }
    expect(await one.say(`RCPT TO:<${own}>`)).toMatch('452 4.5.3');
  });

  test('of mistakes', async () => {
    const one = await (await started({ limits: { mistakes: 3 } })).talk();
    await one.hello();
    await one.say('MAIL FROM:<>');
    for (let mistake = 0; mistake < 3; mistake += 1)
      expect(await one.say('RCPT TO:<eve@example.org>')).toMatch('550 5.7.1');
    expect(await one.say('RCPT TO:<eve@example.org>')).toMatch('550 5.7.1');
    expect(await one.reply()).toMatch('421 4.7.0');
    expect(await one.reply()).toBeNull();
  });

  test('of a command line', async () => {
    const one = await (await started()).talk();
    await one.hello();
    one.write('a'.repeat(20_000));
    expect(await one.reply()).toMatch(/^421 /);
  });
});

describe('starting', () => {
  test('where the port is taken fails, and leaves nothing open', async () => {
    const { port } = await started();
    const listen = { host: '127.0.0.1', port };
    await expect(started({ listen })).rejects.toThrow('EADDRINUSE');
  });
});

describe('stopping', () => {
  test('lets a message in flight end, and sends the others away', async () => {
    let go = (): void => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    let begun = false;
    const scene = await started(
      {},
      {
        report: async (targets) => {
          begun = true;
          await held;
          return targets.map(() => 'changed' as const);
        },
      },
    );
    const [idle, busy] = [await scene.talk(), await scene.talk()];
    await idle.hello();
    await busy.hello();
    await busy.envelope('', own);
    busy.write('Subject: x\r\n\r\n.\r\n');
    await until('it is under way', async () => begun);
    const stopped = scene.inbound.stop(60_000);
    expect(await idle.reply()).toMatch('421 4.3.2');
    expect(await idle.reply()).toBeNull();
    await expect(talkTo(scene.port)).rejects.toThrow();
    // Longer than a client is given that has its reply already.
    await pause(600);
    go();
    expect(await busy.reply()).toMatch(/^250 /);
    await stopped;
  });

  test('waits for a message in flight as long as it is told to, also for longer than half a minute', async () => {
    const held = Promise.withResolvers<void>();
    let begun = false;
    const scene = await started(
      {},
      {
        report: async (targets) => {
          begun = true;
          await held.promise;
          return targets.map(() => 'changed' as const);
        },
      },
    );
    const busy = await scene.talk();
    await busy.hello();
    await busy.envelope('', own);
    busy.write('Subject: x\r\n\r\n.\r\n');
    await until('it is in flight', async () => begun);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const stopped = scene.inbound.stop(10 * MINUTE);
    await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(9 * MINUTE);
    vi.useRealTimers();
    held.resolve();
    expect(await busy.reply()).toMatch(/^250 /);
    await stopped;
  });

  test('cuts off what does not end', async () => {
    const scene = await started({ certificates: shownCertificate(certificate) });
    const [slow, shaking] = [await scene.talk(), await scene.talk()];
    await slow.hello();
    await slow.envelope('', own);
    await shaking.hello();
    await shaking.say('STARTTLS');
    await scene.inbound.stop(0);
    expect(await slow.reply()).toBeNull();
    expect(scene.inbound.stats().listening).toBe(false);
    await until('all are gone', async () => scene.inbound.stats().connections === 0);
  });
});
