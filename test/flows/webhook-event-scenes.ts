// The operations that fire events, as users, recipients, relays and reporters do them: one row or more for each name of the
// catalogue, with what the event is to tell.
import { simpleParser } from 'mailparser';
import { expect } from 'vitest';
import { type EventType, eventCatalogue } from '#src/events/catalogue.ts';
import { HOUR, toIso } from '#src/kernel/time.ts';
import { CLICK_PATH, OPEN_PATH } from '#src/mail/copy-links.ts';
import type { Sender, TestApp } from '#test/support/app.ts';
import { absence, bounceOf, bring, deliveryStatus, feedbackReport } from '#test/support/reports.ts';
import type { SmtpReceiver } from '#test/support/smtp-receiver.ts';
import type { TestClock } from '#test/support/storage.ts';

export interface Stage {
  readonly app: TestApp;
  readonly relay: SmtpReceiver;
  readonly clock: TestClock;
  readonly sender: Sender;
}

/** What is to be told: those fields of `data` besides what every event of that kind has. */
type Told = Readonly<Record<string, unknown>>;

export interface Scene {
  readonly event: EventType;
  /** By what operation. */
  readonly by: string;
  readonly act: (stage: Stage) => Promise<Told>;
}

export const BLOCKED_WORD = 'verboten';
const LINKED = 'https://praxis.example/termin?tag=1&art=Vorsorge';
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0';

/** Of all messages here. */
const own = {
  tag: 'termin-grüße',
  tags: ['Zürich', 'größer'],
  metadata: { patient: 'Jürgen Groß', zeichen: '日本 🙂 "\\' },
} as const;

/** As events tell of it: a single `tag` is the first of all. */
export const echoed = { ...own, tags: [own.tag, ...own.tags], route_slug: 'outgoing' };

const letter = {
  to: 'erika@example.org',
  subject: 'Ihr Termin',
  html: `<p>Am Montag um <a href="${LINKED.replaceAll('&', '&amp;')}">9:30 Uhr</a>.</p>`,
  ...own,
} as const;
const TRACKED = { settings: { track_opens: true, track_clicks: true } };

interface Sent {
  readonly id: string;
  readonly returnPath: string;
  readonly content: Buffer;
}

/** Accepted by the relay, and that is written down. */
export const sent = async ({ app, relay, sender }: Stage, fields: object = {}): Promise<Sent> => {
  const id = await app.send(sender, { ...letter, ...fields });
  await app.untilStatus(sender, id, 'processed');
  const mail = relay.messages.findLast(({ content }) => content.includes(`<${id}@`));
  if (!mail) throw new Error('the relay has not got it');
  return { id, returnPath: mail.mailFrom, content: mail.content };
};

const reported = async (stage: Stage, report: string, fields: object = {}): Promise<Sent> => {
  const copy = await sent(stage, fields);
  const reply = await bring(stage.app.inboundPort, copy.returnPath, report);
  if (!reply?.startsWith('250')) throw new Error(`the report was refused: ${reply}`);
  return copy;
};

/** Links of the copy lead to the daemon's public name: they are followed at its port. */
const linksOf = async ({ content }: Sent) => {
  const { html, headers } = await simpleParser(content);
  const links = [...String(html).matchAll(/(?:href|src)="https:\/\/mail\.example\.com(\/[^"]+)"/g)];
  const list = headers.get('list') as { unsubscribe?: { url: string } } | undefined;
  return {
    tracked: links.map(([, path = '']) => path.replaceAll('&amp;', '&')),
    unsubscribe: list?.unsubscribe?.url.replace('https://mail.example.com', '') ?? '',
  };
};

/** The links of the body, a person's hour after the hand-over. */
const followed = async (stage: Stage, way: typeof OPEN_PATH | typeof CLICK_PATH): Promise<Sent> => {
  const copy = await sent(stage, TRACKED);
  stage.clock.set(stage.clock.now() + HOUR);
  const { tracked } = await linksOf(copy);
  const link = tracked.find((path) => path.startsWith(way));
  if (link === undefined) throw new Error(`no such link among ${tracked.join(' ')}`);
  const answer = await fetch(stage.app.origin + link, {
    redirect: 'manual',
    headers: { 'User-Agent': PERSON },
  });
  await answer.arrayBuffer();
  return copy;
};

