// What `sendwerk setup` asks, question by question. An answer is a text, empty for none; a list has commas between its entries. It
// comes as an option (`--relay-host`), from a file (`relay_host:`), from the run before, or from a person at the terminal. Each
// question proposes an answer from those before it and from what the machine is.
import { isIP } from 'node:net';
import { z } from 'zod';
import * as v from '#src/kernel/config/values.ts';
import { checkedText, expectedOf } from '#src/kernel/expected.ts';
import { asked, type Key } from './asked.ts';

/** What is known of the machine before it is asked for. */
export interface Machine {
  readonly hostName: string;
  /** On its interfaces, without those that the world cannot reach. */
  readonly publicAddresses: readonly string[];
  /** Ports on which another program listens already. */
  readonly takenPorts: readonly number[];
}

export type Answers = { readonly [K in Key]: string };
type Known = Partial<Answers>;

interface Question {
  readonly schema: z.ZodType;
  readonly propose?: (known: Known, machine: Machine) => string | undefined;
  /** No answer is an answer. */
  readonly isOptional?: true;
  readonly isList?: true;
  /** A person is not asked: what is proposed is right but for few. */
  readonly isQuiet?: true;
  /** What to do about an answer of the right form that cannot be meant; null where it can. */
  readonly refuse?: (answer: string, known: Known) => string | null;
}

export const LOCAL_RELAYS = ['127.0.0.1', '::1', 'localhost'];

/** SPF domains as these providers name them, by the end of the relay's name. */
const RELAY_SPF: Readonly<Record<string, string>> = {
  'amazonaws.com': 'amazonses.com',
  'brevo.com': 'spf.brevo.com',
  'mailgun.org': 'mailgun.org',
  'mailjet.com': 'spf.mailjet.com',
  'postmarkapp.com': 'spf.mtasv.net',
  'sendgrid.net': 'sendgrid.net',
};

export const WEB_PORTS = [80, 443];

const below =
  (label: string) =>
  ({ domain }: Known): string | undefined =>
    domain === undefined ? undefined : `${label}.${domain}`;

const isWithin = (name: string, zone: string): boolean => name === zone || name.endsWith(`.${zone}`);

/** The whole name would be answered by this service alone, with all that hangs on it. */
const whole = (name: string, { domain }: Known): string | null =>
  name === domain || name.split('.').length < 3
    ? `the service answers for all of ${name}, and its website and mail would be lost: take a name below it, as mail.${name}`
    : null;

/** Any address, or where another program has the port on one of them, the first public address. */
const listenAt =
  (port: number) =>
  (
    { addresses = '', relay_host = '', relay_port = '' }: Known,
    { takenPorts, publicAddresses }: Machine,
  ): string => {
    const own = addresses.split(', ').find((address) => publicAddresses.includes(address));
    const isShared =
      takenPorts.includes(port) || (LOCAL_RELAYS.includes(relay_host) && relay_port === String(port));
    if (isShared && own !== undefined) return v.formatListen({ host: own, port });
    return addresses.includes(':') ? `[::]:${port}` : `0.0.0.0:${port}`;
  };

const portText = checkedText(
  'a whole number from 1 to 65535',
  (text) => /^\d{1,5}$/.test(text) && v.port.safeParse(Number(text)).success,
);
const spfEntry = z.union([v.network, v.dnsName]).meta({ expected: 'an SPF domain or an IP address' });

