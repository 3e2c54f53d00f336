// What a server offered in its answer to EHLO (RFC 5321 §4.1.1.1), as far as it is used here. Pure.

export interface Extensions {
  /** RFC 2920 */
  readonly pipelining: boolean;
  /** RFC 3461 */
  readonly dsn: boolean;
  /** RFC 1870: bytes; 0 where SIZE is offered without a limit, null where it is not offered. */
  readonly size: number | null;
  /** RFC 4954 */
  readonly auth: boolean;
}

/** `lines` without code and without the first, which only greets. */
export const parseExtensions = (lines: readonly string[]): Extensions => {
  const offered = new Map<string, string>();
  for (const line of lines) {
    const [keyword = '', parameter = ''] = line.trim().split(/[\s=]+/, 2);
    offered.set(keyword.toUpperCase(), parameter);
  }
  const size = offered.get('SIZE');
  return {
    pipelining: offered.has('PIPELINING'),
    dsn: offered.has('DSN'),
    size: size === undefined ? null : /^\d{1,15}$/.test(size) ? Number(size) : 0,
    auth: offered.has('AUTH'),
  };
};
