// Checks a mail from the world before it is stored: whether its sender is who it says (SPF, DKIM, DMARC, ARC, iprev), and what the
// scanners say of it. It reads and asks; verdict-rules.ts decides.
//
// This runs for each mail that comes in. What cannot matter is not computed, and what the DNS said a moment ago is shared. Each
// question to the DNS has an end, and those of the sender's choice (SPF, keys) are asked beside that for the author's DMARC record:
// a slow server of the one cannot hide the other.

import { z } from 'zod';
import type { ReceivedScan } from '#src/content/scan-received.ts';
import { createClientLists } from '#src/content/scanners/client-lists.ts';
import type { Reporter } from '#src/feedback/reporter.ts';
import type { Base } from '#src/kernel/base.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { type ResolvedLookup, resolverOf } from '#src/kernel/dns-resolver.ts';
import { healthPart } from '#src/kernel/health.ts';
import { toIsoOrNull } from '#src/kernel/time.ts';
import type { ProveAuthor } from '#src/mail/domain-report.ts';
import { type Header, headOf, readFields, readHeader } from '#src/mail/field-block.ts';
import type { CheckedMail, MailEnvelope } from '../mail.ts';
import { authorsOf } from './authors.ts';
import { createClientChecks } from './client.ts';
import { createDmarcCheck } from './dmarc.ts';
import { watchDns } from './dns-health.ts';
import { createRecentDns, QUESTION_MS } from './recent-dns.ts';
import { resultsField } from './results-field.ts';
import { checkSignatures } from './signatures.ts';
import { authorProof, provenDomains } from './verdict-rules.ts';

export interface MailToCheck {
  readonly envelope: MailEnvelope;
  /** The mail as it came. */
  readonly content: Buffer;
  /** Where it was read already. */
  readonly header?: Header;
  /** The recipients of all tenants. */
  readonly recipients: readonly string[];
}

/** Never rejects, and ends within seconds: what could not be found out is `temperror` or `not_scanned`. */
export type CheckMail = (mail: MailToCheck) => Promise<CheckedMail>;

export const createChecks = (
  { config, clock }: Pick<Base, 'config' | 'clock'>,
  scan: ReceivedScan,
  lookup: ResolvedLookup,
): CheckMail => {
  const serviceHost = config().service.host;
  const dns = createRecentDns(lookup, clock);
  const resolver = resolverOf(dns);
  const client = createClientChecks(dns, serviceHost, clock);
  const dmarc = createDmarcCheck(resolver, clock);

  return async ({ envelope, content, header = readHeader(content), recipients }) => {
    const authors = authorsOf(header);
    const findName = client.iprev(envelope.clientAddress);
    const scanned = findName.then(({ name }) =>
      scan({
        sender: envelope.mailFrom,
        recipients,
        source: content,
        clientAddress: envelope.clientAddress,
        clientName: name,
        helo: envelope.helo,
      }),
    );
    const [iprev, spf, signatures] = await Promise.all([
      findName,
      client.spf(envelope),
      checkSignatures(content, header.octets, header.fields, resolver),
      dmarc.find(authors),
    ]);
    const proved = { spf, ...signatures };
    const auth = { ...proved, dmarc: await dmarc.judge(authors, proved), iprev };
    const { isDeferred, ...spam } = await scanned;
    return {
      authors: authors.addresses,
      auth,
      spam,
      isDeferred,
      authenticationResults: resultsField(serviceHost, auth, envelope),
    };
  };
};

const notScanned: ReceivedScan = async () => ({
  verdict: 'not_scanned',
  score: null,
  reasons: [],
  isDeferred: false,
});

/** Who has sent a report, by the checks that mail to people passes; asked for once a mail. */
const createReporterOf = ({ config, clock }: Pick<Base, 'config' | 'clock'>, lookup: ResolvedLookup) => {
  const dns = createRecentDns(lookup, clock);
  const resolver = resolverOf(dns);
  const client = createClientChecks(dns, config().service.host, clock);
  return ({ envelope, content }: Pick<MailToCheck, 'envelope' | 'content'>): Reporter => {
    const prove = async () => {
      const head = headOf(content);
      const [spf, { dkim }] = await Promise.all([
        client.spf(envelope),
        checkSignatures(content, head, readFields(head), resolver),
      ]);
      return {
        domains: provenDomains({ spf, dkim }),
        isUncertain: [spf, ...dkim].some(({ result }) => result === 'temperror'),
      };
    };
    let proof: ReturnType<typeof prove> | null = null;
    return {
      proof: () => {
        proof ??= prove();
        return proof;
      },
      mailHosts: dns.mx,
    };
  };
};

/** Clients that are looked up in block lists at the same time; the listener has as many connections. */
const CLIENTS_ASKED = 200;

/**
 * The checks of the listener; `proveAuthor` is for mail that no person reads, `reporterOf` for reports. `stop` ends all
 * questions to the DNS.
 */
export const openChecks = (
  { config, clock, log }: Pick<Base, 'config' | 'clock' | 'log'>,
  scan: ReceivedScan,
  dnsAgainMs?: number,
) => {
  const stopping = new AbortController();
  const tries = { tryMs: QUESTION_MS, stopping: stopping.signal };
  const { lookup, health } = watchDns({
    lookup: createDnsLookup(config().dns.resolvers, tries),
    clock,
    log,
    stopping: stopping.signal,
    againMs: dnsAgainMs,
  });
  const { dns, scanners, smtp } = config();
  const zones = smtp.inbound?.dnsbl ?? [];
  const timeout = scanners.dnsbl_timeout;
  // A resolver gets two tries within the time.
  const listLookup = () =>
    createDnsLookup(dns.resolvers, { tryMs: Math.ceil(timeout / 2), stopping: stopping.signal });
  const lists =
    zones.length === 0
      ? null
      : createClientLists({ zones, lookup: listLookup(), timeout, places: CLIENTS_ASKED, clock, log });
  const proves = createChecks({ config, clock }, notScanned, lookup);
  return {
    check: createChecks({ config, clock }, scan, lookup),
    proveAuthor: (async (envelope, content) =>
      authorProof(await proves({ envelope, content, recipients: [] }))) satisfies ProveAuthor,
    reporterOf: createReporterOf({ config, clock }, lookup),
    health: healthPart({
      schema: z
        .strictObject({
          state: z.enum(['ok', 'failing']),
          failing_since: z.iso.datetime().nullable(),
        })
        .nullable()
        .describe(
          'the DNS that checks of authors ask; null where mail from the world is off. failing: it answers nothing, and mail whose author has to be checked is asked to come later',
        ),
      now: () => {
        const { state, since } = health();
        return smtp.inbound ? { state, failing_since: toIsoOrNull(since) } : null;
      },
      state: (resolver) => (resolver?.state === 'failing' ? 'degraded' : 'ok'),
    }),
    /** The name of a DNS block list that has the client. */
    listing: async (clientAddress: string) => (await lists?.listing(clientAddress)) ?? null,
    stop: () => stopping.abort(),
  };
};
