import { execFile } from 'node:child_process';
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
} from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { describe, expect, test } from 'vitest';
import type { DkimSigner } from '#src/mail/dkim-key.ts';
import { dkimRecord } from '#src/mail/dkim-key.ts';
import { signMessage } from '#src/messages/compose/dkim.ts';
import type { ComposedMessage, OutgoingMessage, Piece } from '#src/messages/compose/message.ts';
import { composeMessage } from '#src/messages/compose/mime.ts';
import { outgoingMessages } from '#test/fixtures/outgoing-messages.ts';
import { bodyText } from '#test/support/body-text.ts';
import { sharedSignThreads } from '#test/support/sign-threads.ts';

const { sign } = sharedSignThreads();
const DOMAIN = 'mail.praxis.example';
const TIME = Date.UTC(2026, 10, 20, 10, 0, 5);
const WITH_PYTHON = { tags: ['debian/python3-dkim', 'debian/python3-nacl'] };

const makeSigner = (
  selector: string,
  algorithm: DkimSigner['algorithm'],
  { privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject },
): { signer: DkimSigner; record: string } => ({
  signer: { algorithm, domain: DOMAIN, selector, privateKey },
  record: dkimRecord(publicKey, algorithm),
});
const rsa = makeSigner('rsa-token', 'rsa-sha256', generateKeyPairSync('rsa', { modulusLength: 2048 }));
const ed25519 = makeSigner('ed-token', 'ed25519-sha256', generateKeyPairSync('ed25519'));
const signers = [rsa.signer, ed25519.signer];
const records: Record<string, string> = Object.fromEntries(
  [rsa, ed25519].map(({ signer, record }) => [`${signer.selector}._domainkey.${DOMAIN}`, record]),
);

const signed = async (composed: ComposedMessage): Promise<string> =>
  `${await signMessage(composed, signers, TIME, sign)}${composed.header}\r\n${bodyText(composed)}`;

/** The results of mailauth for each signature, in order. */
const verify = async (source: string): Promise<string[]> => {
  const { results } = await dkimVerify(source, {
    strict: true,
    curTime: new Date(TIME + 1_000),
    resolver: async (name: string) => [[records[name] ?? '']],
  });
  return results.map(({ signingDomain, status }) => `${signingDomain} ${status.result}`);
};
const PASSED = [`${DOMAIN} pass`, `${DOMAIN} pass`];

const message = (header: string, ...body: Piece[]): ComposedMessage => ({ header, body, isRelaxed: false });
const minimal = 'From: a@mail.praxis.example\r\nSubject: hello\r\n';
const tag = (field: string, name: string): string | undefined =>
  new RegExp(`[;:]\\s*${name}=([^;]*)`).exec(field)?.[1]?.replace(/\s/g, '');
const base64Sha256 = (text: string): string => createHash('sha256').update(text).digest('base64');

