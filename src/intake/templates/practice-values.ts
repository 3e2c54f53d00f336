// What templates know of the practice by itself: `{{practice.name}}`, `{{practice.address}}` and each field of the legal block that
// is filled in, under its name there (`{{practice.street}}`, `{{practice.privacy_url}}`). Values that are given win over these. Pure.
import type { PracticeRow } from '#src/accounts/tenants/store.ts';
import type { MergeData } from '#src/mail/merge-fields.ts';

const PREFIX = 'practice.';
/** Columns of the legal block. */
const LEGAL = 'legal_';

export const isOfPractice = (placeholder: string): boolean => placeholder.startsWith(PREFIX);

export const practiceValues = (practice: PracticeRow): MergeData => {
  const values: Record<string, string> = { name: practice.name };
  for (const [column, value] of Object.entries(practice))
    if (column.startsWith(LEGAL) && typeof value === 'string' && value.trim() !== '')
      values[column.slice(LEGAL.length)] = value;
  const address = [values.street, values.city].filter((line) => line !== undefined).join(', ');
  if (address !== '') values.address = address;
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${PREFIX}${name}`, value]));
};
