// A browser without JavaScript: it gets pages, follows links, and sends forms as they are, filled in.

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

export interface ShownPage {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

export interface Visitor {
  /** `path` with query; an address of another origin is taken for one of the service. */
  open(path: string, method?: 'GET' | 'HEAD'): Promise<ShownPage>;
  /** Sends the form whose button has that label. */
  submit(page: ShownPage, label: string, fields?: Readonly<Record<string, string>>): Promise<ShownPage>;
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const plain = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name] ?? '');

const attribute = (tag: string, name: string): string | null => {
  const [, value] = new RegExp(`\\s${name}="([^"]*)"`).exec(tag) ?? [];
  return value === undefined ? null : plain(value);
};

/** What people read of it. */
export const textOf = (html: string): string =>
  plain(html.replace(/<style>[\s\S]*?<\/style>/g, '').replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();

/** The target of the link with these words. */
export const linkIn = (html: string, words: string): string => {
  const link = [...html.matchAll(/<a [^>]*>([^<]*)<\/a>/g)].find(([, said]) => said === words)?.[0];
  if (link === undefined) throw new Error(`no link "${words}" in ${html}`);
  return attribute(link, 'href') ?? '';
};

export const visitorAt = (origin: string, headers: Readonly<Record<string, string>> = {}): Visitor => {
  const usual = {
    Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Language': 'de,en;q=0.5',
    'User-Agent': FIREFOX,
    ...headers,
  };
  const ask = async (target: string, init: RequestInit): Promise<ShownPage> => {
    const { pathname, search } = new URL(target, origin);
    const response = await fetch(origin + pathname + search, init);
    return { status: response.status, headers: response.headers, html: await response.text() };
  };
  return {
    open: (path, method = 'GET') => ask(path, { method, headers: usual }),
    submit: ({ html }, label, fields = {}) => {
      const form = [...html.matchAll(/<form[\s\S]*?<\/form>/g)].find(([one]) =>
        one.includes(`>${label}</button>`),
      )?.[0];
      if (form === undefined) throw new Error(`no form with the button "${label}" in ${html}`);
      const values = new URLSearchParams();
      for (const [input] of form.matchAll(/<input[^>]*>/g)) {
        const name = attribute(input, 'name') ?? '';
        const isBox = attribute(input, 'type') === 'checkbox';
        const value = fields[name] ?? (isBox ? null : (attribute(input, 'value') ?? ''));
        if (value !== null) values.append(name, value);
      }
      for (const [field] of form.matchAll(/<(?:select|textarea)[\s\S]*?<\/(?:select|textarea)>/g)) {
        const name = attribute(field, 'name') ?? '';
        values.append(name, fields[name] ?? attribute(field, 'value') ?? '');
      }
      return ask(attribute(form, 'action') ?? '', { method: 'POST', headers: usual, body: values });
    },
  };
};
