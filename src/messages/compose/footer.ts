// The footer below the content of each copy, as text and as HTML: the sender, the links to unsubscribe and to choose among
// lists, the service's name.
// It loads nothing from any server. Pure.
import { type LegalLine, legalLines } from '#src/accounts/tenants/legal.ts';
import { escapeHtml } from '#src/kernel/page.ts';
import { FOOT } from '#src/mail/document/look.ts';
import type { MessageFooter } from '#src/messages/settings.ts';
import { wordsIn } from '#src/messages/words.ts';
import type { Copy } from './message.ts';

type FooterCopy = Pick<Copy, 'unsubscribeUrl' | 'preferencesUrl' | 'service'>;

/** `withUnsubscribe` is true if the content has no link to unsubscribe. */
const linesOf = (footer: MessageFooter, copy: FooterCopy, withUnsubscribe: boolean): LegalLine[] => {
  const { unsubscribe, preferences, sentWith } = wordsIn(footer.language).footer;
  const { legal } = footer;
  const { service, unsubscribeUrl, preferencesUrl } = copy;
  const sender = legal ? legalLines({ name: legal.name, legal }, footer.language, 'short') : [];
  const unsubscribeLink: LegalLine[] =
    withUnsubscribe && unsubscribeUrl !== null
      ? [{ text: '', link: { text: unsubscribe, url: unsubscribeUrl } }]
      : [];
  const lists: LegalLine[] =
    preferencesUrl === null ? [] : [{ text: '', link: { text: preferences, url: preferencesUrl } }];
  // Without https the service is a local one, which recipients cannot open.
  const credit: LegalLine[] = !footer.powered_by
    ? []
    : service.origin.startsWith('https:')
      ? [{ text: sentWith, link: { text: service.name, url: service.origin } }]
      : [{ text: `${sentWith} ${service.name}` }];
  return [...sender, ...unsubscribeLink, ...lists, ...credit];
};

const asText = ({ text, link }: LegalLine): string =>
  link ? `${text === '' ? '' : `${text} `}${link.text}: ${link.url}` : text;

/** The line between the content and the footer. */
const TEXT_RULE = '---';

/** Empty if the footer has no lines; else it begins with an empty line. */
export const textFooter = (footer: MessageFooter, copy: FooterCopy, withUnsubscribe: boolean): string => {
  const lines = linesOf(footer, copy, withUnsubscribe).map(asText);
  return lines.length === 0 ? '' : `\n\n${TEXT_RULE}\n${lines.join('\n')}\n`;
};

/** This grey is readable on white and on black (contrast 4.5:1 on both), whatever a client's dark mode does. */
const GREY = '#767676';
const BLOCK = `margin:24px 0 0;padding:12px 0 0;border-top:1px solid ${GREY};color:${GREY};font:12px/18px Arial,Helvetica,sans-serif;text-align:left`;
const LINK = `color:${GREY};text-decoration:underline`;

const asHtml = ({ text, link }: LegalLine): string => {
  const before = text === '' ? '' : escapeHtml(link ? `${text} ` : text);
  return link
    ? `${before}<a href="${escapeHtml(link.url)}" style="${LINK}">${escapeHtml(link.text)}</a>`
    : before;
};

/** A block element; empty if the footer has no lines. */
export const htmlFooter = (footer: MessageFooter, copy: FooterCopy, withUnsubscribe: boolean): string => {
  const lines = linesOf(footer, copy, withUnsubscribe).map(
    (line) => `<p style="margin:0">${asHtml(line)}</p>\n`,
  );
  return lines.length === 0
    ? ''
    : `\n<div lang="${footer.language}" style="${BLOCK}">\n${lines.join('')}</div>\n`;
};

/** Matches whole comments, whole raw elements, and the end tags of body and document. Linear, because an unclosed one extends
 * to the end of the text. */
const ENDS =
  /<!--[\s\S]*?(?:-->|(?<open>$))|<(script|style|title|textarea)\b[\s\S]*?(?:<\/\2|(?<unended>$))|<\/(?<end>body|html)\s*>/gi;

/** The place of the footer: where what was made of a document has one, else before the last real end tag of the body, else of the document, else at the end, but before a
 * comment or raw element that is never closed, which would hide it. */
export const footerPlace = (html: string): number => {
  let body: number | undefined;
  let document: number | undefined;
  let hidden: number | undefined;
  let foot: number | undefined;
  for (const { 0: found, index, groups = {} } of html.matchAll(ENDS)) {
    const { end, open, unended } = groups;
    if (found === FOOT) foot = index;
    else if (end?.toLowerCase() === 'body') body = index;
    else if (end !== undefined) document = index;
    else if (open !== undefined || unended !== undefined) hidden = index;
  }
  return foot ?? body ?? document ?? hidden ?? html.length;
};
