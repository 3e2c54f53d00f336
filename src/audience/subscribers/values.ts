// What is allowed of the values that templates find at a subscriber, by the API and in files. Pure.
import { UNSUBSCRIBE_FIELD } from '#src/mail/merge-fields.ts';

export const MAX_FIELDS = 50;
/** UTF-16 code units. */
export const MAX_VALUE = 1_000;
/** Placeholders of these names have other values. */
export const takenNames: readonly string[] = ['email', 'name', UNSUBSCRIBE_FIELD];
