// What may be kept about the client that opened or clicked.

import { withoutHost } from '#src/kernel/ip-networks.ts';
import type { RequestContext } from '#src/kernel/route.ts';
import { type HitKind, machineOf, PURPOSE_FIELDS } from './machines.ts';
import type { Hit } from './rules.ts';

const MAX_USER_AGENT = 256;

/** One line of printable ASCII; a copy, so that the memory of a long header is released. */
const printable = (text: string): string =>
  Buffer.from(text.slice(0, MAX_USER_AGENT), 'latin1')
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, '?')
    .trim();

/** `url`: the target of the link, for a click. */
export const hitOf = (
  kind: HitKind,
  url: string | null,
  { method, header, clientAddress }: Pick<RequestContext, 'method' | 'header' | 'clientAddress'>,
  now: number,
): Hit => {
  const userAgent = printable(header('user-agent') ?? '');
  const purposes = PURPOSE_FIELDS.flatMap((name) => header(name) ?? []);
  return {
    kind,
    at: now,
    ip: withoutHost(clientAddress),
    userAgent: userAgent === '' ? null : userAgent,
    url,
    machine: machineOf({ kind, method, userAgent, purposes }),
  };
};
