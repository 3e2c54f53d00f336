// Where a link in a document may lead: pages, messages and calls, or a placeholder that begins the link, whose value is judged when it
// is known (`merge-fields.ts`). Pure.

const PLACEHOLDER_FIRST = /^\{\{\s*[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*\s*\}\}/;
const PLACEHOLDERS = /\{\{\s*[A-Za-z_][A-Za-z0-9_.]*\s*\}\}/g;
const SCHEME = /^(?:https?:\/\/[^/?#]|mailto:.|tel:.)/i;

/** The link as it is written into mail; null where it leads nowhere that is allowed. */
export const targetOf = (written: string): string | null => {
  const link = written.trim();
  if (PLACEHOLDER_FIRST.test(link)) return link;
  // Only placeholders may have spaces, within their braces.
  const filled = link.replace(PLACEHOLDERS, 'x');
  return SCHEME.test(filled) && !/[\s<>"]/.test(filled) && URL.canParse(filled) ? link : null;
};
