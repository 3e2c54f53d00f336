// Domain Connect over HTTP: the template and its key for providers, and for a practice the signed address that
// publishes the records that its host lacks.

import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { AppError } from '#src/kernel/errors.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { type Speak, say } from '#src/kernel/say.ts';
import { readHost } from '../custom/check-practice.ts';
import { purposeSchema } from '../custom/domain-schema.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { adviceIn } from '../records/host-check.ts';
import { type DomainConnectSettings, type Offer, offerFor, providers } from './offer.ts';
import { domainConnectTemplate } from './template.ts';

const recordBase = { groupId: z.string(), host: z.string() };
const ttl = z.int();

/** The names are those of the Domain Connect specification. */
export const templateSchema = z
  .strictObject({
    providerId: z.string(),
    providerName: z.string(),
    serviceId: z.string(),
    serviceName: z.string(),
    version: z.int(),
    description: z.string(),
    variableDescription: z.string(),
    syncBlock: z.boolean(),
    syncPubKeyDomain: z.string(),
    syncRedirectDomain: z.string(),
    hostRequired: z.boolean(),
    records: z.array(
      z.discriminatedUnion('type', [
        z.strictObject({ type: z.literal('CNAME'), ...recordBase, pointsTo: z.string(), ttl }),
        z.strictObject({
          type: z.literal('MX'),
          ...recordBase,
          pointsTo: z.string(),
          priority: z.int(),
          ttl,
        }),
        z.strictObject({ type: z.literal('SPFM'), ...recordBase, spfRules: z.string() }),
        z.strictObject({
          type: z.literal('TXT'),
          ...recordBase,
          data: z.string(),
          ttl,
          essential: z.literal('OnApply'),
          txtConflictMatchingMode: z.literal('Prefix'),
          txtConflictMatchingPrefix: z.string(),
        }),
      ]),
    ),
  })
  .meta({ id: 'DomainConnectTemplate' });

export const metaSchema = z
  .strictObject({
    provider_id: z.string(),
    service_id: z.string(),
    available: z.boolean().describe('Whether the operator has set it up.'),
    key_host: z.string().nullable().describe('Label of the TXT records with the public key.'),
    sync_pub_key_domain: z.string(),
    public_key_records: z.array(
      z.strictObject({ name: z.string(), type: z.literal('TXT'), value: z.string() }),
    ),
    template_url: z.url(),
  })
  .meta({ id: 'DomainConnectMeta' });

export const offerSchema = z
  .strictObject({
    available: z.boolean(),
    url: z.url().nullable().describe('The owner of the domain opens it in a browser.'),
    reason: z.string().nullable().describe('Why there is no address.'),
    provider: z.string(),
    groups: z.array(z.string()).describe('Groups of the template that the address asks for.'),
    by_hand: z
      .array(
        z.strictObject({
          purpose: purposeSchema,
          type: z.enum(['CNAME', 'MX', 'TXT']),
          name: z.string(),
          value: z.string(),
          priority: z.int().nullable(),
          hint: z.string(),
        }),
      )
      .describe('Missing records that the address does not publish.'),
  })
  .meta({ id: 'DomainConnectOffer' });

const TAG = 'DNS and deliverability';
const TEMPLATE_PATH = '/api/public/domain-connect/template';
const MAX_REDIRECT_CHARACTERS = 2_000;

const redirectWithin = (text: string | undefined, origin: string): string | null => {
  if (text === undefined) return null;
  if (URL.canParse(text) && new URL(text).origin === origin && text.startsWith(`${origin}/`)) return text;
  throw new AppError('invalid_request', say`The address to return to is not one of this service.`, {
    extra: { fields: [{ path: 'query.redirect_uri', message: say`expected an address below ${origin}/` }] },
  });
};

const presentOffer = (
  { url, reason, provider, groups, byHand }: Offer,
  speak: Speak,
): z.infer<typeof offerSchema> => ({
  available: url !== null,
  url,
  reason,
  provider,
  groups: [...groups],
  by_hand: byHand.map(({ purpose, type, name, value, priority, hint }) => ({
    purpose,
    type,
    name,
    value,
    priority,
    hint: adviceIn(speak, hint),
  })),
});

export const domainConnectRoutes = (deps: DomainDeps, settings: DomainConnectSettings): Route[] => {
  const { template, signingKey, keyRecords } = settings;
  const published = domainConnectTemplate(template);
  return [
    defineRoute({
      method: 'get',
      path: TEMPLATE_PATH,
      tag: TAG,
      id: 'getDomainConnectTemplate',
      usedBy: 'DNS providers that add the template to their directory',
      summary: 'The Domain Connect template',
      description:
        'As it goes into the repository of templates that DNS providers take it from, under `<providerId>.<serviceId>.json`.',
      access: 'public',
      stability: 'stable',
      responses: { 200: { description: 'The template.', body: templateSchema } },
      handle: () => ({ status: 200, body: published }),
    }),
    defineRoute({
      method: 'get',
      path: '/api/public/domain-connect/meta',
      tag: TAG,
      id: 'getDomainConnectMeta',
      usedBy: 'DNS providers that verify a signed link',
      summary: 'Whether Domain Connect is set up here, and its public key',
      access: 'public',
      stability: 'stable',
      responses: {
        200: { description: 'What a provider needs besides the template.', body: metaSchema },
      },
      handle: () => ({
        status: 200,
        body: {
          provider_id: template.providerId,
          service_id: template.serviceId,
          available: signingKey !== null,
          key_host: signingKey?.keyHost ?? null,
          sync_pub_key_domain: template.serviceHost,
          public_key_records: keyRecords.map(({ name, data }) => ({
            name,
            type: 'TXT' as const,
            value: data,
          })),
          template_url: template.publicOrigin + TEMPLATE_PATH,
        },
      }),
    }),
    defineRoute({
      method: 'get',
      path: '/api/practices/{id}/domain-connect/cloudflare',
      tag: TAG,
      id: 'getDomainConnectOffer',
      summary: 'The address that publishes the records at the DNS provider',
      description:
        'The owner of the domain signs in there and agrees. It asks for the records that were missing at the last check, and never for an SPF or DMARC record where there is one already; those are listed under `by_hand`.',
      access: 'domain.manage',
      stability: 'stable',
      params: tenantParams,
      query: z.strictObject({
        redirect_uri: z
          .string()
          .max(MAX_REDIRECT_CHARACTERS)
          .optional()
          .describe('Where the browser goes afterwards: an address of this service.'),
        inbound: z
          .enum(['true', 'false'])
          .default('false')
          .describe('Whether to ask for the optional records of incoming mail too.'),
      }),
      responses: { 200: { description: 'The address, or why there is none.', body: offerSchema } },
      handle: async ({ params: { id }, query }, { speak }) => {
        const redirectUri = redirectWithin(query.redirect_uri, template.publicOrigin);
        const reading = await readHost(deps, id);
        const offer = await offerFor(deps, settings, {
          ...reading,
          provider: providers.cloudflare,
          withInbound: query.inbound === 'true',
          redirectUri,
        });
        return { status: 200, body: presentOffer(offer, speak) };
      },
    }),
  ];
};
