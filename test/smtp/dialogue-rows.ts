// What clients say to the listener for mail from the world, and what it answers. `erika@HERE` is a mailbox that accepts; at HERE
// there are also `held@`, `rejected@` and `bounced@` after their modes, and `eve@blocked.example` is a blocked sender. OFF is the
// receiving host of a practice that has disabled it, APEX the sending host of HERE.

/** Without its line end; or bytes as they are, in pieces of so many octets where that is said. */
export type Sent = string | { readonly bytes: () => string | Buffer; readonly pieces: number | null };
/** What is sent, and the beginning of each reply; null: the server closes. */
export type Step = readonly [sent: Sent, ...replies: readonly (string | null)[]];

export interface Dialogue {
  readonly name: string;
  readonly steps: readonly Step[];
  /** Without EHLO before the first step. */
  readonly unannounced?: true;
}

const MIB = 1_024 * 1_024;
const raw = (bytes: string | Buffer | (() => string | Buffer), pieces: number | null = null): Sent => ({
  bytes: typeof bytes === 'function' ? bytes : () => bytes,
  pieces,
});
const times = (count: number, text: string): string[] => Array<string>(count).fill(text);

const MAIL: Step = ['MAIL FROM:<a@b.example>', '250 2.1.0'];
const RCPT: Step = ['RCPT TO:<erika@HERE>', '250 2.1.5'];
const DATA: Step = ['DATA', '354'];
const OPEN: readonly Step[] = [MAIL, RCPT, DATA];
export const TAKEN = '250 2.0.0 received';

/** A mail of its own, whose content is the header `Subject: x` and this. */
const mail = (name: string, content: Sent, ...replies: readonly (string | null)[]): Dialogue => ({
  name,
  steps: [...OPEN, [content, ...replies]],
});
const said = (name: string, ...steps: readonly Step[]): Dialogue => ({ name, steps });
/** One command on a connection of its own. */
const one = (command: string, reply: string): Dialogue => said(command, [command, reply]);
const toRecipient = (recipient: string, reply: string): Dialogue =>
  said(`RCPT TO:<${recipient}>: ${reply}`, MAIL, [`RCPT TO:<${recipient}>`, reply]);

const order: readonly Dialogue[] = [
  { name: 'MAIL before EHLO', unannounced: true, steps: [['MAIL FROM:<a@b.example>', '503 5.5.1']] },
  {
    name: 'HELO instead of EHLO',
    unannounced: true,
    steps: [['HELO client.example.net', '250 '], ...OPEN, ['.', TAKEN]],
  },
  { name: 'a web page', unannounced: true, steps: [['POST / HTTP/1.1', '421', null]] },
  one('EHLO', '501'),
  one('EHLO two words', '501'),
  one('EHLO [192.0.2.1]', '250-'),
  one('RCPT TO:<erika@HERE>', '503 5.5.1'),
  one('DATA', '503 5.5.1'),
  said('DATA without a recipient', MAIL, ['DATA', '503 5.5.1']),
  said(
    'DATA after refused recipients',
    MAIL,
    ['RCPT TO:<x@example.org>', '550 5.7.1'],
    ['DATA', '503 5.5.1'],
  ),
  said('MAIL in a transaction', MAIL, ['MAIL FROM:<>', '503 5.5.1']),
  said('RSET forgets', MAIL, RCPT, ['RSET', '250 2.0.0'], ['RCPT TO:<erika@HERE>', '503 5.5.1']),
  said('EHLO forgets', MAIL, RCPT, ['EHLO again', '250-'], ['DATA', '503 5.5.1']),
  said('QUIT in a transaction', MAIL, RCPT, ['QUIT', '221 2.0.0', null]),
  said('two mails', ...OPEN, ['.', TAKEN], ...OPEN, ['.', TAKEN]),
  said('small letters', ['mail from:<a@b.example>', '250'], ['rcpt to:<Erika@HERE>', '250'], ['data', '354']),
  said(
    'a blank behind the colon',
    ['MAIL FROM: <a@b.example>', '250 2.1.0'],
    ['RCPT TO: <erika@HERE>', '250'],
  ),
  one('NOOP with words', '250 2.0.0'),
  one('VRFY erika', '252'),
  one('AUTH PLAIN AGEAYg==', '500'),
  one('EXPN staff', '500'),
  one('BDAT 3 LAST', '500'),
  one('XCLIENT ADDR=192.0.2.1', '500'),
  one('ETRN example.org', '500'),
  one('STARTTLS now', '501'),
  said('ten words that are no commands', [raw('X\r\n'.repeat(10)), ...times(9, '500'), '421', null]),
  said('too many mistakes', MAIL, [
    raw('RCPT TO:<x@example.org>\r\n'.repeat(21)),
    ...times(21, '550 5.7.1'),
    '421 4.7.0',
    null,
  ]),
];

