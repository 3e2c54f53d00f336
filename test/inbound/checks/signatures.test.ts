// DKIM and ARC: mails signed here, by opendkim and by dkimpy.
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { sealMessage } from 'mailauth/lib/arc/index.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import { startOpendkim } from '#test/support/opendkim.ts';
import { startPostfix } from '#test/support/postfix.ts';
import { createSmtpReceiver } from '#test/support/smtp-receiver.ts';
import { talkTo } from '#test/support/smtp-talk.ts';
import { BODY, DOMAIN, HEAD, mailOf, pemOf, rsa, signed, useScene } from './scene.ts';

const scene = useScene();
const dkim = async (mail: Buffer) =>
  (await scene.check(mail)).auth.dkim.map(
    ({ result, domain, selector }) => `${result} ${domain} ${selector}`,
  );

const replaced = (mail: Buffer, old: string, by: string): Buffer =>
  Buffer.from(mail.toString('latin1').replace(old, by), 'latin1');

/** What a program makes of a mail, with the key in a file. */
const filtered = async (
  mail: Buffer,
  program: string,
  args: (keyFile: string) => string[],
): Promise<Buffer> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'signer-'));
  try {
    const keyFile = path.join(folder, 'key.pem');
    await writeFile(keyFile, String(rsa.privateKey.export({ type: 'pkcs1', format: 'pem' })), {
      mode: 0o600,
    });
    const running = promisify(execFile)(program, args(keyFile), { encoding: 'buffer' });
    running.child.stdin?.end(mail);
    return (await running).stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
};

