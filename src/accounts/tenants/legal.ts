// The legal block (Impressum) of a practice: what § 5 DDG and its like ask of who sends mail and has public pages, and how it reads.
// The first three fields are needed for marketing; of the others each practice gives what applies to it. Pure.
import { publicWordsIn } from '#src/accounts/words.ts';
import type { Language } from '#src/kernel/language.ts';

export const legalFields = [
  ...(['street', 'city', 'privacy_url'] as const),
  ...(['email', 'phone', 'represented_by', 'register', 'vat_id', 'authority', 'imprint_url'] as const),
] as const;
const neededFields = legalFields.slice(0, 3);
export type LegalField = (typeof legalFields)[number];
export type LegalBlock = Readonly<Record<LegalField, string | null>>;
export type LegalColumns = { -readonly [Field in LegalField as `legal_${Field}`]: string | null };

/** Written out, because every message has it made. */
export const legalOf = (row: LegalColumns): LegalBlock => ({
  street: row.legal_street,
  city: row.legal_city,
  privacy_url: row.legal_privacy_url,
  email: row.legal_email,
  phone: row.legal_phone,
  represented_by: row.legal_represented_by,
  register: row.legal_register,
  vat_id: row.legal_vat_id,
  authority: row.legal_authority,
  imprint_url: row.legal_imprint_url,
});

/** The fields needed for marketing that it lacks. */
export const missingLegal = ({ legal }: { readonly legal: Partial<LegalBlock> }): string[] =>
  neededFields.filter((field) => !legal[field]);

/** A line: text, a link, or both. */
export interface LegalLine {
  readonly text: string;
  readonly link?: { readonly text: string; readonly url: string };
}

type Named = Exclude<LegalField, 'street' | 'city'>;

/** Business letters of companies name these too (§ 35a GmbHG, § 37a HGB), so that a link does not suffice. */
const shortFields: readonly Named[] = ['represented_by', 'email', 'phone', 'register'];
const wholeFields: readonly Named[] = [...shortFields, 'vat_id', 'authority'];

/**
 * Who answers for it, as far as it is given. `short`: below mail, where the page of the legal notice has the rest; without such a page
 * nothing is left out.
 */
export const legalLines = (
  { name, legal }: { readonly name: string; readonly legal: Partial<LegalBlock> },
  language: Language,
  length: 'short' | 'whole',
): LegalLine[] => {
  const fields = length === 'short' && legal.imprint_url ? shortFields : wholeFields;
  const given = fields.flatMap((field) =>
    legal[field] ? `${publicWordsIn(language).legal[field]}: ${legal[field]}` : [],
  );
  const links = (['imprint_url', 'privacy_url'] as const).flatMap((field): LegalLine[] => {
    const url = legal[field];
    return url ? [{ text: '', link: { text: publicWordsIn(language).legal[field], url } }] : [];
  });
  return [
    { text: [name, legal.street, legal.city].filter(Boolean).join(', ') },
    ...(given.length === 0 ? [] : [{ text: given.join(' · ') }]),
    ...links,
  ];
};
