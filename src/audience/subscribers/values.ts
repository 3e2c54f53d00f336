// What is allowed of the values that templates find at a subscriber, by the API and in files. Pure.
import { UNSUBSCRIBE_FIELD } from '#src/mail/merge-fields.ts';

export const MAX_FIELDS = 50;
/** UTF-16 code units. */
export const MAX_VALUE = 1_000;
/** Placeholders of these names have other values. */
export const takenNames: readonly string[] = ['email', 'name', UNSUBSCRIBE_FIELD];

/** What an export of a list says of each subscriber beside the values. It is that list's, and no value where the file is imported. */
export const exportedColumns = [
  'address',
  'name',
  'status',
  'created_at',
  'confirmed_at',
  'consent_id',
  'consent_action',
  'consent_at',
  'list',
  'legal_basis',
  'wording_version',
] as const;
