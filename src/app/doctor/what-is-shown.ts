// What of the service others connect to: the ports that have to be reached, and the certificates that they are shown.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Config } from '#src/kernel/config/config.ts';
import { isLoopback, type ListenAddress } from '#src/kernel/config/values.ts';
import type { ZoneLookup } from '#src/kernel/dns-lookup.ts';
import type { CertificateFacts } from '#src/operations/doctor/network-rules.ts';
import type { Place } from '#src/operations/doctor/reach-ports.ts';
import { certificateSeen, type Shown, seeCertificate } from '#src/operations/doctor/see-certificate.ts';
import { fromHere } from './daemon-facts.ts';

const PORTS = { http: 80, https: 443 } as const;

const originOf = ({ service }: Config) => {
  const { protocol, hostname, port } = new URL(service.public_origin);
  const isTls = protocol === 'https:';
  return {
    isTls,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || PORTS[isTls ? 'https' : 'http']),
  };
};

const firstAddress = async (lookup: ZoneLookup, name: string): Promise<string | null> => {
  const found = await lookup.addresses(name);
  return found.kind === 'found' ? (found.records[0] ?? null) : null;
};

/** Where the name leads to this machine itself, the port is that which is listened on. */
export const placesOf = async (config: Config, lookup: ZoneLookup): Promise<Place[]> => {
  const { smtp, dns, service } = config;
  const origin = originOf(config);
  const [own, web] = await Promise.all([
    firstAddress(lookup, service.host),
    firstAddress(lookup, origin.host),
  ]);
  const place = (what: Place['what'], listen: ListenAddress | undefined, usual: number): Place[] => {
    if (listen === undefined || (isLoopback(listen.host) && own !== null && !isLoopback(own))) return [];
    const port = own !== null && isLoopback(own) ? listen.port : usual;
    return [{ where: `${service.host}:${port}`, what, host: own ?? service.host, port }];
  };
  return [
    ...place('mail', smtp.inbound?.listen, 25),
    ...place('submission', smtp.submission?.listen, smtp.submission?.listen?.port ?? 587),
    ...place('submission', smtp.submission?.implicit_listen, smtp.submission?.implicit_listen?.port ?? 465),
    ...place('DNS', dns.authoritative?.listen, 53),
    // A port that the system chooses is known to no one.
    ...(origin.port === 0
      ? []
      : [
          {
            where: `${origin.host}:${origin.port}`,
            what: 'web' as const,
            host: web ?? origin.host,
            port: origin.port,
          },
        ]),
  ];
};

interface Expected extends Shown {
  readonly where: string;
  readonly mustBeValid: boolean;
  readonly mend: string;
}

const GOT_BY_ITSELF =
  'the service gets it once the names lead here: `sendwerk dns check`; health says why an authority refused (docs/operate/tls.md)';

const listenersOf = ({ smtp, dns, service, tls }: Config): Expected[] => {
  const expected = (
    listen: ListenAddress | undefined,
    start: Shown['start'],
    mustBeValid: boolean,
    mend: string,
  ): Expected[] => {
    if (listen === undefined || listen.port === 0) return [];
    const { host: address, port } = fromHere(listen);
    return [{ address, port, name: service.host, start, where: `port ${port}`, mustBeValid, mend }];
  };
  const submission = (smtp.submission?.tls ?? smtp.inbound?.tls ?? tls.acme) ? smtp.submission : undefined;
  const renew = 'renew the files named in it, then: systemctl reload sendwerk';
  const mendOf = (listener: 'inbound' | 'submission', files: object | undefined): string =>
    files === undefined && tls.acme
      ? GOT_BY_ITSELF
      : `smtp: { ${listener}: { tls: { cert: …, key: … } } } for ${service.host}; ${renew}`;
  const mendSubmission = mendOf('submission', smtp.submission?.tls ?? smtp.inbound?.tls);
  return [
    ...expected(
      smtp.inbound?.listen,
      'smtp',
      dns.mta_sts.mode === 'enforce',
      mendOf('inbound', smtp.inbound?.tls),
    ),
    ...expected(submission?.listen, 'smtp', true, mendSubmission),
    ...expected(submission?.implicit_listen, 'tls', true, mendSubmission),
  ];
};

/** The certificate in a file, where nothing listens; chains are not followed. */
const certificateIn = async (path: string, name: string) => {
  try {
    return certificateSeen(new X509Certificate(await readFile(path)), name, null);
  } catch (error) {
    return {
      error: error instanceof Error ? error.message : String(error),
      names: [],
      isForName: false,
      problem: null,
      validTo: 0,
      isSelfSigned: false,
    };
  }
};

/** `isRunning`: what listeners show is seen; else what is in the files of the configuration. */
export const certificatesOf = async (
  config: Config,
  isRunning: boolean,
  lookup: ZoneLookup,
  signal: AbortSignal,
): Promise<CertificateFacts[]> => {
  const origin = originOf(config);
  const { smtp, service } = config;
  const files = isRunning
    ? []
    : [smtp.inbound?.tls, smtp.submission?.tls].flatMap((tls) => (tls ? [tls.cert] : []));
  const ofFiles = [...new Set(files)].map(async (path) => ({
    ...(await certificateIn(path, service.host)),
    where: path,
    name: service.host,
    mustBeValid: true,
    mend: `renew ${path}`,
  }));
  const shown = isRunning ? listenersOf(config) : [];
  if (origin.isTls && !isLoopback(origin.host))
    shown.push({
      address: (await firstAddress(lookup, origin.host)) ?? origin.host,
      port: origin.port,
      name: origin.host,
      start: 'tls',
      where: service.public_origin,
      mustBeValid: true,
      mend:
        config.http.tls && !config.http.tls.cert && config.tls.acme
          ? GOT_BY_ITSELF
          : `the proxy in front, or the certificate of the service, has to be for ${origin.host}`,
    });
  const seen = shown.map(async ({ where, mustBeValid, mend, ...how }) => ({
    ...(await seeCertificate(how, signal)),
    where,
    name: how.name,
    mustBeValid,
    mend,
  }));
  return Promise.all([...ofFiles, ...seen]);
};
