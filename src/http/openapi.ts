// The API's machine-readable description, OpenAPI 3.1.0, made from the declared routes and the table of error codes.
// Nothing in it is written by hand, so nothing in it can lag behind.
import { z } from 'zod';
import { envelopeSchema } from '#src/followers/webhooks/schema.ts';
import { deliveryHeaders, OPTIONAL_HEADER } from '#src/followers/webhooks/sign.ts';
import { type ErrorCode, errorTable } from '#src/kernel/errors.ts';
import { HTML_TYPE } from '#src/kernel/page.ts';
import type { Route, RouteResponse } from '#src/kernel/route.ts';
import {
  answersPages,
  bodyTypes,
  type DescribedEvent,
  describedEvents,
  errorCodes,
  errorsOf,
  namesPracticeInHeader,
  type ServiceInfo,
  statusOf,
} from './api-facts.ts';
import { createSchemaBook, type JsonSchema, type SchemaBook } from './json-schema.ts';
import { parametersOf } from './routing.ts';

const errorComponent = (code: ErrorCode): string => `error.${code}`;

/** `{code, error, hint}` and the extra fields of `code`. */
const errorSchema = (code: ErrorCode, book: SchemaBook): JsonSchema => {
  const declaration = errorTable[code];
  const extra = 'extra' in declaration ? declaration.extra : {};
  const form = z.object({
    code: z.literal(code),
    error: z.string().describe('what happened'),
    hint: z.string().describe('what to do'),
    ...extra,
  });
  return book.describe(form, 'output', errorComponent(code));
};

const errorResponses = (route: Route): Record<string, unknown> => {
  const byStatus = Object.groupBy(errorsOf(route), statusOf);
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes = []]) => {
      const refs = codes.map((code) => ({ $ref: `#/components/schemas/${errorComponent(code)}` }));
      const schema = refs.length === 1 ? refs[0] : { oneOf: refs };
      const description = codes.map((code) => `\`${code}\``).join(', ');
      const page = answersPages(route) ? { [HTML_TYPE]: {} } : {};
      return [status, { description, content: { 'application/json': { schema }, ...page } }];
    }),
  );
};

const successResponse = (response: RouteResponse, book: SchemaBook, place: string): JsonSchema => {
  const { description, body, otherwise } = response;
  if (body === undefined) return { description };
  const other = otherwise === undefined ? {} : { [otherwise]: {} };
  if (typeof body === 'string') return { description, content: { [body]: {}, ...other } };
  const schema = book.describe(body, 'output', place);
  return { description, content: { 'application/json': { schema }, ...other } };
};

const practiceHeader: JsonSchema = {
  name: 'X-Service-Practice',
  in: 'header',
  required: false,
  description: 'the practice it is for: without a token of a practice this or `project_id` is required',
  schema: { type: 'string', format: 'uuid' },
};

const parameters = (route: Route, book: SchemaBook): JsonSchema[] => {
  const place = route.id;
  const inPath = parametersOf(route.path).map((name) => {
    const declared = route.params?.shape[name] as z.ZodType | undefined;
    const schema = declared ? book.describe(declared, 'input', `${place}.${name}`) : { type: 'string' };
    return { name, in: 'path', required: true, schema };
  });
  const named = (where: 'query' | 'header', fields: z.ZodObject | undefined): JsonSchema[] =>
    Object.entries(fields?.shape ?? {}).map(([name, declared]) => {
      const { description, ...schema } = book.describe(declared as z.ZodType, 'input', `${place}.${name}`);
      const required = !(declared as z.ZodType).safeParse(undefined).success;
      return { name, in: where, required, ...(description === undefined ? {} : { description }), schema };
    });
  const inHeader = namesPracticeInHeader(route) ? [practiceHeader] : [];
  return [...inPath, ...named('query', route.query), ...inHeader, ...named('header', route.headers)];
};

const security = ({ access }: Route): Record<string, string[]>[] => {
  if (access === 'public') return [];
  if (access === 'operator') return [{ adminToken: [] }];
  const people = [{ bearer: [] }, { session: [], csrf: [] }];
  return access === 'practice_creator' ? [...people, { adminToken: [] }] : people;
};

