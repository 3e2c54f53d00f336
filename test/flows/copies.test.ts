// What each recipient's copy has of its own, and what all copies share: seen where they arrive.
import { randomBytes } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { type ParsedMail, simpleParser } from 'mailparser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { until } from '#test/support/process.ts';
import { createSmtpReceiver, type SmtpReceiver } from '#test/support/smtp-receiver.ts';

const ORIGIN = 'https://mail.example.com';
const LINK = /https:\/\/mail\.example\.com\/api\/public\/unsub\?t=[A-Za-z0-9_-]+/g;

let receiver: SmtpReceiver;
let app: TestApp;
/** Of a practice that pays, and has its Impressum. */
let sender: Sender;
/** Of one on the Test plan. */
let tester: Sender;

const start = async (publicOrigin: string): Promise<TestApp> =>
  startApp({
    receiver,
    config: {
      service: { public_origin: publicOrigin },
      dns: { authoritative: { listen: '127.0.0.1:0' }, zones: { addresses: ['127.0.0.1'] } },
    },
  });

beforeAll(async () => {
  receiver = await createSmtpReceiver();
  app = await start(ORIGIN);
  sender = await app.createSender({ name: 'Praxis Müller', plan: 'supporter' });
  await app.completeLegal(sender.practice.id);
  tester = await app.createSender({ name: 'Praxis am Teich' });
});
afterAll(async () => {
  await app?.remove();
  await receiver?.stop();
});

interface Arrived {
  readonly recipient: string;
  readonly mailFrom: string;
  readonly source: string;
  readonly mail: ParsedMail;
}

const copiesOf = async (
  from: TestApp,
  by: Sender,
  fields: Readonly<Record<string, unknown>>,
): Promise<Arrived[]> => {
  const id = await from.send(by, fields);
  await until('all copies have arrived', async () => {
    const { recipients } = await from.message(by, id);
    return recipients.every(({ status }) => status === 'processed');
  });
  const copies = receiver.messages.filter(({ content }) => content.includes(`<${id}@`));
  return Promise.all(
    copies.map(async ({ content, mailFrom, recipients }) => ({
      recipient: recipients.map(({ address }) => address).join(),
      mailFrom,
      source: content.toString('latin1'),
      mail: await simpleParser(content, { skipHtmlToText: true, skipTextToHtml: true, skipImageLinks: true }),
    })),
  );
};

const copyOf = async (
  by: Sender,
  fields: Readonly<Record<string, unknown>>,
  from = app,
): Promise<Arrived> => {
  const [copy, ...others] = await copiesOf(from, by, { text: 'Am Montag um 9:30 Uhr.', ...fields });
  if (!copy || others.length > 0) throw new Error(`${others.length} more copies than one`);
  return copy;
};

/** Unfolded, by lower-case name. */
const fieldsOf = (source: string): Map<string, string[]> => {
  const fields = new Map<string, string[]>();
  const header = source.slice(0, source.indexOf('\r\n\r\n')).replace(/\r\n(?=[ \t])/g, '');
  for (const line of header.split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+): ?(.*)$/.exec(line) ?? [];
    fields.set(name.toLowerCase(), [...(fields.get(name.toLowerCase()) ?? []), value]);
  }
  return fields;
};

const linksIn = (text: string | false | undefined): string[] => (text || '').match(LINK) ?? [];

test('a large file is in each of the copies, and the same in a repeated request', async () => {
  const file = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(200_000)]);
  const fields = {
    to: ['anna@example.org', 'berta@example.org', 'carla@example.org'],
    subject: 'Plan',
    text: 'Anbei.',
    Attachments: [{ Name: 'Plan.pdf', Content: file.toString('base64'), ContentType: 'application/pdf' }],
    idempotency_key: 'plan',
  };
  const copies = await copiesOf(app, sender, fields);
  expect(copies.map(({ mail }) => mail.attachments[0]?.content.equals(file))).toEqual([true, true, true]);
  const again = await app.request('POST', `${sender.base}/send`, fields, sender.token);
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
  const Content = Buffer.concat([file, Buffer.from('.')]).toString('base64');
  const other = { ...fields, Attachments: [{ ...fields.Attachments[0], Content }] };
  expect((await app.request('POST', `${sender.base}/send`, other, sender.token)).status).toBe(409);
});

