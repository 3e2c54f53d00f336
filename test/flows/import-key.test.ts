// A domain that moves here with the DKIM key it has: imported once its record is seen, used for signing, rotated away.
import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { DAY, HOUR } from '#src/kernel/time.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import { type Key, type KeyScene, startKeyScene, type Verdict } from '#test/flows/key-scene.ts';
import type { List, Refusal, Sender } from '#test/support/app.ts';
import { type DnsZone, startDnsZone } from '#test/support/dns-zone.ts';

const DOMAIN = 'praxis.example';
const SELECTOR = 'mail2019';
const NAME = `${SELECTOR}._domainkey.${DOMAIN}`;

const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const ed25519 = generateKeyPairSync('ed25519').privateKey;
const toPem = (key: KeyObject, type: 'pkcs1' | 'pkcs8' = 'pkcs8'): string =>
  key.export({ type, format: 'pem' }).toString();
const recordOf = (key: KeyObject): string =>
  dkimRecord(createPublicKey(key), key.asymmetricKeyType === 'rsa' ? 'rsa-sha256' : 'ed25519-sha256');

interface ImportScene extends KeyScene {
  readonly zone: DnsZone;
  readonly sender: Sender;
  importKey(body?: object): Promise<{ status: number; body: Refusal & { readonly data: readonly Key[] } }>;
  keysOfDomain(): Promise<string[]>;
}

/** A practice with a custom domain in use, or pending, whose keys are settled. */
const startImportScene = async ({ verified = true } = {}): Promise<ImportScene> => {
  const zone = await startDnsZone();
  onTestFinished(() => zone.stop());
  const scene = await startKeyScene({}, zone);
  const { app } = scene;
  const sender = await app.createSender({ domain: DOMAIN });
  if (verified) {
    const { body } = await app.request<{ records: Parameters<DnsZone['publish']>[0] }>(
      'GET',
      `${sender.base}/dns-records`,
      undefined,
      sender.token,
    );
    zone.publish(body.records);
    const checked = await app.request('POST', `${sender.base}/check-dns`, undefined, sender.token);
    expect(checked.body).toMatchObject({ host: DOMAIN, pending: false });
  }
  scene.pass(HOUR);
  await scene.lookAfterKeys();
  return {
    ...scene,
    zone,
    sender,
    importKey: (body = {}) =>
      app.request(
        'POST',
        `${sender.base}/dkim-keys/import`,
        { selector: SELECTOR, private_key: toPem(rsa), ...body },
        sender.token,
      ),
    keysOfDomain: async () =>
      (await scene.keys(sender))
        .filter(({ host }) => host === DOMAIN)
        .map(({ selector, position, role }) => `${position === 0 ? selector : position} ${role}`),
  };
};

const signedBy = (verdicts: readonly Verdict[]): string[] =>
  verdicts.map(({ selector, algorithm, result }) => `${algorithm} ${selector} ${result}`);

