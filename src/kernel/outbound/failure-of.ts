// Whether an exchange succeeded, and what it failed of, for the tenant whose receiver it is. Redirects are followed nowhere,
// so nothing but 2xx is success. Pure.
import type { OutboundOutcome } from './outbound.ts';

type Ended =
  | Pick<Extract<OutboundOutcome, { kind: 'answered' }>, 'kind' | 'status'>
  | Pick<Extract<OutboundOutcome, { kind: 'failed' }>, 'kind' | 'error'>;

/** Null of a success. */
export const failureOf = (ended: Ended): string | null => {
  if (ended.kind === 'failed') return ended.error;
  const { status } = ended;
  if (status >= 200 && status <= 299) return null;
  const note = status >= 300 && status <= 399 ? '; redirects are not followed' : '';
  return `answered ${status}${note}`;
};

export const isSuccess = (ended: Ended): boolean => failureOf(ended) === null;