describe('fifty recipients in three fields', () => {
  const numbered = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${prefix}${index}@example.org`);
  const to = numbered('to', 20);
  const cc = numbered('cc', 15);
  const bcc = numbered('hidden', 15);
  const all = [...to, ...cc, ...bcc];
  let copies: Arrived[];

  beforeAll(async () => {
    copies = await copiesOf(app, sender, {
      // Each of the duplicates is spelled in another way, or stands in a field that comes later.
      to: [...to.map((address) => `"Müller, Jörg" <${address}>`), 'TO3@example.org', to[4]],
      cc: [...cc, 'To5@Example.ORG', cc[2], `Noch einmal <${cc[3]?.toUpperCase()}>`].join(', '),
      bcc: [...bcc, bcc[1], to[6], 'CC7@example.org'],
      subject: 'Grüße an alle',
      text: 'Guten Tag,\n\ndie Praxis bleibt am Montag geschlossen.\n',
      html: '<html><body><p>Guten Tag, die Praxis bleibt am Montag geschlossen.</p></body></html>',
      message_kind: 'transactional',
    });
  });

  test('get exactly one copy each', () => {
    expect(copies.map(({ recipient }) => recipient).toSorted()).toEqual(all.toSorted());
  });

  test('are named in To and Cc as they were given, alike in all copies, and in Bcc nowhere', () => {
    const visible = copies.map(({ source }) => {
      const fields = fieldsOf(source);
      return JSON.stringify([fields.get('to'), fields.get('cc')]);
    });
    expect(new Set(visible).size).toBe(1);
    const [{ mail } = { mail: null }] = copies;
    const addresses = (field: unknown): unknown[] =>
      (field as { value: { address: string }[] }).value.map(({ address }) => address);
    expect([addresses(mail?.to), addresses(mail?.cc)]).toEqual([to, cc]);
    expect(mail?.to).toMatchObject({ value: Array(20).fill({ name: 'Müller, Jörg' }) });
    for (const copy of copies) {
      expect(fieldsOf(copy.source).has('bcc')).toBe(false);
      // Not even one's own, and not within an encoding.
      expect(copy.source).not.toContain('hidden');
      expect(`${copy.mail.text}${copy.mail.html}`).not.toContain('hidden');
    }
  });

  test('have a way out of their own: header and both bodies lead to the same page, no two copies do', () => {
    const links = copies.map(({ source, mail }) => {
      const fields = fieldsOf(source);
      const [link = '', ...more] = linksIn(fields.get('list-unsubscribe')?.join());
      expect(more).toEqual([]);
      expect(fields.get('list-unsubscribe')).toEqual([`<${link}>`]);
      expect(fields.get('list-unsubscribe-post')).toEqual(['List-Unsubscribe=One-Click']);
      expect(linksIn(mail.text)).toEqual([link]);
      expect(linksIn(mail.html)).toEqual([link]);
      return link;
    });
    expect(new Set(links).size).toBe(50);
  });

  test('have a return path of their own', () => {
    const targets = copies.map(({ mailFrom }) => app.returnPathTarget(mailFrom)?.recipientId);
    expect(new Set(targets).size).toBe(50);
    expect(targets).not.toContain(undefined);
  });

  test('can check both signatures, which cover the way out', async () => {
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${app.dnsPort}`]);
    for (const { source } of copies) {
      const { results } = await dkimVerify(Buffer.from(source, 'latin1'), {
        resolver: (name, type) => resolver.resolve(name, type) as never,
      });
      expect(results.map(({ algo, status }) => [algo, status.result])).toEqual([
        ['rsa-sha256', 'pass'],
        ['ed25519-sha256', 'pass'],
      ]);
      for (const { signingHeaders } of results) {
        const covered = signingHeaders?.keys.toLowerCase().split(/\s*:\s*/) ?? [];
        for (const name of [
          'list-unsubscribe',
          'list-unsubscribe-post',
          'feedback-id',
          'auto-submitted',
          'to',
          'cc',
        ])
          expect(covered).toContain(name);
      }
    }
  });
});

