// Rules about links: their targets, and texts that pretend another target. Pure.
import { getDomain, parse } from 'tldts';
import { shownHost } from '#src/mail/html-links.ts';
import { hasNestedDomain, isDeceptiveHost, isIpAddress, type Link } from '../reading/links.ts';
import type { Reading } from '../reading/read-content.ts';
import type { ContentRule, RuleMatch } from './rule.ts';

const MANY_LINKS = 20;
/** Links that these rules check, because they need time for each. Scanners get the hosts of all links. */
const LINKS_LOOKED_AT = 200;

const shorteners: ReadonlySet<string> = new Set(
  (
    'bit.ly bitly.com tinyurl.com t.co goo.gl ow.ly is.gd v.gd buff.ly rebrand.ly cutt.ly t.ly rb.gy shorturl.at ' +
    'shorturl.gg tiny.cc bl.ink s.id t1p.de kurzelinks.de kurzlink.de adf.ly bc.vc soo.gd urlz.fr lc.cx x.gd u.to'
  ).split(' '),
);
/** Extensions of file names that are top-level domains too. */
const FILE_NAME = /\.(?:zip|mov|md|sh|py|pl|rs|ps|ai|app|in|is)$/;

const matchOf = (hosts: ReadonlySet<string>): RuleMatch | null => {
  const [host] = hosts;
  return host === undefined ? null : { detail: host, count: hosts.size };
};

const hostsWhere = (links: readonly Link[], found: (host: string, link: Link) => boolean): Set<string> => {
  const hosts = new Set<string>();
  for (const link of links.slice(0, LINKS_LOOKED_AT)) {
    if (link.host !== null && !hosts.has(link.host) && found(link.host, link)) hosts.add(link.host);
  }
  return hosts;
};

const anyLink =
  (found: (host: string, link: Link) => boolean) =>
  ({ links }: Reading): RuleMatch | null =>
    matchOf(hostsWhere(links, found));

/** Asks once for each host: a newsletter has many links to one. */
const eachHost =
  (found: (host: string) => boolean) =>
  ({ links }: Reading): RuleMatch | null =>
    matchOf(new Set([...hostsWhere(links, () => true)].filter(found)));

const domainOf = (host: string): string | null => getDomain(host, { validateHostname: false });

const showsAnother = (host: string, { text }: Link): boolean => {
  const shown = text === null ? null : shownHost(text);
  if (shown === null || FILE_NAME.test(shown)) return false;
  const { domain, isIcann } = parse(shown, { validateHostname: false });
  return isIcann === true && domain !== null && domain !== domainOf(host);
};

const isScript = ({ scheme }: Link): boolean =>
  scheme === 'javascript' || scheme === 'vbscript' || scheme === 'data';

export const linkRules: readonly ContentRule[] = [
  {
    id: 'link_host_differs',
    weight: 15,
    finds: anyLink(showsAnother),
    why: {
      de: 'Der Text eines Links zeigt eine andere Adresse als die, zu der er führt; so arbeitet Phishing.',
      en: 'The text of a link shows another address than the one it leads to, which is how phishing works.',
    },
    advice: {
      de: 'Schreiben Sie als Linktext, worum es geht („Termin ansehen“), oder genau die Adresse des Ziels.',
      en: 'Let the text of the link say what it is (“View appointment”), or exactly where it leads.',
    },
  },
  {
    id: 'script_link',
    weight: 40,
    finds: ({ links }) => (links.some(isScript) ? { detail: null } : null),
    why: {
      de: 'Ein Link führt Programmcode oder eingebettete Daten aus, statt auf eine Seite zu führen.',
      en: 'A link runs code or embedded data instead of leading to a page.',
    },
    advice: {
      de: 'Verwenden Sie nur Links mit https:, mailto: oder tel:.',
      en: 'Use links with https:, mailto: or tel: only.',
    },
  },
  {
    id: 'deceptive_host',
    weight: 40,
    finds: eachHost(isDeceptiveHost),
    why: {
      de: 'Der Name einer verlinkten Seite enthält Buchstaben anderer Schriften, die lateinischen gleichen.',
      en: 'The name of a linked site has letters of other scripts that look like Latin ones.',
    },
    advice: {
      de: 'Prüfen Sie die Adresse des Links, und tippen Sie sie neu.',
      en: 'Check the address of the link and type it again.',
    },
  },
  {
    id: 'link_user_info',
    weight: 30,
    finds: anyLink((_, { hasUserInfo }) => hasUserInfo),
    why: {
      de: 'Vor dem @ eines Links steht etwas, das wie die Adresse aussieht, aber keine ist.',
      en: 'A link has text before its @ that looks like its address and is not.',
    },
    advice: {
      de: 'Lassen Sie Benutzernamen und Passwörter in Links weg.',
      en: 'Leave user names and passwords out of links.',
    },
  },
  {
    id: 'nested_domain',
    weight: 20,
    finds: eachHost((host) => {
      const domain = domainOf(host);
      return domain !== null && hasNestedDomain(host, domain);
    }),
    why: {
      de: 'Die Adresse eines Links beginnt mit einer fremden Domain, als führte er dorthin.',
      en: 'The address of a link begins with a foreign domain, as if it led there.',
    },
    advice: {
      de: 'Verlinken Sie die Seite unter ihrer eigenen, kurzen Adresse.',
      en: 'Link to the page by its own, short address.',
    },
  },
  {
    id: 'link_to_ip_address',
    weight: 20,
    finds: eachHost(isIpAddress),
    why: {
      de: 'Ein Link führt zu einer IP-Adresse statt zu einer Domain.',
      en: 'A link leads to an IP address instead of a domain.',
    },
    advice: { de: 'Verwenden Sie den Namen der Seite.', en: 'Use the name of the site.' },
  },
  {
    id: 'url_shortener',
    weight: 10,
    finds: eachHost((host) => shorteners.has(host)),
    why: {
      de: 'Ein Kurzlink verbirgt, wohin er führt; viele Filter halten ihn für Spam.',
      en: 'A shortened link hides where it leads; many filters take it for spam.',
    },
    advice: { de: 'Verlinken Sie die Seite direkt.', en: 'Link to the page itself.' },
  },
  {
    id: 'many_links',
    weight: 5,
    finds: ({ links }) => {
      const followed = links.filter(({ text }) => text !== null).length;
      return followed > MANY_LINKS ? { detail: String(followed) } : null;
    },
    why: {
      de: `Die Mail enthält mehr als ${MANY_LINKS} Links.`,
      en: `The mail has more than ${MANY_LINKS} links.`,
    },
    advice: {
      de: 'Beschränken Sie sich auf die Links, die gebraucht werden.',
      en: 'Keep to the links that are needed.',
    },
  },
  {
    id: 'insecure_link',
    weight: 2,
    finds: anyLink((_, { scheme }) => scheme === 'http'),
    why: {
      de: 'Ein Link führt unverschlüsselt (http:) zu seiner Seite.',
      en: 'A link leads to its page without encryption (http:).',
    },
    advice: { de: 'Verlinken Sie mit https:.', en: 'Link with https:.' },
  },
];
