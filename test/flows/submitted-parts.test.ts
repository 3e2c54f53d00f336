// What mail programs submit leaves with its parts: Python's parser reads the message that went in and the one that came out,
// and both trees are compared part by part.
// @module-tag debian/python3
import { execFile, execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { createTransport } from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CALENDAR, PDF, PNG } from '#test/fixtures/mail-programs.ts';
import { SIGNED_ENTITY, submittedTree, submittedTrees } from '#test/fixtures/submitted-trees.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';
import { talkTo } from '#test/support/smtp-talk.ts';
import { temporaryDirectory } from './fixture.ts';

const files = new AsyncDisposableStack();
let app: TestApp;
let receiver: SmtpReceiver;
let sender: Sender;
let from: string;
let port: number;

beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({
    receiver,
    upstream: { control_headers: ['X-Relay-*', 'X-Pool'] },

    config: { smtp: { submission: { listen: '127.0.0.1:0' } } },
  });
  port = app.submissionPorts.port ?? 0;
  sender = await app.createSender({ plan: 'gruppe' });
  from = sender.practice.default_from;
});

afterAll(async () => {
  await app.remove();
  await receiver.stop();
  await files.disposeAsync();
});

const submit = async (message: Buffer, recipient: string): Promise<string> => {
  const talk = await talkTo(port);
  await talk.hello();
  await talk.say(`AUTH PLAIN ${Buffer.from(`\0praxis\0${sender.token}`).toString('base64')}`);
  await talk.say('MAIL FROM:<anybody@anywhere.example>');
  await talk.say(`RCPT TO:<${recipient}>`);
  await talk.say('DATA');
  talk.write(Buffer.from(`${message.toString('latin1').replace(/^\./gm, '..')}.\r\n`, 'latin1'));
  const reply = await talk.reply();
  talk.end();
  return reply ?? '';
};

const arrived = async (recipient: string): Promise<Buffer> => {
  const find = () => receiver.messages.findLast(({ recipients }) => recipients[0]?.address === recipient);
  await until(`a message for ${recipient} has come`, async () => find() !== undefined);
  return find()?.content ?? Buffer.alloc(0);
};

interface Part {
  readonly type: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly disposition: string | null;
  readonly disposition_parameters: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
  /** Of text as text, else as base64. */
  readonly content: string;
  readonly parts: readonly Part[];
}

const READER = `
import base64, email, email.policy, json, sys
FIELDS = 'Content-ID', 'Content-Description', 'Content-Location', 'Content-Language', 'Content-Class'
def read(part):
    kind, placed = part['content-type'], part['content-disposition']
    content = '' if part.is_multipart() else part.get_payload(decode=True)
    if part.get_content_maintype() == 'text' and part.get_content_subtype() != 'calendar' and part.get_content_disposition() != 'attachment':
        content = content.decode(part.get_content_charset() or 'utf-8').replace('\\r\\n', '\\n')
    elif content != '':
        content = base64.b64encode(content).decode()
    return {
        'type': part.get_content_type(),
        'parameters': dict(kind.params) if kind else {},
        'disposition': part.get_content_disposition(),
        'disposition_parameters': dict(placed.params) if placed else {},
        'fields': {name: str(part[name]) for name in FIELDS if part[name]},
        'content': content,
        'parts': [read(one) for one in part.iter_parts()] if part.is_multipart() else [],
    }
print(json.dumps([read(email.message_from_bytes(base64.b64decode(line), policy=email.policy.default)) for line in sys.stdin]))
`;

const readParts = (...messages: readonly Buffer[]): Part[] =>
  JSON.parse(
    execFileSync('/usr/bin/python3', ['-c', READER], {
      input: messages.map((message) => `${message.toString('base64')}\n`).join(''),
    }).toString(),
  );

const without = (parameters: Part['parameters'], ...names: readonly string[]): Part['parameters'] =>
  Object.fromEntries(Object.entries(parameters).filter(([name]) => !names.includes(name)));

