// Our signatures compared with those of a second implementation, dkim-signer, of which nothing else is used: it signs each field
// once, by RSA alone, and errs where the table at the end says.
import { generateKeyPairSync, hash } from 'node:crypto';
import { DKIMSign } from 'dkim-signer';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { expect, test } from 'vitest';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import { type Sign, signMessage } from '#src/messages/compose/dkim.ts';
import { sharedSignThreads } from '#test/support/sign-threads.ts';
import { randomFrom } from '#test/support/soak.ts';

const { sign } = sharedSignThreads();
const TIME = Date.UTC(2026, 10, 23);
const MESSAGES = 1_000;
/** The shortest that verifiers take (RFC 8301 §3.2). */
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
const signer = { algorithm: 'rsa-sha256', domain: 'praxis.example', selector: 'rsa', privateKey } as const;
const NOTHING = hash('sha256', '', 'base64');

interface Source {
  /** As octets, each line with CRLF. */
  readonly header: string;
  readonly body: string;
}

const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
const tagOf = (field: string, name: string): string =>
  new RegExp(`[:;]\\s*${name}=([^;]*)`).exec(field)?.[1]?.replace(/\s/g, '') ?? '';
const relaxed = (field: string): string => {
  const colon = field.indexOf(':');
  return `${field.slice(0, colon).toLowerCase()}:${field
    .slice(colon + 1)
    .replace(/\s+/g, ' ')
    .trim()}`;
};

/** Our field, and the canonical fields that it signs. */
const ours = async ({ header, body }: Source) => {
  let signed = '';
  const noting: Sign = (text, by) => {
    signed = text.slice(0, text.lastIndexOf('\r\n') + 2);
    return sign(text, by);
  };
  const field = await signMessage({ header, body: [body], isRelaxed: false }, [signer], TIME, noting);
  return { field, signed };
};

const theirs = ({ header, body }: Source, names: string): string =>
  DKIMSign(Buffer.from(`${header}\r\n${body}`, 'latin1').toString('utf8'), {
    headerFieldNames: names,
    privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    domainName: signer.domain,
    keySelector: signer.selector,
  });

const verdict = async (field: string, { header, body }: Source): Promise<string | undefined> => {
  const source = Buffer.from(`${field.trimEnd()}\r\n${header}\r\n${body}`, 'latin1');
  const record = dkimRecord(publicKey, 'rsa-sha256');
  const { results } = await dkimVerify(source, {
    curTime: new Date(TIME + 1_000),
    resolver: async () => [[record]],
    minBitLength: 1_024,
  });
  return results[0]?.status.result;
};

const sourceFrom = (random: () => number): Source => {
  const below = (limit: number): number => Math.floor(random() * limit);
  const oneOf = <T>(...all: readonly T[]): T => all[below(all.length)] as T;
  const many = (count: number, make: () => string): string => Array.from({ length: count }, make).join('');
  const gap = (): string => oneOf(' ', ' ', ' ', '  ', '\t', ' \t ', '\r\n ', '\r\n\t', '\r\n   ', ' \r\n ');
  const word = (): string =>
    oneOf(
      'Termin',
      'a:b',
      '=?UTF-8?Q?=C3=84?=',
      '"x; y"',
      '<a@b.example>',
      latin1('Müller'),
      latin1('日本'),
      '.',
      'x'.repeat(90),
    );
  const value = (): string =>
    `${oneOf('', ' ', '\t', '\r\n ')}${word()}${many(below(8), () => gap() + word())}${oneOf('', ' ', '\t \t')}`;
  const name = (plain: string): string => oneOf(plain, plain.toLowerCase(), plain.toUpperCase());
  const names = [
    'Sender',
    'Reply-To',
    'To',
    'Cc',
    'Subject',
    'Date',
    'Message-ID',
    'In-Reply-To',
    'References',
    'MIME-Version',
    'Content-Type',
    'List-Unsubscribe',
    'List-Unsubscribe-Post',
    'Feedback-ID',
    'X-Other',
  ];
  const fields = ['From', ...names.filter(() => random() < 0.5)].sort(() => random() - 0.5);
  const line = (): string =>
    oneOf(
      '',
      ' ',
      '\t\t',
      'Guten Tag',
      ' eingerueckt',
      'viele   Leer\t\tzeichen',
      'am Ende  \t',
      '.',
      '..',
      '-- ',
      'x'.repeat(998),
      'From here',
    );
  const lines = Array.from({ length: below(12) }, line).join('\r\n');
  return {
    header: fields.map((field) => `${name(field)}${oneOf(':', ':', ' :')}${value()}\r\n`).join(''),
    body: lines + oneOf('', '\r\n', '\r\n', '\r\n\r\n', '\r\n'.repeat(40), ' \r\n\t\r\n'),
  };
};

test(`${MESSAGES} odd messages have the same hashes and the same signature`, async () => {
  const random = randomFrom(6_376);
  for (let made = 0; made < MESSAGES; made += 1) {
    const source = sourceFrom(random);
    const { field, signed } = await ours(source);
    const names = [...signed.matchAll(/^([^:\r\n]+):/gm)].map(([, name]) => name).join(':');
    const other = theirs(source, names);
    const [, unsigned = '', signature = ''] = /^(.*\sb=)(.*)$/s.exec(other) ?? [];
    const what = JSON.stringify(source);
    expect(tagOf(other, 'h'), what).toBe(names);
    // It hashes something for a body of nothing: see below.
    const isEmpty = source.body.trim() === '';
    expect(tagOf(field, 'bh'), what).toBe(isEmpty ? NOTHING : tagOf(other, 'bh'));
    // RSA signs the same text always alike: ours is made of the fields as we read them, and of the field that is theirs.
    expect(await sign(signed + relaxed(unsigned), signer), what).toBe(signature.replace(/\s/g, ''));
  }
});

const FROM = 'From: a@praxis.example\r\n';
test.each<[what: string, source: Source, names: string, theirs: string]>([
  ['takes nothing ill in a plain mail', { header: FROM, body: 'Hello\r\n' }, 'from', 'pass'],
  ['hashes the header where there is no body (§3.4.4)', { header: FROM, body: '' }, 'from', 'neutral'],
  [
    'hashes a line of a body that has empty ones alone (§3.4.4)',
    { header: FROM, body: '\r\n\r\n' },
    'from',
    'neutral',
  ],
  [
    'signs a field again that is named once more than it is there (§5.4.2)',
    { header: FROM, body: 'Hello\r\n' },
    'from:from',
    'fail',
  ],
  [
    'takes a no-break space of a name for white space (§2.8)',
    { header: latin1('From: "Dr.\u00a0\u00a0Müller" <a@praxis.example>\r\n'), body: 'Hello\r\n' },
    'from',
    'fail',
  ],
])('dkim-signer %s', async (_, source, names, expected) => {
  expect(await verdict((await ours(source)).field, source)).toBe('pass');
  expect(await verdict(theirs(source, names), source)).toBe(expected);
});
