// What each kind of message and each channel of consent means in a practice: the facts by which it sends, as the API shows them,
// and hints in words. Pure.
import { z } from 'zod';
import type { RouteRow } from '#src/accounts/tenants/store.ts';
import { trackingOf } from '#src/intake/gate.ts';
import { wordsIn } from '#src/intake/words.ts';
import type { MemberLanguage } from '#src/kernel/language.ts';
import { streams } from '#src/kernel/stream.ts';
import { builtInRoute, type Channel, campaignKind, channels, type Kind, kinds } from '#src/messages/kinds.ts';
import { kindSchema } from '#src/messages/schema.ts';

const legalBasis = z
  .enum(['contract', 'consent'])
  .describe('on what such mail rests as a rule (Art. 6 GDPR, § 7 UWG); no legal advice');
const onOff = z.enum(['on', 'off']);
const channelName = z.enum(channels);

export const kindSemantics = z
  .strictObject({
    message_kind: kindSchema,
    typical_route: z.string().describe('slug of the route that each practice has for it'),
    stream: z.enum(streams).describe('routes of the other one refuse it: kind_not_allowed_on_route'),
    channel: channelName,
    default_tracking: onOff.describe('on the typical route, where the message says nothing'),
    legal_basis: legalBasis,
    allowed_routes: z
      .array(
        z.strictObject({
          id: z.uuid(),
          slug: z.string(),
          track_opens: z.boolean(),
          track_clicks: z.boolean(),
        }),
      )
      .describe("the practice's routes of that stream, with what is tracked where the message says nothing"),
  })
  .meta({ id: 'KindSemantics' });

export const channelSemantics = z
  .strictObject({
    channel: channelName,
    kinds: z.array(kindSchema),
    legal_basis: legalBasis,
    campaign_kind: kindSchema.nullable().describe('of campaigns over this channel; null: it has none'),
    consent_required: z
      .boolean()
      .describe('whether mail to a list goes only to those whose consent to the channel is in the ledger'),
    default_tracking: onOff,
    suppressed_by_unsubscribe: z
      .boolean()
      .describe('whether who has unsubscribed from a route gets no more of such mail over it'),
  })
  .meta({ id: 'ChannelPreferences' });

type TypicalRoute = Pick<RouteRow, 'id' | 'slug' | 'type' | 'track_opens' | 'track_clicks'>;

const isTracked = (kind: Kind, routes: readonly TypicalRoute[]): 'on' | 'off' => {
  const route = routes.find(({ slug }) => slug === builtInRoute[kinds[kind].stream]);
  const tracking = route && trackingOf({}, kind, route, 'api');
  return tracking?.track_opens || tracking?.track_clicks ? 'on' : 'off';
};

export const presentKind = (kind: Kind, routes: readonly TypicalRoute[]): z.infer<typeof kindSemantics> => {
  const { stream, channel, legalBasis } = kinds[kind];
  return {
    message_kind: kind,
    typical_route: builtInRoute[stream],
    stream,
    channel,
    default_tracking: isTracked(kind, routes),
    legal_basis: legalBasis,
    allowed_routes: routes
      .filter(({ type }) => type === stream)
      .map((route) => ({ id: route.id, slug: route.slug, ...trackingOf({}, kind, route, 'api') })),
  };
};

export const presentChannel = (
  channel: Channel,
  routes: readonly TypicalRoute[],
): z.infer<typeof channelSemantics> => {
  const ofChannel = (Object.keys(kinds) as Kind[]).filter((kind) => kinds[kind].channel === channel);
  const campaign = campaignKind(channel);
  const usual = campaign ?? ofChannel[0];
  if (usual === undefined) throw new Error(`no kind has the channel ${channel}`);
  return {
    channel,
    kinds: ofChannel,
    legal_basis: kinds[usual].legalBasis,
    campaign_kind: campaign ?? null,
    consent_required: campaign !== undefined,
    default_tracking: isTracked(usual, routes),
    // The gate looks at every sender's message, whatever its kind.
    suppressed_by_unsubscribe: true,
  };
};

export const hintsOf = (kind: Kind, language: MemberLanguage): string[] => {
  const { purposes, streams, tracking } = wordsIn(language);
  return [purposes[kind], streams[kinds[kind].stream], tracking[kinds[kind].tracking]];
};
