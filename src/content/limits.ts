// Limits of rules that their words name too. Pure.

/** Links of a mail that people can follow. */
export const MANY_LINKS = 20;
/** Characters of a subject: phones show less, and desktop programs not more. */
export const LONG_SUBJECT = 78;
