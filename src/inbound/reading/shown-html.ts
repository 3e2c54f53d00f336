// The HTML of a mail for a document of its own, with its styles, as its readers see it. That document's policy runs, sends, frames
// and loads nothing. What the policy does not forbid is left out here: `link` and `meta` make a browser look up names or connect
// to servers and loosen the referrer, links navigate, and links of ours count as the recipient's. Pure.
import sanitizeHtml from 'sanitize-html';
import { seemsTooDeep } from '#src/mail/plain-text.ts';
import { calm, REMOTE, TAGS, TARGET, WITHOUT_TEXT } from './safe-html.ts';

export interface ShownLinks {
  /** The address that a link or an image leads to; null where it leads nowhere. */
  readonly target: (url: string) => string | null;
  /** The mail's own image, as a `data:` URL; null where there is none. */
  readonly image: (contentId: string) => string | null;
  readonly remoteImages: boolean;
}

const ATTRIBUTES =
  'align alt background bgcolor border cellpadding cellspacing class color cols colspan coords dir face height hspace href id lang media name nowrap rel role rowspan scope shape size span src start style target title type usemap valign vspace width'.split(
    ' ',
  );
const OWN_IMAGE = /^data:image\/[\w.+-]{1,40}[;,]/i;
const CID = /^cid:/i;

const decoded = (id: string): string => {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
};

type Attributes = Readonly<Record<string, string>>;

const linkOf = (href: string, { target }: ShownLinks): Attributes => {
  const url = TARGET.test(href) ? target(href.trim()) : null;
  return url === null ? {} : { href: url, title: url, target: '_blank', rel: 'noopener noreferrer' };
};

const imageOf = (src: string, { target, image, remoteImages }: ShownLinks): Attributes => {
  const given = src.trim();
  const url = CID.test(given)
    ? image(decoded(given.replace(CID, '')))
    : OWN_IMAGE.test(given) || (remoteImages && REMOTE.test(given))
      ? target(given)
      : null;
  return url === null ? {} : { src: url };
};

/** Tags that are read, some 0.2 s of work; a newsletter has 3,000. */
const MAX_TAGS = 10_000;

/** Null where it is nested too deep to be read, or has too many tags. */
export const shownHtml = (given: string, links: ShownLinks): string | null => {
  const html = calm(given);
  if (html.split('<', MAX_TAGS + 2).length > MAX_TAGS + 1 || seemsTooDeep(html)) return null;
  return sanitizeHtml(html, {
    allowedTags: [...TAGS, 'area', 'map', 'style'],
    nonTextTags: WITHOUT_TEXT.filter((tag) => tag !== 'style' && tag !== 'head'),
    // The policy makes of a style what it may be.
    allowVulnerableTags: true,
    parseStyleAttributes: false,
    allowedAttributes: { '*': ATTRIBUTES },
    allowedSchemes: ['http', 'https', 'mailto', 'tel', 'data'],
    transformTags: {
      '*': (name, { href = '', src = '', target: _, rel: __, ...attribs }: Attributes) => ({
        // Its looks are those of the whole mail.
        tagName: name === 'body' ? 'div' : name,
        attribs: {
          ...attribs,
          ...(name === 'a' || name === 'area' ? linkOf(href, links) : {}),
          ...(name === 'img' ? imageOf(src, links) : {}),
        },
      }),
    },
  });
};
