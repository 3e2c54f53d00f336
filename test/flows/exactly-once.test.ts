// What goes in over HTTP comes out at the upstream once each, signed so that a stranger's verifier agrees.
// @module-tag debian/postfix
// @module-tag debian/python3-dkim
// @module-tag debian/python3-nacl
import { execFile } from 'node:child_process';
import { Resolver } from 'node:dns/promises';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  arrivals,
  numbered,
  openPractice,
  PATIENCE_MS,
  relayAt,
  repeated,
  sendTo,
  startKeepingSink,
  type Tally,
  temporaryDirectory,
  untilIdle,
  untilTestEnds,
} from '#test/flows/fixture.ts';
import { startDaemon } from '#test/support/daemon.ts';
import { startPostfix } from '#test/support/postfix.ts';
import { freePort } from '#test/support/process.ts';
import type { SmtpSink } from '#test/support/smtp-sink.ts';

const CLIENTS = 50;
/** Messages of each run whose signatures are verified. */
const SAMPLE = 20;
/** Signs a file's verdict on each signature: `rsa-sha256 True`. */
const VERIFIER = `
import dkim, json, sys
records = json.load(open(sys.argv[1]))
def find(name, timeout=5):
    return records[name.decode().rstrip('.')].encode()
def verdicts(file):
    message = dkim.DKIM(open(file, 'rb').read())
    count = sum(name.lower() == b'dkim-signature' for name, value in message.headers)
    def verdict(index):
        valid = message.verify(idx=index, dnsfunc=find)
        return message.signature_fields[b'a'].decode() + ' ' + str(valid)
    return sorted(verdict(index) for index in range(count))
print(json.dumps([verdicts(file) for file in sys.argv[2:]]))
`;

/** What python3-dkim finds for each message: its signatures' algorithms and verdicts. */
async function verdictsOf(messages: readonly Buffer[], dnsPort: number, directory: string) {
  const resolver = new Resolver();
  resolver.setServers([`127.0.0.1:${dnsPort}`]);
  const records: Record<string, string> = {};
  const files: string[] = [];
  for (const [index, message] of messages.entries()) {
    const header =
      message
        .toString('latin1')
        .split('\r\n\r\n', 1)[0]
        ?.replaceAll(/\r\n[ \t]+/g, ' ') ?? '';
    for (const [, field = ''] of header.matchAll(/^DKIM-Signature: (.*)$/gim)) {
      const tag = (name: string) => new RegExp(`(?:^|;)\\s*${name}=([^;\\s]*)`).exec(field)?.[1] ?? '';
      const name = `${tag('s')}._domainkey.${tag('d')}`;
      records[name] ??= (await resolver.resolveTxt(name)).map((parts) => parts.join('')).join('');
    }
    files.push(path.join(directory, `${index}.eml`));
    await writeFile(files[index] ?? '', message);
  }
  const recordsFile = path.join(directory, 'records.json');
  await writeFile(recordsFile, JSON.stringify(records));
  const { stdout } = await promisify(execFile)('/usr/bin/python3', ['-c', VERIFIER, recordsFile, ...files], {
    timeout: PATIENCE_MS,
  });
  return JSON.parse(stdout) as string[][];
}

/** Each accepted message came once, to its own recipient, with its own Message-ID, and nothing else came. */
async function expectExactlyOnce(tally: Tally, sink: SmtpSink): Promise<void> {
  const came = await arrivals(sink);
  expect([...repeated(came)]).toEqual([]);
  const ids = new Map(came.map(({ recipient, messageId }) => [recipient, messageId.split('@')[0] ?? '']));
  expect(ids).toEqual(tally.accepted);
}

async function expectSigned(sink: SmtpSink, dnsPort: number, directory: string): Promise<void> {
  const sample = (await sink.messages()).slice(0, SAMPLE).map(({ message }) => message);
  const verdicts = await verdictsOf(sample, dnsPort, directory);
  expect(verdicts).toEqual(sample.map(() => ['ed25519-sha256 True', 'rsa-sha256 True']));
}

describe('many clients at once', { timeout: 2 * PATIENCE_MS }, () => {
  test.each([
    { way: 'straight to the receiving server', messages: 1_000, viaPostfix: false },
    { way: 'over a real relay', messages: 200, viaPostfix: true },
  ])('$messages messages, $way: each comes once, signed', async ({ messages, viaPostfix }) => {
    const started = untilTestEnds();
    const sink = await startKeepingSink(started);
    const postfix = viaPostfix ? await startPostfix({ relayTo: sink.port }) : null;
    if (postfix !== null) started.defer(postfix.stop);
    const dnsPort = await freePort();
    const config = {
      upstreams: [relayAt(postfix?.smtpPort ?? sink.port)],
      dns: { authoritative: { listen: `127.0.0.1:${dnsPort}` }, zones: { addresses: ['127.0.0.1'] } },
    };
    const daemon = await startDaemon({ config });
    started.defer(daemon.remove);
    const target = await openPractice(daemon);

    const tally = await sendTo(target, numbered('once', messages), CLIENTS);
    expect(tally.accepted.size).toBe(messages);
    await sink.received(messages, PATIENCE_MS);
    await untilIdle(daemon);
    await expectExactlyOnce(tally, sink);
    await expectSigned(sink, dnsPort, await temporaryDirectory(started));

    // Nothing of it is still somewhere to come a second time.
    expect(await daemon.stop()).toBe(0);
    expect(await sink.count()).toBe(messages);
  });
});