const lines: readonly Dialogue[] = [
  one(`NOOP ${'a'.repeat(12_000)}`, '250 2.0.0'),
  said('a command of 13,000 octets', [`NOOP ${'a'.repeat(13_000)}`, '421', null]),
  said('a command that never ends', [raw('a'.repeat(100_000)), '421', null]),
  said('a command octet by octet', [raw('MAIL FROM:<a@b.example>\r\n', 1), '250 2.1.0']),
  mail('a line of 1,000 octets', `x: ${'a'.repeat(995)}\r\n.`, TAKEN),
  mail(
    'a line of 1 MiB',
    raw(() => `\r\n${'a'.repeat(MIB)}\r\n.\r\n`),
    TAKEN,
  ),
  toRecipient(`${'a'.repeat(65)}@HERE`, '250 2.1.5'),
  toRecipient(`${'a'.repeat(10_000)}@HERE`, '501 5.1.3'),
  said('NUL in a command', [raw('NOOP\0\r\n'), '550 5.5.2', null]),
  said('a bare CR in a command', [raw('NOOP\rNOOP\r\n'), '550 5.5.2', null]),
  said('a command that ends in a bare LF', [raw('NOOP\nNOOP\r\n'), '550 5.5.2', null]),
  mail('NUL in the content', 'a\0b\r\n.', '550 5.6.0', null),
  mail('a bare CR in the content', 'a\rb\r\n.', '550 5.5.2', null),
  mail('a bare LF in the content', 'a\nb\r\n.', '550 5.5.2', null),
];

const SMUGGLED = 'MAIL FROM:<a@b.example>\r\nRCPT TO:<erika@HERE>\r\nDATA\r\nSubject: smuggled\r\n\r\n.\r\n';
const smuggling: readonly Dialogue[] = [
  ...['\n.\n', '\n.\r\n', '\r\n.\n', '\r.\r', '\r.\r\n', '\r\n.\r', '\r\n\0.\r\n', '\n..\n'].map((end) =>
    mail(
      `${JSON.stringify(end)} is no end`,
      raw(`Subject: carrier\r\n\r\none${end}${SMUGGLED}\r\n.\r\n`),
      end.includes('\0') ? '550 5.6.0' : '550 5.5.2',
      null,
    ),
  ),
  mail(
    'commands behind the end are commands',
    raw(`.\r\nNOOP\r\nNOOP\nNOOP\r\n`),
    TAKEN,
    '250',
    '550 5.5.2',
    null,
  ),
  mail('the end in single octets', raw('Subject: x\r\n\r\n.\r\n', 1), TAKEN),
  mail('stuffed dots in single octets', raw('..\r\n...\r\n....\r\n.\r\n', 1), TAKEN),
  mail('an empty mail', '.', TAKEN),
];

const pipelining: readonly Dialogue[] = [
  said('MAIL, RCPT and DATA in one segment', [
    raw('MAIL FROM:<>\r\nRCPT TO:<erika@HERE>\r\nDATA\r\n'),
    '250 2.1.0',
    '250 2.1.5',
    '354',
  ]),
  said('one of two recipients in a segment is refused', [
    raw('MAIL FROM:<>\r\nRCPT TO:<x@example.org>\r\nRCPT TO:<erika@HERE>\r\nDATA\r\n'),
    '250',
    '550 5.7.1',
    '250 2.1.5',
    '354',
  ]),
  mail(
    'the next transaction behind the end',
    raw('.\r\nMAIL FROM:<>\r\nRCPT TO:<erika@HERE>\r\n'),
    TAKEN,
    '250',
    '250',
  ),
  said('content before 354', MAIL, RCPT, [raw('DATA\r\nSubject: x\r\n\r\n.\r\n'), '554 5.5.0', null]),
  said('commands behind EHLO', [raw('EHLO x\r\nMAIL FROM:<>\r\n'), '554 5.5.0', null]),
  said('commands behind QUIT', [raw('QUIT\r\nMAIL FROM:<>\r\n'), '221', null]),
  said('a thousand commands in one segment', [raw('NOOP\r\n'.repeat(1_000)), ...times(1_000, '250 2.0.0')]),
];

