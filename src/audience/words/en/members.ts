import type { Words } from '../de/members.ts';

const quoted = (text = ''): string => `“${text}”`;

const becauseOf: Readonly<Record<string, string>> = {
  hard_bounce: 'mail was refused for good',
  soft_bounces: 'mail was refused several times',
  complaint: 'reported as spam',
  unsubscribe: 'unsubscribed',
  unsubscribe_all: 'unsubscribed from everything',
  manual: 'by hand',
  import: 'from a list of suppressions',
  erasure: 'data erased',
};
const because = (reason: string): string => (becauseOf[reason] ? ` (${becauseOf[reason]})` : '');

export const words: Words = {
  evidence: {
    title: (address) => `Evidence of consent: ${address}`,
    about: (practice, service, time) =>
      `All entries that the consent ledger of ${practice} has of this address, the oldest first. Made by ${service} on ${time}.`,
    proves:
      'Each entry has a checksum (SHA-256) that depends on it and on all entries before it, and the service has signed all of it. That proves that nothing was changed since the holder of the key signed it. Who that was is proved by the fingerprint below alone: it must be one of those that the service publishes. This sheet by itself proves nothing.',
    check: (keys) =>
      `What is checked is the JSON form of this evidence: sendwerk consent verify FILE --origin ADDRESS, with the address by which you know the service. The command compares the key with ${keys} and with the DNS. Exit code 0: all is right; 1: something was changed; 2: the key is not known.`,
    actions: {
      request: 'The address was entered',
      mail: 'The confirmation mail was sent',
      confirm: 'The subscription was confirmed',
      import: 'The sender asserted that consent had been given',
      withdraw: 'The consent ended',
      wording: 'The text of the consent was set',
      tracking: 'Opens and clicks may be recorded',
      no_tracking: 'Objection to the recording of opens and clicks',
    },
    ways: {
      form: 'by the form',
      api: "by the sender's API",
      import: 'by the import of a file',
      mail: 'by mail',
      link: 'by the link in the confirmation mail',
      button: 'by the link in the confirmation mail and the button on its page',
      preferences: 'on the page of preferences',
      unsubscribe: 'by unsubscribing',
      complaint: 'by a complaint as spam',
      bounce: 'because the mailbox took no mail',
      declined: 'by declining',
      removed: 'the sender removed the address',
      expired: 'it was not confirmed',
      erased: "by the erasure of the person's data",
      rectified: 'the address was corrected',
    },
    personal: {
      address: 'Address',
      name: 'Name',
      ip: 'IP address',
      user_agent: 'Browser',
      form_address: 'Address of the form',
      message_id: 'Message-ID of the mail',
      evidence: 'Proof, as the sender states it',
    },
    time: 'Time',
    list: 'List',
    allLists: 'all',
    basis: 'Legal basis',
    way: 'Way',
    details: 'More',
    answers: 'Refers to entry',
    wording: (version) => `Text of the consent${version === null ? '' : `, version ${version}`}`,
    form: 'Form as it was shown (HTML as text)',
    mail: 'Mail as it was sent (RFC 5322)',
    gone: 'kept no longer',
    notYet:
      'not yet: the link in the mail is still valid. The mail is here once the person has answered or the link has ended.',
    place: 'Number in the ledger',
    hash: 'Checksum of the entry',
    head: 'Last entry of the ledger',
    key: 'Fingerprint of the key (Ed25519)',
    signature: 'Signature of the JSON form',
  },
  reported: {
    added: 'added',
    updated: 'updated',
    already: 'already',
    duplicates: 'duplicates',
    suppressed: 'suppressed',
    left_out: 'left_out',
    failed: 'failed',
  },
  imports: {
    no_address: () => 'has no address',
    bad_address: (problem = '') => problem,
    not_sendable: () =>
      'has letters beyond ASCII before its @, and the mail server of this service takes no such address (SMTPUTF8)',
    long_value: (column, most) => `has more than ${most} characters in the column ${column}`,
    duplicate: (line) => `has the address of line ${line}`,
    left: (column, value) =>
      `has left or cannot be reached by the file: ${quoted(column)} is ${quoted(value)}`,
    unconfirmed: (column, value) =>
      `has not confirmed or agreed by the file: ${quoted(column)} is ${value ? quoted(value) : 'empty'}`,
    unknown: (column, value) =>
      `is left out because ${quoted(column)} is ${value ? quoted(value) : 'empty'}: only what is known makes a subscriber`,
    left_by_name: (name) => `is no subscriber by the name of the file: ${quoted(name)}`,
    left_at: (line) => `is no subscriber by line ${line} of the file`,
    not_left: () => 'is not suppressed: the file does not say that the person has left',
    suppressed: () => 'is suppressed',
    own_wish: (reason) => `is suppressed by the person's own wish${because(reason)}`,
    has_left: () => 'has left this list, declined, or refused its mail: only they can subscribe again',
    asked_often: (times) => `was asked ${times} times and has not confirmed`,
    not_asked: () => 'is suppressed, and cannot be asked to confirm',
    gets_nothing: (reason) => `is on the list, and gets nothing: it is suppressed${because(reason)}`,
    bad_scope: () => 'has a scope that is none of team, project, route',
    bad_note: () => 'has a note that is too long or has control characters',
    /** Another part of the service gives the text. */
    refused: (text = '') => text,

    // These concern the whole file.
    no_address_column: (line) => `line ${line} names no column \`email\` or \`address\``,
    above_head: (line) =>
      `line ${line} is a title: remove what is above the row of headings, and import the file again`,
    empty: () => 'line 1 is the last one, and all are empty',
    too_long: (line, most) =>
      `line ${line} is longer than ${most} octets, or has a quote that is never closed`,
    unclosed: (line) => `line ${line} has a quote that is never closed`,
    behind_quote: (line) => `line ${line} goes on behind a closing quote`,
    malformed: (line) => `line ${line} is malformed`,
    nul: (line) => `line ${line} has a NUL: the file is no text`,
    old_excel: () =>
      'This is an old or encrypted Excel file. Save it as .xlsx without a password, or as “CSV UTF-8”.',
    other_table: (program) => `This is a file of ${program}. Save or export it as .xlsx, or as CSV in UTF-8.`,
    archive: () => 'This is an archive. Unpack it and import each file by itself.',
    ldif: () => 'This is LDIF. Choose CSV (comma separated) or vCard when you export the address book.',
    no_table: (form) => `This is ${form}, and no table. Export the addresses as CSV, .xlsx or vCard.`,
    bad_workbook: () => 'The Excel file is damaged or has no sheet. Save it again, or as “CSV UTF-8”.',
    large_workbook: (what) =>
      `The Excel file has too much in it (${what} at most). Save the sheet with the addresses as “CSV UTF-8”.`,
    list_archived: () => 'the list was archived',
  },
};