const unsubscribed = async (stage: Stage): Promise<Sent> => {
  const copy = await sent(stage);
  const { unsubscribe } = await linksOf(copy);
  const oneClick = Buffer.from('List-Unsubscribe=One-Click');
  const type = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const { status } = await stage.app.request('POST', unsubscribe, oneClick, undefined, type);
  if (status !== 200) throw new Error(`not unsubscribed: ${status}`);
  return copy;
};

/** The relay answers that to RCPT. */
const turnedAway = async (stage: Stage, reply: string, fields: object = {}): Promise<string> => {
  stage.relay.setBehaviour({ rcpt: reply });
  const id = await stage.app.send(stage.sender, { ...letter, ...fields });
  return id;
};

/** It has been turned away for now, and the next attempt is due. */
const delayed = async (stage: Stage, before: () => Promise<unknown> = async () => {}): Promise<string> => {
  const id = await turnedAway(stage, '450 4.2.0 Greylisted');
  await stage.app.untilStatus(stage.sender, id, 'delivery_delayed');
  await before();
  stage.clock.set(stage.clock.now() + HOUR);
  return id;
};

const post = async ({ app, sender }: Stage, path: string, body: unknown, headers = {}) => {
  const answer = await app.request('POST', sender.base + path, body, sender.token, headers);
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return answer.body;
};

const suppressedByHand = async (stage: Stage): Promise<string> =>
  String((await post(stage, '/suppression', { address: letter.to })).id);

const blocked = async ({ app, sender }: Stage): Promise<Told> => {
  const body = { ...letter, html: `<p>Das ist ${BLOCKED_WORD}.</p>` };
  const answer = await app.request('POST', `${sender.base}/send`, body, sender.token);
  if (answer.body.code !== 'content_blocked') throw new Error(`not blocked: ${answer.text}`);
  const content_reasons = answer.body.content_reasons;
  return { message_id: answer.body.message_id, status: 'failed', recipient: null, content_reasons };
};

/** To an address of the practice; `answered` is what it answers. */
const mailFromPerson = async (stage: Stage, answered: readonly string[] = []): Promise<Told> => {
  const { app, sender } = stage;
  const to = `info@in.${sender.practice.managed_host}`;
  await post(stage, '/inbound/enable', {});
  const head = [`From: Erika <${letter.to}>`, `To: <${to}>`, 'Subject: Befund', ...answered];
  const reply = await bring(app.inboundPort, to, `${head.join('\r\n')}\r\n\r\nGuten Tag\r\n`, letter.to);
  if (!reply?.startsWith('250')) throw new Error(`the mail was refused: ${reply}`);
  return { from: { address: letter.to, name: 'Erika' }, to: [to], mail: null };
};

const aboutIt = { recipient: letter.to };
const suppression = { address: letter.to, scope: 'team', project_id: null, route_id: null };

