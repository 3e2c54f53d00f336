// Connects to each SMTP upstream of the configuration as for mail, signs in and leaves: what it says, and what it offers.
import type { Config } from '#src/kernel/config/config.ts';
import { waitsForNotices } from '#src/kernel/config/delivery.ts';
import { isLoopback } from '#src/kernel/config/values.ts';
import type { OfferFacts, SignInFacts } from '#src/operations/doctor/relay-rules.ts';
import type { Extensions } from '#src/relay/smtp/commands.ts';
import { smtpOptionsOf } from '#src/relay/smtp/options.ts';
import { probe } from '#src/relay/smtp/probe.ts';

export interface RelayFacts {
  readonly signIn: SignInFacts;
  /** Null where it did not come so far. */
  readonly offer: OfferFacts | null;
}

/** Rejects where a file of the configuration cannot be read. */
export const lookAtRelays = (
  { upstreams, service, smtp, limits }: Config,
  signal: AbortSignal,
): Promise<RelayFacts[]> =>
  Promise.all(
    upstreams.flatMap((entry) => {
      if (entry.kind !== 'smtp') return [];
      const look = async (): Promise<RelayFacts> => {
        const { name, host, port, tls, user } = entry;
        let offered: Extensions | null = null;
        const found = await probe(smtpOptionsOf(entry, service.host), signal, (extensions) => {
          offered = extensions;
        });
        const extensions = offered as Extensions | null;
        return {
          signIn: {
            name,
            address: `${host}:${port}`,
            failedAt: found.failedAt,
            error: found.error,
            tls: found.tls,
            wantedTls: tls,
            isLoopback: isLoopback(host),
            signsIn: user !== undefined,
          },
          offer: extensions && {
            name,
            ...extensions,
            waitsForNotices: waitsForNotices(entry),
            listens: smtp.inbound !== undefined,
            largest: limits.body_bytes,
          },
        };
      };
      return [look()];
    }),
  );