const recipients: readonly Dialogue[] = [
  said('a hundred recipients, and one more', MAIL, [
    raw(() => Array.from({ length: 101 }, (_, at) => `RCPT TO:<n${at}@HERE>\r\n`).join('')),
    ...times(100, '250 2.1.5'),
    '452 4.5.3',
  ]),
  said(
    '10,000 recipients: the first hundred get it, the others may come again',
    MAIL,
    [
      raw(() => Array.from({ length: 10_000 }, (_, at) => `RCPT TO:<n${at}@HERE>\r\n`).join('')),
      ...times(100, '250 2.1.5'),
      ...times(9_900, '452 4.5.3'),
    ],
    DATA,
    ['.', TAKEN],
  ),
  said(
    'one recipient 1,000 times is one',
    MAIL,
    [raw('RCPT TO:<erika@HERE>\r\n'.repeat(1_000)), ...times(1_000, '250 2.1.5')],
    DATA,
    ['.', TAKEN],
  ),
  toRecipient('held@HERE', '250 2.1.5'),
  toRecipient('anyone+at+all@HERE', '250 2.1.5'),
  toRecipient('rejected@HERE', '550 5.7.1'),
  toRecipient('rejected+plus@HERE', '550 5.7.1'),
  toRecipient('bounced@HERE', '550 5.1.1'),
  toRecipient('erika@OFF', '550 5.2.1'),
  toRecipient('postmaster@OFF', '250 2.1.5'),
  toRecipient('abuse@HERE', '250 2.1.5'),
  toRecipient('postmaster', '250 2.1.5'),
  toRecipient('erika@APEX', '550 5.1.1 this address takes no mail, write to post@in.'),
  toRecipient('erika@www.APEX', '550 5.7.1'),
  toRecipient('erika@in.HERE', '550 5.7.1'),
  toRecipient('erika@send.example.com', '550 5.7.1'),
  toRecipient('erika@in.send.example.com', '550 5.7.1'),
  toRecipient('erika@example.org', '550 5.7.1'),
  toRecipient('erika@mail.example.com', '550 5.1.1'),
  toRecipient('erika%example.org@mail.example.com', '550 5.1.1'),
  toRecipient('@mail.example.com:erika@example.org', '550 5.7.1'),
  toRecipient('example.org!erika@mail.example.com', '550 5.1.1'),
  toRecipient('erika@[127.0.0.1]', '550 5.7.1'),
  toRecipient('erika@HERE.', '501 5.1.3'),
  toRecipient('"erika@example.org"@HERE', '501 5.1.3'),
  toRecipient('erika@example.org@HERE', '501 5.1.3'),
  toRecipient('.erika@HERE', '501 5.1.3'),
  toRecipient('', '501 5.1.3'),
  toRecipient('dmarc@mail.example.com', '250 2.1.5'),
  said('a blocked sender', ['MAIL FROM:<eve@blocked.example>', '250'], ['RCPT TO:<erika@HERE>', '550 5.7.1']),
  said(
    'someone below a blocked domain',
    ['MAIL FROM:<eve@a.Blocked.example>', '250'],
    ['RCPT TO:<erika@HERE>', '550 5.7.1'],
  ),
  said('the null sender', ['MAIL FROM:<>', '250'], RCPT, DATA, ['.', TAKEN]),
  one('MAIL FROM:a@b.example', '501 5.1.7'),
  one('MAIL FROM:<postmaster>', '501 5.1.7'),
];

