// The API's machine-readable description, OpenAPI 3.1.0, made from the declared routes and the table of error codes.
// Nothing in it is written by hand, so nothing in it can lag behind.
import { z } from 'zod';
import { errorTable } from '#src/kernel/error-table.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import type { DescribedEvent, EventsDescription } from '#src/kernel/events-description.ts';
import { EXAMPLE_ID } from '#src/kernel/fields.ts';
import { HTML_TYPE } from '#src/kernel/page.ts';
import type { Route, RouteResponse } from '#src/kernel/route.ts';
import {
  answersPages,
  bodyTypes,
  errorCodes,
  errorsOf,
  isTextType,
  type ServiceInfo,
  statusFor,
  takesVersion,
} from './api-facts.ts';
import { bodyExamples, parameterExample, sampleCallOf } from './examples.ts';
import {
  COMPONENTS,
  createSchemaBook,
  type JsonSchema,
  type JsonSchemas,
  mergeDirections,
  type SchemaBook,
} from './json-schema.ts';
import { inCurl } from './reference/samples.ts';
import { namesPracticeInHeader, parametersOf } from './routing.ts';
import { componentName, shareFields, shareRepeated } from './shared-components.ts';

const componentRef = (name: string): JsonSchema => ({ $ref: COMPONENTS + name });

/** `not_found` as `NotFoundError`, `internal_error` as `InternalError`. */
const errorComponent = (code: ErrorCode): string => `${componentName(code.replace(/_error$/, ''))}Error`;

const ERROR = 'Error';
const anyError = z
  .object({
    code: z.enum(errorCodes),
    error: z.string().describe('what happened'),
    hint: z.string().describe('what to do'),
  })
  .describe('What every refusal has; those of a code may have more.');

/** The code and its own fields. */
const errorSchema = (code: ErrorCode, book: SchemaBook): JsonSchema => {
  const declaration = errorTable[code];
  const own = z.object({ code: z.literal(code), ...('extra' in declaration ? declaration.extra : {}) });
  return { allOf: [componentRef(ERROR), book.describe(own, 'output', errorComponent(code))] };
};

const errorSchemas = (book: SchemaBook): JsonSchemas => ({
  [ERROR]: book.describe(anyError, 'output', ERROR),
  ...Object.fromEntries(errorCodes.map((code) => [errorComponent(code), errorSchema(code, book)])),
});

const errorResponses = (route: Route, book: SchemaBook): Record<string, JsonSchema> => {
  const refusals = route.shape?.refusals;
  const byStatus = Object.groupBy(errorsOf(route), (code) => statusFor(route, code));
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, codes = []]) => {
      const refs = refusals
        ? [book.refer(refusals.schema, 'output', 'ForeignRefusal')]
        : codes.map((code) => componentRef(errorComponent(code)));
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
  const schema = book.refer(body, 'output', place);
  return { description, content: { 'application/json': { schema }, ...other } };
};

/** More codes than these make no name; they are written in place. */
const MAX_NAMED_CODES = 2;

/** Only refusals have one. */
const responseName = ({ description, content }: JsonSchema): string | null => {
  const codes = [...String(description).matchAll(/`(\w+)`/g)].map(([, code = '']) => code);
  if (codes.length === 0 || codes.length > MAX_NAMED_CODES || !codes.every((code) => code in errorTable))
    return null;
  const types = Object.keys(content as JsonSchema);
  return codes.map(componentName).join('Or') + (types.includes(HTML_TYPE) ? 'OrPage' : '');
};

/** Under `/api/practices`, `{id}` is the practice. */
const parameterName = ({ name, in: place }: JsonSchema): string =>
  name === 'id' && place === 'path' ? 'PracticeID' : componentName(String(name));

const practiceHeader: JsonSchema = {
  name: 'X-Service-Practice',
  in: 'header',
  required: false,
  description: 'the practice it is for: without a token of a practice this or `project_id` is required',
  schema: { type: 'string', format: 'uuid' },
  example: EXAMPLE_ID,
};

