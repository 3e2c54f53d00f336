// Opens the configured scanners and the check of content that asks them.
import type { Base } from '#src/kernel/base.ts';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { createContentCheck } from './check-content.ts';
import { createReceivedScan } from './scan-received.ts';
import { createBlockList } from './scanners/block-list.ts';
import { createClamdScanner } from './scanners/clamd.ts';
import { createDnsLists } from './scanners/dns-lists.ts';
import { createGuard, type Guard, type ScannerHealth, scannersHealth } from './scanners/guard.ts';
import { familyOf } from './scanners/list-codes.ts';
import { createRspamdScanner } from './scanners/rspamd.ts';

/** Messages whose hosts are looked up in a list at the same time, each with at most some twenty names. */
const LISTED_AT_ONCE = 16;

const off = (name: string): ScannerHealth => ({ name, state: 'off', failures: 0, last_failure_at: null });

export const openScanners = ({ config, clock, log }: Pick<Base, 'config' | 'clock' | 'log'>) => {
  const { scanners, dns, service } = config();
  const stopping = new AbortController();
  const guard = (name: string, places: number, timeout: number): Guard =>
    createGuard({ name, places, timeout, clock, log });

  const { rspamd: rspamdAt, clamd: clamdAt } = scanners;
  const rspamd = rspamdAt
    ? createRspamdScanner(rspamdAt.url, service.host, guard('rspamd', rspamdAt.concurrency, rspamdAt.timeout))
    : null;
  const clamd = clamdAt
    ? createClamdScanner(clamdAt.address, guard('clamd', clamdAt.concurrency, clamdAt.timeout))
    : null;
  const zones = scanners.dnsbl.map((zone) => ({
    zone,
    guard: guard(familyOf(zone).name, LISTED_AT_ONCE, scanners.dnsbl_timeout),
  }));
  // A resolver gets two tries within the timeout.
  const tries = { tryMs: Math.ceil(scanners.dnsbl_timeout / 2), stopping: stopping.signal };
  const dnsLists =
    zones.length === 0 ? null : createDnsLists(zones, createDnsLookup(dns.resolvers, tries), clock);
  const blockList = createBlockList(() => config().scanners.link_blocklist_file, clock, log);
  const asked = [rspamd, clamd, dnsLists].filter((scanner) => scanner !== null);
  const onFailure = () => config().scanners.on_failure;

  return {
    content: createContentCheck({ rspamd, clamd, dnsLists, blockList, onFailure }),
    received: createReceivedScan({ rspamd, clamd, onFailure }),
    isConfigured: () => asked.length > 0 || blockList.isConfigured(),
    health: scannersHealth(() => [
      rspamd?.health() ?? off('rspamd'),
      clamd?.health() ?? off('clamd'),
      dnsLists?.health() ?? off('dnsbl'),
      blockList.health(),
    ]),
    /** Reads the list of hosts again if it has changed. */
    refresh: blockList.refresh,
    jobs: [
      {
        name: 'look after the scanners',
        schedule: '* * * * *',
        run: async () => {
          // A probe that is refused because too many wait says that the scanner works.
          await Promise.allSettled([blockList.refresh(), ...asked.map((scanner) => scanner.probe())]);
        },
      },
    ],
    /** Cancels all questions in flight. */
    stop: () => {
      stopping.abort();
      rspamd?.stop();
      clamd?.stop();
    },
  };
};