describe('the footer', () => {
  const imprint = 'Praxis Müller, Am Markt 1, 20095 Hamburg';
  const privacy = 'Datenschutzerklärung: https://praxis.example/datenschutz';
  const wayOut = 'Von weiteren E-Mails dieser Art abmelden: LINK';

  const footerOf = ({ mail }: Arrived): string[] => {
    const [, footer = ''] = (mail.text ?? '').split('\n---\n');
    return footer.replace(LINK, 'LINK').trim().split('\n').filter(Boolean);
  };

  const rows: readonly (readonly [
    title: string,
    by: () => Sender,
    fields: Readonly<Record<string, unknown>>,
    footer: readonly string[],
  ])[] = [
    ['of an appointment is the way out', () => sender, { message_kind: 'termin' }, [wayOut]],
    [
      'of a newsletter says who sends it as well',
      () => sender,
      { route: 'broadcast', message_kind: 'newsletter' },
      [imprint, privacy, wayOut],
    ],
    [
      'of other marketing does, too',
      () => sender,
      { route: 'broadcast', message_kind: 'custom' },
      [imprint, privacy, wayOut],
    ],
    [
      'on the Test plan names the service',
      () => tester,
      { message_kind: 'transactional' },
      [wayOut, 'Versendet mit Sendwerk: https://mail.example.com'],
    ],
    ['names it not in appointments', () => tester, { message_kind: 'termin' }, [wayOut]],
    ['names it not in recalls', () => tester, { message_kind: 'recall' }, [wayOut]],
    ['names it not in confirmations of a subscription', () => tester, { message_kind: 'doi' }, [wayOut]],
    [
      'speaks English to readers of English',
      () => tester,
      {
        message_kind: 'transactional',
        subject: 'Your appointment',
        text: 'Thank you, and see you on Monday. This is the confirmation of your appointment.',
      },
      ['Unsubscribe from emails like this: LINK', 'Sent with Sendwerk: https://mail.example.com'],
    ],
  ];

  test.each(rows)('%s', async (_, by, fields, footer) => {
    const html = '<html><body><p>Am Montag.</p></body></html>';
    const settings = { track_opens: false, track_clicks: false };
    const copy = await copyOf(by(), { html, settings, ...fields });
    expect(footerOf(copy)).toEqual(footer);
    // The same words stand in the HTML, inside of its body.
    const [, shown = '', rest] = /<div lang="\w\w"[^>]*>(.*?)<\/div>(.*)/s.exec(copy.mail.html || '') ?? [];
    const words = shown.replace(/<a href="([^"]*)"[^>]*>([^<]*)<\/a>/g, '$2: $1').replace(/<[^>]*>/g, '');
    expect(words.replace(LINK, 'LINK').trim().split('\n')).toEqual(footer);
    expect(rest?.trim()).toBe('</body></html>');
    expect(copy.mail.html || '').not.toMatch(/<(?:img|link|style|script)|url\(/);
  });

  test('speaks the language that the HTML says it is in, where its words do not tell', async () => {
    const html = '<html lang="en"><body><p>9:30</p></body></html>';
    const { mail } = await copyOf(sender, { subject: '9:30', text: '9:30', html, message_kind: 'termin' });
    expect(mail.html).toContain('<div lang="en"');
  });

  test('has no link where the sender has placed one', async () => {
    const { mail, source } = await copyOf(sender, {
      text: 'Am Montag.\n\nAbmelden: {{unsubscribe_url}}\n',
      html: '<p>Am Montag. <a href="{{ unsubscribe_url }}">Abmelden</a></p>',
      message_kind: 'termin',
    });
    const [link] = linksIn(fieldsOf(source).get('list-unsubscribe')?.join());
    expect(mail.text?.trim()).toBe(`Am Montag.\n\nAbmelden: ${link}`);
    expect(mail.html || '').toBe(`<p>Am Montag. <a href="${link}">Abmelden</a></p>`);
  });

  test('has the link in the part that has none', async () => {
    const { mail } = await copyOf(sender, {
      text: 'Am Montag.',
      html: '<p>Am Montag. <a href="{{unsubscribe_url}}">Abmelden</a></p>',
      message_kind: 'termin',
    });
    expect(linksIn(mail.text)).toHaveLength(1);
    expect(linksIn(mail.html)).toHaveLength(1);
  });

  test('stands below the text that is made from HTML, once', async () => {
    const html = '<html><body><p>Am Montag.</p></body></html>';
    const copy = await copyOf(sender, { text: undefined, html, message_kind: 'termin' });
    expect(copy.mail.text?.replace(LINK, 'LINK').trim()).toBe(`Am Montag.\n\n---\n${wayOut}`);
  });
});

