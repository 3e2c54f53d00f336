// Mail to `dmarc@` and `tls-rpt@` of the service host: reports of receivers about the domains of tenants (RFC 9990, RFC 8460).
// Anyone may write one, so a report changes nothing but numbers that are shown, and whose it is must be proved: by SPF or DKIM for
// the domain in From, of a TLS report by DKIM (RFC 8460 §3). One that cannot be taken is accepted all the same, for its sender would
// stop reporting, and the reason is kept with the tenant whose domain the mail names; else in the log.

import { dkimKeyStore } from '#src/domains/store.ts';
import type { Base } from '#src/kernel/base.ts';
import { limitConcurrency } from '#src/kernel/concurrency.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { newId } from '#src/kernel/id.ts';
import { clientKey, createRateLimiter, type RateLimit } from '#src/kernel/rate-limit.ts';
import { DAY } from '#src/kernel/time.ts';
import { type AuthorProof, type ProveAuthor, ReportFault, type ReportHead } from '#src/mail/domain-report.ts';
import type { DomainReportMail, DomainReportOutcome } from '#src/mail/reception.ts';
import { clueIn, type FoundReport, findReport, type ReportClue, ReportsBusy } from './find-report.ts';
import { type Place, placesOf, sharePolicies, shareRecords } from './share-report.ts';
import { domainReportStore, type NewDomainReport } from './store.ts';
import { dayOf, type OwnMail, sumSessions, sumSources } from './sum-report.ts';

/** A large receiver sends one for each domain a day, from a few hosts. */
const OF_A_CLIENT: RateLimit = { perSecond: 1 / 5, burst: 300 };
const OF_ALL: RateLimit = { perSecond: 4, burst: 1_000 };
/** Bytes of mails, and of what they unpack to: the largest one has 8 MiB, for which a CPU needs 0.3 s; most have some KiB. */
const OF_BYTES: RateLimit = { perSecond: 1_048_576, burst: 64 * 1_048_576 };
/** Each takes up to some 30 MB while it is read. */
const READ_AT_ONCE = 2;

/** A clock that is wrong, and a report for a day that is not over. */
const MAX_AHEAD = 2 * DAY;
/** Receivers send a report within days. */
const MAX_AGE = 60 * DAY;

const requirePlausible = ({ begin, end }: ReportHead, now: number): void => {
  if (end > now + MAX_AHEAD) throw new ReportFault('implausible', 'Its period is in the future.');
  if (begin < now - MAX_AGE) throw new ReportFault('implausible', 'Its period is more than 60 days ago.');
};

/** `kind`: null as long as it is not known. Throws ReportFault; ReportsBusy where it may be proved later. */
const requireAuthentic = (
  { domain, isSigned, isUncertain }: AuthorProof,
  kind: FoundReport['kind'] | null,
): void => {
  if (domain !== null && (kind !== 'tls' || isSigned)) return;
  if (isUncertain) throw new ReportsBusy();
  const proves = kind === 'tls' ? 'No DKIM signature proves' : 'Neither SPF nor DKIM proves';
  throw new ReportFault('not_authenticated', `${proves} that it is of the domain in From.`);
};

const readOwnMail = (db: TenantDb, relays: readonly string[]): OwnMail => {
  const keys = dkimKeyStore(db);
  const hosts = keys.hosts();
  const selectors = hosts.flatMap((host) => keys.ofHost(host).map(({ token }) => token.toLowerCase()));
  return { relays, hosts: new Set(hosts), selectors: new Set(selectors) };
};

/** What is kept of a report in the file of one tenant. */
interface Entry extends Place {
  readonly row: Omit<NewDomainReport, 'id' | 'domain' | 'received_at'>;
  readonly count: (db: TenantDb) => void;
}

