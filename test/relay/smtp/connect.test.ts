import { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { afterEach, describe, expect, test } from 'vitest';
import { createLog } from '#src/kernel/log.ts';
import { judge } from '#src/relay/outcome.ts';
import type { SmtpOptions } from '#src/relay/smtp/options.ts';
import { createSmtpUpstream } from '#src/relay/smtp/upstream.ts';
import type { Transcript } from '#src/relay/upstream.ts';
import { createCertificate } from '#test/support/certificate.ts';
import { versionsOf } from '#test/support/pinned-version.ts';
import { type Behaviour, close, createSmtpReceiver } from '#test/support/smtp-receiver.ts';

const origin = { tenantId: 't', messageId: 'm' };
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of closing.splice(0).reverse()) await stop();
});

const good = createCertificate(['127.0.0.1', 'localhost']);
const misnamed = createCertificate(['elsewhere.test']);
const credentials = { user: 'u', password: 'p+=ä' };
const wrong = { user: 'u', password: 'no' };

const attempt = async (behaviour: Behaviour, options: Partial<SmtpOptions>) => {
  const receiver = await createSmtpReceiver(behaviour);
  closing.push(receiver.stop);
  const upstream = createSmtpUpstream(
    {
      name: 'relay',
      host: '127.0.0.1',
      port: receiver.port,
      tls: 'none',
      pool: 1,
      ehloName: 'client.test',
      deliveredOn: 'dsn',
      ...options,
    },
    createLog('silent'),
  );
  closing.push(upstream.stop);
  const envelope = {
    returnPath: 'b@client.test',
    recipient: 'a@b.test',
    envelopeId: 'x',
  };
  const transcript = await upstream.transmit(envelope, Buffer.from('Subject: x\r\n\r\n.x\r\n'), origin);
  return { receiver, upstream, transcript };
};
const summary = (transcript: Transcript, secure: boolean | undefined): string => {
  if (transcript.result === 'accepted') return secure ? 'accepted by TLS' : 'accepted in the clear';
  return transcript.result === 'refused'
    ? `refused ${transcript.phase} ${transcript.reply.code}`
    : `broken ${transcript.phase}`;
};

const ca = good.certificate;
const cases: readonly (readonly [name: string, Behaviour, Partial<SmtpOptions>, verdict: string])[] = [
  ['none leaves STARTTLS alone', { certificate: good }, { tls: 'none' }, 'accepted in the clear'],
  [
    'opportunistic takes an unverified certificate',
    { certificate: misnamed },
    { tls: 'opportunistic' },
    'accepted by TLS',
  ],
  ['opportunistic goes on where it is not offered', {}, { tls: 'opportunistic' }, 'accepted in the clear'],
  [
    'opportunistic goes on where it is refused',
    { certificate: good, starttls: '454 4.7.0 Not now' },
    { tls: 'opportunistic' },
    'accepted in the clear',
  ],
  [
    'opportunistic goes on where the handshake fails',
    { certificate: good, starttls: close('220 Go ahead') },
    { tls: 'opportunistic' },
    'accepted in the clear',
  ],
  ['required verifies', { certificate: good }, { tls: 'required', ca }, 'accepted by TLS'],
  ['required refuses an unknown authority', { certificate: good }, { tls: 'required' }, 'broken starttls'],
  [
    'required refuses another name',
    { certificate: misnamed },
    { tls: 'required', ca: misnamed.certificate },
    'broken starttls',
  ],
  ['required refuses where it is not offered', {}, { tls: 'required', ca }, 'refused starttls 502'],
  [
    'required refuses where it is refused',
    { certificate: good, starttls: '454 4.7.0 Not now' },
    { tls: 'required', ca },
    'refused starttls 454',
  ],
  [
    'required does not fall back when the handshake fails',
    { certificate: good, starttls: close('220 Go ahead') },
    { tls: 'required', ca },
    'broken starttls',
  ],
  ['implicit verifies', { certificate: good, implicitTls: true }, { tls: 'implicit', ca }, 'accepted by TLS'],
  [
    'implicit verifies by name',
    { certificate: good, implicitTls: true },
    { tls: 'implicit', ca, host: 'localhost' },
    'accepted by TLS',
  ],
  [
    'implicit refuses an unknown authority',
    { certificate: good, implicitTls: true },
    { tls: 'implicit' },
    'broken connect',
  ],
  ['implicit at a plain port', {}, { tls: 'implicit', ca }, 'broken connect'],
  [
    'AUTH within TLS',
    { certificate: good, credentials },
    { tls: 'required', ca, ...credentials },
    'accepted by TLS',
  ],
  [
    'AUTH in the clear on loopback',
    { credentials },
    { tls: 'none', ...credentials },
    'accepted in the clear',
  ],
  ['AUTH refused', { credentials }, { tls: 'none', ...wrong }, 'refused auth 535'],
  [
    'AUTH answered with 421',
    { credentials, auth: close('421 4.7.0 Bye') },
    { tls: 'none', ...credentials },
    'refused auth 421',
  ],
  ['AUTH closed', { credentials, auth: close() }, { tls: 'none', ...credentials }, 'broken auth'],
  ['AUTH not offered', {}, { tls: 'none', ...credentials }, 'broken auth'],
  ['AUTH demanded, none configured', { credentials }, { tls: 'none' }, 'refused mail 530'],
];

