// The JSON columns of a message's row, parsed once for all copies that are made while the row is in memory. Pure.
import type { Mailbox } from '#src/mail/mailbox.ts';
import type { MessageSettings } from '#src/messages/settings.ts';
import type { MessageRow } from '#src/messages/store.ts';

export interface ParsedMessage {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly replyTo: readonly Mailbox[];
  readonly settings: MessageSettings;
}

const parse = (row: MessageRow): ParsedMessage => ({
  from: JSON.parse(row.from_json),
  to: JSON.parse(row.to_json),
  cc: JSON.parse(row.cc_json),
  replyTo: JSON.parse(row.reply_to_json),
  settings: JSON.parse(row.settings_json),
});

/** The parsed form of each row; the columns that are parsed never change. */
const parsed = new WeakMap<MessageRow, ParsedMessage>();

export const parsedMessage = (row: MessageRow): ParsedMessage => {
  const known = parsed.get(row) ?? parse(row);
  parsed.set(row, known);
  return known;
};
