// The evidence of one person's consent, as the API gives it and `sendwerk consent verify` reads it.
import { z } from 'zod';

const digestSchema = z.string().regex(/^[0-9a-f]{64}$/, 'expected a SHA-256 in hex');
const numberSchema = z.int().min(1);

const linkSchema = z.strictObject({
  seq: numberSchema,
  former: digestSchema.describe(
    'hash of the entry before; before the first entry a hash of the id of the practice',
  ),
  reached: digestSchema.describe('hash of the entry whose number is `seq` without its lowest binary digit 1'),
  digest: digestSchema.describe('of the entry, as canonical JSON of `[seq, id, person, facts]` (RFC 8785)'),
});

const evidenceEntrySchema = z.strictObject({
  seq: numberSchema.describe('place in the ledger'),
  id: z.uuid(),
  person: digestSchema.describe('keyed hash of the address'),
  facts: z
    .record(z.string(), z.unknown())
    .describe('what the hash covers; `commitments` are SHA-256(salt ‖ value)'),
  openings: z
    .record(z.string(), z.strictObject({ salt: z.base64(), value: z.string() }))
    .describe('the personal values that are still kept'),
  former: linkSchema.shape.former,
  reached: linkSchema.shape.reached,
  hash: digestSchema.describe('SHA-256(`seq` in 8 bytes ‖ former ‖ reached ‖ digest)'),
});

export const evidenceSchema = z
  .strictObject({
    format: z.literal('sendwerk consent evidence 1'),
    made_at: z.iso.datetime(),
    service: z.strictObject({ name: z.string(), origin: z.string() }),
    practice: z.strictObject({ id: z.uuid(), name: z.string() }),
    address: z.string(),
    lists: z
      .array(z.strictObject({ id: z.uuid(), name: z.string() }))
      .describe('the names that its lists have now'),
    entries: z.array(evidenceEntrySchema).min(1).describe('all of the person, oldest first'),
    links: z
      .array(z.array(linkSchema))
      .describe(
        'from each entry to the next, and from the last to the head: a short way over entries of others, of which it shows digests alone',
      ),
    head: z.strictObject({ seq: numberSchema, hash: digestSchema }).describe('the last entry of the ledger'),
    documents: z
      .record(
        digestSchema,
        z.strictObject({ kind: z.enum(['wording', 'form', 'mail']), content: z.base64() }),
      )
      .describe(
        'what `facts` name by their SHA-256, but what is kept no longer, and a confirmation mail whose link can still confirm: it is here once that is answered, or seven days after the request',
      ),
    signature: z
      .strictObject({
        algorithm: z.literal('Ed25519'),
        public_key: z.string().describe('PEM'),
        fingerprint: digestSchema.describe(
          'SHA-256 of the public key as DER; compare it with `kid` of `GET /.well-known/consent-keys.json`',
        ),
        value: z.base64(),
      })
      .describe('of all but itself, as canonical JSON (RFC 8785)'),
  })
  .meta({ id: 'ConsentEvidence' });

export type Evidence = z.infer<typeof evidenceSchema>;