describe('DKIM', () => {
  test('a mail without signatures', async () => {
    expect(await dkim(mailOf())).toEqual([]);
  });
  test('a mail as it was signed, and one that was changed', async () => {
    const mail = await signed(mailOf());
    expect(await dkim(mail)).toEqual(['pass example.org s1']);
    expect(await dkim(replaced(mail, 'wann', 'warum'))).toEqual(['fail example.org s1']);
    expect(await dkim(replaced(mail, 'Frage', 'Antwort'))).toEqual(['fail example.org s1']);
  });
  test('by opendkim, through Postfix', { tags: ['debian/opendkim', 'debian/postfix'] }, async () => {
    const receiver = await createSmtpReceiver();
    const opendkim = await startOpendkim(DOMAIN);
    const postfix = await startPostfix({ relayTo: receiver.port, milterSocket: opendkim.socket });
    onTestFinished(async () => {
      await Promise.all([postfix.stop(), receiver.stop(), opendkim.stop()]);
    });
    const talk = await talkTo(postfix.smtpPort);
    await talk.hello();
    await talk.envelope('erika@example.org', 'praxis@in.service.test');
    await talk.say(`${mailOf()}.`);
    talk.end();
    await receiver.waitFor(1);
    const mail = Buffer.from(receiver.messages[0]?.content ?? '');
    scene.zone.set('peer._domainkey.example.org', 'TXT', opendkim.record);
    expect(await dkim(mail)).toEqual(['pass example.org peer']);
    expect(await dkim(replaced(mail, 'wann', 'warum'))).toEqual(['fail example.org peer']);
  });
  test('by dkimpy', { tags: 'debian/python3-dkim' }, async () => {
    const mail = await filtered(mailOf(), '/usr/bin/dkimsign', (keyFile) => ['s1', DOMAIN, keyFile]);
    expect(await dkim(mail)).toEqual(['pass example.org s1']);
  });
  test('two signatures, with Ed25519, of which one is broken', async () => {
    const ed25519 = generateKeyPairSync('ed25519');
    scene.zone.set('ed._domainkey.list.test', 'TXT', dkimRecord(ed25519.publicKey, 'ed25519-sha256'));
    const inner = replaced(await signed(mailOf()), 'wann', 'warum');
    const mail = await signed(inner, { domain: 'list.test', selector: 'ed', key: ed25519.privateKey });
    expect(await dkim(mail)).toEqual(['pass list.test ed', 'fail example.org s1']);
  });
  test('what was appended behind the signed part', async () => {
    const mail = await signed(mailOf(), { maxBodyLength: BODY.length });
    expect(await dkim(Buffer.concat([mail, Buffer.from('und noch etwas\r\n')]))).toEqual([
      'policy example.org s1',
    ]);
  });
  test('a weak key and a weak algorithm', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 512 });
    scene.zone.set('weak._domainkey.example.org', 'TXT', dkimRecord(weak.publicKey, 'rsa-sha256'));
    expect(await dkim(await signed(mailOf(), { selector: 'weak', key: weak.privateKey }))).toEqual([
      'policy example.org weak',
    ]);
    expect(await dkim(await signed(mailOf(), { algorithm: 'rsa-sha1' }))).toEqual(['policy example.org s1']);
  });
  test('no key, and a key that cannot be found out', async () => {
    const mail = await signed(mailOf(), { selector: 'gone' });
    expect(await dkim(mail)).toEqual(['neutral example.org gone']);
    scene.zone.fail('_domainkey.example.org', 'SERVFAIL');
    expect(await dkim(mail)).toEqual(['temperror example.org gone']);
    scene.zone.fail('_domainkey.example.org', null);
  });
  test('slow keys of strangers do not take the time of the others', async () => {
    const strangers = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}.slow.test`);
    let mail = await signed(mailOf());
    for (const domain of strangers) mail = await signed(mail, { domain });
    scene.zone.fail('slow.test', 'silence');
    const slow = strangers.toReversed().map((domain) => `temperror ${domain} s1`);
    expect(await dkim(mail)).toEqual([...slow, 'pass example.org s1']);
    scene.zone.fail('slow.test', null);
  });
  test('more signatures than honest mail has are not looked at', async () => {
    const asked = scene.zone.asked.length;
    const many = Array.from(
      { length: 9 },
      () => 'DKIM-Signature: v=1; a=rsa-sha256; d=many.test; s=x; h=from; bh=x; b=x',
    ).join('\r\n');
    const results = await dkim(mailOf(`${many}\r\n${HEAD}`));
    expect(new Set(results)).toEqual(new Set(['neutral many.test x']));
    expect(scene.zone.asked.slice(asked).filter((name) => name.includes('many'))).toEqual([]);
  });
  test('a header whose lines would take minutes is not read', async () => {
    const mail = await signed(mailOf());
    const long = `X-Long: a\r\n${' a\r\n'.repeat(60_000)}`;
    expect(await dkim(Buffer.concat([Buffer.from(long), mail]))).toEqual(['neutral example.org s1']);
  });
});

describe('ARC', () => {
  const arc = async (mail: Buffer) => (await scene.check(mail)).auth.arc.result;
  const sealed = async (mail: Buffer): Promise<Buffer> => {
    const by = { signingDomain: DOMAIN, selector: 's1', privateKey: pemOf(rsa.privateKey) };
    return Buffer.concat([await sealMessage(mail, { ...by, authResults: 'list.test; arc=none' }), mail]);
  };

  test('a chain, one that was changed, and none', async () => {
    const mail = await sealed(mailOf());
    expect(await arc(mail)).toBe('pass');
    expect(await arc(replaced(mail, 'wann', 'warum'))).toBe('fail');
    expect(await arc(replaced(mail, 'cv=none', 'cv=pass'))).toBe('fail');
    expect(await arc(mailOf())).toBe('none');
  });
  test('a valid chain does not make the mail that of its author', async () => {
    scene.zone.set('_dmarc.example.org', 'TXT', 'v=DMARC1; p=reject; adkim=s');
    const { auth, authenticationResults } = await scene.check(await sealed(mailOf()), {
      mailFrom: 'x@list.test',
    });
    expect(auth).toMatchObject({ arc: { result: 'pass' }, dmarc: { result: 'fail', policy: 'reject' } });
    expect(authenticationResults).toContain(' arc=pass;');
  });
});
