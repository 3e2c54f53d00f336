// What `sendwerk doctor` says of a relay by what comes back through it: a real Postfix that keeps all, and ones that each spoil
// something. The keys are looked up at the daemon's own name server.
// @module-tag debian/postfix
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SECOND } from '#src/kernel/time.ts';
import { startApp } from '#test/support/app.ts';
import { commandIn } from '#test/support/command.ts';
import { startPostfix } from '#test/support/postfix.ts';
import { freePort } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { talkTo } from '#test/support/smtp-talk.ts';

interface Told {
  readonly number: number;
  readonly state: string;
  readonly found: string;
  readonly mend: string | null;
}

const RELAY = { kind: 'smtp', host: '127.0.0.1', tls: 'none' } as const;
let told: Told[];
const endings: (() => Promise<unknown>)[] = [];

/** Brings each mail on as another sender's, with a changed text. */
const bringChanged = async (relay: SmtpReceiver, port: number): Promise<void> => {
  await relay.waitFor(2);
  for (const { content, recipients } of relay.messages) {
    const talk = await talkTo(port);
    await talk.hello();
    if (!recipients[0]?.address.startsWith('doctor-')) continue;
    await talk.envelope('relay@example.net', recipients[0].address);
    talk.write(`${content.toString('latin1').replace('two  blanks', 'two blanks and more')}.\r\n`);
    await talk.reply();
    talk.end();
  }
};

beforeAll(async () => {
  const [inboundPort, dnsPort, httpPort] = [await freePort(), await freePort(), await freePort()];
  const receiver = async (...behaviour: Parameters<typeof createSmtpReceiver>) => {
    const made = await createSmtpReceiver(...behaviour);
    endings.push(() => made.stop());
    return made;
  };
  const silent = await receiver({ extensions: ['PIPELINING', 'SIZE 1000000'] });
  const refusing = await receiver({ rcpt: '550 5.7.1 relaying denied' });
  const changing = await receiver();
  const postfix = await startPostfix({ relayTo: inboundPort, parameters: { message_size_limit: '0' } });
  endings.push(() => postfix.stop());
  const app = await startApp({
    // Two relays keep mail to themselves, and are waited for so long; Postfix is to be back by then on a busy machine too.
    tripPatienceMs: 15 * SECOND,
    config: {
      http: { listen: `127.0.0.1:${httpPort}` },
      dns: { authoritative: { listen: `127.0.0.1:${dnsPort}` }, resolvers: [`127.0.0.1:${dnsPort}`] },
      smtp: { inbound: { listen: `127.0.0.1:${inboundPort}` } },
      upstreams: [
        { ...RELAY, name: 'postfix', port: postfix.smtpPort },
        { ...RELAY, name: 'silent', port: silent.port },
        { ...RELAY, name: 'refusing', port: refusing.port },
        { ...RELAY, name: 'changing', port: changing.port },
      ],
    },
  });
  endings.push(() => app.remove());
  const asked = commandIn(app.home)('doctor', '--only', '18-21', '--round-trip', '--json');
  await bringChanged(changing, inboundPort);
  told = JSON.parse((await asked).printed);
});
afterAll(async () => {
  for (const end of endings.reverse()) await end();
});

/** The states and sentences of a check about that relay. */
const of = (number: number, relay: string): string[] =>
  told
    .filter((one) => one.number === number && new RegExp(`relay ${relay}\\b`).test(one.found))
    .map(({ state, found }) => `${state}: ${found.replace(/\d+\.\d s/, 'N s')}`);

test('through Postfix all comes back as it was, with a notice, and the bounce is read', () => {
  expect([18, 19, 20, 21].map((number) => of(number, 'postfix'))).toEqual([
    [expect.stringMatching(/^ok: the relay postfix \(127\.0\.0\.1:\d+\) takes connections/)],
    ['ok: the relay postfix offers all that is used: DSN, SIZE, 8BITMIME, SMTPUTF8, PIPELINING'],
    [
      'ok: a message through the relay postfix came back after N s with its return path, its text and a valid DKIM signature; its notice says relayed',
    ],
    ['ok: a bounce through the relay postfix came back after N s and was read'],
  ]);
});

test('a relay that lacks DSN, takes little, and keeps mail to itself', () => {
  expect(of(19, 'silent')).toEqual([
    'warn: the relay silent offers no DSN, so mail stays `processed` and never becomes `delivered`',
    'warn: the relay silent takes 1 MiB, and practices may send 48 MiB',
  ]);
  expect(of(20, 'silent')).toEqual([
    'fail: a message through the relay silent did not come back to port 25 of this service within N s',
  ]);
  expect(of(21, 'silent')).toEqual([
    'fail: no bounce came back within N s for a message to an address here that does not exist, sent through the relay silent',
  ]);
});

test('a relay that does not relay for this machine', () => {
  expect(of(20, 'refusing')).toEqual([
    'fail: the relay refusing did not take a message of the service to itself: at rcpt: 550 5.7.1 relaying denied',
  ]);
});

test('a relay that changes sender and text, and sends no notice', () => {
  expect(of(20, 'changing')).toEqual([
    'fail: the relay changing replaced the return path by relay@example.net, so bounces come to no one',
    'fail: the relay changing changes the text of mail on its way',
    'fail: the DKIM signature is not valid any more after the relay changing',
    'warn: the relay changing offers DSN and sent no notice of success within N s',
  ]);
});

test('what is wrong says how it is mended', () => {
  expect(told.filter(({ state, mend }) => (mend === null) !== (state === 'ok'))).toEqual([]);
});
