// Shapes of DKIM keys in the API. The private part is never shown.
import { z } from 'zod';
import { say } from '#src/kernel/say.ts';
import { toIso, toIsoOrNull } from '#src/kernel/time.ts';
import { because } from '#src/kernel/validate.ts';
import type { DkimKeyRow } from '../store.ts';
import { nextSteps, type Plan } from './key-rules.ts';

/** The length with the trailing dot that a host name may have. */
const MAX_HOST_CHARACTERS = 254;
const MAX_LABEL_CHARACTERS = 63;
/** An RSA key of 4,096 bits needs half of this as PEM. */
const MAX_PEM_CHARACTERS = 8_192;

export const dkimKeySchema = z
  .strictObject({
    host: z.string(),
    selector: z.string().describe('the token, or the selector of an imported key'),
    algorithm: z.enum(['rsa-sha256', 'ed25519-sha256']),
    role: z
      .enum(['active', 'next', 'retiring', 'revoked'])
      .describe(
        '`active` signs; `next` is published and waits; `retiring` is still published for what it signed; `revoked` is withdrawn',
      ),
    imported: z.boolean(),
    position: z.int().describe("among the host's tokens, from 1; 0: imported"),
    record: z.string().describe('the TXT that verifiers are to find'),
    created_at: z.iso.datetime(),
    published_at: z.iso.datetime().nullable(),
    activated_at: z.iso.datetime().nullable(),
    retired_at: z.iso.datetime().nullable(),
    next_step: z
      .enum(nextSteps)
      .nullable()
      .describe('what happens to it next by itself; `renew`: its token gets a new key'),
    next_step_at: z.iso.datetime().nullable(),
    hint: z.string().describe('advice on the key; mostly empty'),
  })
  .meta({ id: 'DkimKey' });

export const dkimKeysSchema = z.strictObject({ data: z.array(dkimKeySchema) }).meta({ id: 'DkimKeyList' });

const hostField = z.string().max(MAX_HOST_CHARACTERS);

export const rotateBody = z
  .strictObject({
    host: hostField.optional().describe('the sending domain in use where absent'),
    compromised: z
      .boolean()
      .optional()
      .describe(
        'someone else may have the keys: they are withdrawn at once, and mail in flight that they signed fails DKIM',
      ),
  })
  .meta({ examples: [{ compromised: true }] });

export const importBody = z
  .strictObject({
    selector: z
      .string()
      .toLowerCase()
      .regex(
        /^(?=.{1,63}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/,
        because(
          say`expected letters, digits and inner hyphens, at most ${MAX_LABEL_CHARACTERS}; dots between labels`,
        ),
      )
      .describe('the key is published as TXT at `<selector>._domainkey.<host>`'),
    private_key: z
      .string()
      .max(MAX_PEM_CHARACTERS)
      .describe('PEM without passphrase: RSA of 1,024 to 4,096 bits (PKCS#8 or PKCS#1), or Ed25519 (PKCS#8)'),
    host: hostField.optional().describe('the pending custom domain, or the one in use, where absent'),
  })
  .meta({ examples: [{ selector: 'mail2019', private_key: '-----BEGIN PRIVATE KEY-----\n...' }] });

export const presentKey = (
  row: DkimKeyRow,
  plan: Plan,
  { record, hint }: { readonly record: string; readonly hint: string },
): z.infer<typeof dkimKeySchema> => ({
  host: row.domain,
  selector: row.token,
  algorithm: row.algorithm,
  role: row.role,
  imported: row.position === 0,
  position: row.position,
  record,
  created_at: toIso(row.created_at),
  published_at: toIsoOrNull(row.published_at),
  activated_at: toIsoOrNull(row.activated_at),
  retired_at: toIsoOrNull(row.retired_at),
  next_step: plan.step,
  next_step_at: toIsoOrNull(plan.at),
  hint,
});

/** The audit keeps what each key of a host is for. */
export const auditKeys = (rows: readonly DkimKeyRow[]): unknown =>
  rows.map(({ domain, token, algorithm, role, position }) => ({
    host: domain,
    selector: token,
    algorithm,
    role,
    imported: position === 0,
  }));
