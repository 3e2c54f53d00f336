// Reads an SPF record into terms (RFC 7208 §4.6, §12) and merges several records into one. Macros are recognized, not
// expanded. Own code, because the library that evaluates SPF stops at the first mistake, accepts names that no DNS name
// can have, and says nothing about what was meant. Pure.
import { say, type Text } from '#src/kernel/say.ts';

export interface SpfMechanism {
  readonly kind: 'mechanism';
  readonly qualifier: '+' | '-' | '~' | '?';
  readonly name: 'all' | 'include' | 'a' | 'mx' | 'ptr' | 'ip4' | 'ip6' | 'exists';
  /** Lower case without the trailing dot; null if the mechanism has no domain. */
  readonly domain: string | null;
  readonly text: string;
}

export interface SpfModifier {
  readonly kind: 'modifier';
  /** `redirect`, `exp` or an unknown modifier. */
  readonly name: string;
  readonly domain: string | null;
  readonly text: string;
}

export interface SpfMistake {
  readonly kind: 'mistake';
  readonly text: string;
  /** Completes "the term …". */
  readonly problem: Text;
  /** The term that was probably meant. */
  readonly meant: string | null;
}

export type SpfTerm = SpfMechanism | SpfModifier | SpfMistake;

export interface SpfRecord {
  readonly text: string;
  readonly terms: readonly SpfTerm[];
}

