// What is put below the content of each copy, as text and as HTML: who sends, the way out, the service's name. It loads
// nothing, from us or from others. Pure.
import type { Language } from '#src/kernel/language.ts';
import { escapeHtml } from '#src/kernel/page.ts';
import type { MessageFooter } from '#src/messages/settings.ts';
import type { Copy } from './message.ts';

interface Words {
  readonly privacy: string;
  readonly unsubscribe: string;
  readonly sentWith: string;
}

const words: Readonly<Record<Language, Words>> = {
  de: {
    privacy: 'Datenschutzerklärung',
    unsubscribe: 'Von weiteren E-Mails dieser Art abmelden',
    sentWith: 'Versendet mit',
  },
  en: {
    privacy: 'Privacy policy',
    unsubscribe: 'Unsubscribe from emails like this',
    sentWith: 'Sent with',
  },
};

/** A line of it: words, words that lead somewhere, or both. */
interface Line {
  readonly words: string;
  readonly link?: { readonly words: string; readonly url: string };
}

/** `withWayOut`: the content itself has no link to unsubscribe by. */
const linesOf = (footer: MessageFooter, copy: Copy, withWayOut: boolean): Line[] => {
  const { privacy, unsubscribe, sentWith } = words[footer.language];
  const { legal } = footer;
  const { service, unsubscribeUrl } = copy;
  const sender: Line[] = legal
    ? [
        { words: `${legal.name}, ${legal.street}, ${legal.city}` },
        { words: '', link: { words: privacy, url: legal.privacy_url } },
      ]
    : [];
  const wayOut: Line[] =
    withWayOut && unsubscribeUrl !== null
      ? [{ words: '', link: { words: unsubscribe, url: unsubscribeUrl } }]
      : [];
  // Its site is worth a link where others can reach it.
  const credit: Line[] = !footer.powered_by
    ? []
    : service.origin.startsWith('https:')
      ? [{ words: sentWith, link: { words: service.name, url: service.origin } }]
      : [{ words: `${sentWith} ${service.name}` }];
  return [...sender, ...wayOut, ...credit];
};

const asText = ({ words, link }: Line): string =>
  link ? `${words === '' ? '' : `${words} `}${link.words}: ${link.url}` : words;

/** Between the content and what is not its author's. */
const TEXT_RULE = '---';

/** Empty where there is nothing to say; else begins with an empty line. */
export const textFooter = (footer: MessageFooter, copy: Copy, withWayOut: boolean): string => {
  const lines = linesOf(footer, copy, withWayOut).map(asText);
  return lines.length === 0 ? '' : `\n\n${TEXT_RULE}\n${lines.join('\n')}\n`;
};

/** The one grey that is readable on white and on black (4.5:1 either way): what clients make of the ground in the dark is
 * theirs to say. */
const GREY = '#767676';
const BLOCK = `margin:24px 0 0;padding:12px 0 0;border-top:1px solid ${GREY};color:${GREY};font:12px/18px Arial,Helvetica,sans-serif;text-align:left`;
const LINK = `color:${GREY};text-decoration:underline`;

const asHtml = ({ words, link }: Line): string => {
  const before = words === '' ? '' : escapeHtml(link ? `${words} ` : words);
  return link
    ? `${before}<a href="${escapeHtml(link.url)}" style="${LINK}">${escapeHtml(link.words)}</a>`
    : before;
};

/** A block element; empty where there is nothing to say. */
export const htmlFooter = (footer: MessageFooter, copy: Copy, withWayOut: boolean): string => {
  const lines = linesOf(footer, copy, withWayOut).map((line) => `<p style="margin:0">${asHtml(line)}</p>\n`);
  return lines.length === 0
    ? ''
    : `\n<div lang="${footer.language}" style="${BLOCK}">\n${lines.join('')}</div>\n`;
};

/** Whole comments, whole elements without markup in them, and the ends of body and document. Linear: what is never closed
 * ends with the text. */
const ENDS =
  /<!--[\s\S]*?(?:-->|(?<open>$))|<(script|style|title|textarea)\b[\s\S]*?(?:<\/\2|(?<unended>$))|<\/(?<end>body|html)\s*>/gi;

/** Where in the HTML the footer goes: before the last end of the body that is one, else of the document, else the end, or
 * what is opened there and never closed: nobody would see it in there. */
export const footerPlace = (html: string): number => {
  let body: number | undefined;
  let document: number | undefined;
  let hidden: number | undefined;
  for (const { index, groups = {} } of html.matchAll(ENDS)) {
    const { end, open, unended } = groups;
    if (end?.toLowerCase() === 'body') body = index;
    else if (end !== undefined) document = index;
    else if (open !== undefined || unended !== undefined) hidden = index;
  }
  return body ?? document ?? hidden ?? html.length;
};
