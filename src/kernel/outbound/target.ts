// Finds the addresses that a URL may be connected to. First its form, its port and its name are judged, before anything is
// looked up; then the DNS is asked here and nowhere else, and every address is judged. A connection is made to the addresses
// that were judged, without a second lookup: a name may point elsewhere a moment later.
import { networkInterfaces } from 'node:os';
import { inEnglish, say } from '#src/kernel/say.ts';
import type { DnsLookup } from '../dns-lookup.ts';
import { type AddressKind, addressKind } from '../ip-address.ts';
import { SECOND } from '../time.ts';
import type { TargetRefusal } from './outbound.ts';

/** A failure that has its words already. */
export class OutboundFailure extends Error {}

export interface Target {
  readonly isSecure: boolean;
  /** A name in ASCII without the trailing dot, or an address without brackets. */
  readonly host: string;
  readonly isAddress: boolean;
  readonly port: number;
  /** Whether web servers use this port; other ports are only for hosts that the operator allows. */
  readonly isUsualPort: boolean;
  /** The host and port as the Host header names them. */
  readonly authority: string;
  /** The path with the query. */
  readonly path: string;
}

export interface TargetRules {
  readonly allowHttp: boolean;
  /** Whether the operator allows some internal networks: then names are judged by their addresses alone. */
  readonly allowsSome: boolean;
  /** The service's own host. */
  readonly ownHost: string;
}

const MAX_CHARACTERS = 2_048;
const MAX_NAME = 253;

/** Names below these are never in the public DNS, but in many local ones (RFC 6761, RFC 6762, RFC 8375, RFC 7686, RFC
 * 9476, and those that ICANN does not delegate for that reason). */
const INTERNAL_SUFFIXES = [
  ...['localhost', 'localdomain', 'local', 'internal', 'home.arpa', 'lan', 'home', 'corp', 'mail', 'private'],
  ...['intranet', 'onion', 'alt', 'invalid', 'test', 'example'],
];

const PORTS = { 'https:': { own: 443, other: 8443 }, 'http:': { own: 80, other: 8080 } } as const;

export const INTERNAL: TargetRefusal = {
  message: say`points to an internal network`,
  hint: say`Use a host that the internet can reach. The operator can allow internal networks in \`security.outbound_allow\`.`,
};

export const UNUSUAL_PORT: TargetRefusal = {
  message: say`uses a port that is not allowed`,
  hint: say`Use port 443 or 8443. The operator can allow others on internal networks in \`security.outbound_allow\`.`,
};

const HINT_FORM = say`Give a whole URL such as https://hooks.example.com/path.`;
const refusals = {
  long: { message: say`has more than ${MAX_CHARACTERS} characters`, hint: say`Use a shorter URL.` },
  form: { message: say`is not a URL`, hint: HINT_FORM },
  scheme: { message: say`is not an https URL`, hint: HINT_FORM },
  user: {
    message: say`contains a user name or password`,
    hint: say`Leave out the part before the @: deliveries are signed, and a secret part of the path does the same.`,
  },
  fragment: {
    message: say`contains a fragment`,
    hint: say`Leave out the part after the #: it is never sent.`,
  },
  name: { message: say`has a host name that cannot exist`, hint: say`Correct the host name.` },
} as const satisfies Record<string, TargetRefusal>;

const isInternalName = (host: string): boolean =>
  !host.includes('.') || INTERNAL_SUFFIXES.some((suffix) => host.endsWith(`.${suffix}`));

/** RFC 1035 §2.3.4, with underscores as the DNS has them; `URL` allows names that no DNS can answer. */
const isName = (host: string): boolean =>
  host.length <= MAX_NAME && host.split('.').every((label) => /^[a-z0-9_-]{1,63}$/.test(label));

/** `URL` brings all notations of an IPv4 address into this form, and no name ends in a number. */
const isAddressHost = (host: string): boolean => host.startsWith('[') || /^\d+(?:\.\d+){3}$/.test(host);

