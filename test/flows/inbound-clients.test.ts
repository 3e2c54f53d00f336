// The programs that bring mail: swaks, Postfix and Python's smtplib over STARTTLS, and smtp-source with thousands of messages, also
// while the daemon is killed.
// @module-tag debian/postfix
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { untilTestEnds } from '#test/flows/fixture.ts';
import { type ConfigFile, type Daemon, startDaemon } from '#test/support/daemon.ts';
import { startPostfix } from '#test/support/postfix.ts';
import { freePort, until } from '#test/support/process.ts';
import { runSmtpSource } from '#test/support/smtp-source.ts';
import { soak } from '#test/support/soak.ts';

const MESSAGES = soak(1_000, 5_000);
/** Answered before the daemon is killed. */
const ANSWERED = soak(150, 400);
const SESSIONS = 50;

interface Mailbox {
  readonly daemon: Daemon;
  readonly port: number;
  readonly address: string;
  readonly path: string;
  readonly token: string;
}

const config = (port: number): ConfigFile => ({ smtp: { inbound: { listen: `127.0.0.1:${port}` } } });

/** One for all, killed by the last. */
let daemon: Daemon;
let port: number;
beforeAll(async () => {
  port = await freePort();
  daemon = await startDaemon({ config: config(port) });
});
afterAll(() => daemon?.remove());

const openMailbox = async (daemon: Daemon, port: number): Promise<Mailbox> => {
  const { id, default_from } = await daemon.createPractice();
  const token = await daemon.createToken(id);
  const path = `/api/practices/${id}/inbound`;
  await daemon.request('POST', `${path}/enable`, {}, token);
  await daemon.request('PATCH', path, { dmarc_action: 'accept' }, token);
  return { daemon, port, address: `info@in.${default_from.split('@')[1]}`, path, token };
};

const total = async ({ daemon, path, token }: Mailbox): Promise<number> =>
  (await daemon.request<{ counts: { total: number } }>('GET', path, undefined, token)).body.counts.total;

const SMTPLIB = `
import smtplib, ssl, sys
from email.message import EmailMessage
port, to = int(sys.argv[1]), sys.argv[2]
mail = EmailMessage()
mail['From'], mail['To'], mail['Subject'] = 'smtplib@client.example', to, 'von smtplib: größer'
mail.set_content('Grüße')
mail.add_attachment(b'%PDF-1.4 x', maintype='application', subtype='pdf', filename='Befund.pdf')
client = smtplib.SMTP('127.0.0.1', port)
client.ehlo('client.example')
client.starttls(context=ssl._create_unverified_context())
refused = client.send_message(mail, 'smtplib@client.example', [to])
client.quit()
assert refused == {}
`;

test('swaks, Postfix and smtplib deliver over STARTTLS', {
  tags: ['debian/swaks', 'debian/python3'],
}, async () => {
  const started = untilTestEnds();
  const mailbox = await openMailbox(daemon, port);
  const run = promisify(execFile);

  const { stdout } = await run('swaks', [
    ...['--server', '127.0.0.1', '--port', String(port), '--tls'],
    ...['--from', 'swaks@client.example', '--to', mailbox.address, '--header', 'Subject: von swaks'],
  ]);
  expect(stdout).toContain('TLS started');

  await run('/usr/bin/python3', ['-c', SMTPLIB, String(port), mailbox.address]);

  const postfix = await startPostfix({
    relayTo: port,
    parameters: { smtp_tls_security_level: 'encrypt' },
  });
  started.defer(postfix.stop);
  await runSmtpSource({
    ...{ port: postfix.smtpPort, messages: 1, bytes: 100, sessions: 1 },
    ...{ from: 'postfix@client.example', to: mailbox.address.replace('info', 'postfix') },
  });
  await until('all three are there', async () => (await total(mailbox)) === 3);

  interface Row {
    readonly id: string;
  }
  const { body } = await daemon.request<{ data: readonly Row[] }>(
    'GET',
    `${mailbox.path}/messages`,
    undefined,
    mailbox.token,
  );
  for (const { id } of body.data) {
    const raw = await fetch(`${daemon.origin}${mailbox.path}/messages/${id}/raw`, {
      headers: { authorization: `Bearer ${mailbox.token}` },
    });
    expect(await raw.text()).toMatch(/^Received: from [^;]* with ESMTPS id /ms);
  }
});

test('thousands of messages over 50 sessions are all stored, none twice', { tags: 'soak' }, async () => {
  const mailbox = await openMailbox(daemon, port);
  await runSmtpSource({
    ...{ port, messages: MESSAGES, bytes: 500, sessions: SESSIONS },
    ...{ from: 'source@client.example', to: mailbox.address.replace('info', 'i') },
  });
  expect(await total(mailbox)).toBe(MESSAGES);
});

/** Sends one after the other until its server is gone, and prints the number of each that was answered by 250. */
const UNTIL_KILLED = `
import smtplib, sys
port, to, name = int(sys.argv[1]), sys.argv[2], sys.argv[3]
client = smtplib.SMTP('127.0.0.1', port)
client.ehlo('client.example')
number = 0
while True:
    mail = f'From: killed@client.example\\r\\nSubject: {name}-{number}\\r\\n\\r\\n' + 'x' * 3000
    client.sendmail('killed@client.example', [to], mail)
    print(f'{name}-{number}', flush=True)
    number += 1
`;

test('kill -9: every mail that was answered by 250 is there', {
  tags: ['debian/python3', 'soak'],
}, async () => {
  const started = untilTestEnds();
  const mailbox = await openMailbox(daemon, port);
  const clients = Array.from({ length: 8 }, (_, client) =>
    spawn('/usr/bin/python3', ['-c', UNTIL_KILLED, String(port), mailbox.address, `c${client}`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const answered = clients.map(({ stdout }) => {
    const said: Buffer[] = [];
    stdout.on('data', (chunk: Buffer) => said.push(chunk));
    return () => Buffer.concat(said).toString().split('\n').slice(0, -1);
  });
  const promised = () => answered.flatMap((lines) => lines());
  await until('many are answered', () => promised().length > ANSWERED);
  await daemon.kill();
  await Promise.all(clients.map((client) => (client.exitCode === null ? once(client, 'close') : null)));
  await pause(50);

  const again = await startDaemon({ config: config(port), dataDir: daemon.dataDir });
  started.defer(again.remove);
  const subjects = new Set<string>();
  for (let cursor = ''; ; ) {
    const { body } = await again.request<{
      data: readonly { subject: string }[];
      next_cursor: string | null;
    }>('GET', `${mailbox.path}/messages?limit=200${cursor}`, undefined, mailbox.token);
    for (const { subject } of body.data) {
      expect(subjects, subject).not.toContain(subject);
      subjects.add(subject);
    }
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  expect(promised().filter((subject) => !subjects.has(subject))).toEqual([]);
});
