// The upstreams of the configuration as ways out: part of the composition root.
import { readFileSync } from 'node:fs';
import type { UpstreamConfig } from '#src/kernel/config/config.ts';
import type { TenantFiles } from '#src/kernel/db/tenant-files.ts';
import type { Log } from '#src/kernel/log.ts';
import type { Clock } from '#src/kernel/time.ts';
import { createCaptureUpstream } from '#src/relay/capture/upstream.ts';
import { createSmtpUpstream } from '#src/relay/smtp/upstream.ts';
import type { Upstream } from '#src/relay/upstream.ts';
import { createWaysOut, type WayOut, type WaysOut } from '#src/relay/ways-out.ts';

export interface WaysOutParts {
  readonly files: TenantFiles;
  readonly clock: Clock;
  readonly log: Log;
  readonly ehloName: string;
  /** Seals what a capture upstream keeps. */
  readonly captureKey: Buffer;
  /** How long a transaction may outlive the drain; milliseconds. */
  readonly cutOff: number;
}

const createUpstream = (entry: UpstreamConfig, parts: WaysOutParts): Upstream => {
  const { files, clock, log, ehloName, captureKey, cutOff } = parts;
  if (entry.kind === 'capture')
    return createCaptureUpstream({ name: entry.name, keep: entry.keep, files, clock, key: captureKey });
  const { name, host, port, tls, pool, rate, user, password, ca_file } = entry;
  return createSmtpUpstream(
    {
      name,
      host,
      port,
      tls,
      pool,
      ehloName,
      deliveredOn: entry.delivered_on,
      // The dispatcher has waited for transactions before.
      timeouts: { stop: cutOff },
      ...(user !== undefined && password !== null ? { user, password: password.reveal() } : {}),
      ...(rate === undefined ? {} : { rate }),
      ...(ca_file === undefined ? {} : { ca: readFileSync(ca_file, 'utf8') }),
    },
    log,
  );
};

/** Throws where a file named in the configuration cannot be read. */
export const waysOutOf = (upstreams: readonly UpstreamConfig[], parts: WaysOutParts): WaysOut =>
  createWaysOut(
    upstreams.map(
      (entry): WayOut => ({
        upstream: createUpstream(entry, parts),
        acceptIsDelivery: entry.kind === 'smtp' && entry.delivered_on === 'accept',
      }),
    ),
    parts.clock,
    parts.log,
  );
