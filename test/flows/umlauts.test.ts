// One message with umlauts in every place, an inline image, two attachments and an invitation: composed once, read back by
// two parsers that share nothing, and shown to two spam scanners, as is a newsletter: their rules of form find nothing.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text as readAll } from 'node:stream/consumers';
import { domainToASCII } from 'node:url';
import { crc32, deflateSync } from 'node:zlib';
import { type AddressObject, simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { RSPAMD_START_MS, type Rspamd, startRspamd } from '#test/support/rspamd.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const TIMEOUT_MS = 120_000;

/** 32 × 32 pixels in one green. */
const png = (): Buffer => {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const crc = Buffer.alloc(4);
    crc.writeUInt32BE(crc32(body));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    return Buffer.concat([length, body, crc]);
  };
  const header = Buffer.from([0, 0, 0, 32, 0, 0, 0, 32, 8, 2, 0, 0, 0]);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(96, Buffer.from([0x2e, 0x8b, 0x57]))]);
  const pixels = deflateSync(Buffer.concat(Array(32).fill(row)));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', pixels),
    chunk('IEND', Buffer.alloc(0)),
  ]);
};

const PNG = png();
const PDF = Buffer.from(
  `%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n`,
);
const CSV = Buffer.from('Größe;Name\r\n38;Jörg\r\n42;Zoë\r\n');

/** Long enough that no filter takes it for a picture with a few words. */
const advice = [
  'In den ersten Minuten füllen Sie bitte den Bogen aus, den Sie am Empfang erhalten; wer ihn schon von zu Hause mitbringt, wartet kürzer.',
  'Neben der Tür finden Sie einen Aufzug, der Eingang ist ohne Stufen zu erreichen, und auf dem Hof stehen zwei Plätze für Menschen mit Ausweis bereit.',
  'Hören Sie schlecht oder brauchen Sie jemanden, der übersetzt? Sagen Sie es uns vorher, damit wir uns darauf einrichten können.',
  'Nüchtern müssen Sie nicht kommen, begleiten darf Sie, wer mag, und eine Quittung für die Fahrt schreiben wir Ihnen am Empfang aus.',
  'Mit der Buslinie 7 fahren Sie bis zur Haltestelle Rathaus; von dort sind es noch drei Minuten zu Fuß, immer an der alten Mauer entlang.',
  'Wer mit dem Rad kommt, stellt es am besten unter das Dach im Hof. Die Zufahrt von der Gartenstraße ist bis auf Weiteres gesperrt.',
  'Unser Wartezimmer liegt jetzt im ersten Stock. Für Kinder gibt es dort eine Ecke mit Büchern, und am Fenster steht frisches Wasser.',
  'Ergebnisse besprechen wir nur mit Ihnen selbst, am Telefon nach Rückruf oder beim nächsten Besuch, und niemals über einen offenen Weg.',
];
const letter = Array.from({ length: 3 }, () => advice.map((line) => `<li>${line}</li>`).join('\n')).join(
  '\n',
);