/** What of a part must be as it was. Text leaves in UTF-8 and without empty lines at its end. */
const essence = (part: Part, isSigned = part.type === 'multipart/signed'): unknown => {
  const isText = /^text\/(?:plain|html)$/.test(part.type) && part.disposition !== 'attachment';
  const changes = isSigned ? [] : isText ? ['charset'] : part.parts.length > 0 ? ['boundary'] : [];
  return {
    ...part,
    parameters: without(part.parameters, ...changes),
    content:
      isText && !isSigned ? part.content.trimEnd().replace(/(?<=charset=)[\w-]+/, 'utf-8') : part.content,
    parts: part.parts.map((child) => essence(child, isSigned)),
  };
};

const textsIn = (part: Part): Part[] =>
  /^text\/(?:plain|html)$/.test(part.type) && part.disposition !== 'attachment'
    ? [part]
    : part.type === 'multipart/signed'
      ? []
      : part.parts.flatMap(textsIn);

const shape = (part: Part): string =>
  part.parts.length === 0 ? part.type : `${part.type}(${part.parts.map(shape).join(' ')})`;

/** These have no text, which the route's `plain_text_fallback` adds. */
const HTML_ALONE = ['WordPress, HTML alone', 'Django, HTML with images but without a text'];

describe('parts keep type, parameters, disposition, fields, content and place', () => {
  const recipientOf = (name: string): string => `${name.toLowerCase().replace(/\W+/g, '-')}@example.org`;
  let trees: ReadonlyMap<string, { before: Part; after: Part; received: string }>;

  beforeAll(async () => {
    const pairs = await Promise.all(
      submittedTrees.map(async (name) => {
        const sent = submittedTree(name, from, recipientOf(name));
        expect(await submit(sent, recipientOf(name))).toMatch(/^250 /);
        return { name, sent, received: await arrived(recipientOf(name)) };
      }),
    );
    const read = readParts(...pairs.flatMap(({ sent, received }) => [sent, received]));
    trees = new Map(
      pairs.map(({ name, received }, index) => {
        const [before, after] = read.slice(2 * index);
        if (!before || !after) throw new Error('nothing was read');
        return [name, { before, after, received: received.toString('latin1') }];
      }),
    );
  });

  test.each(submittedTrees)('%s', (name) => {
    const { before, after, received } = trees.get(name) ?? {};
    if (!before || !after || !received) throw new Error('it did not arrive');
    expect(received).not.toMatch(/[^\t\r\n\x20-\x7e]|[^\r]\n|[^\r\n]{999}/);
    if (HTML_ALONE.includes(name)) {
      expect(shape(after)).toBe(`multipart/alternative(text/plain ${shape(before)})`);
      expect(after.parts[1] && essence(after.parts[1])).toEqual(essence(before));
    } else expect(essence(after)).toEqual(essence(before));
    for (const text of textsIn(after)) expect(text.parameters).toMatchObject({ charset: 'utf-8' });
    if (name.includes('signed')) expect(received).toContain(`\r\n${SIGNED_ENTITY}\r\n--`);
  });
});

test('what no rule reads as text is no text: inline files are attached, names of text and other forms go', async () => {
  const to = 'unread@example.org';
  const part = (type: string, fields: string, content: string): string =>
    `--b\r\nContent-Type: ${type}\r\n${fields}\r\n${content}\r\n`;
  const form = (type: string): string => part(type, '', 'Guten Tag').replace('--b', '--a');
  const message = `From: ${from}\r\nTo: ${to}\r\nSubject: Werte\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${[
    part(
      'multipart/alternative; boundary=a',
      '',
      `${['text/plain; name="Werte.txt"', 'text/enriched', 'text/watch-html', 'text/x-amp-html'].map(form).join('')}--a--`,
    ),
    part('text/csv', 'Content-Disposition: inline; filename="Werte.csv"\r\n', 'Name;Wert\r\nMayer;1'),
  ].join('')}--b--\r\n`;
  expect(await submit(Buffer.from(message), to)).toMatch(/^250 /);
  const [received] = readParts(await arrived(to));
  expect(received && shape(received)).toBe('multipart/mixed(multipart/alternative(text/plain) text/csv)');
  expect(received?.parts[0]?.parts[0]?.parameters).toEqual({ charset: 'utf-8' });
  expect(received?.parts[1]).toMatchObject({
    disposition: 'attachment',
    disposition_parameters: { filename: 'Werte.csv' },
  });
});

