// Who has signed evidence of consent: forged bundles, and each way of knowing the key, by the real command.
import { generateKeyPairSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommandLine } from '#src/app/cli/commands.ts';
import type { Evidence } from '#src/audience/consent/evidence-schema.ts';
import { KEYS_PATH, keyOfRecord, keyRecord, keysOfJwkSet } from '#src/kernel/evidence-key.ts';
import { DAY, SECOND } from '#src/kernel/time.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';
import { forgeEvidence } from '#test/support/forged-evidence.ts';

const HOST = 'mail.example.com';
const KEYS_NAME = `_consent-keys.${HOST}`;
const ADDRESS = 'erika@example.org';

let app: TestApp;
let dns: DnsZone;
let practice: Sender;
let other: Sender;
let ahead = 0;

const config = () => ({
  service: { public_origin: `https://${HOST}` },
  dns: {
    resolvers: [dns.address],
    authoritative: { listen: '127.0.0.1:0' },
    zones: { addresses: ['127.0.0.1'] },
  },
  security: { outbound_allow: ['127.0.0.0/8'], outbound_allow_http: true },
});
const start = async (home?: string, secrets = {}): Promise<void> => {
  app = await startApp({
    ...(home === undefined ? {} : { home }),
    clock: { now: () => Date.now() + ahead },
    config: { ...config(), secrets },
  });
  dns.delegate(KEYS_NAME, app.dnsPort ?? 0);
};

const run = async (...args: string[]) => {
  let printed = '';
  const print = (text: string): void => {
    printed += text;
  };
  const exitCode = await runCommandLine(args, {
    environment: {},
    signals: { onEnd: () => {}, onReload: () => {} },
    print,
    printAll: async (pieces) => {
      for (const piece of pieces) print(piece);
    },
    printError: print,
    isTerminal: false,
  });
  return { exitCode, printed };
};
const fileWith = async (name: string, content: string | object): Promise<string> => {
  const file = path.join(app.home, name);
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};
const verify = async (evidence: object, ...args: string[]) =>
  run('consent', 'verify', await fileWith('evidence.json', evidence), ...args);
const configFile = (): string => path.join(app.home, 'service.yaml');
const dataDir = (): string => path.join(app.home, 'data');
/** The service as its visitors know it, at the port that it has here. */
const origin = (): string => `http://${HOST}:${new URL(app.origin).port}`;

const evidenceOf = async ({ base, token }: Sender): Promise<Evidence> =>
  (await app.request<Evidence>('GET', `${base}/consent/evidence?address=${ADDRESS}`, undefined, token)).body;
const withSubscriber = async (name: string): Promise<Sender> => {
  const sender = await app.createSender({ name });
  await app.completeLegal(sender.practice.id);
  const { body } = await app.request<{ id: string }>(
    'POST',
    `${sender.base}/lists`,
    { name: 'Praxisbrief' },
    sender.token,
  );
  const subscriber = { address: ADDRESS, status: 'active', consent: { evidence: 'signed on paper' } };
  const added = await app.request(
    'POST',
    `${sender.base}/lists/${body.id}/subscribers`,
    subscriber,
    sender.token,
  );
  expect(added.status, added.text).toBe(201);
  return sender;
};
const publishedKeys = async () => (await app.request('GET', KEYS_PATH)).text;

beforeAll(async () => {
  dns = await startDnsZone();
  dns.set(HOST, 'A', '127.0.0.1');
  await start();
  practice = await withSubscriber('Praxis am Markt');
  other = await withSubscriber('Praxis am See');
});
afterAll(async () => {
  await app?.remove();
  await dns?.stop();
});

