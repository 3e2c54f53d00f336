// API tokens as the API shows and takes them.
import { z } from 'zod';
import { tokenScopes } from '#src/accounts/entry/rules.ts';
import { noBrake, type TokenBrake, tokenBrakeFields } from '#src/accounts/entry/slowed-token.ts';
import type { TokenRow } from '#src/accounts/entry/token-store.ts';
import { idSchema } from '#src/kernel/fields.ts';
import { canonicalNetwork } from '#src/kernel/ip-networks.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { nameSchema } from '#src/mail/line-schema.ts';

const MAX_NETWORKS = 50;
/** The longest way to write an IPv6 address, with its prefix. */
const MAX_NETWORK = 49;

const networkSchema = z
  .string()
  .max(MAX_NETWORK)
  .transform((text, context): string => {
    const network = canonicalNetwork(text);
    if (network !== null) return network;
    context.addIssue({
      code: 'custom',
      message: 'expected an IP address or a CIDR network without host bits, such as 192.0.2.0/24',
    });
    return z.NEVER;
  })
  .describe('an IP address, or a network: `192.0.2.0/24`, `2001:db8::/32`');

export const tokenSchema = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    scope: z.enum(tokenScopes),
    project_id: z.uuid().nullable(),
    expires_at: z.iso.datetime().nullable().describe('not valid from then on; null: never expires'),
    allowed_addresses: z
      .array(z.string())
      .nullable()
      .describe('networks that it may be used from; null: from anywhere'),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable().describe("to the minute's precision"),
    ...tokenBrakeFields,
  })
  .meta({ id: 'ApiToken' });

export const createdTokenSchema = z
  .strictObject({
    ...tokenSchema.shape,
    token: z.string().describe('the secret itself; shown this once'),
  })
  .meta({ id: 'CreatedApiToken' });

export const createTokenBody = z
  .strictObject({
    name: nameSchema,
    scope: z.enum(tokenScopes),
    project_id: idSchema.nullish().describe('required for scope `project`'),
    expires_at: z.iso
      .datetime({ offset: true })
      .nullish()
      .describe('at most 10 years ahead; it never expires where absent'),
    allowed_addresses: z
      .array(networkSchema)
      .min(1)
      .max(MAX_NETWORKS)
      .nullish()
      .describe('where it may be used from; from anywhere where absent'),
  })
  .meta({ examples: [{ name: 'Praxissoftware', scope: 'team' }] });

export const presentToken = (row: TokenRow, brake: TokenBrake = noBrake): z.infer<typeof tokenSchema> => ({
  id: row.id,
  name: row.name,
  scope: row.scope,
  project_id: row.project_id,
  expires_at: toIsoOrNull(row.expires_at),
  allowed_addresses: row.allowed_json === null ? null : JSON.parse(row.allowed_json),
  created_at: toIso(row.created_at),
  last_used_at: toIsoOrNull(row.last_used_at),
  ...brake,
});
