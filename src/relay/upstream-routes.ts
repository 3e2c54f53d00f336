// Upstreams over HTTP, for the operator: how each is, a look at it, and its return to work.
import { z } from 'zod';
import { auditStore } from '#src/events/audit-store.ts';
import type { Change } from '#src/kernel/change.ts';
import { limitKeyedConcurrency } from '#src/kernel/concurrency.ts';
import type { DurableFile } from '#src/kernel/db/durable-file.ts';
import type { PlatformDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import { streams } from '#src/kernel/stream.ts';
import { type Clock, toIso, toIsoOrNull } from '#src/kernel/time.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { OutcomeCounts } from './outcome-counts.ts';
import { undeliveredReasons } from './upstream.ts';
import type { UpstreamState, Upstreams } from './upstreams.ts';

const time = z.iso.datetime();

const NEVER_DELIVERED =
  'why no mail that it takes becomes `delivered`: `no_dsn`, it offers no delivery notices; `no_listener`, nothing listens for them (`smtp.inbound`); null where one may';

const outcomesSchema = z
  .strictObject({
    accepted: z.int(),
    deferred: z.int().describe('refused for a time'),
    bounced: z.int().describe('refused for good'),
    failed: z.int().describe('by its own failure; these messages wait'),
  })
  .meta({ id: 'UpstreamOutcomes' });

const presentOutcomes = ({ upstream_failure, ...rest }: OutcomeCounts): z.infer<typeof outcomesSchema> => ({
  ...rest,
  failed: upstream_failure,
});

export const upstreamStateSchema = z
  .strictObject({
    name: z.string(),
    kind: z.enum(['smtp', 'capture']),
    address: z
      .string()
      .nullable()
      .describe('`host:port`; null: a capture upstream keeps mail here and delivers none'),
    for: z
      .strictObject({
        streams: z.array(z.enum(streams)).optional(),
        practices: z.array(z.string()).optional().describe('ids or slugs'),
      })
      .nullable()
      .describe('the mail that it is for, as configured; null: all that no upstream names'),
    state: z
      .enum(['closed', 'open', 'half_open'])
      .describe(
        'of its breaker: closed while it works; open while it is set aside; half_open: one message tries',
      ),
    set_aside_since: time.nullable().describe('null while it works'),
    retry_at: time.nullable().describe('when the next message tries it; null while it works'),
    last_failure: z
      .strictObject({
        at: time,
        reply: z.string().describe('what it answered, or how the connection failed'),
      })
      .nullable()
      .describe('of the upstream itself, not of a message; since the start'),
    never_delivered: z.enum(undeliveredReasons).nullable().describe(NEVER_DELIVERED),
    in_flight: z.int().describe('messages that it works on'),
    places: z.int().describe('how many it can work on at once, at the present pace'),
    outcomes: outcomesSchema.describe('of attempts since the start'),
    outcomes_last_hour: outcomesSchema.describe(
      'of attempts in the last hour; since the start where that is later',
    ),
  })
  .meta({ id: 'UpstreamState' });

export const presentUpstream = (one: UpstreamState): z.infer<typeof upstreamStateSchema> => {
  const { upstream, lastFailure, for: named } = one;
  return {
    name: upstream.name,
    kind: upstream.kind,
    address: upstream.address,
    for:
      named === undefined
        ? null
        : {
            ...(named.streams && { streams: [...named.streams] }),
            ...(named.practices && { practices: [...named.practices] }),
          },
    state: one.state,
    set_aside_since: toIsoOrNull(one.asideSince),
    retry_at: toIsoOrNull(one.retryAt),
    last_failure: lastFailure && { at: toIso(lastFailure.at), reply: lastFailure.diagnostic },
    never_delivered: one.neverDelivered,
    in_flight: one.inFlight,
    places: upstream.concurrency,
    outcomes: presentOutcomes(one.outcomes),
    outcomes_last_hour: presentOutcomes(one.outcomesOfLastHour),
  };
};

const probeSchema = z
  .strictObject({
    ok: z
      .boolean()
      .describe('mail could be sent; also of a capture upstream, which has nothing to connect to'),
    failed_at: z
      .string()
      .nullable()
      .describe('the step that failed: connect, greeting, ehlo, starttls, auth; null where none did'),
    error: z.string().nullable().describe('the reply that refused, or how the connection failed'),
    dsn: z
      .boolean()
      .nullable()
      .describe('whether it offers delivery notices; null where it did not come so far'),
    duration_ms: z.int(),
    transcript: z
      .array(z.string())
      .describe('our lines with `C: `, those of the server with `S: `; no credentials'),
    tls: z
      .strictObject({
        protocol: z.string().nullable().describe('`TLSv1.3`'),
        cipher: z.string().nullable(),
        verified: z
          .boolean()
          .describe('the certificate is for that host and from an authority that is trusted'),
        problem: z.string().nullable().describe('why it is not'),
        subject: z.string().nullable(),
        issuer: z.string().nullable(),
        valid_to: time.nullable(),
      })
      .nullable()
      .describe('null: mail goes in the clear, or the connection did not come so far'),
  })
  .meta({ id: 'UpstreamProbe' });

export const upstreamRoutes = (
  platform: DurableFile<PlatformDb>,
  clock: Clock,
  upstreams: Upstreams,
  dispatcher: Pick<Dispatcher, 'resume'>,
): Route[] => {
  const shared = {
    method: 'post',
    tag: 'Platform administration',
    access: 'operator',
    stability: 'stable',
    params: z.strictObject({
      name: z
        .string()
        .max(100)
        .describe('of the upstream in the configuration')
        .meta({ examples: ['capture'] }),
    }),
  } as const;
  const oneAtATime = limitKeyedConcurrency(1, say`This upstream is being looked at already.`);
  const find = (name: string): UpstreamState => {
    const found = upstreams.states().find(({ upstream }) => upstream.name === name);
    if (found) return found;
    const known = upstreams.states().map(({ upstream }) => upstream.name);
    throw new AppError('not_found', say`There is no such upstream.`, {
      hint: say`The configuration has: ${known.join(', ')}.`,
    });
  };
  const record = (change: Change, name: string, after: object): Promise<void> => {
    const entry = { target: { type: 'upstream', id: name }, before: null, after };
    return platform.write((db) => auditStore(db).record(change, entry, clock.now()));
  };
  return [
    defineRoute({
      ...shared,
      path: '/api/admin/upstreams/{name}/probe',
      id: 'probeUpstream',
      summary: 'Connect to an upstream and see what it says',
      description:
        'By a connection of its own: TCP, EHLO, TLS and AUTH as for mail, then QUIT. No message is sent, and nothing changes: an upstream that is set aside stays so.',
      audit: 'upstream.probe',
      responses: { 200: { description: 'What was said, also where it failed.', body: probeSchema } },
      errors: ['rate_limited'],
      handle: async ({ params: { name } }, { change }) => {
        const { upstream } = find(name);
        const began = performance.now();
        const { failedAt, tls, ...probe } = await oneAtATime(name, upstream.probe);
        const duration_ms = Math.round(performance.now() - began);
        const { validTo = null, ...tlsFacts } = tls ?? {};
        await record(change, name, { ok: probe.ok, failed_at: failedAt, error: probe.error });
        return {
          status: 200,
          body: {
            ...probe,
            failed_at: failedAt,
            duration_ms,
            tls: tls && { ...tlsFacts, valid_to: validTo },
          },
        };
      },
    }),
    defineRoute({
      ...shared,
      path: '/api/admin/upstreams/{name}/reset',
      id: 'resetUpstream',
      summary: 'Let an upstream that is set aside work again',
      description:
        'At once, instead of at `retry_at`: mail that waits goes to it; mail that was about to go when it was set aside, half a minute later at most. Where it works already, nothing changes.',
      audit: 'upstream.reset',
      responses: { 200: { description: 'How it is now.', body: upstreamStateSchema } },
      handle: async ({ params: { name } }, { change }) => {
        const { state, set_aside_since } = presentUpstream(find(name));
        // Before it is done: what is not written down must not happen.
        await record(change, name, { was: state, set_aside_since });
        const now = upstreams.reset(name) ?? find(name);
        dispatcher.resume();
        return { status: 200, body: presentUpstream(now) };
      },
    }),
  ];
};