test('an imported key signs for the domain, is listed among its records, and is rotated away', async () => {
  const scene = await startImportScene();
  const { sender, zone, app } = scene;
  const [first, second, third] = (await scene.keys(sender)).filter(({ host }) => host === DOMAIN);
  expect(signedBy(await scene.sendAndVerify(sender))).toContain(`rsa-sha256 ${first?.selector} pass`);
  zone.set(NAME, 'TXT', recordOf(rsa));
  const { status, body } = await scene.importKey();
  expect(status).toBe(200);
  expect(body.data.find(({ imported }) => imported)).toMatchObject({
    host: DOMAIN,
    selector: SELECTOR,
    algorithm: 'rsa-sha256',
    role: 'active',
    position: 0,
    record: recordOf(rsa),
    next_step: 'retire',
    hint: '',
  });
  expect(await scene.keysOfDomain()).toEqual([`${SELECTOR} active`, '1 next', '2 next', '3 active']);
  expect(signedBy(await scene.sendAndVerify(sender))).toEqual([
    `rsa-sha256 ${SELECTOR} pass`,
    `ed25519-sha256 ${third?.selector} pass`,
  ]);
  const records = await app.request<{ records: object[] }>(
    'GET',
    `${sender.base}/dns-records`,
    undefined,
    sender.token,
  );
  expect(records.body.records).toContainEqual(
    expect.objectContaining({ purpose: 'dkim_imported', type: 'TXT', name: NAME, value: recordOf(rsa) }),
  );

  // Its mail verifies for as long as it may be under way; then it is removed, and may be removed from the zone.
  expect((await scene.rotate(sender)).status).toBe(200);
  expect(await scene.keysOfDomain()).toEqual([`${SELECTOR} retiring`, '1 next', '2 active', '3 retiring']);
  expect(signedBy(await scene.sendAndVerify(sender))).toEqual([`rsa-sha256 ${second?.selector} pass`]);
  expect((await scene.key(sender, 1)).record).not.toBe(first?.record);
  scene.pass(14 * DAY);
  await scene.lookAfterKeys();
  expect(await scene.keysOfDomain()).toEqual(['1 next', '2 active', '3 next']);
  expect(zone.asked).toContain(NAME);

  const text = JSON.stringify(
    app.sql(sender.practice.id, 'SELECT action, before_json, after_json FROM audit'),
  );
  expect(text).toContain('dkim.import');
  expect(text).not.toContain('PRIVATE KEY');
  const { body: told } = await app.request<List<{ after: unknown }>>(
    'GET',
    `${sender.base}/audit?action=dkim.import`,
    undefined,
    app.adminToken,
  );
  expect(told.data).toMatchObject([
    { after: [{ selector: SELECTOR, role: 'active', imported: true }, {}, {}, {}] },
  ]);
});

test('an Ed25519 key takes the place of the one for the second signature, and gives it back', async () => {
  const scene = await startImportScene();
  scene.zone.set(NAME, 'TXT', recordOf(ed25519));
  expect((await scene.importKey({ private_key: toPem(ed25519) })).status).toBe(200);
  expect(await scene.keysOfDomain()).toEqual([`${SELECTOR} active`, '1 active', '2 next', '3 next']);
  const verdicts = await scene.sendAndVerify(scene.sender);
  expect(verdicts).toMatchObject([
    { algorithm: 'rsa-sha256', result: 'pass' },
    { algorithm: 'ed25519-sha256', result: 'pass', selector: SELECTOR },
  ]);
  expect((await scene.rotate(scene.sender)).status).toBe(200);
  await scene.lookAfterKeys();
  expect(await scene.keysOfDomain()).toEqual([`${SELECTOR} retiring`, '1 retiring', '2 active', '3 active']);
});

test('another import replaces the first, which retires', async () => {
  const scene = await startImportScene();
  scene.zone.set(NAME, 'TXT', recordOf(rsa));
  await scene.importKey();
  const other = generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey;
  scene.zone.set(`s.2020._domainkey.${DOMAIN}`, 'TXT', recordOf(other));
  const { status, body } = await scene.importKey({ selector: 'S.2020', private_key: toPem(other, 'pkcs1') });
  expect(status).toBe(200);
  expect(await scene.keysOfDomain()).toEqual([
    `${SELECTOR} retiring`,
    's.2020 active',
    '1 next',
    '2 next',
    '3 active',
  ]);
  expect(body.data.find(({ selector }) => selector === 's.2020')?.hint).toMatch(/1024 bits are few/);
});

test('a compromised imported key signs no more, and its owner is told to withdraw it', async () => {
  const scene = await startImportScene();
  scene.zone.set(NAME, 'TXT', recordOf(rsa));
  await scene.importKey();
  const { status, body } = (await scene.rotate(scene.sender, { compromised: true })) as Awaited<
    ReturnType<ImportScene['importKey']>
  >;
  expect(status).toBe(200);
  expect(body.data.find(({ imported }) => imported)).toMatchObject({
    role: 'revoked',
    record: 'v=DKIM1; p=',
    hint: expect.stringMatching(/Replace its TXT record/),
  });
  expect(signedBy(await scene.sendAndVerify(scene.sender))).not.toContain(`rsa-sha256 ${SELECTOR} pass`);
});

test('it can be imported while the domain is pending', async () => {
  const scene = await startImportScene({ verified: false });
  scene.zone.set(NAME, 'TXT', recordOf(rsa));
  expect((await scene.importKey()).status).toBe(200);
  expect(await scene.keysOfDomain()).toEqual([`${SELECTOR} active`, '1 next', '2 next', '3 active']);
});

