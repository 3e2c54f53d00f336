// The kinds of values in the configuration file, each with the words for what it expects.
import { isIP, isIPv4 } from 'node:net';
import { z } from 'zod';
import { checkedText, parsedText } from '#src/kernel/expected.ts';
import { parseKeep } from './keep.ts';

export interface ListenAddress {
  /** IP address without brackets, or `localhost`. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
}

const MAX_PORT = 65_535;
/** RFC 1035 §2.3.4: 255 octets on the wire are 253 characters. */
const MAX_HOST_NAME_LENGTH = 253;
const MAX_PATH_LENGTH = 4_096;
/** Enough for any list that is kept by hand. */
const MAX_ENTRIES = 1_000;

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const HOST_NAME = new RegExp(`^(?:${LABEL}\\.)*${LABEL}$`);

/** Lower-case LDH labels (RFC 1123 §2.1); the last one is not a number, so that no IP address passes. */
const isHostName = (text: string): boolean =>
  text.length <= MAX_HOST_NAME_LENGTH && HOST_NAME.test(text) && !/(^|\.)\d+$/.test(text);

const splitPort = (text: string): ListenAddress | null => {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:]+)):(\d{1,5})$/.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3]);
  const bracketed = match?.[1] !== undefined;
  return host === undefined || port > MAX_PORT || (bracketed && isIP(host) !== 6) ? null : { host, port };
};

const parseListen = (text: string): ListenAddress | null => {
  const address = splitPort(text);
  return address && (isIP(address.host) !== 0 || address.host === 'localhost') ? address : null;
};

export const formatListen = ({ host, port }: ListenAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;

const isNetwork = (text: string): boolean => {
  const match = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text);
  const family = isIP(match?.[1] ?? '');
  return family !== 0 && Number(match?.[2] ?? 0) <= (family === 4 ? 32 : 128);
};

const isMailAddress = (text: string): boolean => {
  const at = text.lastIndexOf('@');
  return (
    at > 0 &&
    at <= 64 &&
    /^[!#-'*+\-./0-9=?A-Z^_`a-z{|}~]+$/.test(text.slice(0, at)) &&
    isHostName(text.slice(at + 1))
  );
};

/** RFC 5735 §4 and RFC 4291 §2.5.3: traffic to these addresses stays on this machine. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));

export const listen = parsedText('host:port', parseListen);
export const origin = checkedText('an origin such as https://mail.example.com, without a path', isOrigin);
export const hostName = checkedText('a lower-case host name', isHostName);
const DNS_LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?';
const DNS_NAME = new RegExp(`^(?:${DNS_LABEL}\\.)+${LABEL}$`);
/** Names that are no hosts may begin labels with an underscore (RFC 8552). */
export const dnsName = checkedText(
  'a lower-case DNS name',
  (text) => text.length <= MAX_HOST_NAME_LENGTH && DNS_NAME.test(text) && !/\.\d+$/.test(text),
);
export const hostOrAddress = checkedText(
  'a lower-case host name or an IP address',
  (text) => isHostName(text) || isIP(text) !== 0,
);
export const ipAddress = checkedText('an IP address', (text) => isIP(text) !== 0);
export const network = checkedText('a network such as 10.0.0.0/8 or an IP address', isNetwork);
export const resolver = checkedText('an IP address, or with a port 127.0.0.1:5353 or [::1]:5353', (text) => {
  const address = splitPort(text);
  return isIP(text) !== 0 || (address !== null && address.port > 0 && isIP(address.host) !== 0);
});
const isRemoteAddress = (text: string): boolean => {
  const address = splitPort(text);
  return address !== null && address.port > 0 && (isIP(address.host) !== 0 || isHostName(address.host));
};
export const socketAddress = checkedText('host:port or an absolute path', (text) =>
  text.startsWith('/') ? text.length <= MAX_PATH_LENGTH : isRemoteAddress(text),
);
export const httpUrl = checkedText(
  'an http:// or https:// address',
  (text) => URL.canParse(text) && /^https?:\/\//.test(text),
);
export const replicaAddress = checkedText(
  'an address such as s3://bucket/path, sftp://user@host/path or file:///mnt/path',
  (text) => URL.canParse(text) && /^(?:s3:\/\/[^/]+|sftp:\/\/[^/]+@[^/]+|file:\/\/)\/?(?:\/.+)?$/.test(text),
);
export const mailAddress = checkedText('an e-mail address', isMailAddress);
export const allowed = checkedText(
  'an e-mail address, or @example.com for a whole domain',
  (text) => isMailAddress(text) || (text.startsWith('@') && isHostName(text.slice(1))),
);
export const upstreamName = checkedText('a name of lower-case letters, digits and hyphens', (text) =>
  /^[a-z0-9][a-z0-9-]{0,62}$/.test(text),
);
export const practiceName = checkedText('the slug or the id of a practice', (text) =>
  /^[a-z0-9-]{1,63}$/.test(text),
);

/** Part of the template's file name, `<providerId>.<serviceId>.json`. */
export const headerName = checkedText('a header field name', (text) =>
  /^[A-Za-z][A-Za-z0-9-]{0,99}$/.test(text),
);
export const pathPrefix = checkedText('a path such as /api/other, or / for none', (text) =>
  /^\/(?:[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*)?$/.test(text),
);
export const headerNames = checkedText('the name of a header field, or its beginning and *', (text) =>
  /^[A-Za-z0-9-]{1,76}\*?$/.test(text),
);
export const templateId = checkedText(
  '1 to 64 lower-case letters, digits, dots, hyphens and underscores',
  (text) => /^[a-z0-9._-]{1,64}$/.test(text),
);
/** Underscored names with another meaning for mail (RFC 8552 registry). */
const TAKEN_LABELS = ['_dmarc', '_domainkey', '_mta-sts', '_report', '_smtp', '_tls'];
export const keyLabel = checkedText(
  'a lower-case label that begins with an underscore, none that mail uses',
  (text) => /^_[a-z0-9-]{1,62}$/.test(text) && !TAKEN_LABELS.includes(text),
);

export const priceId = checkedText('the id of a price, price_…', (text) => /^price_\w{1,250}$/.test(text));

export const keep = checkedText('days, weeks and months such as 7d4w12m', (text) => parseKeep(text) !== null);

export const filePath = z.string().min(1).max(MAX_PATH_LENGTH).meta({ expected: 'a path' });
/** Problems do not show the value: someone may have put the secret itself there. */
export const secretFile = filePath.meta({ expected: 'the path of a file with the secret', shown: 'never' });
export const secretVariable = checkedText(
  'the name of an environment variable, such as RELAY_PASSWORD',
  (text) => /^[A-Z_][A-Z0-9_]{0,127}$/.test(text),
).meta({ shown: 'never' });

export const text = (longest: number) => z.string().min(1).max(longest);
export const whole = (least: number, most: number) => z.int().min(least).max(most);
export const port = whole(1, MAX_PORT);
export const listOf = <T extends z.ZodType>(entry: T) => z.array(entry).max(MAX_ENTRIES);

export const hostInZone = (host: string, zone: string): boolean => host === zone || host.endsWith(`.${zone}`);
