// Proves the support that other tests and the benchmarks stand on: a private Postfix, its milter and the sink.
// @module-tag debian/postfix
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { startOpendkim } from '#test/support/opendkim.ts';
import { startPostfix } from '#test/support/postfix.ts';
import { until } from '#test/support/process.ts';
import { startSmtpSink } from '#test/support/smtp-sink.ts';
import { runSmtpSource } from '#test/support/smtp-source.ts';

const MESSAGES = 100;
const endings: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** Has it stopped when the test is over, however it ends. */
function ending<T extends { stop(): Promise<unknown> }>(started: T): T {
  endings.push(() => started.stop());
  return started;
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sink-dump-'));
  endings.push(() => rm(directory, { recursive: true }));
  return directory;
}

const load = { messages: MESSAGES, bytes: 2_000, sessions: 5, from: 'a@example.org', to: 'b@example.net' };

describe('a private Postfix', () => {
  test('relays every message to the sink exactly once', async () => {
    const sink = ending(await startSmtpSink({ dump: await temporaryDirectory() }));
    const postfix = ending(await startPostfix({ relayTo: sink.port }));
    await runSmtpSource({ ...load, port: postfix.smtpPort });
    await sink.received(MESSAGES);
    const messages = await sink.messages();
    // smtp-source numbers its recipients.
    expect(new Set(messages.map(({ rcpt }) => rcpt.join())).size).toBe(MESSAGES);
    expect(await sink.count()).toBe(MESSAGES);
    const sample = messages[0]?.message.toString('latin1') ?? '';
    expect(sample).toMatch(/^Received: from .*\sby mta\.example\.org/s);
    expect(sample).toMatch(/[^\r]\r\n\r\n[^\r\n].*\r\n$/s);
    expect(messages[0]?.mail).toContain('<a@example.org>');
  });

  test('has its mail signed by opendkim', { tags: 'debian/opendkim' }, async () => {
    const sink = ending(await startSmtpSink({ dump: await temporaryDirectory() }));
    const opendkim = ending(await startOpendkim('example.org'));
    const postfix = ending(await startPostfix({ relayTo: sink.port, milterSocket: opendkim.socket }));
    await runSmtpSource({ ...load, messages: 1, port: postfix.smtpPort });
    await sink.received(1);
    const [signed] = await sink.messages();
    expect(signed?.message.toString('latin1')).toMatch(
      /^DKIM-Signature: .*c=relaxed\/relaxed.*d=example\.org/ms,
    );
  });

  test('delivers into a maildir and logs it', async () => {
    const postfix = ending(await startPostfix({ mailbox: true, logging: true }));
    await runSmtpSource({ ...load, messages: 1, port: postfix.smtpPort });
    await until('the log tells of the delivery', async () => / status=sent /.test(await postfix.log()));
    const [name = ''] = await readdir(postfix.mailboxDir);
    expect(await readFile(path.join(postfix.mailboxDir, name), 'utf8')).toContain('From: <a@example.org>');
  });

  test('relays a domain that has a route of its own to where it points', async () => {
    const [usual, other] = [ending(await startSmtpSink()), ending(await startSmtpSink())];
    const routes = { 'example.com': other.port, 'example.edu': other.port };
    const postfix = ending(await startPostfix({ relayTo: usual.port, routes }));
    for (const domain of ['example.com', 'example.edu', 'example.net']) {
      await runSmtpSource({ ...load, messages: 1, to: `b@${domain}`, port: postfix.smtpPort });
    }
    await Promise.all([usual.received(1), other.received(2)]);
  });
});

describe('a sink', () => {
  test('counts what it accepts without keeping it', async () => {
    const sink = ending(await startSmtpSink());
    expect(await sink.count()).toBe(0);
    await runSmtpSource({ ...load, messages: 1_000, port: sink.port });
    expect(await sink.count()).toBe(1_000);
  });
});
