// People whom the practice knows, by name or address: who got mail lately, and who is on its lists.
import { call } from '#dashboard/api/call.ts';
import { may } from '#dashboard/session.ts';
import { plain } from '#dashboard/words.ts';
import { type Recipient, withRecipients } from './addresses.ts';

const MAX_SHOWN = 8;
/** Several messages go to the same person. */
const MESSAGES = 30;
/** A list is one request. */
const MAX_LISTS = 4;

const SPELLED: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss' };
/** `Müller` is found as `muller` and as `mueller`. */
const fits = ({ address, name }: Recipient, typed: string): boolean => {
  const text = `${name} ${address}`.toLowerCase();
  const spelled = text.normalize('NFC').replace(/[äöüß]/g, (letter) => SPELLED[letter] ?? letter);
  return [text, spelled].some((one) => plain(one).includes(plain(typed)));
};

const lately = async (id: string, q: string, abort: AbortSignal): Promise<readonly Recipient[]> => {
  if (!may('messages.view')) return [];
  const query = { id, q, limit: MESSAGES };
  const { data } = await call('GET /api/practices/{id}/messages/search', query, { abort });
  return data
    .filter((message) => !message.personal_data_removed)
    .flatMap(({ recipients }) => recipients.map(({ address, name }) => ({ address, name: name ?? '' })));
};

const onLists = async (id: string, q: string, abort: AbortSignal): Promise<readonly Recipient[]> => {
  if (q === '' || !may('lists.manage')) return [];
  const { data: lists } = await call('GET /api/practices/{id}/lists', { id, limit: MAX_LISTS }, { abort });
  const found = await Promise.all(
    lists.map(({ id: listID }) =>
      call(
        'GET /api/practices/{id}/lists/{listID}/subscribers',
        { id, listID, q, limit: MAX_SHOWN },
        { abort },
      ),
    ),
  );
  return found.flatMap(({ data }) => data.map(({ address, name }) => ({ address, name: name ?? '' })));
};

/** What cannot be searched is not found: an address can be typed all the same. */
const orNone = async (found: Promise<readonly Recipient[]>): Promise<readonly Recipient[]> =>
  found.catch(() => []);

export const findPeople = async (
  id: string,
  typed: string,
  abort: AbortSignal,
): Promise<readonly Recipient[]> => {
  const q = typed.trim();
  const found = await Promise.all([orNone(lately(id, q, abort)), orNone(onLists(id, q, abort))]);
  const fitting = found.flat().filter((one) => fits(one, q));
  const names = new Map<string, string>();
  for (const { address, name } of fitting)
    if (name !== '' && !names.has(address.toLowerCase())) names.set(address.toLowerCase(), name);
  return withRecipients(
    [],
    fitting.map(({ address }) => ({ address, name: names.get(address.toLowerCase()) ?? '' })),
  ).slice(0, MAX_SHOWN);
};
