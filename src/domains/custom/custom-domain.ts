// The custom domain of a request's body, for whoever takes one.
import { AppError } from '#src/kernel/errors.ts';
import { readCustomDomain, type ServiceNames } from './rules.ts';

/** In lower-case A-labels. Throws `invalid_request` naming `body.domain`. */
export const requireCustomDomain = (text: string, names: ServiceNames): string => {
  const verdict = readCustomDomain(text, names);
  if ('domain' in verdict) return verdict.domain;
  throw new AppError('invalid_request', 'The domain cannot be used as a sending domain.', {
    extra: { fields: [{ path: 'body.domain', message: verdict.problem }] },
  });
};