test('a rotation waits for the CNAME of the host: a key at the target alone helps no verifier', async () => {
  const scene = await startImportScene();
  const next = (await scene.keys(scene.sender)).find(
    ({ host, position }) => host === DOMAIN && position === 2,
  );
  scene.zone.remove(`${next?.selector}._domainkey.${DOMAIN}`);
  const before = await scene.keysOfDomain();
  const { status, body } = await scene.rotate(scene.sender);
  expect(status).toBe(409);
  expect(body.hint).toContain(`must be a CNAME to ${next?.selector}.dkim.mail.example.com`);
  expect(await scene.keysOfDomain()).toEqual(before);
});

const encrypted = rsa
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'geheim' })
  .toString();

test('what cannot be imported is refused with its reason, and changes nothing', async () => {
  const scene = await startImportScene();
  const { sender, zone } = scene;
  zone.set(NAME, 'TXT', recordOf(rsa));
  zone.set(`other._domainkey.${DOMAIN}`, 'TXT', recordOf(generateKeyPairSync('ed25519').privateKey));
  zone.set(`gone._domainkey.${DOMAIN}`, 'TXT', 'v=DKIM1; p=');
  zone.set(`twice._domainkey.${DOMAIN}`, 'TXT', recordOf(rsa), recordOf(rsa));
  zone.fail(`broken._domainkey.${DOMAIN}`, 'SERVFAIL');
  const token = (await scene.keys(sender)).find(({ host, position }) => host === DOMAIN && position === 1);
  const before = await scene.keysOfDomain();
  const rows: [what: string, body: object, status: number, says: RegExp][] = [
    ['a key that is not published', { selector: 'none' }, 409, /No key is published at none\._domainkey/],
    ['another key at its place', { selector: 'other' }, 409, /Another key is published/],
    ['a withdrawn record', { selector: 'gone' }, 409, /withdrawn/],
    ['two records', { selector: 'twice' }, 409, /2 key records/],
    ['a zone that fails', { selector: 'broken' }, 409, /SERVFAIL/],
    ['the selector of a token', { selector: token?.selector }, 409, /choose another selector/],
    ['the managed host', { host: sender.practice.managed_host }, 409, /custom domain/],
    ['a domain of somebody else', { host: 'other.example' }, 409, /custom domain/],
    ['a key with a passphrase', { private_key: encrypted }, 400, /without passphrase/],
    ['what is no key', { private_key: 'geheim' }, 400, /as PEM/],
    [
      'a public key',
      { private_key: createPublicKey(rsa).export({ type: 'spki', format: 'pem' }) },
      400,
      /as PEM/,
    ],
    [
      'a key for other things',
      { private_key: toPem(generateKeyPairSync('x25519').privateKey) },
      400,
      /RSA or Ed25519/,
    ],
    ['a selector with an underscore', { selector: 'a_b' }, 400, /letters, digits/],
    ['a selector that begins with a dot', { selector: '.a' }, 400, /letters, digits/],
    ['a long selector', { selector: 'a'.repeat(64) }, 400, /at most 63/],
    ['a very long key', { private_key: 'x'.repeat(8_193) }, 400, /8192/],
  ];
  for (const [what, body, status, says] of rows) {
    const answer = await scene.importKey(body);
    expect(answer.status, what).toBe(status);
    expect(JSON.stringify(answer.body), what).toMatch(says);
    expect(JSON.stringify(answer.body), what).not.toContain('geheim');
  }
  expect(await scene.keysOfDomain()).toEqual(before);
});

test('a domain holds a bounded number of imported keys', async () => {
  const scene = await startImportScene();
  const importAs = (selector: string) => {
    scene.zone.set(`${selector}._domainkey.${DOMAIN}`, 'TXT', recordOf(ed25519));
    return scene.importKey({ selector, private_key: toPem(ed25519) });
  };
  for (const selector of ['a', 'b', 'c', 'd', 'e']) expect((await importAs(selector)).status).toBe(200);
  const { status, body } = await importAs('f');
  expect([status, body.error]).toEqual([409, expect.stringMatching(/5 imported keys/)]);
});
