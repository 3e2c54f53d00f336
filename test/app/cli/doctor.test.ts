// `sendwerk doctor` against real things that are broken: before the first start, beside a running daemon, and without one.
// @module-tag slow
import { chmod, mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { doctor } from '#src/app/cli/doctor.ts';
import { type Finding, inOrder } from '#src/operations/doctor/finding.ts';
import { startApp, type TestApp } from '#test/support/app.ts';
import { createExpiredCertificate } from '#test/support/certificate.ts';
import { commandIn } from '#test/support/command.ts';
import { type ConfigFile, overlay } from '#test/support/daemon.ts';
import { startKnot } from '#test/support/knot.ts';
import { freePort } from '#test/support/process.ts';
import { createSmtpReceiver } from '#test/support/smtp-receiver.ts';

const HOST = 'mail.example.com';

/** With these keys over those of the installation, in a file of their own. */
const look = async (home: string, changed: ConfigFile, only?: string): Promise<Finding[]> => {
  const file = path.join(home, 'doctor.yaml');
  const installed: ConfigFile = parse(await readFile(path.join(home, 'service.yaml'), 'utf8'));
  await writeFile(file, stringify(overlay(installed, changed)));
  const given = { config: file, only, skip: undefined, from: undefined, 'round-trip': false, json: true };
  return JSON.parse((await doctor(given, {})).output);
};

const told = (findings: readonly Finding[], number: number): string[] =>
  findings.filter((one) => one.number === number).map(({ state, found }) => `${state}: ${found}`);

let app: TestApp;
let [httpPort, dnsPort, inboundPort] = [0, 0, 0];
beforeAll(async () => {
  [httpPort, dnsPort, inboundPort] = [await freePort(), await freePort(), await freePort()];
  app = await startApp({
    config: {
      http: { listen: `127.0.0.1:${httpPort}` },
      smtp: { inbound: { listen: `127.0.0.1:${inboundPort}` } },
      dns: {
        authoritative: { listen: `127.0.0.1:${dnsPort}` },
        resolvers: [`127.0.0.1:${dnsPort}`],
        zones: { addresses: ['127.0.0.1'] },
      },
      doctor: { time_server: '127.0.0.1' },
    },
  });
  await app.createPractice({ name: 'Praxis am See' });
});
afterAll(() => app.remove());

describe('beside a running daemon', () => {
  let findings: Finding[];
  beforeAll(async () => {
    findings = await look(app.home, {});
  });

  test('all checks are there, in the order of their numbers', () => {
    expect(findings).toEqual(inOrder(findings));
    expect([...new Set(findings.map(({ number }) => number))]).toEqual(
      Array.from({ length: 21 }, (_, index) => index + 1),
    );
  });

  test('a certificate is mended by whoever gets it: a person with files, or the service itself', async () => {
    const public_origin = 'https://mail.example.com:9';
    const mend = async (changed: ConfigFile): Promise<(string | null)[]> =>
      (
        await look(
          app.home,
          { service: { public_origin }, dns: { mta_sts: { mode: 'enforce' } }, ...changed },
          '17',
        )
      )
        .filter(({ number }) => number === 17)
        .map((one) => one.mend);
    expect(String(await mend({}))).toMatch(/smtp: \{ inbound: \{ tls/);
    const acme = { agree_to_terms: true };
    const own = { tls: { acme }, http: { tls: { listen: '127.0.0.1:0' } } };
    expect(String(await mend(own))).toMatch(/^the service gets it once the names lead here[^{]*$/);
  });

  test.each<[number, RegExp]>([
    [2, /^ok: \d files with secrets are private$/],
    [3, /^(?:ok: .*\/data can be written, and a sync takes \d+ ms$|warn: a write with its sync takes \d)/],
    [4, /^(?:ok|fail): [\d,]+ MiB of [\d,]+ MiB are free/],
    [5, /^(?:ok|warn): the daemon may open [\d,]+ descriptors, uses \d+, /],
    [6, /^skipped: the time server 127\.0\.0\.1 did not answer/],
    [8, /^ok: each of 2 practices has its file, and each file is known$/],
    [9, /^ok: 3 files are whole$/],
    [10, /^ok: the consent ledgers of 2 practices follow from their entries$/],
    [11, /^warn: no backups are made/],
    [12, /^skipped: no replica is configured$/],
    [13, /^ok: all \d\d sets of records are in the public DNS as they should be$/],
    [14, /^warn: the name of 127\.0\.0\.1 could not be looked up$/],
    [15, /^skipped: no mail leaves/],
    [16, new RegExp(`^ok: ${HOST}:\\d+, ${HOST}:\\d+ can be reached from this machine`)],
    [17, /^warn: the certificate at port \d+ is self-signed/],
    [20, /^skipped: no message was sent/],
  ])('check %i', (number, sentence) => {
    expect(told(findings, number).join('\n')).toMatch(sentence);
  });

  test('the daemon says how it is, and each thing that is not right what mends it', () => {
    const [daemon] = told(findings, 7);
    expect(daemon).toMatch(/^(?:ok|warn): the daemon runs, and its health is (?:ok|degraded)/);
    for (const { state, mend } of findings) expect(mend === null).toBe(state === 'ok' || state === 'skipped');
  });

  test('a secret that all can read, little disk, few descriptors, no backup', async () => {
    const token = path.join(app.home, 'admin.token');
    await chmod(token, 0o644);
    onTestFinished(() => chmod(token, 0o600));
    const broken = await look(
      app.home,
      { storage: { min_free_mib: 1_000_000_000 }, backup: { dir: path.join(app.home, 'backups') } },
      '2,4,11',
    );
    expect(told(broken, 2)).toEqual([
      `fail: every user of this machine can read ${token} (admin.token_file)`,
    ]);
    expect(told(broken, 4)[0]).toMatch(/^fail: .*less than storage\.min_free_mib/);
    expect(told(broken, 11)).toEqual(['fail: no backup has been made yet']);
    expect(broken.find(({ number }) => number === 2)?.mend).toBe(`chmod 0640 ${token}`);
  });

  test('a certificate that has ended', async () => {
    const { certificate, key } = createExpiredCertificate([HOST]);
    const [cert, keyFile] = [path.join(app.home, 'cert.pem'), path.join(app.home, 'key.pem')];
    await writeFile(cert, certificate);
    await writeFile(keyFile, key, { mode: 0o600 });
    const tls = { cert, key: keyFile };
    await app.reconfigure({ smtp: { inbound: { listen: `127.0.0.1:${inboundPort}`, tls } } });
    const home = path.join(app.home, 'elsewhere');
    const stopped = await look(app.home, { data_dir: home, smtp: { inbound: { tls } } }, '17');
    expect(told(stopped, 17)[0]).toMatch(new RegExp(`^fail: the certificate at ${cert} has ended at `));
  });

  test('a relay that refuses the password, and none at the port', async () => {
    const receiver = await createSmtpReceiver({ credentials: { user: 'sendwerk', password: 'right' } });
    onTestFinished(() => receiver.stop());
    const password = path.join(app.home, 'relay.password');
    await writeFile(password, 'wrong', { mode: 0o600 });
    const relay = { kind: 'smtp', host: '127.0.0.1', tls: 'none' };
    const upstreams = [
      { ...relay, name: 'one', port: receiver.port, user: 'sendwerk', password_file: password },
      { ...relay, name: 'two', port: await freePort() },
    ];
    const found = await look(app.home, { upstreams }, '15,18,19');
    expect(told(found, 18)).toEqual([
      expect.stringMatching(/^fail: the relay one \(127\.0\.0\.1:\d+\) failed at auth: 535/),
      expect.stringMatching(/^fail: the relay two \(127\.0\.0\.1:\d+\) failed at connect: .*ECONNREFUSED/),
    ]);
    expect(told(found, 19)).toEqual(['skipped: no relay came so far: check 18 says why']);
    // Its mail leaves by the address of the service, which the record names.
    expect(told(found, 15)[0]).toMatch(/^ok: the SPF record covers one /);
  });

  test('nobody to ask is no reason to call a record missing', async () => {
    const found = await look(app.home, { dns: { resolvers: [`127.0.0.1:${await freePort()}`] } }, '13');
    expect(told(found, 13)).toEqual([
      expect.stringMatching(/^fail: none of \d\d sets of records could be looked up$/),
    ]);
  });

  test('zones that are not delegated', { tags: 'debian/knot' }, async () => {
    const parent = [
      'example.com. 60 IN SOA ns.example.com. x.example.com. 1 60 60 60 60',
      'example.com. 60 IN NS ns.example.com.',
      `${HOST}. 60 IN A 192.0.2.1`,
      '',
    ].join('\n');
    const knot = await startKnot([{ name: 'example.com', text: parent }]);
    onTestFinished(() => knot.stop());
    const found = await look(app.home, { dns: { resolvers: [knot.server] } }, '13');
    expect(told(found, 13)[0]).toMatch(/^fail: \S+ has no NS record$/);
    expect(found[0]?.mend).toMatch(/^\S+ NS ns1\.mail\.example\.com \(In the zone above, delegate /);
    expect(told(found, 13)).toContain(`fail: ${HOST} has another A/AAAA record: 192.0.2.1`);
  });

  test('as text, and only some of them', async () => {
    const { exitCode, printed } = await commandIn(app.home)('doctor', '--only', '8-10');
    expect([exitCode, printed.split('\n').length]).toEqual([0, 6]);
    expect(printed).toMatch(/^ok {4}8 registry and files: each of 2 practices/);
    expect(printed).toMatch(/\n0 failures, 0 warnings, 3 ok, 0 skipped\n$/);
    const all = await commandIn(app.home)('doctor', '--skip', '1-12,14-21');
    expect(all.printed).toMatch(/^ok {3}13 DNS records/);
    for (const wrong of [
      ['--only', '99'],
      ['--only', '3-'],
      ['--from', '-oProxyCommand=x'],
    ])
      expect((await commandIn(app.home)('doctor', ...wrong)).exitCode).toBe(2);
  });
});

test('before the first start, what needs the data says so', async () => {
  const found = await look(app.home, { data_dir: path.join(app.home, 'fresh') }, '3,7-11,13,16');
  expect([...new Set(found.map(({ state }) => state))]).toEqual(['skipped']);
  expect(told(found, 9)).toEqual(['skipped: not yet: the data come with the first start of the daemon']);
});

test('a configuration that no start takes is a failure of check 1', async () => {
  const file = path.join(app.home, 'wrong.yaml');
  await writeFile(file, 'service: {}\n');
  const given = {
    config: file,
    only: undefined,
    skip: undefined,
    from: undefined,
    'round-trip': false,
    json: true,
  };
  const { exitCode, output } = await doctor(given, {});
  expect(exitCode).toBe(1);
  expect(told(JSON.parse(output), 1)[0]).toMatch(/^fail: the configuration cannot be used, .*service\.host/s);
});

describe('without a daemon', () => {
  let stopped: TestApp;
  let ids: string[];
  beforeAll(async () => {
    stopped = await startApp();
    ids = [];
    for (const name of ['Lücke', 'Schaden', 'Verfälscht'])
      ids.push((await stopped.createPractice({ name })).id);
    await stopped.stop();
  });
  afterAll(() => stopped.remove());
  const fileOf = (index: number): string =>
    path.join(stopped.home, 'data', 'tenants', ids[index] ?? '', 'tenant.db');

  test('a file that is gone, a damaged one, a directory of no one, and a ledger that someone has written into', async () => {
    await rm(fileOf(0));
    const { size } = await stat(fileOf(1));
    const damaged = await open(fileOf(1), 'r+');
    // Pages in the middle, so that the file opens.
    await damaged.write(Buffer.alloc(4_096 * 20, 0x5a), 0, 4_096 * 20, Math.floor(size / 8_192) * 4_096);
    await damaged.close();
    await mkdir(path.join(stopped.home, 'data', 'tenants', 'alt'));
    stopped.sql(
      ids[2] ?? '',
      "INSERT INTO consent_entries (id, facts_json, openings_json, hash) VALUES ('x', '{}', '{}', x'00')",
    );
    const found = await look(stopped.home, {}, '7-10');
    expect(told(found, 7)).toEqual([
      'fail: no daemon works on this data directory: no mail is taken or sent',
    ]);
    expect(told(found, 8)).toEqual([
      'fail: the files of 1 practice are missing or empty: luecke',
      'warn: below data_dir/tenants are directories of no practice, which are not used: alt',
    ]);
    expect(told(found, 9)[0]).toMatch(/^fail: these files are damaged: schaden: /);
    expect(told(found, 10)[0]).toMatch(/^fail: .*verfaelscht: entry 1: /);
    expect(found.find(({ number }) => number === 8)?.mend).toBe('sendwerk restore --tenant luecke');
  });
});