const content = {
  to: ['"Müller-Lüdenscheidt, Jörg" <joerg@bücher.example>', 'Åsa Ångström <asa@example.org>'],
  cc: 'Zoë Groß <zoe@straße.example>',
  reply_to: '"Praxis Müller & Söhne" <praxis@müller.example>',
  subject: 'Bestätigung: Ihr Termin am Dienstag, den 1. Dezember, um 10 Uhr – Größe „L“ nicht vergessen',
  text: 'Guten Tag Herr Müller-Lüdenscheidt,\n\nwir bestätigen Ihren Termin am Dienstag, den 1. Dezember 2026, um 10:00 Uhr.\n\nBitte bringen Sie Ihre Versichertenkarte und den Überweisungsschein mit. Den Weg zu uns finden Sie in der Anlage; Änderungen teilen Sie uns bitte bis zum Vortag mit.\n\nFalls Sie verhindert sind, rufen Sie uns an: Wir finden einen anderen Tag und geben den frei gewordenen Platz gern weiter.\n\n.\n..\nFrom hier an grüßt Sie\nIhre Praxis Müller & Söhne\n',
  html: `<!DOCTYPE html>\n<html lang="de"><head><meta charset="utf-8"><title>Ihr Termin</title></head><body><p>Guten Tag Herr Müller-Lüdenscheidt,</p><p>wir bestätigen Ihren Termin am <b>Dienstag, den 1. Dezember 2026, um 10:00 Uhr</b>.</p><p>Bitte bringen Sie Ihre Versichertenkarte und den Überweisungsschein mit. Den Weg zu uns finden Sie in der Anlage; Änderungen teilen Sie uns bitte bis zum Vortag mit.</p><p>Falls Sie verhindert sind, rufen Sie uns an: Wir finden einen anderen Tag und geben den frei gewordenen Platz gern weiter.</p><ul>${letter}</ul><p>Es grüßt Sie<br>Ihre Praxis Müller &amp; Söhne</p><p><img src="cid:logo-gruen" alt="Praxis Müller &amp; Söhne" width="32" height="32"></p></body></html>\n`,
  message_kind: 'termin',
  tags: ['Grüße', 'ärztlich'],
  metadata: { größe: 'zwölf' },
  headers: { 'X-Anliegen': 'Größe und Übergröße' },
  attachments: [
    { filename: 'Logo grün.png', content: PNG.toString('base64'), content_id: 'logo-gruen' },
    { filename: 'Überweisung für März.pdf', content: PDF.toString('base64') },
    { filename: 'Größen, Maße; „alle“.csv', content: CSV.toString('base64') },
  ],
  calendar: {
    summary: 'Termin Praxis Müller & Söhne',
    starts_at: '2026-12-01T10:00',
    ends_at: '2026-12-01T10:30',
    location: 'Große Straße 1, 20095 Hamburg; Eingang im Hof',
    description: 'Bitte läuten.\nDie Tür klemmt.',
    time_zone: 'Europe/Berlin',
  },
};

interface Arrived {
  readonly source: Buffer;
  readonly mailFrom: string;
  readonly recipient: string;
}

let receiver: SmtpReceiver;
let app: TestApp;
let sender: Sender;
/** The first recipient's copy. */
let appointment: Arrived;
let source: Buffer;

const arrivalOf = async (by: Sender, fields: Readonly<Record<string, unknown>>): Promise<Arrived> => {
  const id = await app.send(by, fields);
  await until('all copies have arrived', async () => {
    const { recipients } = await app.message(by, id);
    return recipients.every(({ status }) => status === 'processed');
  });
  const [first] = (await app.message(by, id)).recipients;
  for (const { content, mailFrom, recipients } of receiver.messages) {
    const recipient = recipients[0]?.address ?? '';
    if (content.includes(`<${id}@`) && recipient === first?.address)
      return { source: content, mailFrom, recipient };
  }
  throw new Error('no copy');
};

beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await startApp({ receiver, config: { service: { public_origin: 'https://mail.example.com' } } });
  sender = await app.createSender({ name: 'Praxis Müller & Söhne', plan: 'supporter' });
  appointment = await arrivalOf(sender, content);
  ({ source } = appointment);
}, TIMEOUT_MS);
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

interface Part {
  readonly type: string;
  readonly filename: string | null;
  readonly id: string | null;
  readonly disposition: string | null;
  /** base64 */
  readonly content: string;
}

interface Read {
  readonly subject: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly cc: readonly string[];
  readonly replyTo: readonly string[];
  readonly messageId: string;
  readonly concern: string;
  readonly text: string;
  readonly html: string;
  /** What is neither, in its order. */
  readonly parts: readonly Part[];
}

const ended = (text: string): string => text.replace(/\r\n/g, '\n').trimEnd();

/** Readers show domains as people read them, or as they are on the wire. */
const mailbox = (name: string, address: string): string => {
  const [localPart, domain = ''] = address.split('@');
  return `${name} <${localPart}@${domainToASCII(domain)}>`;
};

/** mailparser leaves fields that it does not know as they are. */
const decodedWords = (value: string): string =>
  value.replace(/=\?UTF-8\?B\?([^?]*)\?=/g, (_, payload) => Buffer.from(payload, 'base64').toString());

