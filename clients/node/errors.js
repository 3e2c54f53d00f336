/**
 * What a call fails with. `code` is that of the API's table of errors; where no answer came it is `network_error` or `timeout`,
 * and `status` is 0. Neither the token nor the body that was sent is in it.
 */
export class SendwerkError extends Error {
  constructor(
    message,
    { status = 0, code, hint = null, fields = [], requestId = null, retryAfter = null, body, cause } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'SendwerkError';
    this.status = status;
    this.code = code;
    this.hint = hint;
    this.fields = fields;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
    this.body = body;
  }
}

/** Seconds; null where the header is absent or says nothing usable (RFC 9110 §10.2.3). */
const secondsOf = (header) => {
  if (header === null || header.trim() === '') return null;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
};

const parsed = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Answers that are not the service's own, as those of a proxy, have the code `http_error`. */
export const errorOf = (response, text) => {
  const { status, headers } = response;
  const body = parsed(text);
  const isOurs = typeof body?.code === 'string';
  return new SendwerkError(isOurs ? `${body.code}: ${body.error}` : `The server answered ${status}.`, {
    status,
    code: isOurs ? body.code : 'http_error',
    hint: isOurs ? (body.hint ?? null) : null,
    fields: Array.isArray(body?.fields) ? body.fields : [],
    requestId: headers.get('x-request-id') ?? (isOurs ? (body.request_id ?? null) : null),
    retryAfter: secondsOf(headers.get('retry-after')),
    body,
  });
};
