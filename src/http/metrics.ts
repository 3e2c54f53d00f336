// What the server says of itself in numbers.
import { counted } from '#src/kernel/metrics.ts';

/** The classes of statuses, by the first digit. */
export const STATUS_CLASSES = ['none', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

export const createHttpMetrics = () => ({
  requests: counted(
    {
      name: 'sendwerk_http_requests_total',
      help: 'Requests by the class of their status; none: the client had left before it.',
    },
    { status: STATUS_CLASSES },
  ),
  internalErrors: counted(
    {
      name: 'sendwerk_http_internal_errors_total',
      help: 'Requests that were answered with internal_error (500), which is a defect or a failing disk; the log has each by its request_id.',
    },
    {},
  ),
});

export type HttpMetrics = ReturnType<typeof createHttpMetrics>;
