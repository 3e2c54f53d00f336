// Asks the scanners about a mail from the world: rspamd and clamd get all of it as it came. The content rules and the lists of
// hosts are for what practices send, and say nothing here.
import type { ScannerReport } from '#src/kernel/scanner-report.ts';
import { combine, rejections } from './assessment.ts';
import type { Scanners } from './check-content.ts';
import { clamdOff } from './scanners/clamd.ts';
import { type ReceivedMail, rspamdOff } from './scanners/rspamd.ts';

export interface ReceivedReport {
  /** `not_scanned`: no scanner is configured, or none answered. */
  readonly verdict: 'clean' | 'spam' | 'virus' | 'not_scanned';
  /** 0 to 100; null where no scanner gave one. */
  readonly score: number | null;
  /** Names of rules and viruses. */
  readonly reasons: readonly string[];
  /** Mail must not pass without the scanner that gave no answer. */
  readonly isDeferred: boolean;
}

/** Never rejects. */
export type ReceivedScan = (mail: ReceivedMail) => Promise<ReceivedReport>;

/** The actions of rspamd that call a mail spam. `greylist` and `soft reject` say nothing about content. */
const spamActions: ReadonlySet<string | null> = new Set([...rejections, 'add header', 'rewrite subject']);

/** clamd takes a stream for a mail, and decodes its parts, only if it begins with a field that it knows. */
const KNOWN_FIELD = Buffer.from('Return-Path: <>\r\n');

const NOTHING = { findings: [], promotional: [], promotionalScore: 0, linkHosts: [] };

const judge = (rspamd: ScannerReport['rspamd'], clamd: ScannerReport['clamd']) => {
  const { score } = combine(NOTHING, { rspamd, clamd, links: { state: 'off', listed: [] } });
  const reasons = clamd.virus === null ? rspamd.symbols : [clamd.virus, ...rspamd.symbols];
  if (clamd.virus !== null) return { verdict: 'virus', score, reasons } as const;
  if (rspamd.state === 'ok')
    return { verdict: spamActions.has(rspamd.action) ? 'spam' : 'clean', score, reasons } as const;
  return { verdict: clamd.state === 'ok' ? 'clean' : 'not_scanned', score: null, reasons } as const;
};

export const createReceivedScan = ({
  rspamd,
  clamd,
  onFailure,
}: Pick<Scanners, 'rspamd' | 'clamd' | 'onFailure'>): ReceivedScan => {
  const scanForVirus = async ({ source }: ReceivedMail) =>
    clamd?.scan({
      subject: '',
      text: null,
      html: null,
      attachments: [{ filename: '', content: Buffer.concat([KNOWN_FIELD, source]) }],
    });

  return async (mail) => {
    const [spam, virus] = await Promise.allSettled([rspamd?.scan(mail), scanForVirus(mail)]);
    const rspamdReport = spam.status === 'fulfilled' ? (spam.value ?? rspamdOff) : rspamdOff;
    const clamdReport = virus.status === 'fulfilled' ? (virus.value ?? clamdOff) : clamdOff;
    // Where too many wait, mail does not pass either: a flood must not evade the scanners.
    const isBusy = spam.status === 'rejected' || virus.status === 'rejected';
    const hasFailed = rspamdReport.state === 'failed' || clamdReport.state === 'failed';
    return {
      ...judge(rspamdReport, clamdReport),
      isDeferred: isBusy || (hasFailed && onFailure() === 'refuse'),
    };
  };
};
