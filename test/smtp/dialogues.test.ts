// What a client may say to the daemon at port 25, row by row over real sockets: the reply to each line, and that a neighbour who
// delivers a mail beside each of them gets its 250. Memory stays under a bound whatever is sent.
// @module-tag slow
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Daemon, startDaemon } from '#test/support/daemon.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { freePort, peakMemory } from '#test/support/process.ts';
import { type SmtpTalk, talkTo } from '#test/support/smtp-talk.ts';
import { soak } from '#test/support/soak.ts';
import { dialogues, largestMail, type Sent, TAKEN } from './dialogue-rows.ts';

/** Of the process, with all that Node takes. 96 MiB of mail are received at once, and each is there some four times while it is read. */
const MOST_BYTES = 700 * 1_024 * 1_024;

/** Of the largest mails. */
const AT_ONCE = soak(2, 5);

interface State {
  readonly host: string;
  readonly counts: { readonly total: number; readonly held: number };
}

let dns: DnsZone;
let daemon: Daemon;
let port: number;
let practice: string;
let neighbour: SmtpTalk;
const hosts = new Map<string, string>();

const state = async (id: string): Promise<State> =>
  (await daemon.request<State>('GET', `/api/practices/${id}/inbound`, undefined, daemon.adminToken)).body;

beforeAll(async () => {
  dns = await startDnsZone();
  port = await freePort();
  daemon = await startDaemon({
    config: {
      smtp: { inbound: { listen: `127.0.0.1:${port}` } },
      dns: { resolvers: [dns.address] },
    },
  });
  const [here, off] = [await daemon.createPractice(), await daemon.createPractice()];
  practice = here.id;
  const ask = async (method: string, path: string, body: unknown): Promise<void> => {
    const { status, body: answer } = await daemon.request(method, path, body, daemon.adminToken);
    expect(status, JSON.stringify(answer)).toBe(200);
  };
  await ask('POST', `/api/practices/${here.id}/inbound/enable`, {});
  await ask('PATCH', `/api/practices/${here.id}/inbound`, {
    addresses: [
      { local_part: 'erika' },
      { local_part: 'held', mode: 'hold' },
      { local_part: 'rejected', mode: 'reject' },
      { local_part: 'bounced', mode: 'bounce' },
    ],
    senders: { allow: [], block: ['blocked.example'] },
  });
  neighbour = await talkTo(port, '127.0.0.1', '127.0.0.2');
  await neighbour.hello();
  const { host } = await state(here.id);
  hosts
    .set('HERE', host)
    .set('APEX', host.slice('in.'.length))
    .set('OFF', (await state(off.id)).host);
});
afterAll(async () => {
  neighbour?.end();
  await daemon?.remove();
  await dns?.stop();
});

const named = (text: string): string => text.replace(/HERE|APEX|OFF/g, (name) => hosts.get(name) ?? name);
const bytesOf = (sent: Sent): Buffer => {
  if (typeof sent === 'string') return Buffer.from(named(`${sent}\r\n`));
  const bytes = sent.bytes();
  // What is large names no host.
  if (bytes.length > 1_000_000) return Buffer.from(bytes);
  return Buffer.from(named(Buffer.from(bytes).toString('latin1')), 'latin1');
};

/** Mails that were taken, of the rows and beside them. */
let taken = 0;
let delivered = 0;
/** On the neighbour's own session, which lasts as long as all of this. */
const deliverBeside = async (): Promise<void> => {
  await neighbour.envelope('max@neighbour.example', `erika@${hosts.get('HERE')}`);
  neighbour.write(`Subject: ${delivered}\r\n\r\nHello\r\n.\r\n`);
  expect(await neighbour.reply()).toBe(TAKEN);
  delivered += 1;
};

test.each(dialogues)('$name', async ({ steps, unannounced }) => {
  const client = await talkTo(port);
  try {
    if (unannounced) await client.reply();
    else await client.hello();
    const beside = deliverBeside();
    for (const [sent, ...replies] of steps) {
      const bytes = bytesOf(sent);
      const size = (typeof sent === 'string' ? null : sent.pieces) ?? bytes.length;
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      await client.writePieces(pieces);
      for (const expected of replies) {
        const reply = await client.reply();
        if (reply === TAKEN) taken += 1;
        if (expected === null) expect(reply).toBeNull();
        else
          expect(reply?.slice(0, Math.max(expected.length, 60))).toMatch(
            new RegExp(`^${RegExp.escape(expected)}`),
          );
      }
    }
    await beside;
  } finally {
    client.end();
  }
});

test(`${AT_ONCE} of the largest mails at once: each is taken, or is to come again`, {
  tags: 'soak',
}, async () => {
  const replies = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, index) => {
      const client = await talkTo(port, '127.0.0.1', `127.0.1.${index}`);
      await client.hello();
      await client.envelope('a@b.example', `erika@${hosts.get('HERE')}`);
      client.write(largestMail());
      const reply = await client.reply();
      client.end();
      return reply ?? '';
    }),
  );
  for (const reply of replies) expect(reply).toMatch(/^(?:250 2\.0\.0|452 4\.3\.1)/);
  taken += replies.filter((reply) => reply === TAKEN).length;
  await deliverBeside();
});

test('every mail that was answered 250 is there once, none was smuggled in, and memory kept its bound', async () => {
  const { counts } = await state(practice);
  expect(counts.total).toBe(taken + delivered);
  expect(peakMemory(daemon.pid)).toBeLessThan(MOST_BYTES);
});
