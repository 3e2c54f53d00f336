// The log of the API over HTTP: what programs asked with a practice's tokens, and how it was answered.
import { z } from 'zod';
import { tenantParams } from '#src/accounts/tenants/schema.ts';
import { type Caller, mayUseProject } from '#src/kernel/access.ts';
import { errorTable } from '#src/kernel/error-table.ts';
import { EXAMPLE_ID, idSchema } from '#src/kernel/fields.ts';
import { decodeCursor, listOf, listQuery, toPage } from '#src/kernel/list.ts';
import { defineRoute, type Route } from '#src/kernel/route.ts';
import type { Speak } from '#src/kernel/say.ts';
import { toIso } from '#src/kernel/time.ts';
import { LINES_PER_TOKEN, type RequestLine, type RequestLog, type RequestToken } from './request-log.ts';

const lineSchema = z
  .strictObject({
    request_id: z.uuid().describe('X-Request-Id of the answer'),
    at: z.iso.datetime().describe('when it was answered'),
    token: z.strictObject({ id: z.uuid(), name: z.string() }),
    method: z.string(),
    path: z.string().describe('the pattern of the route; without one, no one is asked who it is'),
    status: z.int().nullable().describe('null: the client had left before it was answered'),
    code: z.string().nullable().describe('of a refusal'),
    hint: z
      .string()
      .nullable()
      .describe('what to do about the code, in German or English by Accept-Language'),
    duration_ms: z.number(),
    message_ids: z.array(z.uuid()).describe('messages that it made'),
  })
  .meta({ id: 'ApiRequest' });

const ANY_CODE = Object.keys(errorTable) as (keyof typeof errorTable)[];

const query = z.strictObject({
  ...listQuery,
  token: idSchema.optional().describe('those of one token'),
  status: z
    .string()
    .regex(/^[1-5](?:\d\d|xx)$/, 'expected a status such as 422, or a class such as 4xx')
    .optional()
    .describe('`422`, or a class as `4xx`')
    .meta({ examples: ['4xx'] }),
  code: z.enum(ANY_CODE).optional(),
  request_id: idSchema.optional().describe('the request that was answered with this X-Request-Id'),
  message_id: idSchema
    .optional()
    .describe('the request that made this message')
    .meta({ examples: [EXAMPLE_ID] }),
});

type Wanted = z.output<typeof query>;

/** A caller who is limited to projects sees the requests of tokens of these projects. */
const maySee = (caller: Caller, { projects }: RequestToken): boolean =>
  caller.projects === null ||
  (projects !== null && [...projects].every((project) => mayUseProject(caller, project)));

const isWanted = (wanted: Wanted, line: RequestLine): boolean => {
  const { status, code, request_id, message_id } = wanted;
  return (
    (status === undefined ||
      status.replace('xx', '') === String(line.status).slice(0, status.includes('x') ? 1 : 3)) &&
    (code === undefined || code === line.code) &&
    (request_id === undefined || request_id === line.requestId) &&
    (message_id === undefined || line.messageIds.includes(message_id))
  );
};

interface Found {
  readonly token: RequestToken;
  readonly line: RequestLine;
}

const present = ({ token, line }: Found, speak: Speak): z.infer<typeof lineSchema> => ({
  request_id: line.requestId,
  at: toIso(line.at),
  token: { id: token.id, name: token.name },
  method: line.method,
  path: line.path,
  status: line.status,
  code: line.code,
  hint: line.code && speak(errorTable[line.code].hint),
  duration_ms: line.ms,
  message_ids: [...line.messageIds],
});

export const requestRoutes = (log: RequestLog): Route[] => [
  defineRoute({
    method: 'get',
    path: '/api/practices/{id}/requests',
    tag: 'Tokens',
    id: 'listRequests',
    summary: 'The last requests of the API tokens',
    description: `Up to ${LINES_PER_TOKEN} of each token, the newest first: method, path, status, code and duration, never a body or a query. They are kept in memory only: a restart forgets them, and where very many tokens are in use those of tokens that have been silent for long. A caller limited to projects sees those of the tokens of these projects.`,
    access: 'tokens.manage',
    stability: 'stable',
    params: tenantParams,
    query,
    responses: { 200: { description: 'A page of them.', body: listOf(lineSchema) } },
    handle: ({ params, query: wanted }, { caller, speak }) => {
      const before = decodeCursor(wanted.cursor) ?? Number.POSITIVE_INFINITY;
      const found = log
        .of(params.id)
        .filter(({ token }) => (wanted.token ?? token.id) === token.id && maySee(caller, token))
        .flatMap(({ token, lines }) =>
          lines.flatMap((line) => (line.seq < before && isWanted(wanted, line) ? [{ token, line }] : [])),
        )
        .sort((one, other) => other.line.seq - one.line.seq);
      return {
        status: 200,
        body: toPage(
          found,
          wanted.limit,
          ({ line }) => line.seq,
          (one) => present(one, speak),
        ),
      };
    },
  }),
];