export const createDomainReports = (
  { storage, clock, log }: Pick<Base, 'storage' | 'clock' | 'log'>,
  proveAuthor: ProveAuthor,
  relays: () => readonly string[],
) => {
  const { platform, tenants } = storage;
  const limiter = createRateLimiter();
  const inTurn = limitConcurrency(READ_AT_ONCE);

  const keep = (
    { tenantId, domain, row, count }: Entry,
    now: number,
  ): Promise<'added' | 'repeated' | 'full'> =>
    tenants.write(tenantId, (db) => {
      const report = { ...row, id: newId(), domain, received_at: now };
      const outcome = domainReportStore(db).add(report, now - (now % DAY));
      if (outcome === 'added') count(db);
      return outcome;
    });

  const entriesOf = async ({ kind, report }: FoundReport, { sender }: ReportClue): Promise<Entry[]> => {
    const day = dayOf(report);
    const head = {
      kind,
      organisation: report.organisation,
      report_id: report.reportId,
      begins_at: report.begin,
      ends_at: report.end,
      sender,
      fault: null,
      fault_detail: null,
    };
    if (kind === 'tls') {
      const shares = await platform.read((db) => sharePolicies(db, report));
      return shares.map(({ tenantId, domain, items }) => {
        const sums = sumSessions(items);
        const counted = (sums.get('succeeded') ?? 0) + (sums.get('failed') ?? 0);
        return {
          tenantId,
          domain,
          row: { ...head, counted, unreadable: report.unreadable },
          count: (db) => {
            for (const [result, sessions] of sums)
              domainReportStore(db).addSessions(domain, day, result, sessions);
          },
        };
      });
    }
    const shares = await platform.read((db) => shareRecords(db, report));
    const entries: Entry[] = [];
    for (const { tenantId, domain, items } of shares) {
      const own = await tenants.read(tenantId, (db) => readOwnMail(db, relays()));
      const { sums, unreadable } = sumSources(items, own);
      const counted = sums.reduce((total, { mails }) => total + mails, 0);
      entries.push({
        tenantId,
        domain,
        row: { ...head, counted, unreadable: report.unreadable + unreadable },
        count: (db) => {
          for (const sum of sums) domainReportStore(db).addSource(domain, day, sum);
        },
      });
    }
    return entries;
  };

  /** What is kept of a report that cannot be taken. */
  const faultyEntries = async (
    { kind }: DomainReportMail,
    { domain, sender }: ReportClue,
    { reason, message }: ReportFault,
  ): Promise<Entry[]> => {
    if (domain === null) return [];
    const places = await platform.read((db) => placesOf(db, domain));
    const row = {
      kind,
      organisation: null,
      report_id: null,
      begins_at: null,
      ends_at: null,
      sender,
      counted: 0,
      unreadable: 0,
      fault: reason,
      fault_detail: message,
    };
    return places.map((place) => ({ ...place, row, count: () => undefined }));
  };

  const take = async (mail: DomainReportMail, proof: AuthorProof): Promise<DomainReportOutcome> => {
    const now = clock.now();
    const said = clueIn(mail.content);
    const clue = { ...said, sender: proof.domain ?? said.sender };
    let entries: Entry[];
    let fault: ReportFault | null = null;
    try {
      requireAuthentic(proof, null);
      const found = await findReport(
        mail.content,
        (bytes) => limiter.take('bytes', now, OF_BYTES, bytes).allowed,
      );
      requireAuthentic(proof, found.kind);
      requirePlausible(found.report, now);
      entries = await entriesOf(found, clue);
    } catch (error) {
      if (error instanceof ReportsBusy) return 'busy';
      if (!(error instanceof ReportFault)) throw error;
      fault = error;
      entries = await faultyEntries(mail, clue, error);
    }
    const outcomes: ('added' | 'repeated' | 'full')[] = [];
    for (const entry of entries) outcomes.push(await keep(entry, now));
    if (fault === null && outcomes.some((outcome) => outcome !== 'full')) return 'taken';
    const reason = fault?.reason ?? (entries.length === 0 ? 'about no domain here' : 'too many today');
    log.info(
      { ...clue, mail_from: mail.envelope.mailFrom, client: mail.envelope.clientAddress, reason },
      'a report about a domain was not taken',
    );
    return 'not_taken';
  };

  /** Resolves once all that follows is durable. Rejects where a tenant's file cannot be used. */
  return async (mail: DomainReportMail): Promise<DomainReportOutcome> => {
    const now = clock.now();
    const isTooMuch =
      !limiter.take(clientKey(mail.envelope.clientAddress), now, OF_A_CLIENT).allowed ||
      !limiter.take('all', now, OF_ALL).allowed;
    if (isTooMuch) return 'busy';
    // This is done before its turn: a stranger's slow name server takes no place of others.
    const proof = await proveAuthor(mail.envelope, mail.content);
    return inTurn(() => take(mail, proof));
  };
};
