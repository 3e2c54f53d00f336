// One daemon that has been in use for two weeks: a doctors' practice with mail of every status, a club, a firm that is paused, and a
// practice that has just begun. All of it is made over HTTP and SMTP as its users make it, while the daemon's clock goes on.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DAY, HOUR, MINUTE } from '#src/kernel/time.ts';
import { type Sender, startApp, type TestApp } from '#test/support/app.ts';
import { startDnsZone } from '#test/support/dns-zone.ts';
import { createHook, outboundTo } from '#test/support/hooks.ts';
import { startHttpsReceiver } from '#test/support/https-receiver.ts';
import { join, makeOwner, type Person, signIn, unlimitedSignIn } from '#test/support/people.ts';
import { freePort, until } from '#test/support/process.ts';
import { bring } from '#test/support/reports.ts';
import { createSmtpReceiver, OK, type ReceivedMessage } from '#test/support/smtp-receiver.ts';
import { incoming, letters, newsletter, patients, replies } from './scene-words.ts';

const DAYS = 14;
const RELAY_SECRET = 'relay-secret-0123456789';
const PRACTICE = { name: 'Praxis Dr. Sommer', plan: 'gruppe' };
const CLUB = { name: 'TSV Lindental 1921', plan: 'termin' };
/** As the names are in the configuration. */
const RELAYED = ['praxis-dr-sommer', 'tsv-lindental-1921'];
const FIRM = { name: 'Tischlerei Brandt' };
const NEW = { name: 'Praxis am Wall' };

export interface Scene {
  readonly app: TestApp;
  readonly practice: Sender;
  readonly club: Sender;
  readonly firm: Sender;
  /** Nothing was done there yet. */
  readonly empty: Sender;
  /** All are members of the practice, the agency of each; the stranger is of the firm only, the operator of none. */
  readonly people: Readonly<
    Record<'owner' | 'admin' | 'office' | 'viewer' | 'agency' | 'stranger' | 'operator', Person>
  >;
  /** Where one signs up for the practice's list. */
  readonly formPath: string;
  /** Of the practice: one of each thing that has a page. */
  readonly ids: Readonly<
    Record<
      | 'message'
      | 'bounced'
      | 'inbound'
      | 'websiteForm'
      | 'template'
      | 'letter'
      | 'list'
      | 'campaign'
      | 'draft'
      | 'webhook'
      | 'capture'
      | 'ticket',
      string
    >
  >;
  stop(): Promise<void>;
}

export interface SceneOptions {
  /** When its two weeks end. The daemon's clock goes on from there. */
  readonly now?: number;
  /** Any free one where absent. */
  readonly port?: number;
}