const versionHeader: JsonSchema = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'the ETag of the record that was read: where it has changed since then, nothing is written',
  schema: { type: 'string' },
};

const parametersFor = (route: Route, book: SchemaBook): JsonSchema[] => {
  const parameter = (name: string, where: 'path' | 'query' | 'header', declared: z.ZodType): JsonSchema => {
    const { description, ...schema } = book.describe(declared, 'input', `${route.id}.${name}`);
    const required = where === 'path' || !declared.safeParse(undefined).success;
    const example = parameterExample(declared);
    return {
      name,
      in: where,
      required,
      ...(description === undefined ? {} : { description }),
      schema,
      ...(example === undefined ? {} : { example }),
    };
  };
  const inPath = parametersOf(route.path).map((name) => {
    const declared = route.params?.shape[name] as z.ZodType | undefined;
    if (declared === undefined) return { name, in: 'path', required: true, schema: { type: 'string' } };
    return parameter(name, 'path', declared);
  });
  const named = (where: 'query' | 'header', fields: z.ZodObject | undefined): JsonSchema[] =>
    Object.entries(fields?.shape ?? {}).map(([name, declared]) =>
      parameter(name, where, declared as z.ZodType),
    );
  const inHeader = [
    ...(namesPracticeInHeader(route) ? [practiceHeader] : []),
    ...(takesVersion(route) ? [versionHeader] : []),
  ];
  return [...inPath, ...named('query', route.query), ...inHeader, ...named('header', route.headers)];
};

type Security = readonly Readonly<Record<string, readonly string[]>>[];

/** The security of every operation that says nothing else. */
const usualSecurity: Security = [{ bearer: [] }, { session: [], csrf: [] }];

const security = ({ access }: Route): { readonly security?: Security } => {
  const byOperator = { adminToken: [] };
  if (access === 'public') return { security: [] };
  return access === 'operator' || access === 'practice_creator'
    ? { security: [...usualSecurity, byOperator] }
    : {};
};

interface Operation {
  readonly [key: string]: unknown;
  readonly parameters?: JsonSchema[];
  readonly responses: Record<string, JsonSchema>;
}

const operation = (route: Route, book: SchemaBook): Operation => {
  const place = route.id;
  const declared = parametersFor(route, book);
  const responses = Object.entries(route.responses).map(([status, response]) => [
    status,
    successResponse(response, book, `${componentName(place)}Answer`),
  ]);
  return {
    operationId: place,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(route.stability === 'deprecated' ? { deprecated: true } : {}),
    'x-permission': route.access,
    'x-stability': route.stability,
    ...(route.usedBy === undefined ? {} : { 'x-used-by': route.usedBy }),
    ...(typeof route.audit === 'string' ? { 'x-audit': route.audit } : {}),
    ...(route.rate === undefined ? {} : { 'x-rate-limit': route.rate }),
    ...security(route),
    ...(declared.length > 0 ? { parameters: declared } : {}),
    // Generated clients send none with a GET (RFC 9110 §9.3.1).
    ...(route.body && route.method !== 'get' ? { requestBody: requestBody(route, route.body, book) } : {}),
    ...(declared.length > 0 || route.body
      ? {}
      : { 'x-codeSamples': [{ lang: 'Shell', source: inCurl(sampleCallOf(route)) }] }),
    // A declared answer wins over an error of the same status: it is the more precise one.
    responses: { ...errorResponses(route, book), ...Object.fromEntries(responses) },
  };
};

/** The form is that of a media type. */
const examplesIn = ([first, ...more]: readonly unknown[]): JsonSchema => {
  if (first === undefined) return {};
  if (more.length === 0) return { example: first };
  const named = [first, ...more].map((value, index) => [`example${index + 1}`, { value }]);
  return { examples: Object.fromEntries(named) };
};