describe('the table of messages', () => {
  test.each(outgoingMessages)('mailauth accepts both signatures of %s', async (_, outgoing) => {
    expect(await verify(await signed(composeMessage(outgoing)))).toEqual(PASSED);
  });

  test('dkimpy accepts both signatures of each', WITH_PYTHON, async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'dkim-'));
    try {
      const names = outgoingMessages.map((_, index) => path.join(folder, `${index}.eml`));
      for (const [index, [, outgoing]] of outgoingMessages.entries()) {
        await writeFile(names[index] ?? '', await signed(composeMessage(outgoing)), 'latin1');
      }
      const script = [
        'import dkim, json, sys',
        'records = json.loads(sys.argv[1])',
        'find = lambda name, timeout=5: records[name.decode().rstrip(".")].encode()',
        'verify = lambda file, index: dkim.DKIM(open(file, "rb").read()).verify(idx=index, dnsfunc=find)',
        'print(json.dumps([[verify(file, 0), verify(file, 1)] for file in sys.argv[2:]]))',
      ].join('\n');
      const { stdout } = await promisify(execFile)('/usr/bin/python3', [
        '-c',
        script,
        JSON.stringify(records),
        ...names,
      ]);
      const results: boolean[][] = JSON.parse(stdout);
      const named = outgoingMessages.map(([name], index) => [name, ...(results[index] ?? [])]);
      expect(named).toEqual(outgoingMessages.map(([name]) => [name, true, true]));
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

const blanks: readonly (readonly [name: string, changes: Partial<OutgoingMessage>])[] = [
  [
    'in the name of a file',
    { attachments: [{ filename: 'a  b.pdf', contentType: 'application/pdf', content: Buffer.from('x') }] },
  ],
  ['in the text of one that also has HTML', { text: 'a  b\tc', html: '<p>x</p>' }],
  [
    'in the subject and a field that is folded',
    { subject: 'a  b', headers: [['References', `<${'a'.repeat(60)}@b>  <c@d>`]] },
  ],
];

const [, outgoing] = outgoingMessages.find(([name]) => name === 'further header fields') ?? [];
if (outgoing === undefined) throw new Error('no message with further header fields');
test.each(blanks)(
  'mailauth accepts both signatures of a message with more than single spaces %s',
  async (_, changes) => {
    expect(await verify(await signed(composeMessage({ ...outgoing, ...changes })))).toEqual(PASSED);
  },
);

const original = await signed(composeMessage({ ...outgoing, text: 'one  two\n\nthree\n' }));

const tamperings: readonly (readonly [name: string, change: (source: string) => string])[] = [
  ...[
    'From',
    'To',
    'Subject',
    'Date',
    'Message-ID',
    'In-Reply-To',
    'MIME-Version',
    'Content-Type',
    'Content-Transfer-Encoding',
    'List-Id',
    'List-Unsubscribe',
    'List-Unsubscribe-Post',
    'Feedback-ID',
    'Auto-Submitted',
    'CFBL-Address',
  ].flatMap((name): [string, (source: string) => string][] => [
    [`${name} changed`, (source) => source.replace(`\r\n${name}: `, `\r\n${name}: x`)],
    [`${name} removed`, (source) => source.replace(new RegExp(`\\r\\n${name}: .*(?:\\r\\n[ \\t].*)*`), '')],
  ]),
  ...[
    'From: evil@example.org',
    'Subject: other',
    'To: x@example.org',
    'Cc: x@example.org',
    'Reply-To: x@example.org',
    'Sender: x@example.org',
    'Date: Fri, 20 Nov 2026 11:00:00 +0000',
    'Message-ID: <x@example.org>',
    'MIME-Version: 1.0',
    'Content-Type: text/html',
    'List-Unsubscribe: <https://example.org>',
    'List-Unsubscribe-Post: x',
  ].flatMap((field): [string, (source: string) => string][] => [
    [`a second or first ${field} above`, (source) => `${field}\r\n${source}`],
    [`a second or first ${field} below`, (source) => source.replace('\r\n\r\n', `\r\n${field}\r\n\r\n`)],
  ]),
  ['a word of the body changed', (source) => source.replace('three', 'four')],
  ['a line added to the body', (source) => `${source}four\r\n`],
  ['an empty line of the body removed', (source) => source.replace('two\r\n\r\n', 'two\r\n')],
];

describe('a signed message', () => {
  test('passes unchanged', async () => {
    expect(await verify(original)).toEqual(PASSED);
  });

  test.each(tamperings)('fails with %s', async (_, change) => {
    const changed = change(original);
    expect(changed).not.toBe(original);
    const results = await verify(changed);
    expect(results).toHaveLength(2);
    expect(results).not.toContain(`${DOMAIN} pass`);
  });

  const harmless: typeof tamperings = [
    ['a field that is not signed', (source) => `Received: from x by y\r\n${source}`],
    [
      'other spacing in a header',
      (source) => source.replace('Subject: Your appointment', 'subject:  Your \r\n\tappointment '),
    ],
    [
      'trailing white space and empty lines in the body',
      (source) => `${source.replace('three', 'three  ')}\r\n\r\n`,
    ],
  ];
  test.each(harmless)('still passes with %s', async (_, change) => {
    const changed = change(original);
    expect(changed).not.toBe(original);
    expect(await verify(changed)).toEqual(PASSED);
  });
});

const bodies: readonly (readonly [name: string, body: string, canonical: string])[] = [
  ['the body of RFC 6376 §3.4.5', ' C \r\nD \t E\r\n\r\n\r\n', ' C\r\nD E\r\n'],
  ['an empty line', '\r\n', ''],
  ['nothing', '', ''],
  ['empty lines and white space', '\r\n \t\r\n\r\n', ''],
  ['a last line without its end', 'a', 'a\r\n'],
  ['white space for a last line end', 'a  ', 'a\r\n'],
  ['hundreds of empty lines', `a${'\r\n \t'.repeat(200)}\r\nb\r\n`, `a${'\r\n'.repeat(201)}b\r\n`],
];
test.each(bodies)('the body hash of %s is that of its relaxed form', async (_, body, canonical) => {
  expect(tag(await signMessage(message(minimal, body), [ed25519.signer], TIME, sign), 'bh')).toBe(
    base64Sha256(canonical),
  );
});

test('the body hash of the message of RFC 8463 Appendix A is the one printed there', async () => {
  const body = 'Hi.\r\n\r\nWe lost the game.  Are you hungry yet?\r\n\r\nJoe.\r\n';
  const field = await signMessage(message(minimal, body), [ed25519.signer], TIME, sign);
  expect(tag(field, 'bh')).toBe('2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=');
});

test('the key record of RFC 8463 Appendix A is the one printed there', () => {
  const seed = Buffer.from('nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=', 'base64');
  const prefix = Buffer.from('302e020100300506032b657004220420', 'hex');
  const privateKey = createPrivateKey({ key: Buffer.concat([prefix, seed]), format: 'der', type: 'pkcs8' });
  expect(dkimRecord(createPublicKey(privateKey), 'ed25519-sha256')).toBe(
    'v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
  );
});

test('a large body is hashed in slices as if it were one', async () => {
  const gap = '\r\n'.repeat(50);
  const body = `${`two  words\r\n${gap}`.repeat(6_000)}end\r\n\r\n`;
  const canonical = `${`two words\r\n${gap}`.repeat(6_000)}end\r\n`;
  expect(body.length).toBeGreaterThan(2 * 262_144);
  expect(tag(await signMessage(message(minimal, body), [ed25519.signer], TIME, sign), 'bh')).toBe(
    base64Sha256(canonical),
  );
});

test('a body in pieces is hashed as if it were one', async () => {
  const file = { file: Buffer.alloc(57 * 8_000, 'a') };
  const encoded = `${'YWFh'.repeat(19)}\r\n`.repeat(8_000);
  const whole = `a  b \r\n${encoded}\r\nc\r\n`;
  for (const pieces of [
    ['a  b \r\n', file, '\r\nc\r\n'],
    ['a  b \r\n', file, '\r\nc\r\n\r\n'],
    ['a  b \r\n', file, '\r\nc \r\n', '\r\n', ' \r\n'],
  ])
    expect(tag(await signMessage(message(minimal, ...pieces), [ed25519.signer], TIME, sign), 'bh')).toBe(
      base64Sha256(whole.replace('a  b ', 'a b')),
    );
  expect(tag(await signMessage(message(minimal, file), [ed25519.signer], TIME, sign), 'bh')).toBe(
    base64Sha256(encoded),
  );
});

test('the field has its tags and no others, in short lines', async () => {
  const fields = await signMessage(composeMessage(outgoing), signers, TIME, sign);
  expect(fields).toMatch(/\r\n$/);
  expect(Math.max(...fields.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(76);
  const each = fields.split(/(?=DKIM-Signature:)/);
  expect(each).toHaveLength(2);
  for (const field of each) {
    expect(field.match(/(?<=[:;]\s+)[a-z]+(?==)/g)).toEqual(['v', 'a', 'c', 'd', 's', 't', 'h', 'bh', 'b']);
    expect(tag(field, 'c')).toBe('relaxed/relaxed');
    expect(tag(field, 't')).toBe(String(TIME / 1_000));
  }
});

test('fields that occur twice are named twice, oversigned ones once more', async () => {
  const header = `${minimal}Feedback-ID: a\r\nFeedback-ID: b\r\nX-Other: c\r\n`;
  const source = await signed(message(header, 'body\r\n'));
  expect(tag(source, 'h')).toBe(
    'from:from:sender:reply-to:to:cc:subject:subject:date:message-id:mime-version:content-type:' +
      'list-unsubscribe:list-unsubscribe-post:feedback-id:feedback-id',
  );
  expect(await verify(source)).toEqual(PASSED);
  expect(await verify(source.replace('Feedback-ID: a', 'Feedback-ID: x'))).not.toContain(`${DOMAIN} pass`);
});

const refused: readonly (readonly [name: string, ComposedMessage])[] = [
  ['a vertical tab in the body', message(minimal, 'a\vb\r\n')],
  ['a form feed in the body', message(minimal, 'a\fb\r\n')],
  ['a non-breaking space in the body', message(minimal, 'a\u00a0b\r\n')],
  ['an umlaut in the header', message(`${minimal}X-Tag: ü\r\n`, 'a\r\n')],
  ['a form feed in the header', message(`${minimal}X-Tag: a\fb\r\n`, 'a\r\n')],
  ['a bare LF', message(minimal, 'a\nb\r\n')],
  ['a bare CR', message(minimal, 'a\rb\r\n')],
  ['a NUL', message(minimal, 'a\0b\r\n')],
  ['no From', message('Subject: hello\r\n', 'a\r\n')],
];
test.each(refused)('a message with %s is not signed', async (_, composed) => {
  await expect(signMessage(composed, signers, TIME, sign)).rejects.toThrow();
});

test('a key that does not fit its algorithm is an error, no signature at all without keys', async () => {
  const composed = composeMessage(outgoing);
  await expect(
    signMessage(composed, [{ ...rsa.signer, privateKey: ed25519.signer.privateKey }], TIME, sign),
  ).rejects.toThrow();
  expect(await signMessage(composed, [], TIME, sign)).toBe('');
});