export const scenes: readonly Scene[] = [
  {
    event: 'message.created',
    by: 'a send call',
    act: async ({ app, sender }) => ({
      message_id: await app.send(sender, letter),
      status: 'queued',
      recipient: null,
    }),
  },
  {
    event: 'message.created',
    by: 'a scheduled send',
    act: async ({ app, sender, clock }) => ({
      message_id: await app.send(sender, { ...letter, scheduled_at: toIso(clock.now() + 24 * HOUR) }),
      status: 'pending',
      recipient: null,
    }),
  },
  {
    event: 'message.created',
    by: 'a batch',
    act: async (stage) => {
      const [first] = (await post(stage, '/send/batch', [letter])) as unknown as readonly { id: string }[];
      return { message_id: first?.id, status: 'queued', recipient: null };
    },
  },
  {
    event: 'message.sent',
    by: 'the relay that takes the message',
    act: async (stage) => ({
      ...aboutIt,
      message_id: (await sent(stage)).id,
      status: 'processed',
      smtp_code: 250,
      upstream: 'relay',
    }),
  },
  {
    event: 'message.delivered',
    by: 'a delivery notice',
    act: async (stage) => {
      const report = deliveryStatus(letter.to, 'Action: delivered', 'Status: 2.0.0');
      return { ...aboutIt, message_id: (await reported(stage, report)).id, status: 'delivered' };
    },
  },
  {
    event: 'message.opened',
    by: 'a person who loads the images',
    act: async (stage) => ({
      ...aboutIt,
      message_id: (await followed(stage, OPEN_PATH)).id,
      status: 'opened',
      bot: false,
      user_agent: PERSON,
    }),
  },
  {
    event: 'message.clicked',
    by: 'a person who follows a link',
    act: async (stage) => ({
      ...aboutIt,
      message_id: (await followed(stage, CLICK_PATH)).id,
      status: 'clicked',
      bot: false,
      url: LINKED,
    }),
  },
  {
    event: 'message.hard_bounced',
    by: 'a relay that knows no such address',
    act: async (stage) => ({
      ...aboutIt,
      message_id: await turnedAway(stage, '550 5.1.1 User unknown'),
      status: 'hard_bounced',
      smtp_code: 550,
      enhanced_code: '5.1.1',
      diagnostic: 'User unknown',
    }),
  },
  {
    event: 'message.hard_bounced',
    by: 'a bounce message',
    act: async (stage) => ({
      ...aboutIt,
      message_id: (await reported(stage, bounceOf(letter.to))).id,
      status: 'hard_bounced',
      enhanced_code: '5.1.1',
    }),
  },
  {
    event: 'message.soft_bounced',
    by: 'a relay that says the mailbox is full',
    act: async (stage) => ({
      ...aboutIt,
      message_id: await turnedAway(stage, '552 5.2.2 Postfach für Jürgen voll'),
      status: 'soft_bounced',
      smtp_code: 552,
      enhanced_code: '5.2.2',
    }),
  },
  {
    event: 'message.auto_replied',
    by: 'an out-of-office notice',
    act: async (stage) => ({
      ...aboutIt,
      message_id: (await reported(stage, absence())).id,
      status: 'auto_replied',
    }),
  },
  {
    event: 'message.spam_complaint',
    by: 'a feedback loop',
    act: async (stage) => ({
      ...aboutIt,
      message_id: (await reported(stage, feedbackReport('abuse', [], []))).id,
      status: 'spam_complaint',
    }),
  },
  {
    event: 'message.failed',
    by: 'the cancellation of a scheduled message',
    act: async (stage) => {
      const scheduled_at = toIso(stage.clock.now() + 24 * HOUR);
      const id = await stage.app.send(stage.sender, { ...letter, scheduled_at });
      await post(stage, `/messages/${id}/cancel`, undefined);
      return { ...aboutIt, message_id: id, status: 'failed' };
    },
  },
  {
    event: 'message.failed',
    by: 'a relay that answers 4xx until the time for attempts is over',
    act: async (stage) => ({
      ...aboutIt,
      message_id: await delayed(stage),
      status: 'failed',
      smtp_code: 450,
      content_reasons: null,
    }),
  },
  { event: 'message.failed', by: 'content that is blocked', act: blocked },
  { event: 'message.content_blocked', by: 'content that is blocked', act: blocked },
  {
    event: 'message.suppressed',
    by: 'a suppression that applies at acceptance',
    act: async (stage) => {
      await suppressedByHand(stage);
      const { id } = await post(stage, '/send', letter);
      return { ...aboutIt, message_id: id, status: 'suppressed' };
    },
  },
  {
    event: 'message.suppressed',
    by: 'a suppression that is there right before an attempt',
    act: async (stage) => ({
      ...aboutIt,
      message_id: await delayed(stage, () => suppressedByHand(stage)),
      status: 'suppressed',
      suppression: expect.objectContaining({ ...suppression, reason: 'manual' }),
    }),
  },
  {
    event: 'message.unsubscribed',
    by: 'one click in the mail program',
    act: async (stage) => ({
      ...aboutIt,
      message_id: (await unsubscribed(stage)).id,
      status: 'unsubscribed',
    }),
  },
  {
    event: 'message.unsubscribed',
    by: 'an opt-out report',
    act: async (stage) => ({
      ...aboutIt,
      message_id: (await reported(stage, feedbackReport('opt-out', [], []))).id,
      status: 'unsubscribed',
    }),
  },
  {
    event: 'message.delivery_delayed',
    by: 'a relay that answers 4xx',
    act: async (stage) => ({
      ...aboutIt,
      message_id: await turnedAway(stage, '450 4.2.0 Greylisted', TRACKED),
      status: 'delivery_delayed',
      smtp_code: 450,
    }),
  },
  {
    event: 'message.delivery_delayed',
    by: 'a delay notice',
    act: async (stage) => {
      const report = deliveryStatus(letter.to, 'Action: delayed', 'Status: 4.4.1');
      return {
        ...aboutIt,
        message_id: (await reported(stage, report, TRACKED)).id,
        status: 'delivery_delayed',
      };
    },
  },
  {
    event: 'message.subscription',
    by: 'one click in the mail program',
    act: async (stage) => ({
      ...aboutIt,
      message_id: (await unsubscribed(stage)).id,
      status: 'unsubscribed',
      scope: 'route',
    }),
  },
  {
    event: 'suppression.added',
    by: 'a hand',
    act: async (stage) => ({
      ...suppression,
      suppression_id: await suppressedByHand(stage),
      reason: 'manual',
    }),
  },
  {
    event: 'suppression.added',
    by: 'an import',
    act: async (stage) => {
      const file = Buffer.from(`address\n${letter.to}\n`);
      await post(stage, '/suppression/import', file, { 'Content-Type': 'text/csv' });
      return { ...suppression, reason: 'import' };
    },
  },
  {
    event: 'suppression.added',
    by: 'a hard bounce',
    act: async (stage) => {
      await reported(stage, bounceOf(letter.to));
      return { ...suppression, reason: 'hard_bounce' };
    },
  },
  {
    event: 'suppression.added',
    by: 'a complaint',
    act: async (stage) => {
      await reported(stage, feedbackReport('abuse', [], []));
      return { ...suppression, reason: 'complaint' };
    },
  },
  {
    event: 'suppression.added',
    by: 'who unsubscribes from a route',
    act: async (stage) => {
      await unsubscribed(stage);
      const [route] = stage.app.sql<{ id: string }>(
        stage.sender.practice.id,
        "SELECT id FROM routes WHERE slug = 'outgoing'",
      );
      const place = { scope: 'route', route_id: route?.id, route_slug: 'outgoing', project_id: null };
      return { ...suppression, ...place, reason: 'unsubscribe' };
    },
  },
  {
    event: 'suppression.removed',
    by: 'its removal',
    act: async (stage) => {
      const id = await suppressedByHand(stage);
      const { app, sender } = stage;
      await app.request('DELETE', `${sender.base}/suppression/${id}`, undefined, sender.token);
      return { ...suppression, suppression_id: id, reason: 'manual' };
    },
  },
  {
    event: 'suppression.removed',
    by: 'the removal of many',
    act: async (stage) => {
      const id = await suppressedByHand(stage);
      await post(stage, '/suppression/bulk-delete', { ids: [id] });
      return { ...suppression, suppression_id: id, reason: 'manual' };
    },
  },
  {
    event: 'inbound.received',
    by: 'a mail from the world',
    act: async (stage) => ({
      ...(await mailFromPerson(stage)),
      reply_to_message_id: null,
      project_id: null,
      spam: { verdict: 'clean', score: expect.anything() },
    }),
  },
  {
    event: 'inbound.received',
    by: 'a reply to a message',
    act: async (stage) => {
      const { id, content } = await sent(stage);
      const { messageId } = await simpleParser(content);
      const told = await mailFromPerson(stage, [`In-Reply-To: ${messageId}`]);
      return {
        ...told,
        reply_to_message_id: id,
        project_slug: 'default',
        route_slug: 'outgoing',
        thread_id: id,
      };
    },
  },
];

/** Names of the catalogue that no row causes. */
export const withoutScene = (): string[] =>
  Object.keys(eventCatalogue).filter((name) => !scenes.some(({ event }) => event === name));
