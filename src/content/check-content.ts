// Checks content before a message is accepted: by the content rules, and by the scanners that are configured.
import { AppError } from '#src/kernel/errors.ts';
import { say } from '#src/kernel/say.ts';
import type { ScannerReport } from '#src/kernel/scanner-report.ts';
import { type Assessment, type Content, type ContentRating, combine } from './assessment.ts';
import { rateContent } from './rate-content.ts';
import type { BlockList } from './scanners/block-list.ts';
import { clamdOff } from './scanners/clamd.ts';
import type { Scanner } from './scanners/guard.ts';
import { type RspamdScanner, rspamdOff, type ScannedContent } from './scanners/rspamd.ts';

export interface ContentCheck {
  /** Whether a scanner is configured that must be asked, so that `scan` takes time. */
  readonly scans: () => boolean;
  /** Checks by the content rules and the operator's list of hosts only. */
  readonly rate: (content: Content) => Assessment;
  /**
   * Asks the scanners too. Rejects with `unavailable` if a scanner does not answer and content must not pass without it;
   * otherwise the assessment names the scanner that failed.
   */
  readonly scan: (content: ScannedContent) => Promise<Assessment>;
}

export interface Scanners {
  readonly rspamd: Pick<RspamdScanner, 'scan'> | null;
  readonly clamd: Pick<Scanner<Content, ScannerReport['clamd']>, 'scan'> | null;
  readonly dnsLists: Pick<Scanner<readonly string[], ScannerReport['links']>, 'scan'> | null;
  /** The list answers at once, so `rate` uses it too. */
  readonly blockList: Pick<BlockList, 'find' | 'isConfigured'> | null;
  /** What to do with content if a scanner failed. */
  readonly onFailure: () => 'pass' | 'refuse';
}

const RETRY_SECONDS = 10;

const noScanners: Scanners = {
  rspamd: null,
  clamd: null,
  dnsLists: null,
  blockList: null,
  onFailure: () => 'pass',
};

/** The state of a scanner before it is asked. */
const stateOf = (scanner: object | null): 'skipped' | 'off' => (scanner === null ? 'off' : 'skipped');

export const createContentCheck = (scanners: Scanners = noScanners): ContentCheck => {
  const { rspamd, clamd, dnsLists, blockList, onFailure } = scanners;
  const scans = rspamd !== null || clamd !== null || dnsLists !== null;
  const hasAny = (): boolean => scans || blockList?.isConfigured() === true;

  /** The report without asking scanners; null if none is configured. */
  const reportAtOnce = ({ linkHosts }: ContentRating): ScannerReport | null => {
    if (!hasAny()) return null;
    const listed = blockList?.find(linkHosts) ?? [];
    const links = blockList?.isConfigured() ? 'ok' : stateOf(dnsLists);
    return {
      rspamd: { ...rspamdOff, state: stateOf(rspamd) },
      clamd: { ...clamdOff, state: stateOf(clamd) },
      links: { state: links, listed },
    };
  };

  const scan = async (content: ScannedContent): Promise<Assessment> => {
    const rating = rateContent(content);
    const atOnce = reportAtOnce(rating);
    if (atOnce === null) return combine(rating, null);
    const [spam, virus, links] = await Promise.all([
      rspamd?.scan(content) ?? atOnce.rspamd,
      clamd?.scan(content) ?? atOnce.clamd,
      dnsLists?.scan(rating.linkHosts) ?? atOnce.links,
    ]);
    const listed = dnsLists === null ? links.listed : [...atOnce.links.listed, ...links.listed];
    const assessment = combine(rating, { rspamd: spam, clamd: virus, links: { ...links, listed } });
    // Content that is blocked anyway needs no retry.
    if (assessment.unavailable.length > 0 && assessment.block === null && onFailure() === 'refuse') {
      throw new AppError('unavailable', say`The content cannot be checked: a scanner does not answer.`, {
        extra: { retry_after: RETRY_SECONDS },
      });
    }
    return assessment;
  };

  return {
    scans: () => scans,
    rate: (content) => {
      const rating = rateContent(content);
      return combine(rating, reportAtOnce(rating));
    },
    scan,
  };
};
