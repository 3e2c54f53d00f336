// What a record that is to be published meets at the provider: whatever is there stays as it is. Pure.
import { isTlsReport } from '../check/optional-texts.ts';
import type { WantedRecord } from '../records/host-check.ts';
import type { ProviderRecord } from './provider.ts';

/** `absent`: there is room for it. `conflict`: something else is at its name that it cannot be beside. */
export interface AtProvider {
  readonly is: 'absent' | 'present' | 'conflict';
  /** What is in the way. */
  readonly others: readonly ProviderRecord[];
}

/** A CNAME is alone at its name (RFC 1034 §3.6.2), and what is below an NS is served elsewhere. */
const EXCLUSIVE: readonly string[] = ['CNAME', 'NS'];

const concerns = (wanted: WantedRecord, { type, content }: ProviderRecord): boolean => {
  if (wanted.type === 'CNAME' || EXCLUSIVE.includes(type)) return true;
  if (wanted.type !== type) return false;
  return wanted.purpose !== 'tls_rpt' || isTlsReport(content);
};

export const findAtProvider = (wanted: WantedRecord, records: readonly ProviderRecord[]): AtProvider => {
  const here = records.filter((record) => concerns(wanted, record));
  const others = here.filter(({ type, content }) => type !== wanted.type || content !== wanted.value);
  if (others.length > 0) return { is: 'conflict', others };
  return { is: here.length > 0 ? 'present' : 'absent', others };
};

/** The names at which the host's zone may begin, from the host up to its organizational domain. */
export const zoneNames = (host: string, organizational: string): string[] => {
  const labels = host.split('.');
  const levels = labels.length - organizational.split('.').length;
  return Array.from({ length: Math.max(levels, 0) + 1 }, (_, level) => labels.slice(level).join('.'));
};
