import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { checkKeyAt, judgeImportedKey, judgeKey, readDkimRecord } from '#src/domains/check/dkim-record.ts';
import { REVOKED_RECORD } from '#src/domains/keys/keys.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { inEnglish } from '#src/kernel/say.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';

const pair = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
const rsa = dkimRecord(pair, 'rsa-sha256');
const ed = dkimRecord(generateKeyPairSync('ed25519').publicKey, 'ed25519-sha256');
const key = rsa.slice(rsa.indexOf('p=') + 2);
const bare = pair.export({ type: 'pkcs1', format: 'der' }).toString('base64');

const found = (...texts: string[]) => ({
  answer: { kind: 'found' as const, records: texts.map((text) => text.match(/.{1,255}/gs) ?? ['']) },
  aliases: [],
});

describe('reading a key record', () => {
  test.each<[string, string]>([
    ['as published here', rsa],
    ['without version and kind', `p=${key}`],
    ['with white space within the key', `v=DKIM1; p=${key.slice(0, 80)} ${key.slice(80)}`],
    ['with a note, flags and services', `v=DKIM1; n=note; t=s; s=*; h=sha1:sha256; k=rsa; p=${key};`],
    ['as a bare RSAPublicKey', `v=DKIM1; p=${bare}`],
  ])('%s', (_says, text) => {
    expect(readDkimRecord(text)).toEqual({ kind: 'key', algorithm: 'rsa', publicKey: key, testing: false });
  });

  test('Ed25519 is 32 bytes', () => {
    expect(readDkimRecord(ed)).toMatchObject({ kind: 'key', algorithm: 'ed25519' });
    expect(readDkimRecord('v=DKIM1; k=ed25519; p=AAAA')).toMatchObject({ kind: 'malformed' });
  });

  test.each<[string, RegExp]>([
    [`v=DKIM2; p=${key}`, /^other$/],
    [`v=dkim1; p=${key}`, /begin with "v=DKIM1;"/],
    [`k=rsa; v=DKIM1; p=${key}`, /begin with "v=DKIM1;"/],
    [`v=DKIM1 k=rsa p=${key}`, /begin with "v=DKIM1;"/],
    [`"v=DKIM1; p=${key}"`, /quotation marks/],
    ['v=DKIM1; k=rsa', /no p=/],
    [`v=DKIM1; p=${key}; p=${key}`, /twice/],
    [`v=DKIM1; rsa; p=${key}`, /semicolon/],
    [`v=DKIM1; k=dsa; p=${key}`, /k=dsa/],
    ['v=DKIM1; p=!!!!', /base64/],
    [`v=DKIM1; p=${key.slice(0, 200)}`, /not whole/],
    [`v=DKIM1; h=sha1; p=${key}`, /hashes/],
    [`v=DKIM1; s=tlsrpt; p=${key}`, /not for e-mail/],
    ['v=spf1 -all', /^other$/],
    ['v=DMARC1; p=none', /^other$/],
    ['some-verification=1', /^other$/],
  ])('%.40s', (text, problem) => {
    const read = readDkimRecord(text);
    expect(read.kind === 'malformed' ? inEnglish(read.problem) : read.kind).toMatch(problem);
  });
});

describe('whether it is the key', () => {
  test.each<[string, string, string, string]>([
    ['the same', rsa, rsa, 'ok'],
    ['the same, written otherwise', `p=${bare}`, rsa, 'ok'],
    ['another', ed, rsa, 'mismatch'],
    ['withdrawn', 'v=DKIM1; p=', rsa, 'mismatch'],
    ['withdrawn as it should be', 'v=DKIM1; k=rsa; p=', REVOKED_RECORD, 'ok'],
    ['not withdrawn though it should be', rsa, REVOKED_RECORD, 'mismatch'],
    ['no key', 'v=spf1 -all', rsa, 'missing'],
  ])('%s', (_says, text, record, status) => {
    expect(judgeKey('k.example', found(text), record).status).toBe(status);
  });

  test('other records beside it do not matter, a second key does', () => {
    expect(judgeKey('k.example', found('v=spf1 -all', rsa), rsa).status).toBe('ok');
    expect(judgeKey('k.example', found(rsa, rsa), rsa).status).toBe('multiple');
  });

  test('an imported key that is withdrawn may be gone', () => {
    const none = { answer: { kind: 'none' as const, nameExists: false }, aliases: [] };
    expect(judgeImportedKey('k.example', none, REVOKED_RECORD).status).toBe('ok');
    expect(judgeImportedKey('k.example', none, rsa).status).toBe('missing');
  });

  test('a server that cannot be reached is an error, with the reason', async () => {
    // Nothing listens on the discard port.
    const lookup = createDnsLookup(['127.0.0.1:9'], { tryMs: 50 });
    expect(await checkKeyAt(lookup, 'k.example', rsa)).toMatchObject({ status: 'error', found: [] });
  });
});