describe('genuine clients', () => {
  test('nodemailer with icalEvent: the invitation is an alternative with its method, and a file', async () => {
    const transport = createTransport({
      host: '127.0.0.1',
      port,
      auth: { user: 'praxis', pass: sender.token },
    });
    const to = 'nodemailer@example.org';
    await transport.sendMail({
      from,
      to,
      subject: 'Termin',
      text: 'Am Montag',
      html: '<p>Am Montag <img src="cid:logo@praxis"></p>',
      icalEvent: { method: 'REQUEST', content: CALENDAR, filename: 'invite.ics' },
      attachments: [{ filename: 'logo.png', content: Buffer.from(PNG), cid: 'logo@praxis' }],
    });
    const [received] = readParts(await arrived(to));
    expect(received && shape(received)).toBe(
      'multipart/mixed(multipart/alternative(text/plain multipart/related(text/html image/png) text/calendar) application/ics)',
    );
    const alternative = received?.parts[0]?.parts[2];
    expect(alternative).toMatchObject({
      parameters: { charset: 'utf-8', method: 'REQUEST' },
      disposition: null,
    });
    expect(Buffer.from(alternative?.content ?? '', 'base64').toString()).toBe(CALENDAR);
  });

  test('EmailMessage and smtplib: related images, an invitation and a file', async () => {
    const to = 'python@example.org';
    const script = `
import smtplib, sys, base64, json
from email.message import EmailMessage
given = json.load(sys.stdin)
mail = EmailMessage()
mail['From'], mail['To'], mail['Subject'] = given['from'], given['to'], 'Größe'
mail.set_content('Schöne Grüße')
mail.add_alternative('<p>Schöne Grüße <img src="cid:logo@praxis"></p>', subtype='html')
mail.get_payload()[1].add_related(base64.b64decode(given['png']), 'image', 'png', cid='<logo@praxis>')
mail.add_alternative(given['calendar'], subtype='calendar', params={'method': 'REQUEST'})
mail.add_attachment(base64.b64decode(given['pdf']), 'application', 'pdf', filename='Röntgen.pdf')
open(given['file'], 'wb').write(mail.as_bytes().replace(b'\\n', b'\\r\\n'))
with smtplib.SMTP('127.0.0.1', given['port']) as smtp:
    smtp.login('praxis', given['token'])
    smtp.send_message(mail)
`;
    const kept = path.join(await temporaryDirectory(files), 'sent.eml');
    const given = { from, to, port, token: sender.token, calendar: CALENDAR, file: kept };
    const binary = { png: Buffer.from(PNG).toString('base64'), pdf: Buffer.from(PDF).toString('base64') };
    const running = promisify(execFile)('/usr/bin/python3', ['-c', script]);
    running.child.stdin?.end(JSON.stringify({ ...given, ...binary }));
    await running;
    const [before, after] = readParts(readFileSync(kept), await arrived(to));
    expect(after && essence(after)).toEqual(before && essence(before));
  });
});

