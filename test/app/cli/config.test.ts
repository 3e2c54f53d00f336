import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { configCheck } from '#src/app/cli/config.ts';
import { NO_NOTICES } from '#src/kernel/config/delivery.ts';
import { exampleConfig } from '#src/kernel/config/example.ts';
import { createSmtpReceiver } from '#test/support/smtp-receiver.ts';

const directory = mkdtempSync(join(tmpdir(), 'sendwerk-check-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const check = async (text: string, key: string = Buffer.alloc(32).toString('base64')) => {
  const file = join(directory, 'service.yaml');
  writeFileSync(file, text);
  const { exitCode, output } = await configCheck(file, { KEY: key });
  return { exitCode, output: output.replaceAll(directory, '') };
};

const GOOD = `service:
  public_origin: https://mail.post.test
  host: mail.post.test
  managed_suffix: send.post.test
secrets: { master_key_env: KEY }
smtp: { inbound: { listen: "[::]:25" } }
dns: { authoritative: { listen: "0.0.0.0:53" } }
`;

test('a good file: ok, what is listened on, the warnings', async () => {
  expect(await check(GOOD)).toEqual({
    exitCode: 0,
    output: `ok
listens: http on 127.0.0.1:8080
listens: inbound on [::]:25
listens: dns on 0.0.0.0:53
warning: /service.yaml:1:1: upstreams[0]: capture keeps mail on this machine and delivers none, although service.public_origin is https: set an smtp upstream instead
warning: /service.yaml:7:1: dns.zones.addresses: none given: service.host and its name server get no A or AAAA record
warning: /service.yaml:6:9: smtp.inbound.tls: none: a self-signed certificate is used, and servers that ask for a valid one (MTA-STS, DANE) deliver nothing; set tls.acme, or cert and key to the files of a certificate for service.host
`,
  });
});

test('a bad file: all problems and exit code 1', async () => {
  expect(await check(`${GOOD}log: { level: x }\n`, 'short')).toEqual({
    exitCode: 1,
    output: `/service.yaml:5:12: secrets.master_key_env: expected base64 of 32 bytes, as \`openssl rand -base64 32\` makes it, got something else in it
/service.yaml:8:8: log.level: expected fatal, error, warn, info, debug, trace or silent, got "x"
`,
  });
});

test('no file: exit code 1', async () => {
  expect(await configCheck('/nonexistent/service.yaml', {})).toMatchObject({ exitCode: 1 });
});

test('the example ends with a line break and passes once its secrets exist', async () => {
  const text = exampleConfig()
    .replace('token_file: config/admin.token', '')
    .replace('master_key_file: config/master.key', 'master_key_env: KEY');
  const { exitCode, output } = await check(text);
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^ok\nlistens: http on 127\.0\.0\.1:8080\nwarning: /);
  // Left as it is, it reaches no one: each line says which key is to be set.
  for (const key of ['service.public_origin', 'service.host', 'service.managed_suffix', 'upstreams[0]'])
    expect(output).toContain(` ${key}: `);
  expect(exampleConfig()).toMatch(/[^\n]\n$/);
});

test.each<[string, readonly string[] | null, string, string]>([
  ['offers no delivery notices', ['PIPELINING'], '', `upstreams[0].delivered_on: ${NO_NOTICES}`],
  ['offers them', ['PIPELINING', 'DSN'], '', ''],
  ['offers none, but its 2xx counts', ['PIPELINING'], 'delivered_on: accept', ''],
  [
    'cannot be reached',
    null,
    '',
    'upstreams[0].delivered_on: whether the relay offers delivery notices is not known: connect: ',
  ],
])('a relay that %s', async (_, extensions, rest, expected) => {
  const receiver = await createSmtpReceiver({ extensions: extensions ?? [] });
  onTestFinished(receiver.stop);
  if (extensions === null) await receiver.stop();
  const { port } = receiver;
  const upstream = `{ kind: smtp, name: relay, host: 127.0.0.1, port: ${port}, tls: none, ${rest} }`;
  const { exitCode, output } = await check(`${GOOD}upstreams: [${upstream}]\n`);
  expect(exitCode).toBe(0);
  const said = output.split('\n').filter((line) => line.includes('.delivered_on: '));
  if (expected === '') expect(said).toEqual([]);
  else expect(said).toEqual([expect.stringContaining(`warning: /service.yaml:8:13: ${expected}`)]);
});