const VERSION = /^v=spf1(?: |$)/i;
/** A text that was meant as SPF: `spf1 …`, `"v=spf1 …`, `v=spf1; …`, `v=spf1include:…`. */
const MEANT = /^[\s"'`“”]*(?:v\s*=\s*)?spf1(?=["'\s:;,=]|include|ip[46]|$)[\s:;,=]*/i;
/** The search starts only where such a run begins, because hostile texts are long. */
const STRAY_END = /(?<!["'`“”\s])["'`“”\s]+$/;
const MECHANISM = /^([-+~?]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?:([:/])(.*))?$/i;
const MODIFIER = /^([a-z][\w.-]*)=(.*)$/i;
const MACRO = /%(?:\{[slodiphcrtv]\d*r?[.\-+,/_=]*\}|[%_-])/gi;
const DOMAIN = /^(?=.{1,253}$)(?:[\w-]{1,63}\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?\.?$/i;
const PREFIX_LENGTHS = /^(?:\/(\d{1,2}))?(?:\/\/(\d{1,3}))?$/;

export const isSpf = (text: string): boolean => VERSION.test(text);

/** The text with `v=spf1 ` at its beginning, if it was probably meant as SPF; else null. */
export const asSpf = (text: string): string | null =>
  isSpf(text) || !MEANT.test(text) ? null : `v=spf1 ${text.replace(MEANT, '').replace(STRAY_END, '')}`;

export const hasMacro = (domain: string): boolean => domain.includes('%');

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const isIPv4 = (text: string): boolean => IPV4.test(text);
const isIPv6 = (text: string): boolean =>
  /^[\da-f:.]{2,45}$/i.test(text) && URL.canParse(`http://[${text}]/`);

const isDomainSpec = (text: string): boolean => {
  const plain = text.replace(MACRO, 'x');
  if (plain.includes('%')) return false;
  // A macro at the end may expand to the whole name.
  return (
    DOMAIN.test(plain) || (plain !== text && /%\{[^}]*\}$/.test(text) && /^[\x21-\x7e]{1,253}$/.test(plain))
  );
};

const comparable = (domain: string): string => domain.toLowerCase().replace(/\.$/, '');

const mistake = (text: string, problem: Text, meant: string | null = null): SpfMistake => ({
  kind: 'mistake',
  text,
  problem,
  meant,
});

const isNetwork = (text: string, isAddress: (text: string) => boolean, bits: number): boolean => {
  const [address = '', length, ...more] = text.split('/');
  if (more.length > 0 || !isAddress(address)) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= bits);
};

const isAddress = (name: 'ip4' | 'ip6', argument: string): boolean =>
  name === 'ip4' ? isNetwork(argument, isIPv4, 32) : isNetwork(argument, isIPv6, 128);

/** Splits the argument of a mechanism into the domain and the network lengths. */
const splitArgument = (separator: string | undefined, argument: string) => {
  if (separator === undefined) return { domain: null, lengths: '' };
  if (separator === '/') return { domain: null, lengths: `/${argument}` };
  // A macro can contain slashes inside its braces.
  const at = argument.replace(MACRO, (macro) => 'x'.repeat(macro.length)).indexOf('/');
  return at < 0
    ? { domain: argument, lengths: '' }
    : { domain: argument.slice(0, at), lengths: argument.slice(at) };
};

const readMechanism = (text: string, [, sign, named, separator, argument = '']: RegExpExecArray): SpfTerm => {
  const name = (named ?? '').toLowerCase() as SpfMechanism['name'];
  const qualifier = (sign === '' ? '+' : sign) as SpfMechanism['qualifier'];
  const mechanism: SpfMechanism = { kind: 'mechanism', qualifier, name, domain: null, text };
  if (name === 'all')
    return separator === undefined ? mechanism : mistake(text, say`may have nothing behind "all"`);
  if (name === 'ip4' || name === 'ip6') {
    const is = separator === ':' && isAddress(name, argument);
    return is ? mechanism : mistake(text, say`has no IPv${name === 'ip4' ? 4 : 6} address or network`);
  }
  const { domain, lengths } = splitArgument(separator, argument);
  const takesLengths = name === 'a' || name === 'mx';
  const [valid, v4 = '0', v6 = '0'] = PREFIX_LENGTHS.exec(lengths) ?? [];
  if ((lengths !== '' && !takesLengths) || valid === undefined || Number(v4) > 32 || Number(v6) > 128)
    return mistake(text, say`has a network length that cannot be`);
  if (domain === null && (name === 'include' || name === 'exists'))
    return mistake(text, say`names no domain`);
  if (domain !== null && !isDomainSpec(domain)) return mistake(text, say`names no domain that could be`);
  return { ...mechanism, domain: domain === null ? null : comparable(domain) };
};

const bareAddress = (text: string): string | null => {
  const bare = text.replace(/^[-+~?]/, '').replace(/^ipv?[46][:=]/i, '');
  if (isNetwork(bare, isIPv4, 32)) return `ip4:${bare}`;
  return isNetwork(bare, isIPv6, 128) ? `ip6:${bare}` : null;
};

const readTerm = (text: string): SpfTerm => {
  const mechanism = MECHANISM.exec(text);
  if (mechanism) {
    const read = readMechanism(text, mechanism);
    return read.kind === 'mistake' ? { ...read, meant: bareAddress(text) } : read;
  }
  const meant = bareAddress(text);
  const [, name = '', argument = ''] = MODIFIER.exec(text) ?? [];
  if (name === '' || meant !== null || /^(?:include|a|mx|ip4|ip6|exists)$/i.test(name)) {
    const written = name !== '' && /^include$/i.test(name) ? `include:${argument}` : null;
    return mistake(text, say`is nothing that SPF knows`, meant ?? written);
  }
  const lower = name.toLowerCase();
  const hasTarget = lower === 'redirect' || lower === 'exp';
  if (hasTarget && !isDomainSpec(argument)) return mistake(text, say`names no domain that could be`);
  return { kind: 'modifier', name: lower, domain: hasTarget ? comparable(argument) : null, text };
};

/** `text` must be SPF. A term that cannot be read becomes a mistake. */
export const readSpf = (text: string): SpfRecord => {
  const seen = new Set<string>();
  const terms = text
    .replace(VERSION, '')
    .split(/[ \t\r\n]+/)
    .filter((term) => term !== '')
    .map((term) => {
      const read = readTerm(term);
      if (read.kind !== 'modifier' || read.domain === null) return read;
      const isSecond = seen.has(read.name);
      seen.add(read.name);
      return isSecond ? mistake(term, say`is allowed only once`) : read;
    });
  const isTabbed = /[\t\r\n]/.test(text);
  return {
    text,
    terms: isTabbed ? [...terms, mistake('', say`has a tab or line break; only spaces part terms`)] : terms,
  };
};

export const mistakesOf = ({ terms }: SpfRecord): SpfMistake[] =>
  terms.filter((term): term is SpfMistake => term.kind === 'mistake');

export const allOf = ({ terms }: SpfRecord): SpfMechanism | undefined =>
  terms.find((term): term is SpfMechanism => term.kind === 'mechanism' && term.name === 'all');

/** The terms that a receiver evaluates: mechanisms up to `all`, then the redirect if there is no `all`. */
export const effectiveTerms = (record: SpfRecord): (SpfMechanism | SpfModifier)[] => {
  const all = allOf(record);
  const end = all ? record.terms.indexOf(all) : record.terms.length;
  const mechanisms = record.terms
    .slice(0, end)
    .filter((term): term is SpfMechanism => term.kind === 'mechanism');
  const redirect = record.terms.find(
    (term): term is SpfModifier => term.kind === 'modifier' && term.name === 'redirect',
  );
  return all || !redirect ? mechanisms : [...mechanisms, redirect];
};

const OPEN_END = '~all';

/**
 * Merges records into the only one that a name may have (RFC 7208 §4.5). Senders that were allowed stay allowed;
 * mistakes are corrected or left out. `leaveOut` names terms by their text; `include` is the domain to add to the
 * senders.
 */
export const mergeSpf = (
  records: readonly SpfRecord[],
  include: string | null,
  leaveOut: ReadonlySet<string> = new Set(),
): string => {
  const isSingle = records.length === 1;
  const senders = new Map<string, string>();
  const modifiers = new Map<string, string>();
  const add = (text: string): void => {
    const key = text.toLowerCase().replace(/^\+/, '');
    if (!senders.has(key)) senders.set(key, text);
  };
  const take = (term: SpfTerm): void => {
    if (leaveOut.has(term.text)) return;
    if (term.kind === 'mistake') {
      if (term.meant !== null) add(term.meant);
    } else if (term.kind === 'mechanism') {
      if (term.name !== 'all') add(term.text);
    } else if (term.name === 'redirect' && !isSingle) add(`include:${term.domain}`);
    else if (!modifiers.has(term.name)) modifiers.set(term.name, term.text);
  };
  for (const record of records) record.terms.forEach(take);
  if (include !== null) {
    const same = `include:${include}`;
    // A term with another qualifier would match first.
    for (const key of senders.keys())
      if (key !== same && key.replace(/^[-~?]|\.$/g, '') === same) senders.delete(key);
    add(same);
  }
  const all = records.map(allOf).find((term) => term !== undefined && term.qualifier !== '+');
  const redirect = modifiers.get('redirect');
  modifiers.delete('redirect');
  const hasAll = records.some((record) => allOf(record) !== undefined);
  const end = hasAll || redirect === undefined ? (all?.text ?? OPEN_END) : redirect;
  return ['v=spf1', ...senders.values(), end, ...modifiers.values()].join(' ');
};
