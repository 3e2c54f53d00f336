// Finds what a text for people says about a recipient. A report may be about several, and repeats the returned message. Pure.

/** UTF-16 code units. The reason is at the beginning; the returned message follows. */
export const MAX_READ = 16_384;
const MAX_LINES = 25;
/** The line between the notice and the returned message, of all products. */
const RETURNED =
  /^(?:-{2,} ?(?:below this line|(?:this|the following|here) is (?:a )?(?:the )?(?:copy|header)|(?:the )?(?:headers?|body|text) of the|original message|original-?nachricht|urspr(?:ü|ue)ngliche|returned message|message (?:text|header)|the attached|enclosed)|\|-{5,} ?message text follows|\*{3,} ?original|(?:received|return-path|dkim-signature|mime-version|message-id):|possibly truncated original message|(?:original message headers|urspr(?:ü|ue)ngliche nachrichtenkopfzeilen|urspr(?:ü|ue)ngliche nachrichtenkopfdaten):)/im;
/** What Sendmail makes of the reply `<<< 550 …` above it: any 550 becomes "User unknown". */
const DERIVED_LINES =
  /(?<=<<< [45]\d\d[^\n]{0,500}\r?\n(?:<<< [^\n]{0,500}\r?\n)?)[45]\d\d [45]\.\d\.\d <?[^\s@]{1,64}@[^\s]{1,255}\.\.\. [^\n]{0,200}/g;
/** A line that begins with an address is about that recipient. */
const RECIPIENT = /^\s*(?:(?:to|an|rfc822)\s?[:;]\s*)?<?([^\s<>@:;"(),]{1,64}@[^\s<>@:;"(),]{1,255})>?/i;

/** The text without the returned message. */
export const withoutReturned = (words: string): string => {
  const all = words.slice(0, MAX_READ);
  return all.slice(0, RETURNED.exec(all)?.index).replace(DERIVED_LINES, '');
};

/** Up to the next recipient; from the beginning for the first one, because many servers write the reason above the address.
 * The whole text if it names none of the addresses. */
export const wordsAbout = (words: string, addresses: readonly (string | null)[]): string => {
  const own = withoutReturned(words);
  const wanted = addresses.flatMap((address) => (address === null ? [] : [address.toLowerCase()]));
  const lines = own.split(/\r\n|\r|\n/);
  const at = lines.findIndex((line) => wanted.some((one) => line.toLowerCase().includes(one)));
  if (at === -1) return own;
  const isOther = (line: string): boolean => {
    const named = RECIPIENT.exec(line)?.[1]?.toLowerCase();
    return named !== undefined && !wanted.includes(named);
  };
  const start = lines.slice(0, at).some(isOther) ? at : 0;
  const next = lines.findIndex((line, index) => index > at && isOther(line));
  return lines.slice(start, Math.min(next === -1 ? lines.length : next, at + MAX_LINES)).join('\n');
};
