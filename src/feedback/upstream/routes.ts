// The routes to which a relay posts its reports if it reports by HTTP instead of by mail: one path for each upstream that has
// `events`. They are applied like any other report, so that a repetition, also one by mail, changes nothing.

import { z } from 'zod';
import { nothingSent, unreadable } from '#src/kernel/credentials.ts';
import { AppError } from '#src/kernel/errors.ts';
import { asItComes } from '#src/kernel/fields.ts';
import type { Log } from '#src/kernel/log.ts';
import { TenantMoved } from '#src/kernel/moved.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { Secret } from '#src/kernel/secret.ts';
import { isSecret, secretIn } from '#src/kernel/shared-secret.ts';
import { unfit, validate } from '#src/kernel/validate.ts';
import type { ReportResult } from '#src/mail/reception.ts';
import { type LocatedDeps, receiveLocated } from '../receive-located.ts';
import type { Confirm } from './confirm-subscription.ts';
import { jsonEvents, readJsonEvents } from './json-events.ts';
import type { RelayEvent } from './relay-event.ts';
import { readSesEvent, sesEvent } from './ses-events.ts';
import { isSetUpNotice, isSubscribeUrl, snsBody } from './sns.ts';

export interface UpstreamEvents {
  readonly format: 'sns' | 'json';
  readonly secret: Secret;
}

export interface UpstreamEventDeps extends LocatedDeps {
  /** Null where there is no upstream of that name, or it has no events. */
  readonly eventsOf: (upstream: string) => UpstreamEvents | null;
  readonly confirm: Confirm;
}

const KIB = 1_024;
const BODY_BYTES = 256 * KIB;
/** Bounds the tenants' files that one request opens at the same time. */
const AT_ONCE = 50;
const RETRY_AFTER_SECONDS = 30;

const answer = z.strictObject({
  taken: z.int().describe('events that were new'),
  unchanged: z.int().describe('known before, or without a meaning here'),
  unknown: z.int().describe('about no mail of this service'),
});
type Counts = z.output<typeof answer>;

const params = z.object({
  name: z
    .string()
    .max(100)
    .describe('name of the upstream in the configuration')
    .meta({ examples: ['relay'] }),
});

/** Each format has its own schema, which is checked after the secret. */
const body = asItComes(jsonEvents, {
  description:
    '`json`: one event, or a list of at most 1,000, as described here. `sns`: what Amazon SNS sends, with an event of Amazon SES in it.',
  examples: [
    {
      type: 'bounced',
      recipient: 'erika@example.org',
      message_id: '<0198c5b2@mail.example.com>',
      enhanced_code: '5.1.1',
      diagnostic: '550 5.1.1 no such user',
    },
  ],
});

const SEND_SECRET = say`Send the secret of this upstream's \`events\` as \`Authorization: Bearer <secret>\`, or as the password of HTTP Basic.`;

/** Throws `unauthorized`, with the same words for a wrong secret and for an upstream that is not there. */
const eventsFor = (
  deps: UpstreamEventDeps,
  name: string,
  authorization: string | undefined,
): UpstreamEvents => {
  if (authorization === undefined) throw nothingSent(SEND_SECRET);
  const given = secretIn(authorization);
  if (given === null) throw unreadable(authorization, ['Bearer', 'Basic'], SEND_SECRET);
  const events = deps.eventsOf(name);
  if (!isSecret(given, events?.secret ?? null) || events === null)
    throw new AppError('unauthorized', say`The secret is wrong, or there is no such upstream with events.`, {
      hint: SEND_SECRET,
    });
  return events;
};

const parsed = (text: string, path: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw unfit([{ path, message: say`expected one JSON document` }]);
  }
};

const countOf: Readonly<Record<ReportResult, keyof Counts>> = {
  changed: 'taken',
  unchanged: 'unchanged',
  unknown: 'unknown',
};

const NONE: Counts = { taken: 0, unchanged: 0, unknown: 0 };