export async function startScene(options: SceneOptions = {}): Promise<Scene> {
  const { now: end = Date.now(), port = await freePort() } = options;
  await using started = new AsyncDisposableStack();
  const directory = await mkdtemp(path.join(tmpdir(), 'scene-'));
  started.defer(() => rm(directory, { recursive: true }));
  const secretFile = path.join(directory, 'relay.secret');
  await writeFile(secretFile, `${RELAY_SECRET}\n`, { mode: 0o600 });
  const relay = await createSmtpReceiver({ rcpt: ({ address }) => replies[address] ?? OK });
  started.defer(() => relay.stop());
  const receiver = await startHttpsReceiver({
    answer: ({ path: at }) =>
      at === '/kaputt'
        ? { status: 500, body: '<script>__ran("answer")</script> Datenbank nicht erreichbar' }
        : { status: 200, body: 'ok' },
  });
  started.defer(() => receiver.stop());

  const dns = await startDnsZone();
  started.defer(() => dns.stop());

  /** Between the daemon's time and this machine's. */
  let ahead = 0;
  const goTo = (time: number): void => {
    ahead = time - Date.now();
  };
  goTo(end - DAYS * DAY);
  const app = await startApp({
    clock: { now: () => Date.now() + ahead },
    config: {
      ...unlimitedSignIn,
      operators: ['betrieb@example.org'],
      service: { public_origin: `http://127.0.0.1:${port}` },
      http: { listen: `127.0.0.1:${port}` },
      smtp: { inbound: { listen: '127.0.0.1:0' } },
      dns: {
        resolvers: [dns.address],
        authoritative: { listen: '127.0.0.1:0' },
        zones: { addresses: ['127.0.0.1'] },
      },
      security: outboundTo(receiver),
      webhooks: { retry: ['1h'], jitter: 0 },
      upstreams: [
        {
          name: 'relay',
          kind: 'smtp',
          host: relay.host,
          port: relay.port,
          tls: 'none',
          for: { practices: RELAYED },
          events: { format: 'json', secret_file: secretFile },
        },
        { name: 'capture', kind: 'capture' },
      ],
    },
  });
  started.defer(() => app.remove());
  for (const zone of ['mail.example.com', 'send.example.com']) dns.delegate(zone, app.dnsPort ?? 0);

  const call = async <Body = { id: string }>(
    { base, token }: Pick<Sender, 'base' | 'token'>,
    method: string,
    at: string,
    body?: unknown,
  ): Promise<Body> => {
    const answer = await app.request<Body>(method, base + at, body, token);
    if (answer.status >= 300) throw new Error(`${method} ${base}${at}: ${answer.status} ${answer.text}`);
    return answer.body;
  };
  const operator = { base: '/api', token: app.adminToken };

  const practice = await app.createSender(PRACTICE);
  const club = await app.createSender(CLUB);
  const firm = await app.createSender(FIRM);
  const empty = await app.createSender(NEW);
  for (const { practice: one } of [practice, club]) await app.completeLegal(one.id);
  await makeOwner(app, practice.practice.id, 'sommer@example.org');
  await join(app, practice.practice.id, 'verwaltung@example.org', { role_id: 'admin' });
  await join(app, practice.practice.id, 'empfang@example.org', { role_id: 'member' });
  await join(app, practice.practice.id, 'steuer@example.org', { role_id: 'viewer' });
  await makeOwner(app, firm.practice.id, 'brandt@example.org');
  for (const { practice: one } of [practice, club, firm, empty])
    await makeOwner(app, one.id, 'agentur@example.org');

  await call(practice, 'POST', '/presets/seed');
  const template = await call(practice, 'POST', '/templates', {
    name: 'vorsorge-erinnerung',
    subject: 'Ihre Vorsorge, {{name}}',
    text: 'Guten Tag {{name}},\n\nes ist wieder Zeit für Ihre Vorsorge.',
  });
  await call(practice, 'PATCH', `/templates/${template.id}`, {
    html: '<p>Guten Tag {{name}},</p><p>es ist wieder Zeit für Ihre <b>Vorsorge</b>.</p>',
  });
  const { data: templates } = await call<{ data: { id: string; name: string }[] }>(
    practice,
    'GET',
    '/templates?limit=100',
  );
  const webhook = await createHook(app, practice, receiver.url('/praxissoftware'), [
    'message.delivered',
    'message.hard_bounced',
    'inbound.received',
  ]);
  await createHook(app, practice, receiver.url('/kaputt'), ['message.hard_bounced'], {
    name: 'Alte Anbindung',
  });
  await call(practice, 'POST', '/alerts', {
    name: 'Empfang',
    kind: 'slack',
    url: receiver.url('/slack'),
    events: ['message.hard_bounced'],
    language: 'de',
  });
  const { host } = await call<{ host: string }>(practice, 'POST', '/inbound/enable', {});

  let reported = 0;
  /** Waits until all that is due has left, and lets the relay report what became of it. */
  const settle = async (delivered: (copy: ReceivedMessage) => boolean = () => true): Promise<void> => {
    for (const one of [practice, club]) {
      await until('all mail has left', async () => {
        const { data } = await call<{ data: unknown[] }>(one, 'GET', '/messages/search?status=queued');
        return data.length === 0;
      });
    }
    const copies = relay.messages.slice(reported).filter(delivered);
    reported = relay.messages.length;
    const events = copies.flatMap(({ mailFrom, recipients }) =>
      recipients.map(({ address }) => ({
        type: 'delivered',
        recipient: address,
        return_path: mailFrom,
        smtp_code: 250,
      })),
    );
    if (events.length > 0) await report(events);
  };
  const report = async (events: readonly object[]): Promise<void> => {
    const answer = await app.request('POST', '/api/upstreams/relay/events', events, undefined, {
      Authorization: `Bearer ${RELAY_SECRET}`,
    });
    if (answer.status !== 200) throw new Error(`not reported: ${answer.text}`);
  };
  const send = (number: number, fields: object = {}): object => {
    const [name, address] = patients[(number * 5) % patients.length] ?? ['', ''];
    const letter = letters[number % letters.length];
    const text = letter?.text.replace('{name}', name);
    return { ...letter, text, to: `"${name}" <${address}>`, ...fields };
  };

  const list = await call<{ id: string; form_url: string }>(practice, 'POST', '/lists', {
    name: 'Rundbrief der Praxis',
    description: 'Vier Mal im Jahr: Impfungen, Urlaub, neue Kolleginnen',
    channel: 'newsletter',
    is_public: true,
  });
  for (const [name, address] of patients.slice(0, 12))
    await call(practice, 'POST', `/lists/${list.id}/subscribers`, {
      address,
      name,
      status: 'active',
      consent: { basis: 'existing_customer', evidence: 'Anmeldebogen in der Praxis' },
    });
  for (const address of ['neu@example.org', 'noch.neuer@example.net'])
    await call(practice, 'POST', `/lists/${list.id}/subscribers`, { address });

  for (let day = 0; day < DAYS; day++) {
    goTo(end - (DAYS - day) * DAY + 2 * HOUR);
    const count = 3 + ((day * 3) % 5);
    await call(
      practice,
      'POST',
      '/send/batch',
      Array.from({ length: count }, (_, at) => send(day * 5 + at)),
    );
    await settle();
  }

  goTo(end - DAY + 6 * HOUR);
  const campaign = await call(practice, 'POST', '/campaigns', { list_id: list.id, ...newsletter });
  await call(practice, 'POST', `/campaigns/${campaign.id}/send`);
  await until('the campaign is sent', async () => {
    const { status } = await call<{ status: string }>(practice, 'GET', `/campaigns/${campaign.id}`);
    return status === 'sent';
  });
  await settle();
  const draft = await call(practice, 'POST', '/campaigns', {
    list_id: list.id,
    name: 'Weihnachtsurlaub',
    subject: 'Wir sind vom 24. Dezember an im Urlaub',
    text: 'Guten Tag {{name}},\n\nam 7. Januar sind wir wieder für Sie da.',
  });
  await call(club, 'POST', '/send', { ...send(1), subject: 'Einladung zur Mitgliederversammlung' });
  await settle();

  goTo(end - 2 * HOUR);
  const bounced = await call(practice, 'POST', '/send', send(0, { to: 'unbekannt@example.net' }));
  await call(practice, 'POST', '/send', send(1, { to: 'voll@example.org' }));
  await call(practice, 'POST', '/send', send(2, { to: 'spaeter@example.com' }));
  // One complaint is enough for the practice to be paused, where so few mails were sent.
  await call(club, 'POST', '/send', { ...send(4), to: 'beschwerde@example.org' });
  for (const kind of ['success', 'bounce', 'complaint', 'ooto'])
    await call(practice, 'POST', '/send-test', { kind });
  await call(practice, 'POST', '/suppression', {
    address: 'verzogen@example.net',
    note: 'Hat am Telefon darum gebeten',
  });
  await call(practice, 'POST', '/send', send(3, { to: 'verzogen@example.net' }));
  await call(practice, 'POST', '/send', send(0, { scheduled_at: new Date(end + 20 * HOUR).toISOString() }));
  await settle();
  const complaint = relay.messages.findLast(
    ({ recipients }) => recipients[0]?.address === 'beschwerde@example.org',
  );
  await report([
    { type: 'complained', recipient: 'beschwerde@example.org', return_path: complaint?.mailFrom },
  ]);

  goTo(end - HOUR);
  const message = await call(practice, 'POST', '/send', send(2));
  await settle();
  // The relay has these, and says nothing of them yet.
  await call(practice, 'POST', '/send/batch', [send(3), send(0)]);
  await settle(() => false);

  for (const [at, { from, subject, text }] of incoming.entries()) {
    goTo(end - 50 * MINUTE + at * MINUTE);
    const sender = /<(.*)>/.exec(from)?.[1] ?? '';
    const content = `From: ${from}\r\nTo: praxis@${host}\r\nSubject: ${subject}\r\nDate: ${new Date(Date.now() + ahead).toUTCString()}\r\nMessage-ID: <mail-${at}@example.org>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n${text}\r\n`;
    const reply = await bring(app.inboundPort, `praxis@${host}`, content, sender);
    if (reply?.startsWith('250') !== true) throw new Error(`not received: ${reply}`);
  }
  const inbox = await call<{ data: { id: string; thread_id: string }[] }>(
    practice,
    'GET',
    '/inbound/messages',
  );
  const thread = `/inbound/threads/${inbox.data[0]?.thread_id}`;
  await call(practice, 'POST', `${thread}/notes`, { text: 'Ich rufe morgen an.' });
  await call(practice, 'POST', '/saved-replies', {
    name: 'Rezept liegt bereit',
    text: 'Guten Tag {{name}},\n\nIhr Rezept liegt bereit.',
  });
  const websiteForm = await call(practice, 'POST', '/website-forms', {
    preset: 'prescription',
    language: 'de',
  });

  goTo(end - 30 * MINUTE);
  await call(firm, 'POST', '/send', {
    to: 'kunde@example.org',
    subject: 'Ihr Angebot für die Eichentreppe',
    text: 'Guten Tag, unser Angebot …',
  });
  await until(
    'the mail is captured',
    async () => (await call<{ data: unknown[] }>(firm, 'GET', '/captures')).data.length > 0,
  );
  const captures = await call<{ data: { id: string }[] }>(firm, 'GET', '/captures');
  await call(firm, 'POST', '/pause', { reason: 'Betriebsferien' });
  await call(practice, 'POST', '/projects', { name: 'Webseite' });
  await call({ base: practice.base, token: app.adminToken }, 'POST', '/api-tokens', {
    name: 'Praxissoftware',
    scope: 'team',
  });
  await call(operator, 'POST', '/public/abuse', {
    email: 'melder@example.org',
    subject: 'Unerwünschte Werbung',
    description: 'Diese Mail habe ich nie bestellt.',
  });
  await call(operator, 'POST', '/public/waitlist', {
    email: 'warteliste@example.org',
    plan: 'praxis',
    name: 'Gemeinschaftspraxis Nord',
  });

  const outside = { base: '/api/public', token: '' };
  const ticket = await call(outside, 'POST', '/abuse', {
    email: 'frau.neumann@example.com',
    name: 'Sabine Neumann',
    subject: 'Werbung, die ich nie bestellt habe',
    description: 'Ich bekomme seit zwei Wochen Einladungen von diesem Verein und war dort nie Mitglied.',
    source: 'From: verein@example.org\r\nSubject: Einladung\r\n\r\nKommen Sie vorbei!\r\n',
  });
  await call(outside, 'POST', '/waitlist', {
    email: 'zahnarzt@example.net',
    name: 'Dr. Petra Kern',
    plan: 'praxis',
    note: 'Wir sind drei Behandler und senden etwa 2.000 Mails im Monat.',
  });

  goTo(end);
  const enter = (name: string) => signIn(app, `${name}@example.org`);
  const [owner, admin, office, viewer, agency, stranger, operating] = await Promise.all([
    enter('sommer'),
    enter('verwaltung'),
    enter('empfang'),
    enter('steuer'),
    enter('agentur'),
    enter('brandt'),
    enter('betrieb'),
  ]);
  const owned = started.move();
  return {
    app,
    practice,
    club,
    firm,
    empty,
    people: { owner, admin, office, viewer, agency, stranger, operator: operating },
    formPath: list.form_url.replace(app.origin, ''),
    ids: {
      message: message.id,
      bounced: bounced.id,
      inbound: inbox.data[0]?.id ?? '',
      websiteForm: websiteForm.id,
      template: template.id,
      letter: templates.find(({ name }) => name === 'newsletter')?.id ?? '',
      list: list.id,
      campaign: campaign.id,
      draft: draft.id,
      webhook: webhook.id,
      capture: captures.data[0]?.id ?? '',
      ticket: ticket.id,
    },
    stop: () => owned.disposeAsync(),
  };
}
