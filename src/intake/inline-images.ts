// Images that the HTML shows by their content id (RFC 2392): the reference and the id get the same form, however they were
// typed. Pure.

/** The characters that an id may have in a header field. */
const ID = /^<?[\w.!#$%&'*+/^`{|}~@-]+>?$/;

/** `<id>`, `cid:id` and `id` are one id. In a URL it may be percent-encoded. */
export const bareContentId = (given: string): string => {
  const withoutScheme = given.replace(/^cid:/i, '');
  const decoded = withoutScheme === given ? given : percentDecoded(withoutScheme);
  return (ID.test(decoded) ? decoded : withoutScheme).replace(/^<|>$/g, '');
};

const percentDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** A URL of the scheme `cid` at the beginning of an attribute's value or of CSS's `url()`. */
const REFERENCE = /([=("'][ \t\r\n]{0,10})cid:([^\s"')]{1,400})/gi;
const entities: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&amp;': '&' };
/** Where an attribute's value has no quotes, the end of the tag may follow at once. */
const TAIL = /\/?>$/;
/** An id of these characters needs no encoding in HTML and in a URL. */
const PLAIN = /^[\w.!#$*+/^`{|}~@-]+$/;

const idOf = (typed: string, ids: ReadonlySet<string>): string | undefined => {
  const decoded = percentDecoded(typed.replace(/&(?:lt|gt|amp);/g, (entity) => entities[entity] ?? entity));
  return [decoded, decoded.replace(/^<([^<>]*)>$/, '$1')].find((candidate) => ids.has(candidate));
};

const withoutEnd = (text: string, end: string): string => text.slice(0, text.length - end.length);

/** References to one of `ids`, however encoded, become `cid:` and the plain id; other references do not change. */
export const withPlainReferences = (html: string, ids: readonly string[]): string => {
  const known = new Set(ids.filter((id) => PLAIN.test(id)));
  if (known.size === 0) return html;
  return html.replace(REFERENCE, (whole, before: string, typed: string) => {
    const tail = ['', TAIL.exec(typed)?.[0] ?? ''].find((end) => idOf(withoutEnd(typed, end), known));
    return tail === undefined ? whole : `${before}cid:${idOf(withoutEnd(typed, tail), known)}${tail}`;
  });
};