describe('a bundle that someone has made with a key of their own', () => {
  const forged = () =>
    forgeEvidence({ practice: practice.practice, origin: `https://${HOST}`, address: 'nobody@example.org' });

  test('is unchanged, and not proved: exit code 2, with the fingerprint of its key', async () => {
    const evidence = forged();
    const { exitCode, printed } = await verify(evidence);
    expect(printed).toContain('NOT PROVED BY A KNOWN KEY: anyone can make such a file');
    expect(printed).toContain(`key: ${evidence.signature.fingerprint}\n`);
    expect(printed).not.toContain('all right');
    expect(exitCode).toBe(2);
  });

  test.each([
    ['the configuration', () => ['--config', configFile()]],
    ['the data alone', () => ['--data', dataDir()]],
    ['the published keys', () => ['--config', configFile(), '--origin', origin()]],
    ['another fingerprint', () => ['--key', '0'.repeat(64)]],
  ])('is not proved by %s either', async (_, args) => {
    const { exitCode, printed } = await verify(forged(), ...args());
    expect(printed).toMatch(/has other keys: [0-9a-f]{64}/);
    expect(exitCode).toBe(2);
  });

  test('is not proved where only some of the named ways know its key', async () => {
    const evidence = forged();
    const { exitCode, printed } = await verify(
      evidence,
      ...['--key', evidence.signature.fingerprint, '--config', configFile()],
    );
    expect(printed).toContain('--key: has this key\n');
    expect(exitCode).toBe(2);
  });

  test('prints nothing that steers a terminal', async () => {
    const named = { ...practice.practice, name: 'Praxis\u001b[2J\u001b[Hall right\r\n' };
    const { printed } = await verify(forgeEvidence({ practice: named, origin: 'x', address: ADDRESS }));
    expect(printed).not.toMatch(/[\u001b\r]/);
    expect(printed).not.toMatch(/^all right/m);
  });
});

describe('a bundle of the service', () => {
  test.each([
    [
      'its fingerprint',
      async ({ fingerprint }: Evidence['signature']) => ['--key', fingerprint.toUpperCase()],
    ],
    [
      'its fingerprint as other tools write it',
      async ({ fingerprint }: Evidence['signature']) => ['--key', fingerprint.replace(/..(?!$)/g, '$&:')],
    ],
    [
      'a file with the key',
      async ({ public_key }: Evidence['signature']) => ['--key', await fileWith('key.pem', public_key)],
    ],
    [
      'a file with the published keys',
      async () => ['--key', await fileWith('keys.json', await publishedKeys())],
    ],
    ['the configuration', async () => ['--config', configFile()]],
    ['the data alone', async () => ['--data', dataDir()]],
  ])('is proved by %s', async (_, args) => {
    const evidence = await evidenceOf(practice);
    const { exitCode, printed } = await verify(evidence, ...(await args(evidence.signature)));
    expect(printed).toMatch(/: has this key\nall right\n$/);
    expect(exitCode).toBe(0);
  });

  test('is proved by what the service publishes, by HTTP and in the DNS', async () => {
    const { exitCode, printed } = await verify(
      await evidenceOf(practice),
      ...['--config', configFile(), '--origin', origin()],
    );
    expect(printed).toContain(
      `${origin()}${KEYS_PATH}: has this key\nTXT ${KEYS_NAME}: has this key\nall right\n`,
    );
    expect(exitCode).toBe(0);
  });

  test('is not proved where the DNS has another key than the service shows', async () => {
    const [key] = keysOfJwkSet(await publishedKeys()) ?? [];
    const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
    const elsewhere = 'elsewhere.example.com';
    dns.set(elsewhere, 'A', '127.0.0.1');
    dns.set(`_consent-keys.${elsewhere}`, 'TXT', 'v=spf1 -all', keyRecord({ ...(key ?? expect.fail()), x }));
    const args = ['--config', configFile(), '--origin', origin().replace(HOST, elsewhere)];
    const { exitCode, printed } = await verify(await evidenceOf(practice), ...args);
    expect(printed).toContain(`${KEYS_PATH}: has this key\nTXT _consent-keys.${elsewhere}: has other keys: `);
    expect(exitCode).toBe(2);
    dns.set(`_consent-keys.${elsewhere}`, 'TXT', 'v=spf1 -all');
    const without = await verify(await evidenceOf(practice), ...args);
    expect(without.printed).toContain(
      `TXT _consent-keys.${elsewhere}: no key there to compare with\nall right\n`,
    );
  });

  test('is asked for nowhere unless --origin says so, and never in an internal network', async () => {
    const before = dns.asked.length;
    await verify(await evidenceOf(practice), '--config', configFile());
    expect(dns.asked.length).toBe(before);
    for (const [url, said] of [
      ['https://127.0.0.1', 'points to an internal network'],
      [`https://127.0.0.1:${new URL(app.origin).port}`, 'a port that is not allowed'],
      [app.origin, 'is not an https URL'],
    ] as const) {
      const { exitCode, printed } = await verify(await evidenceOf(practice), '--origin', url);
      expect(printed).toContain(said);
      expect(exitCode).toBe(2);
    }
    expect((await verify(await evidenceOf(practice), '--origin', 'mail')).printed).toContain('is no address');
  });

  test('of another practice is that practice’s, and cannot be given to this one', async () => {
    const evidence = await evidenceOf(other);
    const right = await verify(evidence, '--config', configFile());
    expect(right).toMatchObject({ exitCode: 0, printed: expect.stringContaining('for Praxis am See (') });
    const { id, name } = practice.practice;
    const changed = await verify({ ...evidence, practice: { id, name } }, '--config', configFile());
    expect(changed.printed).toContain('WRONG: the signature is wrong');
    expect(changed.exitCode).toBe(1);
  });

  test('that was changed is wrong, whoever knows its key', async () => {
    const evidence = await evidenceOf(practice);
    const changed = { ...evidence, address: 'eve@example.org' };
    for (const args of [[], ['--config', configFile()], ['--key', evidence.signature.fingerprint]]) {
      const { exitCode, printed } = await verify(changed, ...args);
      expect(printed).toContain('WRONG: the signature is wrong');
      expect(exitCode).toBe(1);
    }
  });

  test('a file that has no key is refused', async () => {
    const { exitCode, printed } = await verify(await evidenceOf(practice), '--key', configFile());
    expect(printed).toContain('neither a fingerprint');
    expect(exitCode).toBe(1);
  });
});

