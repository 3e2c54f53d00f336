// Recipients as they are typed: several in one go, with or without a name. The daemon reads them for itself when they are sent. Pure.

export interface Recipient {
  readonly address: string;
  /** Empty: none is known. */
  readonly name: string;
}

/** Parts between commas, semicolons and line ends, except within quotes and angle brackets. */
const PART = /(?:"(?:[^"\\]|\\.)*"|<[^<>]*>|[^,;\n"<]|["<])+/g;
const ADDRESS = /^[^\s@<>,;"]+@[^\s@<>,;"]+\.[^\s@<>,;".]+$/;

export const isAddress = (text: string): boolean => ADDRESS.test(text);

const withoutQuotes = (name: string): string => name.replace(/^"(.*)"$/s, '$1').replace(/\\(.)/g, '$1');

/** `rest` is what is no address; it stays in the field. */
export const readRecipients = (
  typed: string,
): { readonly recipients: readonly Recipient[]; readonly rest: string } => {
  const recipients: Recipient[] = [];
  const rest: string[] = [];
  for (const [part] of typed.matchAll(PART)) {
    const text = part.trim();
    if (text === '') continue;
    const [, name = '', inBrackets] = /^(.*?)\s*<([^<>]*)>$/s.exec(text) ?? [];
    const address = (inBrackets ?? text).trim().replace(/^mailto:/i, '');
    if (isAddress(address)) recipients.push({ address, name: withoutQuotes(name.trim()) });
    else rest.push(text);
  }
  return { recipients, rest: rest.join(', ') };
};

const isSame = (one: Recipient, other: Recipient): boolean =>
  one.address.toLowerCase() === other.address.toLowerCase();

/** Each once. */
export const withRecipients = (
  present: readonly Recipient[],
  added: readonly Recipient[],
): readonly Recipient[] => {
  const all = [...present];
  for (const one of added) if (!all.some((known) => isSame(known, one))) all.push(one);
  return all;
};

/** The address as the API reads it, whatever is in the name. */
export const writtenRecipient = ({ address, name }: Recipient): string =>
  name === '' ? address : `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`;
