// Reads HTML that was copied elsewhere into a tree, as far as pasting needs it: names, attributes and text as they are written. The
// browser's own parser would do it too, but reports each style and handler in it as a violation of the page's policy. Pure.

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (Element | string)[];
}

/** `string` is text, in which references such as `&nbsp;` stay as they are. */
export type Part = Element | string;

const VOID = new Set(['area', 'base', 'br', 'col', 'hr', 'img', 'input', 'link', 'meta', 'source', 'wbr']);
/** What is in them is no text of the page. */
const RAW = new Set(['script', 'style', 'title', 'textarea', 'noscript', 'template', 'xml', 'iframe']);
/** Begin where another one is still open, which they end. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  li: ['li'],
  p: ['p'],
  td: ['td', 'th'],
  th: ['td', 'th'],
  tr: ['tr', 'td', 'th'],
  dt: ['dt', 'dd'],
  dd: ['dt', 'dd'],
};
/** No end that is only implied reaches beyond them. */
const WALLS = new Set(['ul', 'ol', 'table', 'td', 'th', 'dl', 'blockquote', 'div', 'body']);

const TAG = /<(\/?)([A-Za-z][^\s/>]*)((?:[^<>"']|"[^"]*"|'[^']*')*)>/y;
const ATTRIBUTE = /([^\s=/>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/g;

const attributesIn = (text: string): Record<string, string> => {
  const found: Record<string, string> = {};
  for (const [, name = '', double, single, bare] of text.matchAll(ATTRIBUTE))
    found[name.toLowerCase()] ??= double ?? single ?? bare ?? '';
  return found;
};

/** Past a comment, a condition of Word or a declaration, which all begin with `<!` or `<?`. */
const afterDeclaration = (html: string, at: number): number => {
  const [end, width] = html.startsWith('<!--', at) ? (['-->', 3] as const) : (['>', 1] as const);
  const found = html.indexOf(end, at + 2);
  return found < 0 ? html.length : found + width;
};

const afterRaw = (html: string, name: string, at: number): number => {
  const end = new RegExp(`</${name.replace(/\W/g, '\\$&')}`, 'gi');
  end.lastIndex = at;
  return end.exec(html)?.index ?? html.length;
};

/** What is deeper is beside each other: no page needs it, and who walks over the tree goes as deep as it is. */
const MAX_DEPTH = 100;

export const parseMarkup = (html: string): Element => {
  const root: Element = { name: '', attributes: {}, children: [] };
  const open: Element[] = [root];
  const put = (part: Part): void => {
    open.at(-1)?.children.push(part);
  };
  const close = (name: string): void => {
    const at = open.findLastIndex((one) => one.name === name);
    if (at > 0) open.length = at;
  };
  const endImplied = (name: string): void => {
    const ended = ENDS[name] ?? [];
    for (let at = open.length - 1; at > 0; at -= 1) {
      const there = open[at]?.name ?? '';
      if (ended.includes(there)) open.length = at;
      else if (WALLS.has(there)) return;
    }
  };
  const lastEnd = html.lastIndexOf('>');
  for (let at = 0; at < html.length; ) {
    const start = html.indexOf('<', at);
    if (start !== at) put(html.slice(at, start < 0 ? undefined : start));
    if (start < 0) break;
    if (/[!?]/.test(html[start + 1] ?? '')) {
      at = afterDeclaration(html, start);
      continue;
    }
    TAG.lastIndex = start;
    // No tag ends any more: it is not looked for from each beginning.
    const tag = lastEnd < start ? null : TAG.exec(html);
    if (tag === null) {
      put('&lt;');
      at = start + 1;
      continue;
    }
    const [whole, slash, written = '', rest = ''] = tag;
    const name = written.toLowerCase();
    at = start + whole.length;
    if (slash) {
      close(name);
      continue;
    }
    endImplied(name);
    const element: Element = { name, attributes: attributesIn(rest), children: [] };
    put(element);
    if (RAW.has(name)) at = afterRaw(html, name, at);
    if (!VOID.has(name) && !rest.endsWith('/') && open.length < MAX_DEPTH) open.push(element);
  }
  return root;
};

/** The text in it, without that of its tags. */
export const textOf = (part: Part): string =>
  typeof part === 'string' ? part : part.children.map(textOf).join('');

/** Whether there is anything to read. */
export const isBlank = (part: Part): boolean => /^(?:\s|&nbsp;|&#160;|\u00a0)*$/.test(textOf(part));

export const markup = (parts: readonly Part[]): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return part;
      const attributes = Object.entries(part.attributes)
        .map(([name, value]) => ` ${name}="${value.replace(/"/g, '&quot;').replace(/</g, '&lt;')}"`)
        .join('');
      const begin = `<${part.name}${attributes}>`;
      return VOID.has(part.name) ? begin : `${begin}${markup(part.children)}</${part.name}>`;
    })
    .join('');