const readByMailparser = async (): Promise<Read> => {
  const mail = await simpleParser(source, {
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipImageLinks: true,
  });
  const mailboxes = (field: AddressObject | AddressObject[] | undefined): string[] =>
    [field ?? []]
      .flat()
      .flatMap(({ value }) => value.map(({ name, address }) => mailbox(name, address ?? '')));
  return {
    subject: mail.subject ?? '',
    from: mailboxes(mail.from),
    to: mailboxes(mail.to),
    cc: mailboxes(mail.cc),
    replyTo: mailboxes(mail.replyTo),
    messageId: mail.messageId ?? '',
    concern: decodedWords(String(mail.headers.get('x-anliegen'))),
    text: ended(mail.text ?? ''),
    html: ended(mail.html || ''),
    parts: mail.attachments.map(({ contentType, filename, contentId, contentDisposition, content }) => ({
      type: contentType,
      filename: filename ?? null,
      id: contentId ?? null,
      disposition: contentDisposition ?? null,
      content: Buffer.from(content).toString('base64'),
    })),
  };
};

const PYTHON_READER = `
import base64, email, email.policy, json, sys

message = email.message_from_bytes(sys.stdin.buffer.read(), policy=email.policy.default)
boxes = lambda name: [[box.display_name, box.addr_spec] for box in message[name].addresses]
bodies = [message.get_body((kind,)) for kind in ("plain", "html")]
leaves = [part for part in message.walk() if not part.is_multipart() and part not in bodies]
defects = [repr(defect) for part in message.walk() for defect in part.defects]
defects += [repr(defect) for part in message.walk() for value in part.values() for defect in value.defects]
print(json.dumps({
    "defects": defects,
    "subject": message["subject"],
    "from": boxes("from"), "to": boxes("to"), "cc": boxes("cc"), "replyTo": boxes("reply-to"),
    "messageId": message["message-id"],
    "concern": message["x-anliegen"],
    "text": bodies[0].get_content(),
    "html": bodies[1].get_content(),
    "parts": [{
        "type": part.get_content_type(),
        "filename": part.get_filename(),
        "id": part["content-id"],
        "disposition": part.get_content_disposition(),
        "content": base64.b64encode(part.get_payload(decode=True)).decode(),
    } for part in leaves],
}))
`;

/** Feeds the message to a program. */
const feed = async (child: ChildProcess, input: Buffer): Promise<string> => {
  child.stdin?.end(input);
  const closed = once(child, 'close');
  const [said, complained] = await Promise.all(
    [child.stdout, child.stderr].map((out) => (out ? readAll(out) : '')),
  );
  const [code] = await closed;
  if (code !== 0) throw new Error(`${child.spawnfile} ended with ${code}: ${complained}`);
  return said ?? '';
};

type Boxes = readonly (readonly [name: string, address: string])[];

const readByPython = async (): Promise<Read & { readonly defects: readonly string[] }> => {
  const read = JSON.parse(await feed(spawn('/usr/bin/python3', ['-c', PYTHON_READER]), source));
  const mailboxes = (boxes: Boxes): string[] => boxes.map(([name, address]) => mailbox(name, address));
  return {
    ...read,
    from: mailboxes(read.from),
    to: mailboxes(read.to),
    cc: mailboxes(read.cc),
    replyTo: mailboxes(read.replyTo),
    text: ended(read.text),
    html: ended(read.html),
  };
};