describe('the keys that the service publishes', () => {
  test('are a JWK set that anyone may read and keep for a while', async () => {
    const answer = await app.request<{ keys: object[] }>('GET', KEYS_PATH);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600');
    const { fingerprint } = (await evidenceOf(practice)).signature;
    expect(answer.body.keys).toEqual([
      {
        ...{ kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA' },
        ...{ kid: fingerprint, x: expect.stringMatching(/^[\w-]{43}$/), iat: expect.any(Number) },
      },
    ]);
  });

  test('are in the printed zone, and `dns check` looks for them', async () => {
    const { printed } = await run('dns', 'zone', '--config', configFile());
    const [, text = ''] =
      new RegExp(`^${KEYS_NAME}\\.?\\s+300\\s+(?:IN\\s+)?TXT\\s+"(.*)"$`, 'm').exec(printed) ?? [];
    expect(keyOfRecord(text)?.fingerprint).toBe((await evidenceOf(practice)).signature.fingerprint);
    const checked = await run('dns', 'check', '--config', configFile());
    expect(checked.printed).toMatch(new RegExp(`^ok +TXT +${KEYS_NAME.replaceAll('.', '\\.')}`, 'm'));
  });

  test('after a change of the key the former one stays, and proves what was made before', async () => {
    const before = await evidenceOf(practice);
    const [former] = keysOfJwkSet(await publishedKeys()) ?? [];
    const { home } = app;
    await app.stop();
    ahead = DAY;
    const { privateKey } = generateKeyPairSync('ed25519');
    const keyFile = path.join(home, 'evidence.key');
    await writeFile(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }), { mode: 0o600 });
    await start(home, { evidence_key_file: keyFile });

    const after = await evidenceOf(practice);
    expect(after.signature.fingerprint).not.toBe(before.signature.fingerprint);
    const keys = keysOfJwkSet(await publishedKeys()) ?? [];
    expect(keys.map(({ fingerprint, until }) => [fingerprint, until !== null])).toEqual([
      [before.signature.fingerprint, true],
      [after.signature.fingerprint, false],
    ]);
    expect(keys[0]).toMatchObject({ x: former?.x, since: former?.since });
    for (const args of [
      ['--config', configFile()],
      ['--data', dataDir()],
      ['--config', configFile(), '--origin', origin()],
    ]) {
      expect(await verify(after, ...args)).toMatchObject({ exitCode: 0 });
      const { exitCode, printed } = await verify(before, ...args);
      expect(printed).toMatch(/had this key until 20\d\d-.*\n(?:TXT .*had this key until .*\n)?all right\n$/);
      expect(exitCode).toBe(0);
    }
  });

  test('a former key proves nothing that was made after its end', async () => {
    const evidence = forgeEvidence({ practice: practice.practice, origin: origin(), address: ADDRESS });
    const jwk = { kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', kid: 'x', iat: 1, x: xOf(evidence) };
    const ended = Math.floor(Date.parse(evidence.made_at) / SECOND) - 1;
    const file = await fileWith('ended.json', { keys: [{ ...jwk, exp: ended }] });
    const { exitCode, printed } = await verify(evidence, '--key', file);
    expect(printed).toContain('before the evidence was made');
    expect(exitCode).toBe(2);
  });
});

const xOf = ({ signature }: Evidence): string =>
  Buffer.from(signature.public_key.replace(/-----[^-]+-----|\s/g, ''), 'base64')
    .subarray(-32)
    .toString('base64url');