const parameters: readonly Dialogue[] = [
  ...['SIZE=0', 'SIZE=1000', 'SIZE=37748736', 'BODY=7BIT', 'body=8bitmime', 'SMTPUTF8'].map((one) => [
    one,
    '250 2.1.0',
  ]),
  ...['SIZE=37748737', 'SIZE=99999999999999999999'].map((one) => [one, '552 5.3.4']),
  ...[
    'SIZE=',
    'SIZE',
    'SIZE=many',
    'SIZE=-1',
    'SIZE=999999999999999999999',
    'SIZE=1 SIZE=2',
    'BODY=BINARYMIME',
    'SMTPUTF8=1',
  ].map((one) => [one, '501 5.5']),
  ...['RET=HDRS', 'ENVID=x', 'AUTH=<>', 'MT-PRIORITY=3', 'HOLDFOR=60', 'X'].map((one) => [one, '555 5.5.4']),
  ['REQUIRETLS', '530'],
].map(([parameter, reply]) => one(`MAIL FROM:<a@b.example> ${parameter}`, reply ?? ''));

const addresses: readonly Dialogue[] = [
  said('NOTIFY', MAIL, ['RCPT TO:<erika@HERE> NOTIFY=SUCCESS', '555 5.5.4']),
  said('UTF-8 without SMTPUTF8', MAIL, ['RCPT TO:<ärztin@HERE>', '553 5.6.7']),
  said('UTF-8 in the sender without SMTPUTF8', ['MAIL FROM:<ärztin@b.example>', '553 5.6.7']),
  said(
    'UTF-8 with SMTPUTF8',
    ['MAIL FROM:<用户@例え.example> SMTPUTF8', '250'],
    ['RCPT TO:<ärztin@HERE>', '250'],
    DATA,
    ['.', TAKEN],
  ),
  said(
    'octets that are no UTF-8',
    ['MAIL FROM:<> SMTPUTF8', '250'],
    [raw(Buffer.from('RCPT TO:<\xe4@HERE>\r\n', 'latin1')), '501 5.5.2'],
  ),
  said(
    'a surrogate in UTF-8',
    ['MAIL FROM:<> SMTPUTF8', '250'],
    [raw(Buffer.from('RCPT TO:<\xed\xa0\x80@HERE>\r\n', 'latin1')), '501 5.5.2'],
  ),
  said('an invisible character', ['MAIL FROM:<> SMTPUTF8', '250'], ['RCPT TO:<a\u200bb@HERE>', '501 5.1.3']),
];

const multipart = (boundary: string): string =>
  `MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="${boundary}"\r\n\r\n`;
const nested = (depth: number): string => {
  const begin = Array.from({ length: depth }, (_, at) => `${multipart(`b${at}`)}--b${at}\r\n`).join('');
  const end = Array.from({ length: depth }, (_, at) => `--b${depth - at - 1}--\r\n`).join('');
  return `${begin}Content-Type: text/plain\r\n\r\nthe core\r\n${end}`;
};
const withText = (head: string, body: string | Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(`Subject: x\r\nMIME-Version: 1.0\r\n${head}\r\n\r\n`),
    Buffer.from(body),
    Buffer.from('\r\n.\r\n'),
  ]);

/** With its end. */
export const largestMail = (): Buffer =>
  Buffer.concat([Buffer.alloc(36 * MIB, `\r\n${'a'.repeat(60)}\r\n`), Buffer.from('.\r\n')]);

