// What the audit must not keep: values under names that speak of secrets, and what looks like a secret of the service
// itself wherever it stands, however deep. Pure.

/** Also at the end of a longer name: `csrf_token`, `new_password`. */
const SECRET_NAME =
  /^(?:authorization|code|cookie|private_key|session)$|(?:^|_)(?:password|secret|token|api_key)$/i;
/** By the prefixes that the service gives its tokens, session bearers, invitations and signing secrets. */
const OWN_SECRET = /(?:svc_(?:team|proj|sess|inv)|whsec|hooksec)_[A-Za-z0-9_+/=-]+/g;
const REDACTED = '[redacted]';

/** Whether there is one (`has_password`) or none may be told. */
const tellsNothing = (value: unknown): boolean =>
  value === null || value === undefined || typeof value === 'boolean';

/** The text without secrets of the service's own. */
export const redactText = (text: string): string => text.replace(OWN_SECRET, REDACTED);

/** A copy of a JSON value without secrets. */
export const redact = (value: unknown): unknown => {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      redact(name),
      SECRET_NAME.test(name) && !tellsNothing(inner) ? REDACTED : redact(inner),
    ]),
  );
};
