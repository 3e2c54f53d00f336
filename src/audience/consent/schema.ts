// The consent ledger as the API shows it.
import { z } from 'zod';
import { listQuery } from '#src/kernel/list.ts';
import { channels } from '#src/messages/kinds.ts';
import { type ConsentFacts, consentActions, type Openings } from './entry.ts';
import type { ConsentRow } from './store.ts';

const MAX_ADDRESS = 320;
const address = z
  .string()
  .max(MAX_ADDRESS)
  .meta({ examples: ['erika@example.org'] });

export const listConsentQuery = z.strictObject({
  ...listQuery,
  address: address.optional().describe('entries of this person alone'),
});

export const evidenceQuery = z.strictObject({
  address,
  format: z
    .enum(['json', 'html'])
    .optional()
    .describe(
      'by Accept where absent; `json`: signed, for `sendwerk consent verify`; `html`: a page to read and print',
    ),
});

const kept = (what: string) =>
  z.string().nullable().describe(`${what}; null where there is none, or it is kept no longer`);

export const consentEntrySchema = z
  .strictObject({
    id: z.uuid(),
    address: kept('whose consent').describe('null where the entry is about a list, and of an erased person'),
    name: kept('as the person or the practice wrote it'),
    channel: z.enum(channels),
    action: z
      .enum(consentActions)
      .describe(
        '`request`: the address was entered; `mail`: a relay took the confirmation mail; `confirm`: its link was used; `import`: the practice asserts consent; `withdraw`: it has ended; `wording`: the text of a list was set; `tracking`: opens and clicks may be recorded; `no_tracking`: the person objected to that',
      ),
    way: z.string().describe('how it came: `form`, `api`, `link`, `import`, `unsubscribe`, `complaint`, …'),
    legal_basis: z.string(),
    ip: kept('client address'),
    user_agent: kept('name of the browser'),
    form_address: kept('where the form was'),
    evidence: kept('what the practice states of how the person consented'),
    wording: z.string().nullable().describe('the text that was shown; null where none was'),
    wording_version: z.int().nullable(),
    list_id: z.uuid().nullable().describe('null: all marketing mail of the practice'),
    list_name: z.string().nullable().describe('its name at that time'),
    answers: z.string().nullable().describe('id of the entry that it answers'),
    details: z.record(z.string(), z.unknown()).describe('what else is known'),
    at: z.iso.datetime(),
  })
  .meta({ id: 'ConsentEntry' });

/** `wording`: the text of a document, by its hash in hex. */
export const presentConsent = (
  row: ConsentRow,
  wording: (hash: string) => string | null,
): z.infer<typeof consentEntrySchema> => {
  const facts: ConsentFacts = JSON.parse(row.facts_json);
  const openings: Openings = JSON.parse(row.openings_json);
  return {
    id: row.id,
    address: openings.address?.value ?? null,
    name: openings.name?.value ?? null,
    channel: facts.channel,
    action: facts.action,
    way: facts.way,
    legal_basis: facts.legal_basis,
    ip: openings.ip?.value ?? null,
    user_agent: openings.user_agent?.value ?? null,
    form_address: openings.form_address?.value ?? null,
    evidence: openings.evidence?.value ?? null,
    wording: facts.wording === null ? null : wording(facts.wording),
    wording_version: facts.wording_version,
    list_id: facts.list_id,
    list_name: facts.list_name,
    answers: facts.answers,
    details: facts.details,
    at: facts.at,
  };
};
