// What a client would rather have, by its Accept header (RFC 9110 §12.5.1).
import Negotiator from 'negotiator';
import type { RequestContext } from './route.ts';

/** Whether it would rather have `type` than JSON: programs that take anything get JSON. */
export const prefers = ({ header }: Pick<RequestContext, 'header'>, type: string): boolean => {
  const types = new Negotiator({ headers: { accept: header('accept') } });
  return types.mediaType(['application/json', type]) === type;
};