const requestBody = (route: Route, body: z.ZodType, book: SchemaBook): JsonSchema => {
  const schema = book.refer(body, 'input', `${componentName(route.id)}Body`);
  return {
    required: !body.safeParse(undefined).success,
    content: Object.fromEntries(
      bodyTypes(route).map((type) => [
        type,
        {
          schema: isTextType(route, type) ? { type: 'string' } : schema,
          ...examplesIn(bodyExamples(route, type)),
        },
      ]),
    ),
  };
};

const eventComponent = (name: string): string => `${componentName(name)}Event`;

/** OpenAPI ignores a parameter of this name: the content says it. */
const SAID_BY_CONTENT = 'Content-Type';

const deliveryParameters = ({ headers, optionalHeader }: EventsDescription): JsonSchema[] =>
  Object.entries(headers)
    .filter(([name]) => name !== SAID_BY_CONTENT)
    .map(([name, description]) => ({
      name,
      in: 'header',
      required: name !== optionalHeader,
      description,
      schema: { type: 'string' },
    }));

const deliveryResponses: JsonSchemas = {
  '2XX': { description: 'taken' },
  403: {
    description: 'of `inbound.received`: the mail is not wanted, and not sent again; else as any failure',
  },
  410: { description: 'the webhook is disabled' },
  default: { description: 'tried again, by schedule; redirects are not followed' },
};

const eventOperation = (
  { name, firedBy, needsTracking }: DescribedEvent,
  description: EventsDescription,
): Operation => ({
  operationId: `on${componentName(name)}`,
  summary: name,
  description: needsTracking ? `${firedBy} Only of messages whose opens or clicks are tracked.` : firedBy,
  security: [],
  parameters: deliveryParameters(description),
  requestBody: {
    required: true,
    content: {
      'application/json': { schema: componentRef(eventComponent(name)) },
    },
  },
  responses: { ...deliveryResponses },
});

/** The requests that the service makes itself, one for each event, and the components that they refer to. */
const describeWebhooks = (description: EventsDescription, book: SchemaBook) => {
  const events = description.events();
  return {
    webhooks: Object.fromEntries(
      events.map((event) => [event.name, { post: eventOperation(event, description) }]),
    ),
    schemas: {
      MessageEventData: book.describe(description.messageData, 'output', 'MessageEventData'),
      SuppressionEventData: book.describe(description.suppressionData, 'output', 'SuppressionEventData'),
      ...Object.fromEntries(
        events.map(({ name, data }) => {
          const component = eventComponent(name);
          return [component, book.describe(description.envelope(name, data), 'output', component)];
        }),
      ),
    },
  };
};

/** The service's own calls, with what webhooks bring; or those in the forms of other services, which come with clients of theirs. */
type Part = 'native' | 'foreign';

/** The document as a plain object. Throws where two different schemas have one id. */
export const openApiDocument = (
  all: readonly Route[],
  info: ServiceInfo,
  part: Part = 'native',
): JsonSchema => {
  const routes = all.filter(({ shape }) => (shape === undefined) === (part === 'native'));
  const book = createSchemaBook();
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of routes) {
    const item = paths[route.path] ?? {};
    item[route.method] = operation(route, book);
    paths[route.path] = item;
  }
  const errors = errorSchemas(book);
  const { webhooks, schemas } =
    part === 'native' ? describeWebhooks(info.events, book) : { webhooks: {}, schemas: {} };
  const operations = [paths, webhooks].flatMap((items) =>
    Object.values(items).flatMap(Object.values<Operation>),
  );
  const parameters = shareRepeated(
    'parameters',
    operations.map(({ parameters = [] }) => parameters),
    parameterName,
  );
  const responses = shareRepeated(
    'responses',
    operations.map((each) => each.responses),
    responseName,
  );
  return mergeDirections({
    openapi: '3.1.0',
    info: { title: info.name, version: info.version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: info.origin }],
    security: usualSecurity,
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    ...(part === 'native' ? { webhooks } : {}),
    components: {
      parameters,
      responses,
      schemas: shareFields({ ...errors, ...book.components, ...schemas }),
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
  });
};
