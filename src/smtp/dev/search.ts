// Searches in captured mail in mailpit's words: `to:`, `from:`, `subject:` and the like, phrases in quotes, and `-` or `!` before
// what must not be there. All words have to be found. Pure.

interface Person {
  readonly Name: string;
  readonly Address: string;
}

/** What a search looks at. */
export interface Searched {
  readonly From: Person;
  readonly To: readonly Person[];
  readonly Cc: readonly Person[];
  readonly Bcc: readonly Person[];
  readonly ReplyTo: readonly Person[];
  readonly Subject: string;
  readonly MessageID: string;
  readonly Size: number;
  readonly Attachments: number;
  readonly inlineFiles: number;
  readonly isRead: boolean;
  /** Unix time, ms. */
  readonly created: number;
  /** Header, text and names of files, in lower case. */
  readonly words: string;
}

type Test = (mail: Searched) => boolean;

const MAX_WORDS = 100;
/** A word, of which parts may be in quotes: `subject:"your order"`. */
const WORD = /(?:"[^"]*"?|[^\s"])+/g;

const contains = (text: string, wanted: string): boolean => text.toLowerCase().includes(wanted);
const isAmong = (people: readonly Person[], wanted: string): boolean =>
  people.some(({ Name, Address }) => contains(Name, wanted) || contains(Address, wanted));

const UNITS: Readonly<Record<string, number>> = { '': 1, k: 1_024, kb: 1_024, m: 1_048_576, mb: 1_048_576 };
const bytesOf = (text: string): number => {
  const [, count = '', unit = ''] = /^(\d+(?:\.\d+)?)\s?([a-z]{0,2})$/.exec(text) ?? [];
  return Number(count) * (UNITS[unit] ?? 0);
};

/** Each takes what is behind its colon, in lower case; null where that says nothing. */
const FILTERS: Readonly<Record<string, (wanted: string) => Test | null>> = {
  to: (wanted) => (mail) => isAmong(mail.To, wanted),
  from: (wanted) => (mail) => isAmong([mail.From], wanted),
  cc: (wanted) => (mail) => isAmong(mail.Cc, wanted),
  bcc: (wanted) => (mail) => isAmong(mail.Bcc, wanted),
  'reply-to': (wanted) => (mail) => isAmong(mail.ReplyTo, wanted),
  addressed: (wanted) => (mail) =>
    isAmong([mail.From, ...mail.To, ...mail.Cc, ...mail.Bcc, ...mail.ReplyTo], wanted),
  subject: (wanted) => (mail) => contains(mail.Subject, wanted),
  'message-id': (wanted) => (mail) => contains(mail.MessageID, wanted),
  // No mail has a tag here.
  tag: () => () => false,
  is: (wanted) => {
    if (wanted === 'read') return (mail) => mail.isRead;
    if (wanted === 'unread') return (mail) => !mail.isRead;
    return wanted === 'tagged' ? () => false : null;
  },
  has: (wanted) => {
    if (/^attachments?$/.test(wanted)) return (mail) => mail.Attachments > 0;
    return /^inlines?$/.test(wanted) ? (mail) => mail.inlineFiles > 0 : null;
  },
  after: (wanted) => timeTest(wanted, (created, time) => created >= time),
  before: (wanted) => timeTest(wanted, (created, time) => created <= time),
  larger: (wanted) => sizeTest(wanted, (size, limit) => size > limit),
  smaller: (wanted) => sizeTest(wanted, (size, limit) => size < limit),
};

function timeTest(wanted: string, compare: (created: number, time: number) => boolean): Test | null {
  const time = Date.parse(wanted);
  return Number.isNaN(time) ? null : ({ created }) => compare(created, time);
}
function sizeTest(wanted: string, compare: (size: number, limit: number) => boolean): Test | null {
  const limit = bytesOf(wanted);
  return limit > 0 ? ({ Size }) => compare(Size, limit) : null;
}

const testOf = (word: string): Test | null => {
  const isExcluded = word.length > 1 && /^[-!]/.test(word);
  const text = (isExcluded ? word.slice(1) : word).replaceAll('"', '').toLowerCase();
  if (!/[\p{L}\p{N}]/u.test(text)) return null;
  const [, name = '', value = ''] = /^([a-z-]+):(.*)$/s.exec(text) ?? [];
  const filter = Object.hasOwn(FILTERS, name) ? FILTERS[name] : undefined;
  // A filter that is still to be filled in excludes nothing.
  if (filter !== undefined && value.trim() === '') return null;
  const wanted = text.replace(/\s+/g, ' ').trim();
  const test = filter ? filter(value.trim()) : (mail: Searched) => mail.words.includes(wanted);
  return test && isExcluded ? (mail) => !test(mail) : test;
};

/** Whether a mail is what the query asks for. */
export const searchFor = (query: string): Test => {
  const tests = (query.match(WORD) ?? [])
    .slice(0, MAX_WORDS)
    .map(testOf)
    .filter((test) => test !== null);
  return (mail) => tests.every((test) => test(mail));
};
