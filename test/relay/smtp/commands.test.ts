import { describe, expect, test } from 'vitest';
import {
  type Extensions,
  encodeXtext,
  envelopeCommands,
  parseExtensions,
  refuseLocally,
  stuffDots,
} from '#src/relay/smtp/commands.ts';

const all: Extensions = { pipelining: true, dsn: true, size: 1_000, eightBitMime: true, smtpUtf8: true };
const none: Extensions = { pipelining: false, dsn: false, size: null, eightBitMime: false, smtpUtf8: false };
const envelope = {
  returnPath: 'b+1@bounce.b.test',
  recipient: 'a+c@b.test',
  envelopeId: 'id=1',
};

describe('xtext (RFC 3461 §4)', () => {
  test.each([
    ['plain@b.test', 'plain@b.test'],
    ['a+b=c', 'a+2Bb+3Dc'],
    ['a b\t', 'a+20b+09'],
    ['ä', '+C3+A4'],
    ['~!', '~!'],
  ])('%s', (value, encoded) => expect(encodeXtext(value)).toBe(encoded));
});

const commands: readonly (readonly [string, Extensions, boolean, string, string])[] = [
  ['nothing offered', none, true, 'MAIL FROM:<b+1@bounce.b.test>', 'RCPT TO:<a+c@b.test>'],
  [
    'everything offered',
    all,
    true,
    'MAIL FROM:<b+1@bounce.b.test> SIZE=12 RET=HDRS ENVID=id+3D1',
    'RCPT TO:<a+c@b.test> NOTIFY=SUCCESS,DELAY,FAILURE ORCPT=rfc822;a+2Bc@b.test',
  ],
  ['DSN offered, not asked for', all, false, 'MAIL FROM:<b+1@bounce.b.test> SIZE=12', 'RCPT TO:<a+c@b.test>'],
];
test.each(commands)('%s', (_name, extensions, dsn, mail, rcpt) => {
  expect(envelopeCommands(envelope, 12, extensions, dsn)).toEqual({
    mail: `${mail}\r\n`,
    rcpt: `${rcpt}\r\n`,
  });
});

test('a message that was not composed here says what it needs, where that is offered', () => {
  const forwarded = { ...envelope, needs: ['8BITMIME', 'SMTPUTF8'] as const };
  expect(envelopeCommands(forwarded, 12, all, false).mail).toContain(' SIZE=12 BODY=8BITMIME SMTPUTF8\r\n');
  expect(envelopeCommands(forwarded, 12, none, false).mail).toBe('MAIL FROM:<b+1@bounce.b.test>\r\n');
});

test('an address that is not ASCII is sent in UTF-8 with SMTPUTF8, its DSN in a form that any server takes', () => {
  const beyond = { ...envelope, recipient: 'mü+ller@b.test', needsSmtpUtf8: true };
  const { mail, rcpt } = envelopeCommands(beyond, 12, all, true);
  expect(mail).toContain(' SIZE=12 BODY=8BITMIME SMTPUTF8 RET=HDRS');
  expect(Buffer.from(rcpt, 'latin1').toString()).toBe(
    'RCPT TO:<mü+ller@b.test> NOTIFY=SUCCESS,DELAY,FAILURE ORCPT=utf-8;m\\x{FC}\\x{2B}ller@b.test\r\n',
  );
  expect(refuseLocally(beyond, 12, all)).toBeNull();
  expect(refuseLocally({ ...beyond, recipient: 'ü'.repeat(127) }, 12, all)).toBeNull();
  expect(refuseLocally({ ...beyond, recipient: 'ü'.repeat(128) }, 12, all)?.reply.code).toBe(553);
  expect(refuseLocally(beyond, 12, { ...all, smtpUtf8: false })?.reply.enhanced).toBe('5.6.7');
  const header = { ...envelope, needsSmtpUtf8: true };
  expect(refuseLocally(header, 12, { ...all, smtpUtf8: false })?.reply.enhanced).toBe('5.6.7');
});

test('an ENVID above 100 characters is left out', () => {
  const { mail } = envelopeCommands({ ...envelope, envelopeId: 'x'.repeat(101) }, 12, all, true);
  expect(mail).not.toContain('ENVID');
});

describe('refused locally', () => {
  const refusal = (change: Partial<typeof envelope>, bytes = 12) => {
    const refused = refuseLocally({ ...envelope, ...change }, bytes, all);
    return refused && `${refused.phase} ${refused.reply.code} ${refused.reply.enhanced}`;
  };
  test.each([
    ['nothing wrong', {}, 12, null],
    ['the null return path', { returnPath: '' }, 12, null],
    ['exactly the size', {}, 1_000, null],
    ['above the size', {}, 1_001, 'mail 552 5.3.4'],
    ['a recipient with a line end', { recipient: 'a@b.test>\r\nRSET' }, 12, 'rcpt 553 5.1.3'],
    ['a recipient with a bracket', { recipient: 'a@b.test> NOTIFY=NEVER' }, 12, 'rcpt 553 5.1.3'],
    ['no recipient', { recipient: '' }, 12, 'rcpt 553 5.1.3'],
    ['a non-ASCII recipient', { recipient: 'ä@b.test' }, 12, 'rcpt 553 5.6.7'],
    ['a return path with a space', { returnPath: 'a b@b.test' }, 12, 'mail 553 5.1.7'],
    ['a recipient too long', { recipient: `${'a'.repeat(250)}@b.test` }, 12, 'rcpt 553 5.1.3'],
  ])('%s', (_name, change, bytes, verdict) => expect(refusal(change, bytes)).toBe(verdict));
});

test.each([
  ['nothing', [], none],
  [
    'all',
    ['PIPELINING', 'SIZE 35882577', 'dsn', '8BITMIME', 'SMTPUTF8'],
    { pipelining: true, dsn: true, size: 35_882_577, eightBitMime: true, smtpUtf8: true },
  ],
  ['SIZE without a limit', ['SIZE'], { ...none, size: 0 }],
  ['SIZE with nonsense', ['SIZE lots'], { ...none, size: 0 }],
  ['look-alikes are not what they look like', ['X-DSN', 'XPIPELINING', 'SIZES 5'], none],
])('extensions: %s', (_name, lines, extensions) => expect(parseExtensions(lines)).toEqual(extensions));

test.each([
  ['a\r\nb\r\n', 'a\r\nb\r\n'],
  ['.a\r\n', '..a\r\n'],
  ['a\r\n.\r\nb\r\n', 'a\r\n..\r\nb\r\n'],
  ['a\r\n..b\r\n.c.\r\n', 'a\r\n...b\r\n..c.\r\n'],
  ['.\r\n.\r\n.\r\n', '..\r\n..\r\n..\r\n'],
  ['a\n.\nb\r\n', 'a\n..\nb\r\n'],
  ['a.b\r\nc.\r\n', 'a.b\r\nc.\r\n'],
])('%j', (message, stuffed) => expect(stuffDots(Buffer.from(message)).toString()).toBe(stuffed));

test('copies nothing where nothing is to be done', () => {
  const message = Buffer.from('a\r\nb.\r\n');
  expect(stuffDots(message)).toBe(message);
});