test('mailparser and Python’s email read the same, and what was sent', {
  timeout: TIMEOUT_MS,
  tags: 'debian/python3',
}, async () => {
  const [read, { defects, ...other }] = await Promise.all([readByMailparser(), readByPython()]);
  // A plain name stands beside each that is not, for readers that know no RFC 2231.
  expect(defects.filter((defect) => !defect.includes('duplicate parameter name'))).toEqual([]);
  expect(other).toEqual(read);
  const host = sender.practice.managed_host;
  const shown = {
    subject: content.subject,
    from: [`Praxis Müller & Söhne <noreply@${host}>`],
    to: ['Müller-Lüdenscheidt, Jörg <joerg@xn--bcher-kva.example>', 'Åsa Ångström <asa@example.org>'],
    cc: ['Zoë Groß <zoe@xn--strae-oqa.example>'],
    replyTo: ['Praxis Müller & Söhne <praxis@xn--mller-kva.example>'],
    concern: 'Größe und Übergröße',
  };
  expect(read).toMatchObject(shown);
  expect(read.text).toMatch(
    /^Guten Tag Herr Müller-Lüdenscheidt,\n\nwir bestätigen .*\n\n\.\n\.\.\nFrom hier an grüßt Sie\n/s,
  );
  expect(read.text.startsWith(content.text.trimEnd())).toBe(true);
  const [head = ''] = content.html.replace('cid:logo-gruen', `cid:logo-gruen@${host}`).split('</body>');
  expect(read.html.startsWith(head)).toBe(true);
  const [invitation, image, ...files] = read.parts;
  expect(image).toEqual({
    type: 'image/png',
    filename: 'Logo grün.png',
    id: `<logo-gruen@${host}>`,
    disposition: 'inline',
    content: PNG.toString('base64'),
  });
  const file = { id: null, disposition: 'attachment' };
  expect(files).toEqual([
    {
      ...file,
      type: 'application/pdf',
      filename: 'Überweisung für März.pdf',
      content: PDF.toString('base64'),
    },
    { ...file, type: 'text/csv', filename: 'Größen, Maße; „alle“.csv', content: CSV.toString('base64') },
    { ...file, type: 'application/ics', filename: 'invite.ics', content: invitation?.content },
  ]);
  expect(invitation).toMatchObject({ type: 'text/calendar', filename: null, disposition: null });
});