describe('an invitation', () => {
  const calendar = {
    summary: 'Termin Praxis Müller',
    starts_at: '2026-12-01T10:00',
    location: 'Am Markt 1, 20095 Hamburg',
  };
  const fields = {
    to: 'Erika Weiß <erika@example.org>',
    cc: 'max@example.org',
    bcc: '"Heim, Otto" <otto@example.org>',
    message_kind: 'termin',
    calendar,
  };

  test('names nobody but the recipient of the copy, who reads of nobody else', async () => {
    const copies = await copiesOf(app, sender, fields);
    const invited = copies.map(({ recipient, mail: { attachments } }) => {
      const invitations = attachments.filter(({ contentType }) =>
        /^(?:text\/calendar|application\/ics)$/.test(contentType),
      );
      const [offered, filed] = invitations.map(({ content }) => content.toString());
      expect(invitations).toHaveLength(2);
      expect(filed).toBe(offered);
      const lines = offered?.replaceAll('\r\n ', '').split('\r\n') ?? [];
      expect(lines).toContain(`ORGANIZER;CN="Praxis Müller":mailto:${sender.practice.default_from}`);
      const attendees = lines.filter((line) => line.startsWith('ATTENDEE'));
      return [
        recipient,
        attendees.map((line) => line.slice(line.indexOf('RSVP=FALSE') + 'RSVP=FALSE'.length)),
      ];
    });
    expect(Object.fromEntries(invited)).toEqual({
      'erika@example.org': [';CN="Erika Weiß":mailto:erika@example.org'],
      'max@example.org': [':mailto:max@example.org'],
      'otto@example.org': [';CN="Heim, Otto":mailto:otto@example.org'],
    });
  });

  test('is shown by the API to those who may see content', async () => {
    const id = await app.send(sender, fields);
    const shown = {
      ...calendar,
      ends_at: '2026-12-01T09:30:00.000Z',
      description: null,
      time_zone: 'Europe/Berlin',
    };
    expect((await app.message(sender, id)).calendar).toEqual(shown);
    const { project_id } = await app.message(sender, id);
    const token = await app.createToken(sender.practice.id, { scope: 'project', project_id });
    expect(await app.message({ ...sender, token }, id)).not.toHaveProperty('calendar');
  });
});

describe('header fields of the service', () => {
  test('an appointment is a machine’s, and its complaints are counted by kind and practice', async () => {
    const { source } = await copyOf(sender, { message_kind: 'termin' });
    const fields = fieldsOf(source);
    expect(fields.get('auto-submitted')).toEqual(['auto-generated']);
    expect(fields.get('feedback-id')).toEqual(['termin:p-praxis-mueller:sendwerk']);
    expect(fields.has('precedence')).toBe(false);
  });

  test('a newsletter goes to many', async () => {
    const { source } = await copyOf(sender, { route: 'broadcast', message_kind: 'newsletter' });
    const fields = fieldsOf(source);
    expect(fields.get('precedence')).toEqual(['bulk']);
    expect(fields.has('auto-submitted')).toBe(false);
    expect(fields.get('feedback-id')).toEqual(['newsletter:p-praxis-mueller:sendwerk']);
  });
});

describe('where the public origin is not HTTPS', () => {
  let plain: TestApp;
  let other: Sender;
  beforeAll(async () => {
    plain = await start('http://mail.example.com');
    other = await plain.createSender();
  });
  afterAll(() => plain?.remove());

  test('a single send has no way out, in the header as little as in the body', async () => {
    const html = '<p>Am Montag. <a href="{{unsubscribe_url}}">Abmelden</a></p>';
    const { source, mail } = await copyOf(other, { html, message_kind: 'transactional' }, plain);
    const fields = fieldsOf(source);
    expect(fields.has('list-unsubscribe')).toBe(false);
    expect(fields.has('list-unsubscribe-post')).toBe(false);
    expect(`${mail.text}${mail.html}`).not.toMatch(/unsub|\{\{/);
    // The service is named, but nobody is sent to an origin without HTTPS.
    expect(mail.text?.trim()).toBe('Am Montag um 9:30 Uhr.\n\n---\nVersendet mit Sendwerk');
  });
});