const operation = (route: Route, book: SchemaBook): JsonSchema => {
  const place = route.id;
  const declared = parameters(route, book);
  const responses = Object.entries(route.responses).map(([status, response]) => [
    status,
    successResponse(response, book, `${place}.${status}`),
  ]);
  return {
    operationId: place,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.stability === 'deprecated' ? { deprecated: true } : {}),
    'x-permission': route.access,
    'x-stability': route.stability,
    ...(typeof route.audit === 'string' ? { 'x-audit': route.audit } : {}),
    ...(route.rate === undefined ? {} : { 'x-rate-limit': route.rate }),
    security: security(route),
    ...(declared.length > 0 ? { parameters: declared } : {}),
    ...(route.body ? { requestBody: requestBody(route, route.body, book) } : {}),
    // A declared answer wins over an error of the same status: it is the more precise one.
    responses: { ...errorResponses(route), ...Object.fromEntries(responses) },
  };
};

const requestBody = (route: Route, body: z.ZodType, book: SchemaBook): JsonSchema => {
  const schema = book.describe(body, 'input', `${route.id}.body`);
  const isText = (type: string): boolean => route.text?.includes(type) ?? false;
  return {
    required: !body.safeParse(undefined).success,
    content: Object.fromEntries(
      bodyTypes(route).map((type) => [type, { schema: isText(type) ? { type: 'string' } : schema }]),
    ),
  };
};

const eventComponent = (name: string): string => `event.${name}`;

/** OpenAPI ignores a parameter of this name: the content says it. */
const SAID_BY_CONTENT = 'Content-Type';

const deliveryParameters = (): JsonSchema[] =>
  Object.entries(deliveryHeaders)
    .filter(([name]) => name !== SAID_BY_CONTENT)
    .map(([name, description]) => ({
      name,
      in: 'header',
      required: name !== OPTIONAL_HEADER,
      description,
      schema: { type: 'string' },
    }));

const deliveryResponses: JsonSchema = {
  '2XX': { description: 'taken' },
  410: { description: 'the webhook is disabled' },
  default: { description: 'tried again, by schedule; redirects are not followed' },
};

const eventOperation = ({ name, firedBy, needsTracking }: DescribedEvent): JsonSchema => ({
  operationId: eventComponent(name),
  summary: name,
  description: needsTracking ? `${firedBy} Only of messages whose opens or clicks are tracked.` : firedBy,
  security: [],
  parameters: deliveryParameters(),
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: { $ref: `#/components/schemas/${eventComponent(name)}` } },
    },
  },
  responses: deliveryResponses,
});

/** The requests that the service makes itself, one for each event, and the components that they refer to. */
const describeWebhooks = (book: SchemaBook) => {
  const events = describedEvents();
  return {
    webhooks: Object.fromEntries(events.map((event) => [event.name, { post: eventOperation(event) }])),
    schemas: Object.fromEntries(
      events.map(({ name, data }) => {
        const component = eventComponent(name);
        return [component, book.describe(envelopeSchema(name, data), 'output', component)];
      }),
    ),
  };
};

/** The document as a plain object. Throws where two different schemas have one id. */
export const openApiDocument = (routes: readonly Route[], info: ServiceInfo): JsonSchema => {
  const book = createSchemaBook();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const route of routes) {
    const item = paths[route.path] ?? {};
    item[route.method] = operation(route, book);
    paths[route.path] = item;
  }
  const errors = Object.fromEntries(
    errorCodes.map((code) => [errorComponent(code), errorSchema(code, book)]),
  );
  const { webhooks, schemas } = describeWebhooks(book);
  return {
    openapi: '3.1.0',
    info: { title: info.name, version: info.version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: info.origin }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks,
    components: {
      schemas: { ...book.components, ...errors, ...schemas },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'a team token, a project token or a session' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'svc_session',
          description: 'a session in the browser; with https its name is __Host-svc_session',
        },
        csrf: {
          type: 'apiKey',
          in: 'header',
          name: 'X-CSRF-Token',
          description: 'the value of the cookie svc_csrf; beside the session cookie, on all but GET',
        },
        adminToken: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Admin-Token',
          description: "the operator's token; what asks for a permission takes it too",
        },
      },
    },
  };
};
