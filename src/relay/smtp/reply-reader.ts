// Cuts the bytes that a server sends into replies (RFC 5321 §4.2.1). Everything is bounded, because the other side may be
// hostile. A bare LF ends a line too: some servers send it, and nothing can be smuggled in a reply.

/** RFC 5321 §4.5.3.1.5 allows 512 octets; some servers send long explanations. */
const MAX_LINE_BYTES = 4_096;
/** The longest EHLO answers have some twenty lines. */
const MAX_LINES = 100;
const LF = 0x0a;

export interface ReplyReader {
  /** Calls `onReply` for each reply that became complete. Returns what is wrong with the bytes, after which the
   * connection is of no use, or null. Stops early when `onReply` returns false. */
  feed(chunk: Buffer): string | null;
}

const decode = (bytes: Buffer): string => {
  const text = bytes.toString('utf8');
  // The reply is not UTF-8: older German servers answer in Latin-1.
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
};

/** `lines` are those of one reply, without line ends; `code` is that of the last. */
export const createReplyReader = (
  onReply: (code: number, lines: readonly string[]) => boolean,
): ReplyReader => {
  let rest: Buffer | null = null;
  let lines: string[] = [];

  return {
    feed: (chunk) => {
      const bytes: Buffer = rest === null ? chunk : Buffer.concat([rest, chunk]);
      const end = bytes.lastIndexOf(LF) + 1;
      rest = end < bytes.length ? bytes.subarray(end) : null;
      if (rest !== null && rest.length > MAX_LINE_BYTES) return 'reply line too long';
      if (end === 0) return null;
      const complete = decode(bytes.subarray(0, end));
      let from = 0;
      while (from < complete.length) {
        const lineEnd = complete.indexOf('\n', from);
        const line = complete.slice(
          from,
          complete[lineEnd - 1] === '\r' && lineEnd > from ? lineEnd - 1 : lineEnd,
        );
        from = lineEnd + 1;
        if (line.length > MAX_LINE_BYTES) return 'reply line too long';
        const code = /^\d{3}(?:[ -]|$)/.test(line) ? Number(line.slice(0, 3)) : Number.NaN;
        if (!(code >= 200 && code < 600)) return `not an SMTP reply: ${line.slice(0, 80)}`;
        lines.push(line);
        if (lines.length > MAX_LINES) return 'reply of too many lines';
        if (line[3] === '-') continue;
        const reply = lines;
        lines = [];
        if (!onReply(code, reply)) return null;
      }
      return null;
    },
  };
};
