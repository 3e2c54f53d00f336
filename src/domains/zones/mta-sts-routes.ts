// Serves the MTA-STS policy over HTTPS under the receiving hosts' own names (RFC 8461 §3.3), and answers a TLS proxy
// that asks before it gets a certificate for a name.
import { z } from 'zod';
import { AppError } from '#src/kernel/errors.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import { say } from '#src/kernel/say.ts';
import type { DomainDeps } from '../domain-deps.ts';
import { servedStore } from '../registry-store.ts';
import { type MtaStsSettings, policyText, servesPolicy } from './mta-sts.ts';

/** The longest DNS name as text (RFC 1035 §2.3.4), with its trailing dot. */
const MAX_NAME = 254;
const HOST_AND_PORT = /^([a-z0-9_.-]+?)\.?(?::\d+)?$/i;

const notServed = (name: string): AppError =>
  new AppError('not_found', say`Nothing is served under ${name || say`this host name`}.`, {
    hint: say`MTA-STS policies are served under mta-sts. before a host that receives mail here.`,
  });

/** The name in a Host header in lower case; '' if it has none, or an IPv6 address. */
const nameOf = (host: string): string =>
  host.length > MAX_NAME ? '' : (HOST_AND_PORT.exec(host)?.[1]?.toLowerCase() ?? '');

/** Whether a policy is served under the host name, by what the registry knows. */
export const policyHosts = ({ storage, serviceHost }: Pick<DomainDeps, 'storage' | 'serviceHost'>) => {
  const kindOf = (name: string) => storage.platform.peek((db) => servedStore(db).kindOf(name));
  return (host: string): boolean => servesPolicy(host, { serviceHost, kindOf });
};

export const mtaStsRoutes = (
  { serviceHost, origin }: DomainDeps,
  mtaSts: MtaStsSettings,
  isPolicyHost: (host: string) => boolean,
): Route[] => {
  const policy = policyText(serviceHost, mtaSts);
  const ownHost = new URL(origin).hostname;
  return [
    defineRoute({
      method: 'get',
      path: '/.well-known/mta-sts.txt',
      tag: 'Service',
      id: 'getMtaStsPolicy',
      usedBy: 'mail servers that send to this one (RFC 8461)',
      summary: 'MTA-STS policy',
      description:
        'Under `mta-sts.` before the service host, a managed host, or `in.` or `bounce.` of a sending host. The ' +
        'Host header decides: a proxy in front must hand it on.',
      access: 'public',
      stability: 'stable',
      responses: { 200: { description: 'RFC 8461 §3.2.', body: 'text/plain' } },
      errors: ['not_found'],
      handle: (_, { header }) => {
        const host = nameOf(header('host') ?? '');
        if (!isPolicyHost(host)) throw notServed(host);
        return { status: 200, contentType: 'text/plain', body: policy };
      },
    }),
    defineRoute({
      method: 'get',
      path: '/api/public/tls-host',
      tag: 'Service',
      id: 'checkTlsHost',
      summary: 'Whether HTTPS is served under a name',
      description:
        "A TLS proxy asks this before it gets a certificate for a name (Caddy's " +
        '`on_demand_tls`): 200 for the host of the public origin and for those of MTA-STS policies.',
      access: 'public',
      stability: 'stable',
      query: z.strictObject({
        domain: z
          .string()
          .min(1)
          .max(MAX_NAME)
          .meta({ examples: ['mail.example.com'] }),
      }),
      responses: {
        200: {
          description: 'HTTPS is served under the name, given in lower case.',
          body: z.strictObject({ domain: z.string() }),
        },
      },
      errors: ['not_found'],
      handle: ({ query }) => {
        const domain = nameOf(query.domain);
        if (domain !== ownHost && !isPolicyHost(domain)) throw notServed(domain);
        return { status: 200, body: { domain } };
      },
    }),
  ];
};