/** Rejects where a file cannot be used; then the event has changed nothing, and the relay sends it again. */
const applyEvent = async (
  deps: UpstreamEventDeps,
  upstream: string,
  { clues, found }: RelayEvent,
): Promise<ReportResult> => {
  if (found === null) return 'unchanged';
  const report = { kind: 'relay_event', found } as const;
  return receiveLocated(deps, clues, report, { via: 'http', upstream }).catch((error) => {
    // Its new host has no such upstream. What receivers report of the same mail by mail is handed on.
    if (error instanceof TenantMoved) return 'unknown';
    throw error;
  });
};

/** Applies all events, also where one fails, so that one tenant's file does not hold up the others. Then it rejects. */
const applyAll = async (
  deps: UpstreamEventDeps,
  upstream: string,
  all: readonly RelayEvent[],
): Promise<Counts> => {
  const counts = { ...NONE };
  const failures: unknown[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE).map((event) => applyEvent(deps, upstream, event));
    for (const one of await Promise.allSettled(some))
      if (one.status === 'fulfilled') counts[countOf[one.value]] += 1;
      else failures.push(one.reason);
  }
  if (failures.length > 0) throw failures[0];
  return counts;
};

const confirmed = async (deps: UpstreamEventDeps, url: string): Promise<void> => {
  if (!isSubscribeUrl(url))
    throw new AppError('invalid_request', say`\`body.SubscribeURL\`: expected an address of Amazon SNS.`, {
      hint: say`Only https://sns.<region>.amazonaws.com is followed. Confirm the subscription by hand where it is another.`,
      extra: { fields: [{ path: 'body.SubscribeURL', message: say`expected an address of Amazon SNS` }] },
    });
  if (!(await deps.confirm(url)))
    throw new AppError('unavailable', say`The subscription could not be confirmed at Amazon SNS.`, {
      extra: { retry_after: RETRY_AFTER_SECONDS },
    });
};

const applySns = async (
  deps: UpstreamEventDeps,
  upstream: string,
  given: unknown,
  log: Log,
): Promise<Counts> => {
  const content = validate(snsBody, given, 'body');
  if (!('Type' in content)) return applyAll(deps, upstream, readSesEvent(content));
  switch (content.Type) {
    case 'Notification': {
      if (isSetUpNotice(content.Message)) return NONE;
      const event = validate(sesEvent, parsed(content.Message, 'body.Message'), 'body.Message');
      return applyAll(deps, upstream, readSesEvent(event));
    }
    case 'SubscriptionConfirmation':
      await confirmed(deps, content.SubscribeURL);
      log.info(
        { upstream, topic: content.TopicArn },
        'a subscription to the events of an upstream is confirmed',
      );
      return NONE;
    case 'UnsubscribeConfirmation':
      log.warn(
        { upstream, topic: content.TopicArn },
        'the subscription to the events of an upstream has ended',
      );
      return NONE;
    default:
      return content satisfies never;
  }
};

export const upstreamEventRoutes = (deps: UpstreamEventDeps): Route[] => [
  defineRoute({
    method: 'post',
    path: '/api/upstreams/{name}/events',
    tag: 'Upstreams',
    id: 'reportUpstreamEvents',
    usedBy: 'relays that report by HTTP what became of a mail',
    summary: 'Report the outcome of mail that was given to an upstream',
    description:
      'For the relay that is configured with `events`, by its secret: as a bearer token, or as the password of HTTP Basic. Events that were reported before, here or by a delivery status notification, change nothing. After 503 the relay must send the same events again.',
    access: 'public',
    audit: { none: 'a relay reports the outcome of mail; the events of the messages are the record' },
    challenge: 'Basic realm="events of an upstream", charset="UTF-8"',
    stability: 'stable',
    params,
    body,
    text: ['text/plain'],
    bodyLimit: BODY_BYTES,
    responses: { 200: { description: 'How many of the events were new.', body: answer } },
    errors: ['unauthorized', 'unavailable'],
    handle: async ({ params: { name }, body: given }, { header, log }) => {
      const events = eventsFor(deps, name, header('authorization'));
      const content = given instanceof Uint8Array ? parsed(new TextDecoder().decode(given), 'body') : given;
      const counts =
        events.format === 'sns'
          ? await applySns(deps, name, content, log)
          : await applyAll(deps, name, readJsonEvents(validate(jsonEvents, content, 'body')));
      return { status: 200, body: counts };
    },
  }),
];