/** Judges the text of the URL alone, before any lookup. */
export const readTarget = (
  text: string,
  rules: TargetRules,
): Target | { readonly refusal: TargetRefusal } => {
  if (text.length > MAX_CHARACTERS) return { refusal: refusals.long };
  // `URL` would remove them silently.
  if (/[\s\p{Cc}]/u.test(text)) return { refusal: refusals.form };
  const url = URL.parse(text);
  if (url === null) return { refusal: refusals.form };
  const { protocol, hostname } = url;
  if (protocol !== 'https:' && !(protocol === 'http:' && rules.allowHttp))
    return { refusal: refusals.scheme };
  if (url.username !== '' || url.password !== '') return { refusal: refusals.user };
  if (url.hash !== '') return { refusal: refusals.fragment };
  const isAddress = isAddressHost(hostname);
  const host = isAddress ? hostname.replace(/^\[|\]$/g, '') : hostname.replace(/\.$/, '');
  if (!isAddress && !isName(host)) return { refusal: refusals.name };
  if (!isAddress && !rules.allowsSome && (isInternalName(host) || host === rules.ownHost))
    return { refusal: INTERNAL };
  const { own, other } = PORTS[protocol];
  const port = url.port === '' ? own : Number(url.port);
  const isUsualPort = port === own || port === other;
  if (!isUsualPort && !rules.allowsSome) return { refusal: UNUSUAL_PORT };
  return {
    isSecure: protocol === 'https:',
    host,
    isAddress,
    port,
    isUsualPort,
    authority: `${isAddress ? hostname : host}${port === own ? '' : `:${port}`}`,
    path: `${url.pathname}${url.search}`,
  };
};

/** No real host has more; it bounds how many connections one delivery tries. */
const MAX_ADDRESSES = 16;

/** RFC 6761 §6.3: the DNS is not asked for it. It means those of the two that are allowed. */
const LOCALHOST = ['127.0.0.1', '::1'];
const isLocalhost = (host: string): boolean => host === 'localhost' || host.endsWith('.localhost');

export interface CheckedLookup {
  kindOf(address: string): AddressKind;
  /** Null where all of them may be connected to. */
  refusalOf(target: Target, addresses: readonly string[]): TargetRefusal | null;
  /** @throws OutboundFailure */
  addressesOf(target: Target): Promise<readonly string[]>;
  /** Like `addressesOf`, but null where no address is known, and nothing is judged. */
  lookUp(target: Target): Promise<readonly string[] | null>;
}

/** Asking the system costs 90 µs, and each exchange needs the answer twice. */
const OWN_KEPT_MS = SECOND;

type AskSystem = typeof networkInterfaces;

const createOwnAddresses = (askSystem: AskSystem): (() => readonly string[]) => {
  let own: readonly string[] = [];
  let askedAt = Number.NEGATIVE_INFINITY;
  const current = (): readonly string[] => {
    const now = performance.now();
    if (now - askedAt < OWN_KEPT_MS) return own;
    askedAt = now;
    try {
      own = Object.values(askSystem()).flatMap((all) => (all ?? []).map(({ address }) => address));
    } catch {
      // Without a free descriptor the system gives no answer: the addresses are those of the last one.
    }
    return own;
  };
  current();
  return current;
};

export const createCheckedLookup = (
  allow: () => readonly string[],
  lookup: Pick<DnsLookup, 'addresses'>,
  askSystem: AskSystem = networkInterfaces,
): CheckedLookup => {
  const ownAddresses = createOwnAddresses(askSystem);
  const kindOf = (address: string): AddressKind =>
    addressKind(address, { allow: allow(), own: ownAddresses() });
  const refusalOf: CheckedLookup['refusalOf'] = ({ isUsualPort }, addresses) => {
    const kinds = addresses.map(kindOf);
    if (kinds.includes('internal')) return INTERNAL;
    return isUsualPort || !kinds.includes('public') ? null : UNUSUAL_PORT;
  };
  const ask = async ({ host, isAddress }: Target) => {
    if (isAddress) return { kind: 'found', records: [host] } as const;
    if (isLocalhost(host)) {
      const allowed = LOCALHOST.filter((address) => kindOf(address) === 'allowed');
      return { kind: 'found', records: allowed.length > 0 ? allowed : LOCALHOST } as const;
    }
    return lookup.addresses(host);
  };
  return {
    kindOf,
    refusalOf,
    lookUp: async (target) => {
      const found = await ask(target);
      return found.kind === 'found' ? found.records : null;
    },
    addressesOf: async (target) => {
      const found = await ask(target);
      if (found.kind === 'failed') throw new OutboundFailure('the host name could not be looked up');
      if (found.kind === 'none')
        throw new OutboundFailure(
          found.nameExists ? 'the host name has no address' : 'the host name does not exist',
        );
      const refusal = refusalOf(target, found.records);
      if (refusal) throw new OutboundFailure(`the URL ${inEnglish(refusal.message)}`);
      return found.records.slice(0, MAX_ADDRESSES);
    },
  };
};