const questions = {
  domain: {
    schema: v.hostName,
    propose: (_, { hostName }) => hostName.match(/^[^.]+\.(.+\..+)$/)?.[1],
    refuse: (answer) =>
      answer.includes('.') ? null : 'a domain with a dot in it, as example.org, is needed',
  },
  host: {
    schema: v.hostName,
    propose: below('mail'),
    refuse: whole,
  },
  managed_suffix: {
    schema: v.hostName,
    propose: below('send'),
    refuse: (answer, known) =>
      whole(answer, known) ??
      (isWithin(known.host ?? '', answer)
        ? `${known.host} lies in it, and names there belong to practices: take another zone`
        : null),
  },
  dns: {
    schema: z.enum(['builtin', 'own']),
    propose: () => 'builtin',
  },
  nameserver: {
    schema: v.hostName,
    propose: ({ host }) => host && `ns1.${host}`,
  },
  addresses: {
    schema: v.ipAddress,
    isList: true,
    propose: (_, { publicAddresses }) => publicAddresses.join(', ') || undefined,
  },
  relay_host: {
    schema: v.hostOrAddress,
  },
  relay_port: {
    schema: portText,
    propose: ({ relay_host = '' }) => (LOCAL_RELAYS.includes(relay_host) ? '25' : '587'),
  },
  relay_tls: {
    schema: z.enum(['required', 'implicit', 'opportunistic', 'none']),
    isQuiet: true,
    propose: ({ relay_host = '', relay_port }) =>
      LOCAL_RELAYS.includes(relay_host) ? 'opportunistic' : relay_port === '465' ? 'implicit' : 'required',
  },
  relay_user: {
    schema: v.text(200),
    isOptional: true,
  },
  relay_spf: {
    schema: spfEntry,
    isOptional: true,
    isList: true,
    propose: ({ relay_host = '' }) =>
      Object.entries(RELAY_SPF).find(([end]) => isWithin(relay_host, end))?.[1] ??
      (isIP(relay_host) !== 0 && !LOCAL_RELAYS.includes(relay_host) ? relay_host : undefined),
  },
  delivered_on: {
    schema: z.enum(['dsn', 'accept']),
    isQuiet: true,
    propose: () => 'dsn',
  },
  operator: {
    schema: v.mailAddress,
    refuse: (answer, { host = '', managed_suffix = '' }) =>
      [host, managed_suffix].some(
        (zone) => zone !== '' && isWithin(answer.slice(answer.lastIndexOf('@') + 1), zone),
      )
        ? 'mail to names of the service reaches no mailbox of a person: give an address elsewhere'
        : null,
  },
  proxy: {
    schema: z.enum(['none', 'caddy', 'nginx']),
    // Who has the ports already serves other sites, and can serve this one.
    propose: (_, { takenPorts }) =>
      WEB_PORTS.some((port) => takenPorts.includes(port)) ? undefined : 'none',
  },
  agree_to_terms: {
    schema: z.enum(['yes', 'no']),
  },
  smtp_listen: {
    schema: v.listen,
    isQuiet: true,
    propose: listenAt(25),
  },
  dns_listen: {
    schema: v.listen,
    isQuiet: true,
    propose: listenAt(53),
  },
} as const satisfies Readonly<Record<Key, Question>>;

export const questionOf = (key: Key): Question => questions[key];

const NAMES: ReadonlySet<Key> = new Set([
  'domain',
  'host',
  'managed_suffix',
  'nameserver',
  'relay_host',
  'relay_spf',
]);

/** A name as people write it: in any case, with a dot at the end, with letters beyond ASCII. */
const asName = (text: string): string => {
  const name = text.toLowerCase().replace(/\.$/, '');
  return /[^\x20-\x7e]/.test(name) && URL.canParse(`http://${name}`)
    ? new URL(`http://${name}`).hostname
    : name;
};

/** The answer in the form in which it is kept, before it is checked. */
export const tidy = (key: Key, text: string): string => {
  const entries = questionOf(key).isList ? text.split(/[\s,]+/).filter(Boolean) : [text.trim()];
  return entries.map((entry) => (NAMES.has(key) ? asName(entry) : entry)).join(', ');
};

const misread = (entry: string): string =>
  /^[a-z]+:\/\//i.test(entry) ? '; leave out the part up to //, and what follows the name' : '';

/** What is wrong with an answer and what to do, in one line; null where nothing is. */
export const faultOf = (key: Key, answer: string, known: Known): string | null => {
  const { schema, isOptional, isList, refuse } = questionOf(key);
  if (answer === '') return isOptional ? null : `an answer is needed: ${asked[key].about}`;
  const wrong = (isList ? answer.split(', ') : [answer]).find((entry) => !schema.safeParse(entry).success);
  if (wrong !== undefined) {
    const shown = key === 'relay_user' ? 'that' : JSON.stringify(wrong);
    return `${shown} is not ${expectedOf(schema)}${misread(wrong)}`;
  }
  return refuse?.(answer, known) ?? null;
};
