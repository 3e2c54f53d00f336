// Which mail programs do not show what a mail uses, and how many readers have them. Pure.

/**
 * How many of 100 readers in German-speaking countries have each, rounded: an assumption, because no one can count them (docs/content-check.md).
 * The sum is 100.
 */
export const readers = {
  apple_ios: { name: 'Apple Mail (iPhone, iPad)', share: 26 },
  apple_macos: { name: 'Apple Mail (Mac)', share: 5 },
  gmail_web: { name: 'Gmail (Browser)', share: 8 },
  gmail_android: { name: 'Gmail (Android)', share: 14 },
  gmail_ios: { name: 'Gmail (iPhone)', share: 3 },
  outlook_windows: { name: 'Outlook (Windows)', share: 9 },
  outlook_com: { name: 'Outlook (Browser)', share: 6 },
  outlook_macos: { name: 'Outlook (Mac)', share: 1 },
  outlook_ios: { name: 'Outlook (iPhone)', share: 2 },
  outlook_android: { name: 'Outlook (Android)', share: 2 },
  gmx_web: { name: 'GMX (Browser)', share: 4 },
  gmx_android: { name: 'GMX (Android)', share: 4 },
  web_de_web: { name: 'WEB.DE (Browser)', share: 4 },
  web_de_android: { name: 'WEB.DE (Android)', share: 4 },
  t_online_web: { name: 'T-Online (Browser)', share: 2 },
  yahoo_web: { name: 'Yahoo (Browser)', share: 1 },
  samsung: { name: 'Samsung E-Mail', share: 3 },
  thunderbird: { name: 'Thunderbird', share: 2 },
} as const;
export type ClientId = keyof typeof readers;

/** What is lost: what the mail says, where things stand, or how it looks. */
export const effects = ['content', 'layout', 'look'] as const;
export type Effect = (typeof effects)[number];

export interface Feature {
  readonly title: string;
  readonly url: string;
  readonly effect: Effect;
  /** See `MailReading.used`. */
  readonly keys: readonly string[];
  /** `n`: not shown; `a`: in part. */
  readonly support: Readonly<Partial<Record<ClientId, 'n' | 'a'>>>;
}

export interface SupportData {
  readonly updated: string;
  readonly features: readonly Feature[];
}

export interface Lost {
  readonly title: string;
  readonly url: string;
  readonly effect: Effect;
  /** Where the mail uses it first. */
  readonly excerpt: string;
  readonly clients: readonly { readonly name: string; readonly support: 'none' | 'partial' }[];
  /** How many of 100 readers have a program that does not show it, and one that shows it in part. */
  readonly none: number;
  readonly partial: number;
}

const sharesOf = (support: Feature['support'], level: 'n' | 'a'): number =>
  Object.entries(support).reduce(
    (sum, [client, its]) => sum + (its === level ? readers[client as ClientId].share : 0),
    0,
  );

/** What the mail uses and not all programs show: what is lost to most readers first, of what matters most. */
export const lostIn = ({ features }: SupportData, used: ReadonlyMap<string, string>): Lost[] =>
  features
    .flatMap(({ keys, support, title, url, effect }): Lost[] => {
      const key = keys.find((one) => used.has(one));
      if (key === undefined) return [];
      const clients = Object.entries(support).map(([client, level]) => ({
        name: readers[client as ClientId].name,
        support: level === 'n' ? ('none' as const) : ('partial' as const),
      }));
      const [none, partial] = [sharesOf(support, 'n'), sharesOf(support, 'a')];
      return [{ title, url, effect, excerpt: used.get(key) ?? '', clients, none, partial }];
    })
    .toSorted((a, b) => effects.indexOf(a.effect) - effects.indexOf(b.effect) || b.none - a.none);