describe('what is signed', () => {
  test('by S/MIME verifies where it arrives', { tags: 'debian/openssl' }, async () => {
    const directory = await temporaryDirectory(files);
    const at = (name: string): string => path.join(directory, name);
    const openssl = (...args: readonly string[]): Buffer =>
      execFileSync('/usr/bin/openssl', args, { stdio: 'pipe' });
    openssl(
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', at('key'), '-out', at('cert')],
      ...[
        '-days',
        '2',
        '-subj',
        `/CN=praxis/emailAddress=${from}`,
        '-addext',
        'extendedKeyUsage=emailProtection',
      ],
    );
    writeFileSync(at('entity'), SIGNED_ENTITY);
    const to = 'smime@example.org';
    const headers = ['-from', from, '-to', to, '-subject', 'Befund'];
    const keys = ['-signer', at('cert'), '-inkey', at('key')];
    const sent = openssl('cms', '-sign', '-in', at('entity'), '-crlfeol', ...keys, ...headers);
    const whole = Buffer.from(sent.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1');
    const reply = await submit(whole, to);
    expect(reply).toMatch(/^250 /);
    writeFileSync(at('received'), await arrived(to));
    const verified = openssl('cms', '-verify', '-in', at('received'), '-CAfile', at('cert'));
    expect(verified.toString('latin1')).toBe(SIGNED_ENTITY);
    const id = /queued as ([0-9a-f-]{36})/.exec(reply)?.[1] ?? '';
    const { text, attachments } = await app.untilStatus(sender, id, 'processed');
    expect({ text, attachments }).toMatchObject({
      text: 'Schöne Grüße \n\n-- \nPraxis  am\tMarkt\n',
      attachments: [{ filename: 'Befund.pdf', content_type: 'application/pdf', size: PDF.length }],
    });
    const shown = await app.request<string>(
      'GET',
      `${sender.base}/messages/${id}/source`,
      undefined,
      sender.token,
    );
    expect(shown.text).toContain(`\r\n${SIGNED_ENTITY}\r\n--`);
  });

  test.each<[string, RegExp | string, string, RegExp]>([
    ['in 8-bit lines', 'Sch=C3=B6ne', 'Sch\xc3\xb6ne', /^554 5\.6\.1 .*on the way/],
    ['in a line of 999 characters', 'Praxis  am', 'x'.repeat(999), /^554 5\.6\.1 .*on the way/],
    ['with a file that is not allowed', '"Befund.pdf"', '"Befund.exe"', /^550 5\.7\.1 .*Befund\.exe/],
    ['with a file of two names', /(?<=application\/pdf)/, '; name="Befund.exe"', /^554 5\.6\.1 .*differ/],
    [
      'with two types',
      /(?=Content-Type: application\/pdf)/,
      'Content-Type: text/html\r\n',
      /^55\d .*(?:differ|Befund)/,
    ],
    [
      'with a page that no rule reads',
      'Content-Type: text/plain',
      'Content-Type: text/x-amp-html',
      /^554 5\.6\.1 .*differ/,
    ],
    [
      'with a page that is a file too',
      'text/plain; ',
      'text/html; name=a.html; ',
      /^55\d .*(?:differ|a\.html)/,
    ],
    [
      'with a program as signature',
      'name="signature.asc"',
      'name="signature.exe"',
      /^554 5\.6\.1 .*its signature/,
    ],
    ['with anything else as signature', '-----BEGIN PGP SIGNATURE', 'MZ', /^554 5\.6\.1 .*its signature/],
  ])('is refused %s', async (_, replaced, by, reply) => {
    const to = 'refused@example.org';
    const sent = submittedTree('Mutt, signed by OpenPGP', from, to).toString('latin1').replace(replaced, by);
    expect(await submit(Buffer.from(sent, 'latin1'), to)).toMatch(reply);
  });
});

describe('header fields by which relays take orders', () => {
  const orders = { 'X-SMTPAPI': '{}', 'X-Virtual-MTA': 'pool-1', 'X-Relay-Queue': 'fast', 'x-pool': '7' };

  test.each(Object.entries(orders))('%s is refused by API', async (name, value) => {
    const body = { to: 'api@example.org', subject: 'Termin', text: 'Guten Tag', headers: { [name]: value } };
    const answer = await app.request('POST', `${sender.base}/send`, body, sender.token);
    expect(answer).toMatchObject({ status: 422, body: { code: 'header_not_allowed', header: name } });
  });

  test('leave no copy of what Outlook submits, and its other fields do', async () => {
    const to = 'outlook@example.org';
    const own = {
      'X-MS-Exchange-Organization-SCL': '-1',
      'X-MS-Has-Attach': 'yes',
      'X-Poolside': 'no',
      ...orders,
    };
    const head = Object.entries({ From: from, To: to, Subject: 'Termin', ...own });
    const message = `${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\nGuten Tag\r\n`;
    expect(await submit(Buffer.from(message), to)).toMatch(/^250 /);
    const names = (await arrived(to)).toString('latin1').match(/^X-[\w-]+(?=:)/gim);
    expect(names).toEqual(['X-MS-Has-Attach', 'X-Poolside']);
  });
});
