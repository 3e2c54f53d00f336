// How a client names its program (RFC 9110 §10.1.5), as it may be stored and shown.
import type { RequestContext } from './route.ts';

const MAX_CHARACTERS = 256;

/** One line of printable ASCII, '' where it names none; a copy, so that the memory of a long header is released. */
export const userAgentOf = ({ header }: Pick<RequestContext, 'header'>): string =>
  Buffer.from((header('user-agent') ?? '').slice(0, MAX_CHARACTERS), 'latin1')
    .toString('latin1')
    .replace(/[^\x20-\x7e]/g, '?')
    .trim();
