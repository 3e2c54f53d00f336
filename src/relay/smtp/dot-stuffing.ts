// Transparency (RFC 5321 §4.5.2): a line that begins with a dot gets another one. Pure.

const DOT = 0x2e;

/** The same buffer where no line begins with a dot; a changed copy otherwise. A dot behind a bare LF is doubled too: some
 * servers take a bare LF for a line end, and must not be made to see the end of the message there. */
export const stuffDots = (message: Buffer): Buffer => {
  let found = message.indexOf('\n.');
  if (found < 0 && message[0] !== DOT) return message;
  const parts: Buffer[] = [];
  let from = 0;
  if (message[0] === DOT) parts.push(Buffer.from('.'));
  while (found >= 0) {
    // Up to and with the dot; the next part begins with the same dot.
    parts.push(message.subarray(from, found + 2));
    from = found + 1;
    found = message.indexOf('\n.', from);
  }
  parts.push(message.subarray(from));
  return Buffer.concat(parts);
};
