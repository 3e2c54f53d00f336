// Where a relay that reports by HTTP instead of by mail brings its reports: one address for each upstream that has
// `events`. What it says goes the way of every report, so that one told twice, or by mail as well, changes nothing.
import { z } from 'zod';
import { AppError } from '#src/kernel/errors.ts';
import type { Log } from '#src/kernel/log.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import type { Secret } from '#src/kernel/secret.ts';
import { unfit, validate } from '#src/kernel/validate.ts';
import { type LocateDeps, locate } from '../locate.ts';
import { type ReceiveDeps, type ReportResult, receiveReport } from '../receive.ts';
import { returnPathStanding } from '../return-path.ts';
import type { Confirm } from './confirm.ts';
import { jsonEvents, readJsonEvents } from './json-events.ts';
import { knowsSecret } from './secret.ts';
import { readSesEvent, sesEvent } from './ses-events.ts';
import { isSetUpNotice, isSubscribeUrl, snsBody } from './sns.ts';
import type { Told } from './told.ts';

export interface UpstreamEvents {
  readonly format: 'sns' | 'json';
  readonly secret: Secret;
}

export interface UpstreamEventDeps {
  /** Of the upstream of that name; null where there is none, or it has no events. */
  readonly eventsOf: (upstream: string) => UpstreamEvents | null;
  readonly locate: LocateDeps;
  readonly received: ReceiveDeps;
  readonly confirm: Confirm;
}

const KIB = 1_024;
const BODY_BYTES = 256 * KIB;
/** Files of so many practices may be opened at once for one request. */
const AT_ONCE = 50;
const RETRY_AFTER_SECONDS = 30;

const answer = z.strictObject({
  taken: z.int().describe('events that were new'),
  unchanged: z.int().describe('known before, or nothing that matters here'),
  unknown: z.int().describe('about no mail of this service'),
});
type Counts = z.output<typeof answer>;

const params = z.object({ name: z.string().max(100).describe('name of the upstream in the configuration') });

/** Each format has a schema of its own, asked once the secret was right. */
const body = z
  .unknown()
  .describe(
    '`json`: one event, or a list of at most 1,000, as described here. `sns`: what Amazon SNS sends, with an event of Amazon SES in it.',
  )
  .meta({ anyOf: [z.toJSONSchema(jsonEvents, { io: 'input' })] });

const refused = (): AppError =>
  new AppError('unauthorized', 'The request has no live credential.', {
    hint: "Send the secret of this upstream's `events` as `Authorization: Bearer <secret>`, or as the password of HTTP Basic.",
  });

const parsed = (text: string, path: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw unfit([{ path, message: 'expected one JSON document' }]);
  }
};

const countOf: Readonly<Record<ReportResult, keyof Counts>> = {
  changed: 'taken',
  unchanged: 'unchanged',
  unknown: 'unknown',
};

const NONE: Counts = { taken: 0, unchanged: 0, unknown: 0 };

/** Rejects where a file cannot be used: nothing of that event has changed then, and the relay brings it again. */
const takeOne = async (
  deps: UpstreamEventDeps,
  upstream: string,
  { clues, found }: Told,
): Promise<ReportResult> => {
  if (found === null) return 'unchanged';
  const target = await locate(deps.locate, clues);
  const standing = target && (await returnPathStanding(deps.received, target));
  // Of old mail people may complain as long as it is known.
  const isTooLate = standing === 'expired' && found.signal !== 'spam_complaint';
  if (target === null || standing === 'unknown' || standing === 'replayed' || isTooLate) return 'unknown';
  return receiveReport(deps.received, target, { kind: 'relay_event', found }, { via: 'http', upstream });
};

/** All of them, also where one cannot be taken: one practice's file holds up no other's reports. Rejects then. */
const takeAll = async (deps: UpstreamEventDeps, upstream: string, all: readonly Told[]): Promise<Counts> => {
  const counts = { ...NONE };
  const failures: unknown[] = [];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE).map((told) => takeOne(deps, upstream, told));
    for (const one of await Promise.allSettled(some))
      if (one.status === 'fulfilled') counts[countOf[one.value]] += 1;
      else failures.push(one.reason);
  }
  if (failures.length > 0) throw failures[0];
  return counts;
};

const confirmed = async (deps: UpstreamEventDeps, url: string): Promise<void> => {
  if (!isSubscribeUrl(url))
    throw new AppError('invalid_request', '`body.SubscribeURL`: expected an address of Amazon SNS.', {
      hint: 'Only https://sns.<region>.amazonaws.com is followed. Confirm the subscription by hand where it is another.',
      extra: { fields: [{ path: 'body.SubscribeURL', message: 'expected an address of Amazon SNS' }] },
    });
  if (!(await deps.confirm(url)))
    throw new AppError('unavailable', 'The subscription could not be confirmed at Amazon SNS.', {
      extra: { retry_after: RETRY_AFTER_SECONDS },
    });
};

const takeSns = async (
  deps: UpstreamEventDeps,
  upstream: string,
  given: unknown,
  log: Log,
): Promise<Counts> => {
  const content = validate(snsBody, given, 'body');
  if (!('Type' in content)) return takeAll(deps, upstream, readSesEvent(content));
  switch (content.Type) {
    case 'Notification': {
      if (isSetUpNotice(content.Message)) return NONE;
      const event = validate(sesEvent, parsed(content.Message, 'body.Message'), 'body.Message');
      return takeAll(deps, upstream, readSesEvent(event));
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
    summary: 'Report what became of mail that an upstream was given',
    description:
      'For the relay that is configured with `events`, by its secret: as a bearer token, or as the password of HTTP Basic. What was told before, here or by a delivery status notification, changes nothing. After 503 the same is to be sent again.',
    access: 'public',
    audit: { none: 'a relay tells what became of mail; the events of the messages are the record' },
    challenge: 'Basic realm="events of an upstream", charset="UTF-8"',
    stability: 'stable',
    params,
    body,
    text: ['text/plain'],
    bodyLimit: BODY_BYTES,
    responses: { 200: { description: 'How many of the events were new.', body: answer } },
    errors: ['unauthorized', 'unavailable'],
    handle: async ({ params: { name }, body: given }, { header, log }) => {
      const events = deps.eventsOf(name);
      if (!knowsSecret(header('authorization'), events?.secret ?? null) || events === null) throw refused();
      const content = typeof given === 'string' ? parsed(given, 'body') : given;
      const counts =
        events.format === 'sns'
          ? await takeSns(deps, name, content, log)
          : await takeAll(deps, name, readJsonEvents(validate(jsonEvents, content, 'body')));
      return { status: 200, body: counts };
    },
  }),
];
