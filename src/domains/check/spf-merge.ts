// One SPF record out of what is there and what is wanted (RFC 7208 §4.5: a name may have one only). Senders that were
// allowed stay allowed; what makes the record invalid is put right or left out. Pure.
import { allOf, type SpfRecord, type SpfTerm } from './spf-record.ts';

const OPEN_END = '~all';

/** `leaveOut`: terms by their text. `include`: the domain to have among the senders, where it is not yet. */
export const mergeSpf = (
  records: readonly SpfRecord[],
  include: string | null,
  leaveOut: ReadonlySet<string> = new Set(),
): string => {
  const isSingle = records.length === 1;
  const senders = new Map<string, string>();
  const modifiers = new Map<string, string>();
  const add = (text: string): void => {
    const key = text.toLowerCase().replace(/^\+/, '');
    if (!senders.has(key)) senders.set(key, text);
  };
  const take = (term: SpfTerm): void => {
    if (leaveOut.has(term.text)) return;
    if (term.kind === 'mistake') {
      if (term.meant !== null) add(term.meant);
    } else if (term.kind === 'mechanism') {
      if (term.name !== 'all') add(term.text);
    } else if (term.name === 'redirect' && !isSingle) add(`include:${term.domain}`);
    else if (!modifiers.has(term.name)) modifiers.set(term.name, term.text);
  };
  for (const record of records) record.terms.forEach(take);
  if (include !== null) {
    const same = `include:${include}`;
    // One that says anything but pass would be asked first.
    for (const key of senders.keys())
      if (key !== same && key.replace(/^[-~?]|\.$/g, '') === same) senders.delete(key);
    add(same);
  }
  const all = records.map(allOf).find((term) => term !== undefined && term.qualifier !== '+');
  const redirect = modifiers.get('redirect');
  modifiers.delete('redirect');
  const hasAll = records.some((record) => allOf(record) !== undefined);
  const end = hasAll || redirect === undefined ? (all?.text ?? OPEN_END) : redirect;
  return ['v=spf1', ...senders.values(), end, ...modifiers.values()].join(' ');
};