const contents: readonly Dialogue[] = [
  mail('100 hops', raw(`${'Received: from a by b; date\r\n'.repeat(100)}\r\n.\r\n`), TAKEN),
  mail('101 hops', raw(`${'Received: from a by b; date\r\n'.repeat(101)}\r\n.\r\n`), '554 5.4.6'),
  mail(
    'a header field of 200 KiB',
    raw(() => `Subject: ${'a'.repeat(200 * 1_024)}\r\n\r\n.\r\n`),
    TAKEN,
  ),
  mail(
    'a header field of 1 MiB',
    raw(() => `Subject: ${'a'.repeat(MIB)}\r\n\r\n.\r\n`),
    '552 5.3.4',
  ),
  mail(
    'a header field of 50,000 lines',
    raw(() => `Subject: a${'\r\n b'.repeat(50_000)}\r\n\r\n.\r\n`),
    TAKEN,
  ),
  mail(
    '100,000 header fields',
    raw(() => `${'X: y\r\n'.repeat(100_000)}\r\n.\r\n`),
    '552 5.3.4',
  ),
  mail('900 header fields', raw(`${'X: y\r\n'.repeat(900)}\r\n.\r\n`), TAKEN),
  mail(
    'a From of 18,000 addresses',
    raw(() => `From: ${'a@b.example, '.repeat(18_000)}c@d.example\r\n\r\n.\r\n`),
    TAKEN,
  ),
  mail(
    'a From of 20,000 addresses',
    raw(() => `From: ${'a@b.example, '.repeat(20_000)}c@d.example\r\n\r\n.\r\n`),
    '552 5.3.4',
  ),
  mail(
    'a From of 100,000 open comments',
    raw(() => `From: ${'('.repeat(100_000)}\r\n\r\n.\r\n`),
    TAKEN,
  ),
  mail(
    'nine hundred signatures',
    raw(
      () =>
        `${'DKIM-Signature: v=1; a=rsa-sha256; d=b.example; s=x; h=from; bh=x; b=x\r\n'.repeat(900)}From: a@b.example\r\n\r\n.\r\n`,
    ),
    TAKEN,
  ),
  mail('a header and no body', 'Subject: x\r\n.', TAKEN),
  mail('a body and no header', '\r\nbody\r\n.', TAKEN),
  mail(
    'parts 1,000 deep',
    raw(() => `Subject: deep\r\n${nested(1_000)}.\r\n`),
    TAKEN,
  ),
  mail(
    'a million parts',
    raw(() => `Subject: parts\r\n${multipart('b')}${'--b\r\n\r\n'.repeat(1_000_000)}--b--\r\n.\r\n`),
    TAKEN,
  ),
  mail(
    'a boundary of 100,000 octets',
    raw(() => `${multipart('b'.repeat(100_000))}--b\r\n.\r\n`),
    TAKEN,
  ),
  mail(
    'messages in messages',
    raw(() => `${'Content-Type: message/rfc822\r\n\r\n'.repeat(10_000)}x\r\n.\r\n`),
    TAKEN,
  ),
  mail(
    '20 MiB of base64',
    raw(() =>
      withText(
        'Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64',
        `${'QUFB'.repeat(19)}\r\n`.repeat(268_000),
      ),
    ),
    TAKEN,
  ),
  mail(
    'base64 in base64 that is none',
    raw(withText('Content-Transfer-Encoding: base64', '====\r\n%%%%\r\nQQ')),
    TAKEN,
  ),
  mail(
    '4 MiB of quoted blanks',
    raw(() => withText('Content-Transfer-Encoding: quoted-printable', `${' '.repeat(4 * MIB)}=`)),
    TAKEN,
  ),
  mail(
    '5 MiB of HTML, one tag deep in the other',
    raw(() => withText('Content-Type: text/html', '<div>'.repeat(MIB))),
    TAKEN,
  ),
  mail(
    'a charset that does not exist',
    raw(withText('Content-Type: text/plain; charset=martian', 'ä')),
    TAKEN,
  ),
  mail(
    'a charset of a kilobyte',
    raw(withText(`Content-Type: text/plain; charset="${'x'.repeat(1_024)}"`, 'ä')),
    TAKEN,
  ),
  mail(
    'ISO-2022-JP that stops in its middle',
    raw(withText('Content-Type: text/plain; charset=iso-2022-jp', '\x1b$B$3')),
    TAKEN,
  ),
  mail('UTF-16 of an odd length', raw(withText('Content-Type: text/plain; charset=utf-16', 'abc')), TAKEN),
  mail('UTF-7', raw(withText('Content-Type: text/html; charset=utf-7', '+ADw-script+AD4-')), TAKEN),
  mail(
    'encoded words that are broken',
    'Subject: =?utf-8?q?=E4=?= =?x?y?z?= =?utf-8?b?////?=\r\n\r\n.',
    TAKEN,
  ),
  mail(
    'a header of octets that are no UTF-8',
    raw(Buffer.from('Subject: \xe4\xff\xfe\r\nFrom: \xe4 <a@b.example>\r\n\r\n.\r\n', 'latin1')),
    TAKEN,
  ),
  mail(
    'more than the largest size',
    raw(() => Buffer.concat([Buffer.alloc(36 * MIB, `${'a'.repeat(62)}\r\n`), Buffer.from('x\r\n.\r\n')])),
    '552 5.3.4',
  ),
  mail('the largest size', raw(largestMail), TAKEN),
];

export const dialogues: readonly Dialogue[] = [
  ...order,
  ...lines,
  ...smuggling,
  ...pipelining,
  ...recipients,
  ...parameters,
  ...addresses,
  ...contents,
];
