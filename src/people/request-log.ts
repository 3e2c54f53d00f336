// The last requests of each API token, in memory: a send pays nothing for it, and a restart forgets them. Of a request it has
// what the log of the service has of it, never a body, a query or a header. Only the pattern of a path is kept, because a path may
// hold an address.
//
// Memory is bounded for all tokens together: where they have more lines than there is room for, those go first whose token has been
// silent for longest. See docs/decisions/log-of-requests.md.
import type { ErrorCode } from '#src/kernel/errors.ts';

export interface RequestLine {
  /** Grows with each request. */
  readonly seq: number;
  /** ms since the epoch, when it was answered. */
  readonly at: number;
  readonly method: string;
  /** The pattern of the route. */
  readonly path: string;
  /** Null: the client had left before the answer. */
  readonly status: number | null;
  readonly code: ErrorCode | null;
  readonly ms: number;
  readonly requestId: string;
  /** Messages that it made. */
  readonly messageIds: readonly string[];
}

/** Whose request it is. */
export interface RequestToken {
  readonly id: string;
  readonly name: string;
  readonly tenantId: string;
  /** Null: it is limited to no project. */
  readonly projects: ReadonlySet<string> | null;
}

export const LINES_PER_TOKEN = 1_000;
/** Some 40 MB: a line takes about 200 bytes, and so do three ids of messages. */
const ROOM = 200_000;

interface Kept {
  token: RequestToken;
  readonly lines: RequestLine[];
  /** Those before it are gone. */
  first: number;
}

const weightOf = ({ messageIds }: RequestLine): number => 1 + messageIds.length / 3;

export type RequestLog = ReturnType<typeof createRequestLog>;

export const createRequestLog = (linesPerToken = LINES_PER_TOKEN, room = ROOM) => {
  /** The one whose last request is the oldest comes first. */
  const byToken = new Map<string, Kept>();
  let last = 0;
  let weight = 0;

  const drop = (tokenId: string, kept: Kept): void => {
    const line = kept.lines[kept.first];
    if (line !== undefined) weight -= weightOf(line);
    kept.first += 1;
    if (kept.first === kept.lines.length) byToken.delete(tokenId);
    // Moving the rest costs as much as it has lines, so it is done once for many.
    if (kept.first > linesPerToken) {
      kept.lines.splice(0, kept.first);
      kept.first = 0;
    }
  };

  return {
    note: (token: RequestToken, line: Omit<RequestLine, 'seq'>): void => {
      last += 1;
      const kept = byToken.get(token.id) ?? { token, lines: [], first: 0 };
      kept.token = token;
      byToken.delete(token.id);
      byToken.set(token.id, kept);
      const noted = { seq: last, ...line };
      kept.lines.push(noted);
      weight += weightOf(noted);
      if (kept.lines.length - kept.first > linesPerToken) drop(token.id, kept);
      while (weight > room) {
        const [oldest] = byToken;
        if (oldest === undefined) return;
        drop(...oldest);
      }
    },
    /** The tokens of the tenant with their lines, the oldest first. */
    of: (tenantId: string): { readonly token: RequestToken; readonly lines: readonly RequestLine[] }[] =>
      [...byToken.values()]
        .filter(({ token }) => token.tenantId === tenantId)
        .map(({ token, lines, first }) => ({ token, lines: lines.slice(first) })),
    forget: (tenantId: string): void => {
      for (const [id, { token, lines, first }] of byToken) {
        if (token.tenantId !== tenantId) continue;
        for (const line of lines.slice(first)) weight -= weightOf(line);
        byToken.delete(id);
      }
    },
  };
};
