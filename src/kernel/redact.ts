// Removes what the audit must not keep: values under names of secrets, and text anywhere in the record that looks like a
// secret of the service itself. Pure.

/** Names of secrets; the second group also matches at the end of a longer name, such as `csrf_token` or `new_password`. */
const SECRET_NAME =
  /^(?:authorization|code|cookie|private_key|session)$|(?:^|_)(?:password|secret|token|api_key)$/i;
/** Matches the prefixes that the service gives its tokens, session bearers, invitations and signing secrets. */
const OWN_SECRET = /(?:svc_(?:team|proj|sess|inv)|whsec|hooksec)_[A-Za-z0-9_+/=-]+/g;
const REDACTED = '[redacted]';

/** `has_password` says only whether there is one: that may be kept. */
const isHarmless = (value: unknown): boolean =>
  value === null || value === undefined || typeof value === 'boolean';

/** The text without the service's own secrets. */
export const redactText = (text: string): string => text.replace(OWN_SECRET, REDACTED);

/** A copy of a JSON value without secrets. */
export const redact = (value: unknown): unknown => {
  if (typeof value === 'string') return redactText(value);
  if (Array.isArray(value)) return value.map(redact);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      redact(name),
      SECRET_NAME.test(name) && !isHarmless(inner) ? REDACTED : redact(inner),
    ]),
  );
};