test.each(cases)('%s', async (_name, behaviour, options, verdict) => {
  const { receiver, transcript } = await attempt(behaviour, options);
  expect(summary(transcript, receiver.messages[0]?.secure)).toBe(verdict);
});

test('credentials arrive as they are', async () => {
  const { receiver } = await attempt({ credentials }, { ...credentials });
  expect(receiver.messages[0]?.user).toBe('u');
});

test('extensions count from the second EHLO, inside TLS', async () => {
  const { receiver, upstream } = await attempt(
    {
      certificate: good,
      ehlo: ({ secure }) => (secure ? '250-x.test\r\n250 SIZE 99' : '250-x.test\r\n250-DSN\r\n250 STARTTLS'),
    },
    { tls: 'required', ca },
  );
  expect(receiver.messages[0]?.mailParameters).toEqual(['SIZE=18']);
  expect(upstream.describe()).toMatchObject({ tls: true, dsn: false, pipelining: false, size: 99 });
});

test('a host name that looks like an extension is none', async () => {
  const { upstream } = await attempt({ ehlo: '250-mx-dsn.b.test says PIPELINING\r\n250 8BITMIME' }, {});
  expect(upstream.describe()).toMatchObject({ dsn: false, pipelining: false });
});

// The one inside of nodemailer that src/relay/smtp/connect.ts uses, by name: an upgrade that changes it fails here.
describe('nodemailer', () => {
  test('is pinned exactly', () => {
    expect(versionsOf('nodemailer')).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+$/)]);
  });

  test.each([
    ['in clear', {}, { ignoreTLS: true }, Socket],
    ['after STARTTLS', { certificate: good }, { requireTLS: true, tls: { ca } }, TLSSocket],
    ['with implicit TLS', { certificate: good, implicitTls: true }, { secure: true, tls: { ca } }, TLSSocket],
  ])(
    'SMTPConnection._socket is the socket of the connection: %s',
    async (_name, behaviour, options, kind) => {
      const receiver = await createSmtpReceiver(behaviour);
      closing.push(receiver.stop);
      const connection = new SMTPConnection({ host: '127.0.0.1', port: receiver.port, ...options });
      await new Promise<void>((resolve, reject) => {
        connection.on('error', reject);
        connection.connect((error) => (error ? reject(error) : resolve()));
      });
      expect(connection._socket).toBeInstanceOf(kind);
      expect(connection._socket).toMatchObject({ destroyed: false, writable: true });
      connection.close();
    },
  );
});

describe('what comes behind the last reply of the setup is not lost', () => {
  test('a 421 in the same segment as the EHLO answer', async () => {
    const { transcript } = await attempt({ ehlo: '250 receiver.test\r\n421 4.3.2 Shutting down' }, {});
    expect(transcript).toMatchObject({ result: 'refused', phase: 'ehlo', reply: { code: 421 } });
  });

  test('a refusal that answers nothing is the upstream’s failure, and bounces no message that waits', async () => {
    const { transcript } = await attempt({ ehlo: '250 receiver.test\r\n550 5.7.1 Go away' }, {});
    expect(judge(transcript)).toMatchObject({ kind: 'upstream_failure', reply: { code: 550 } });
  });

  test('an unexpected reply breaks the connection before it can be taken for an answer', async () => {
    const { transcript, receiver } = await attempt({ ehlo: '250 receiver.test\r\n250 2.1.0 Ok' }, {});
    expect(transcript.result).not.toBe('accepted');
    expect(receiver.messages).toHaveLength(0);
  });
});

test('many messages by TLS', async () => {
  const { receiver, upstream } = await attempt({ certificate: good }, { tls: 'required', ca, pool: 2 });
  const large = Buffer.from(`Subject: large\r\n\r\n${'.x\r\n'.repeat(50_000)}`);
  const transcripts = await Promise.all(
    Array.from({ length: 100 }, (_, name) =>
      upstream.transmit(
        {
          returnPath: 'b@client.test',
          recipient: `${name}@b.test`,
          envelopeId: 'x',
        },
        name % 10 === 0 ? large : Buffer.from(`Subject: ${name}\r\n\r\n${name}\r\n`),
        origin,
      ),
    ),
  );
  expect(transcripts.every(({ result }) => result === 'accepted')).toBe(true);
  expect(receiver.messages).toHaveLength(101);
  expect(receiver.messages.filter(({ content }) => content.equals(large))).toHaveLength(10);
});
