// What `npm run dev` puts into its practice at the first start: people, a list, campaigns, messages in the statuses that a
// playground can reach, and mail from the world. It uses the public API and SMTP only, as a user would.
import { setTimeout as sleep } from 'node:timers/promises';
import { simpleParser } from 'mailparser';
import { createTransport } from 'nodemailer';

export interface Place {
  readonly origin: string;
  readonly inboundPort: number;
  readonly practice: string;
  readonly token: string;
}

type Fields = Readonly<Record<string, unknown>>;
type Call = <T = Fields>(method: string, path: string, body?: unknown) => Promise<T>;

const callerOf =
  ({ origin, practice, token }: Place): Call =>
  async <T>(method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${origin}/api/practices/${practice}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return (answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as T;
  };

const WAIT_MS = 10_000;
const POLL_MS = 50;
const WEEK_MS = 7 * 86_400_000;
/** Whoever opens or follows a link sooner after a mail left is taken for a filter (`src/feedback/tracking/rules.ts`). */
const A_PERSON_READS_MS = 10_500;
/** An opening by a program that scans mail is not counted, so it names itself as a reader's. */
const READER = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Thunderbird/145.0';
const until = async <T>(what: string, look: () => Promise<T | undefined>): Promise<T> => {
  for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(POLL_MS)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`${what}: not within ${WAIT_MS / 1_000} s`);
};

const SUBSCRIBERS = [
  'Anna Berg',
  'Ben Çelik',
  'Clara Öz',
  'David Roth',
  'Elif Kaya',
  'Finn Lange',
  'Greta Wolf',
];
const addressOf = (name: string): string => `${name.split(' ')[0]?.toLowerCase()}@example.org`;

const HTML =
  '<p>Guten Tag,</p><p>wir freuen uns auf Sie. Den Weg finden Sie ' +
  '<a href="https://praxis.example/anfahrt">auf unserer Seite</a>.</p>';

/** A report as receivers send it (RFC 3464). */
const reportOf = (action: string, status: string, recipient: string): string =>
  [
    'From: Mail Delivery System <mailer-daemon@mx.home.test>',
    'Subject: Delivery Status Notification',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=part',
    '',
    '--part',
    'Content-Type: text/plain',
    '',
    `The message for ${recipient} was not delivered: the mailbox is full.`,
    '--part',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.home.test',
    '',
    `Final-Recipient: rfc822; ${recipient}`,
    `Action: ${action}`,
    `Status: ${status}`,
    'Diagnostic-Code: smtp; 452 4.2.2 mailbox full',
    '--part--',
    '',
  ].join('\r\n');

type Deliver = (from: string, to: string, raw: string) => Promise<void>;

/**
 * A message in each status but three: `queued` passes, nothing makes one `failed`, and without an https origin no mail has the link that
 * makes one `unsubscribed`.
 */
const seedMessages = async (call: Call, deliver: Deliver): Promise<void> => {
  const send = (name: string, subject: string, more: Fields = {}) =>
    call<{ id: string }>('POST', '/send', {
      to: `${name} <${addressOf(name)}>`,
      subject,
      html: HTML,
      message_kind: 'termin',
      tags: ['erinnerung'],
      settings: { track_opens: true, track_clicks: true },
      ...more,
    });
  const captureOf = ({ id }: { id: string }) =>
    until('a captured mail', async () => {
      const { data } = await call<{ data: { id: string; return_path: string }[] }>(
        'GET',
        `/captures?message_id=${id}`,
      );
      return data[0];
    });
  const addressesIn = async (message: { id: string }): Promise<string[]> => {
    const source = await call<string>('GET', `/captures/${(await captureOf(message)).id}`);
    const { html } = await simpleParser(source);
    return [...(html || '').matchAll(/(?:href|src)="([^"]+)"/g)].map(([, url = '']) =>
      url.replaceAll('&amp;', '&'),
    );
  };
  const visit = async (message: { id: string }, part: string): Promise<void> => {
    const url = (await addressesIn(message)).find((address) => address.includes(part));
    if (url === undefined) throw new Error(`the mail has no link with ${part}`);
    const answer = await fetch(url, { redirect: 'manual', headers: { 'User-Agent': READER } });
    await answer.arrayBuffer();
    if (answer.status >= 400) throw new Error(`${url} answered ${answer.status}`);
  };
  const report = async (message: { id: string }, name: string, action: string, status: string) => {
    const { return_path } = await captureOf(message);
    await deliver('', return_path, reportOf(action, status, addressOf(name)));
  };

  await send('Clara Öz', 'Ihr Termin am Mittwoch');
  await send('David Roth', 'Ihr Termin in einer Woche', {
    scheduled_at: new Date(Date.now() + WEEK_MS).toISOString(),
  });
  const opened = await send('Anna Berg', 'Ihr Termin am Montag');
  const clicked = await send('Ben Çelik', 'Ihr Termin am Dienstag');
  await report(await send('Finn Lange', 'Ihr Termin am Donnerstag'), 'Finn Lange', 'failed', '4.2.2');
  await report(await send('Greta Wolf', 'Ihr Termin am Freitag'), 'Greta Wolf', 'delayed', '4.2.2');
  await call('POST', '/suppression', { address: 'hugo@example.org', reason: 'manual' });
  await send('Hugo Maß', 'Ihre Unterlagen liegen bereit');
  for (const kind of ['success', 'bounce', 'complaint', 'ooto']) await call('POST', '/send-test', { kind });

  await sleep(A_PERSON_READS_MS);
  await visit(opened, '/t/o/');
  await visit(clicked, '/t/c/');
};

