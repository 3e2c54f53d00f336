// The source of a mail for a parser that takes time with the square of a run of blanks: long runs are one blank. For mails
// of which words are read, not the layout. Pure.

const LONG_RUN = /[\t ]{20,}/g;

export const calmSource = (source: Buffer): Buffer =>
  Buffer.from(source.toString('latin1').replace(LONG_RUN, ' '), 'latin1');
