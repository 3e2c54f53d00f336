// Captured mails in the shapes of MailHog's API, as far as test suites look at them. Pure.
import type { CapturedMail } from './mailbox.ts';

interface Content {
  readonly Headers: Readonly<Record<string, readonly string[]>>;
  readonly Body: string;
  readonly Size: number;
  readonly MIME: { readonly Parts: readonly Content[] } | null;
}

const MAX_DEPTH = 20;

const pathOf = (address: string) => {
  const at = address.lastIndexOf('@');
  return {
    Relays: null,
    Mailbox: at === -1 ? address : address.slice(0, at),
    Domain: at === -1 ? '' : address.slice(at + 1),
    Params: '',
  };
};

/** MailHog splits at the delimiters, and decodes nothing. */
const contentOf = (text: string, depth = 0): Content => {
  const end = text.indexOf('\r\n\r\n');
  const [head, body] = end === -1 ? ['', text] : [text.slice(0, end), text.slice(end + 4)];
  const Headers: Record<string, string[]> = {};
  for (const line of head.replace(/\r\n(?=[ \t])/g, '').split('\r\n')) {
    const [, name, value] = /^([^:\s]+): ?(.*)$/s.exec(line) ?? [];
    if (name !== undefined && value !== undefined) Headers[name] = [...(Headers[name] ?? []), value];
  }
  const type = Object.entries(Headers).find(([name]) => /^content-type$/i.test(name))?.[1][0] ?? '';
  const boundary = /^multipart\/.*?\bboundary="?([^";]+)/is.exec(type)?.[1];
  const parts = boundary === undefined || depth === MAX_DEPTH ? null : body.split(`--${boundary}`);
  return {
    Headers,
    Body: body,
    Size: text.length,
    MIME:
      parts === null
        ? null
        : { Parts: parts.slice(1, -1).map((part) => contentOf(part.replace(/^\r\n|\r\n$/g, ''), depth + 1)) },
  };
};

const recipientsOf = ({ To, Cc, Bcc }: CapturedMail): string[] =>
  [...To, ...Cc, ...Bcc].map(({ Address }) => Address);

const returnPathOf = (source: string): string => /^Return-Path: <(.*)>\r\n/.exec(source)?.[1] ?? '';

export const mailhogMessage = (mail: CapturedMail) => {
  const source = mail.source.toString();
  const content = contentOf(source);
  const from = returnPathOf(source);
  const to = recipientsOf(mail);
  return {
    ID: mail.id,
    From: pathOf(from),
    To: to.map(pathOf),
    Content: content,
    Created: new Date(mail.created).toISOString(),
    MIME: content.MIME,
    Raw: { From: from, To: to, Data: source, Helo: '' },
  };
};

export const mailhogPage = (
  total: number,
  found: readonly CapturedMail[],
  { start, limit }: { readonly start: number; readonly limit: number },
) => {
  const items = found.slice(start, start + limit).map(mailhogMessage);
  return { total, count: items.length, start, items };
};

/** `kind` is from, to or containing; null where it is none of them. */
export const mailhogSearch = (kind: string, query: string): ((mail: CapturedMail) => boolean) | null => {
  const wanted = query.toLowerCase();
  if (kind === 'containing')
    return ({ words, source }) => words.includes(wanted) || source.toString().toLowerCase().includes(wanted);
  if (kind === 'to') return (mail) => recipientsOf(mail).some((to) => to.toLowerCase().includes(wanted));
  if (kind !== 'from') return null;
  return ({ From, source }) =>
    From.Address.toLowerCase().includes(wanted) ||
    returnPathOf(source.toString('latin1', 0, 1_000))
      .toLowerCase()
      .includes(wanted);
};
