// The verdict of a receiver on SPF, by mailauth: whether a record lets the service's mail pass, and whether it is valid at
// all. Only records that were looked up before are used: any other include matches no sender, and the walk of the record
// (spf-tree.ts) has reported why it is unknown. The service's own record is replaced by one marker address, so that the
// verdict does not depend on the operator's zone.

export interface SpfVerdict {
  readonly passes: boolean;
  /** Why receivers reject the record as a whole (permerror), in the library's words; null if it is valid. */
  readonly invalid: string | null;
}

/** An address in the discard-only block (RFC 6666): no record lists it by its own addresses. */
const MARKER = '100::5e4d';
/** The walk counts lookups; here a bound is enough. */
const MAX_LOOKUPS = 100;
/**
 * Far above any sender's record. A record of 64 KiB, included a hundred times, would block the event loop for a second; one
 * that is longer than this is taken for one that matches no sender.
 */
const MAX_INCLUDED_CHARACTERS = 4_096;
const NO_SENDERS = 'v=spf1 ?all';

/**
 * `record` is published at `domain`, `included` holds the records that it leads to by their names, and `target` is the
 * name of the service's own record. Never rejects.
 */
export const spfVerdict = async (
  domain: string,
  record: string,
  included: ReadonlyMap<string, string>,
  target: string,
): Promise<SpfVerdict> => {
  const textAt = (name: string): string => {
    if (name === domain) return record;
    if (name === target) return `v=spf1 ip6:${MARKER} -all`;
    const text = included.get(name);
    return text === undefined || text.length > MAX_INCLUDED_CHARACTERS ? NO_SENDERS : text;
  };
  const sender = `postmaster@${domain}`;
  const { spf } = await import('mailauth/lib/spf/index.js');
  const { status } = await spf({
    sender,
    ip: MARKER,
    helo: domain,
    mta: 'receiver.invalid',
    strict: true,
    maxResolveCount: MAX_LOOKUPS,
    // No name has the marker as its address.
    resolver: async (name, type) => (type === 'TXT' ? [[textAt(name.toLowerCase())]] : []),
  });
  const [, problem = ''] = (status.comment || '').split(`lookup of ${sender}: `);
  return { passes: status.result === 'pass', invalid: status.result === 'permerror' ? problem : null };
};