const seedCampaigns = async (call: Call): Promise<void> => {
  const list = await call<{ id: string }>('POST', '/lists', {
    name: 'Praxisbrief',
    description: 'Viermal im Jahr: Öffnungszeiten und neue Angebote',
  });
  for (const [index, name] of SUBSCRIBERS.entries())
    await call('POST', `/lists/${list.id}/subscribers`, {
      address: addressOf(name),
      name,
      data: { ort: index % 2 ? 'Köln' : 'Bonn' },
      // The last one was asked to confirm, and has not.
      ...(index < SUBSCRIBERS.length - 1
        ? { status: 'active', consent: { evidence: 'Aufnahmebogen, Ordner 12' } }
        : {}),
    });
  const newCampaign = (name: string, subject: string) =>
    call<{ id: string }>('POST', '/campaigns', {
      name,
      subject,
      list_id: list.id,
      text: 'Guten Tag {{name}},\nab sofort impfen wir gegen Grippe.\n',
    });
  await newCampaign('Weihnachtsbrief', 'Unsere Zeiten über die Feiertage');
  const sent = await newCampaign('Neue Öffnungszeiten', 'Wir haben jetzt auch am Samstag geöffnet');
  await call('POST', `/campaigns/${sent.id}/send`);
  const planned = await newCampaign('Grippeschutz im Winter', 'Grippeschutz ab sofort bei uns');
  await call('POST', `/campaigns/${planned.id}/schedule`, {
    schedule_at: new Date(Date.now() + WEEK_MS).toISOString(),
  });
};

const seedInbound = async (host: string, deliver: Deliver): Promise<void> => {
  const mails = [
    ['anna', 'Anna Berg', 'Termin verschieben', 'Guten Tag, geht es auch am Dienstag?'],
    ['anna', 'Anna Berg', 'Re: Termin verschieben', 'Am liebsten vormittags. Danke!'],
    ['ben', 'Ben Çelik', 'Parkplatz', 'Guten Tag, gibt es bei Ihnen Parkplätze?'],
  ] as const;
  for (const [local, name, subject, text] of mails) {
    const mail = createTransport({ streamTransport: true, buffer: true });
    const { message } = await mail.sendMail({
      from: { name, address: `${local}@home.test` },
      to: `praxis@in.${host}`,
      subject,
      text,
    });
    await deliver(`${local}@home.test`, `praxis@in.${host}`, String(message));
  }
};

/** Rejects with what the service has refused. */
export const seed = async (place: Place): Promise<void> => {
  const call = callerOf(place);
  const transport = createTransport({ host: '127.0.0.1', port: place.inboundPort, ignoreTLS: true });
  const deliver: Deliver = async (from, to, raw) => {
    await transport.sendMail({ envelope: { from, to }, raw });
  };
  const { managed_host } = await call<{ managed_host: string }>('GET', '');
  await seedCampaigns(call);
  await seedInbound(managed_host, deliver);
  await seedMessages(call, deliver);
};