test('no line is too long, none ends alone, and all is ASCII', () => {
  const text = source.toString('latin1');
  expect(text).toMatch(/^[\t\r\n\x20-\x7e]*$/);
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
  expect(Math.max(...text.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998);
});

const CALENDAR_READER = `
import json, sys
from icalendar import Calendar

calendar = Calendar.from_ical(sys.stdin.buffer.read())
event, = calendar.walk("VEVENT")
print(json.dumps({
    "method": str(calendar["METHOD"]),
    "errors": len(calendar.errors) + len(event.errors),
    "start": event.decoded("DTSTART").isoformat(), "end": event.decoded("DTEND").isoformat(),
    "summary": str(event["SUMMARY"]), "location": str(event["LOCATION"]),
    "description": str(event["DESCRIPTION"]),
    "organizer": [event["ORGANIZER"].params["CN"], str(event["ORGANIZER"])],
    "attendee": [event["ATTENDEE"].params["CN"], str(event["ATTENDEE"])],
}))
`;

test('python3-icalendar reads the invitation', {
  timeout: TIMEOUT_MS,
  tags: 'debian/python3-icalendar',
}, async () => {
  const { parts } = await readByMailparser();
  const invitation = Buffer.from(parts[0]?.content ?? '', 'base64');
  const read = JSON.parse(await feed(spawn('/usr/bin/python3', ['-c', CALENDAR_READER]), invitation));
  const { calendar } = content;
  expect(read).toEqual({
    method: 'REQUEST',
    errors: 0,
    start: '2026-12-01T10:00:00+01:00',
    end: '2026-12-01T10:30:00+01:00',
    summary: calendar.summary,
    location: calendar.location,
    description: calendar.description,
    organizer: ['Praxis Müller & Söhne', `mailto:noreply@${sender.practice.managed_host}`],
    attendee: ['Müller-Lüdenscheidt, Jörg', 'mailto:joerg@xn--bcher-kva.example'],
  });
});

describe('spam scanners find nothing in the form of', {
  tags: ['debian/rspamd', 'debian/spamassassin'],
}, () => {
  let rspamd: Rspamd;
  let newsletter: Arrived;

  beforeAll(async () => {
    rspamd = await startRspamd();
    // All there is below it: a practice on the Test plan, in a mail to many.
    const tester = await app.createSender({ name: 'Praxis am Südtor' });
    const legal = {
      street: 'Große Straße 1',
      city: '20095 Hamburg',
      privacy_url: 'https://www.example.com/datenschutz',
    };
    const { status } = await app.request('PATCH', `${tester.base}/compliance`, legal, app.adminToken);
    expect(status).toBe(200);
    newsletter = await arrivalOf(tester, {
      to: 'Åsa Ångström <asa@example.org>',
      subject: 'Neues aus der Praxis am Südtor',
      // The text is made from the HTML.
      text: undefined,
      html: `<!DOCTYPE html>\n<html lang="de"><head><title>Neues</title></head><body><h1>Wir sind umgezogen</h1><ul>${letter}</ul><p><a href="https://www.example.com/umzug">Unsere neuen Räume</a></p></body></html>`,
      route: 'broadcast',
      message_kind: 'newsletter',
    });
    const { html } = await simpleParser(newsletter.source, { skipImageLinks: true });
    expect(html).toMatch(/href="[^"]*\/t\/c\/[^"]*".*src="[^"]*\/t\/o\//s);
    for (const words of ['Versendet mit', 'Datenschutzerkl', 'abmelden'])
      expect(newsletter.source.toString()).toContain(words);
  }, RSPAMD_START_MS + TIMEOUT_MS);
  afterAll(() => rspamd?.stop());

  const messages: readonly (readonly [title: string, message: () => Arrived, signs: readonly string[]])[] = [
    [
      'the appointment',
      () => appointment,
      ['HAS_ATTACHMENT', 'HAS_LIST_UNSUB', 'MIME_GOOD', 'MID_RHS_MATCH_FROM'],
    ],
    [
      'a newsletter with all that is put below it',
      () => newsletter,
      ['HAS_LIST_UNSUB', 'PRECEDENCE_BULK', 'MIME_GOOD'],
    ],
  ];

  /** What SpamAssassin says, and why that is no fault. */
  const ofSpamAssassin: Readonly<Record<string, string>> = {
    HTML_MESSAGE: 'it has HTML',
    NO_RECEIVED: 'nothing has carried it yet',
    NO_RELAYS: 'nothing has carried it yet',
  };

  test.each(messages)('%s: SpamAssassin', { timeout: TIMEOUT_MS }, async (_, message) => {
    // Local rules alone, and nothing that anyone's home directory says.
    const options = ['-L', '-t', '-x', '--cf=use_bayes 0', '--cf=use_auto_welcomelist 0'];
    const report = await feed(spawn('/usr/bin/spamassassin', options), message().source);
    const unfolded = report.replace(/\r?\n[ \t]+/g, '');
    const names = /^X-Spam-Status: .*?tests=([A-Z0-9_,]*)/m.exec(unfolded)?.[1]?.split(',') ?? [];
    expect(names).toContain('HTML_MESSAGE');
    expect(names.filter((name) => !Object.hasOwn(ofSpamAssassin, name))).toEqual([]);
  });

  /** Symbols of rspamd with a score above zero, and why each is no fault. */
  const ofRspamd: Readonly<Record<string, string>> = {
    FORGED_SENDER: 'the return path is the copy’s own, on a host below that of From',
    URI_COUNT_ODD: 'the address of the image by which opens are noticed has none in the text to go with it',
    MIME_BASE64_TEXT: 'invitation and table go in base64, so that nothing on the way touches their lines',
  };

  test.each(messages)('%s: rspamd', { timeout: TIMEOUT_MS }, async (_, message, signs) => {
    const { source, mailFrom, recipient } = message();
    const answer = await fetch(`${rspamd.url}/checkv2`, {
      method: 'POST',
      headers: { From: mailFrom, Rcpt: recipient, Ip: '127.0.0.1', 'Settings-ID': 'outbound' },
      body: new Uint8Array(source),
    });
    const verdict = (await answer.json()) as {
      action: string;
      symbols: Record<string, { name: string; score: number }>;
    };
    expect(verdict.action).toBe('no action');
    const symbols = Object.values(verdict.symbols);
    // It has looked at all of it.
    expect(symbols.map(({ name }) => name)).toEqual(expect.arrayContaining([...signs]));
    const against = symbols.filter(({ name, score }) => score > 0 && !Object.hasOwn(ofRspamd, name));
    expect(against.map(({ name, score }) => `${name} ${score}`)).toEqual([]);
  });
});
