// Shapes of the answers about Domain Connect.
import { z } from 'zod';
import { purposes } from '../records/host-check.ts';

const recordBase = { groupId: z.string(), host: z.string() };
const ttl = z.int();

/** Names are those of the Domain Connect specification, not of this API. */
export const templateSchema = z.strictObject({
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
      z.strictObject({ type: z.literal('MX'), ...recordBase, pointsTo: z.string(), priority: z.int(), ttl }),
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
});

export const metaSchema = z.strictObject({
  provider_id: z.string(),
  service_id: z.string(),
  available: z.boolean().describe('Whether the operator has set it up.'),
  key_host: z.string().nullable().describe('Label of the TXT records with the public key.'),
  sync_pub_key_domain: z.string(),
  public_key_records: z.array(
    z.strictObject({ name: z.string(), type: z.literal('TXT'), value: z.string() }),
  ),
  template_url: z.url(),
});

export const offerSchema = z.strictObject({
  available: z.boolean(),
  url: z.url().nullable().describe('To be opened in the browser of whoever owns the domain.'),
  reason: z.string().nullable().describe('Why there is no address.'),
  provider: z.string(),
  groups: z.array(z.string()).describe('Groups of the template that the address asks for.'),
  by_hand: z
    .array(
      z.strictObject({
        purpose: z.enum(purposes),
        type: z.enum(['CNAME', 'MX', 'TXT']),
        name: z.string(),
        value: z.string(),
        priority: z.int().nullable(),
        hint: z.string(),
      }),
    )
    .describe('Records that lack and that the address does not bring.'),
});
