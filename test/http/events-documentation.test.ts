// What /openapi.yaml and /reference say of the events, against the catalogue and against what is really sent.

import { describe, expect, test } from 'vitest';
import { eventCatalogue, eventTypes, TEST_EVENT } from '#src/events/catalogue.ts';
import { eventsDescription } from '#src/followers/webhooks/described.ts';
import { testEnvelope } from '#src/followers/webhooks/schema.ts';
import { signedHeaders } from '#src/followers/webhooks/sign.ts';
import { createSchemaBook } from '#src/http/json-schema.ts';
import { openApiDocument } from '#src/http/openapi.ts';
import { eventsPage } from '#src/http/reference/events-page.ts';
import { pageAsMarkdown } from '#src/http/reference/markdown.ts';
import { referenceOf } from '#src/http/reference/pages.ts';
import { publishedFields } from '#src/messages/published-event.ts';
import { messageFields } from '#src/messages/published-fields.ts';
import { dereference } from '#test/support/openapi.ts';
import { allRoutes } from './fixture.ts';

const info = { name: 'Test', version: '1', origin: 'https://example.com', events: eventsDescription };
const names = [...eventTypes, TEST_EVENT];

interface Schema {
  readonly properties: Readonly<Record<string, Schema & { readonly const?: string }>>;
  readonly required: readonly string[];
  readonly additionalProperties?: boolean;
}
interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
  readonly webhooks: Readonly<
    Record<
      string,
      {
        readonly post: {
          readonly operationId: string;
          readonly parameters: readonly { name: string; in: string; required: boolean }[];
          readonly requestBody: {
            readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
          };
        };
      }
    >
  >;
}

const described = dereference(openApiDocument(allRoutes, info)) as unknown as Described;

/** The schema of the envelope of that event. */
const envelopeOf = (name: string): Schema => {
  const schema = described.webhooks[name]?.post.requestBody.content['application/json']?.schema;
  if (!schema) throw new Error(`${name} has no schema`);
  return schema;
};

describe('/openapi.yaml', () => {
  test('has a webhook for every event and for the test', () => {
    expect(Object.keys(described.webhooks)).toEqual(names);
  });

  test.each(names)('of %s says the envelope, with that name', (name) => {
    const { properties, required } = envelopeOf(name);
    expect(Object.keys(properties)).toEqual(['id', 'event', 'timestamp', 'data']);
    expect(required).toEqual(Object.keys(properties));
    expect(properties.event?.const).toBe(name);
  });

  test.each(eventTypes)('of %s describes all its fields, and allows more', (name) => {
    const data = envelopeOf(name).properties.data;
    expect(Object.keys(data?.properties ?? {})).toEqual(Object.keys(publishedFields[name]));
    expect(data?.required).toEqual(Object.keys(publishedFields[name]));
    expect(data?.additionalProperties).toBeUndefined();
  });

  test('of a test describes its fields', () => {
    const sent = JSON.parse(testEnvelope('id', { id: 'w', name: 'n' }, 0));
    expect(Object.keys(envelopeOf(TEST_EVENT).properties.data?.properties ?? {})).toEqual(
      Object.keys(sent.data),
    );
  });

  test('names the header fields that are sent, and which of them not always', () => {
    const delivery = { id: 'id', event: 'message.sent', body: Buffer.from('{}'), now: 0 };
    const always = Object.keys(signedHeaders(delivery, { current: 'whsec_AA==', former: null }));
    const ever = Object.keys(signedHeaders(delivery, { current: 'whsec_AA==', former: 'whsec_AQ==' }));
    for (const { post } of Object.values(described.webhooks)) {
      // OpenAPI has no parameter of that name: the content says it.
      expect(['Content-Type', ...post.parameters.map(({ name }) => name)]).toEqual(ever);
      const required = post.parameters.filter((parameter) => parameter.required).map(({ name }) => name);
      expect(['Content-Type', ...required]).toEqual(always);
    }
  });

  test('names every operation once, also those of webhooks', () => {
    const items = [...Object.values(described.paths), ...Object.values(described.webhooks)];
    const ids = items.flatMap((item) => Object.values(item)).map(({ operationId }) => operationId);
    expect(ids.length).toBeGreaterThan(names.length);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('/reference/events', () => {
  const text = pageAsMarkdown(
    eventsPage(eventsDescription, createSchemaBook({ hasExamples: true })),
    referenceOf(allRoutes, info),
  );
  const sectionOf = (title: string): string => text.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

  test('says of every event which operation fires it', () => {
    for (const name of eventTypes) {
      expect(text).toContain(`#event-${name}): ${eventCatalogue[name].firedBy}`);
      expect(sectionOf(name)).toContain(eventCatalogue[name].firedBy);
    }
    expect(sectionOf(TEST_EVENT)).toContain('/test`');
  });

  test('says which events need tracking, and which chat alerts send', () => {
    const saying = (words: string): string[] =>
      names.filter((name) => sectionOf(name).includes(words)).toSorted();
    expect(saying('needs tracking')).toEqual([
      'message.clicked',
      'message.delivery_delayed',
      'message.opened',
    ]);
    expect(saying('A chat alert that names no events')).toEqual([
      'message.content_blocked',
      'message.failed',
      'message.hard_bounced',
      'message.soft_bounced',
      'message.spam_complaint',
    ]);
  });

  test('shows every field of an event', () => {
    const common = sectionOf('Fields of every event of a message');
    for (const name of Object.keys(messageFields)) expect(common).toContain(`- \`${name}\``);
    for (const type of eventTypes) {
      const isOfMessage = type.startsWith('message.');
      expect(sectionOf(type).includes('fields of every event of a message')).toBe(isOfMessage);
      for (const name of Object.keys(publishedFields[type]))
        if (!(isOfMessage && name in messageFields)) expect(sectionOf(type)).toContain(`- \`${name}\``);
    }
    expect(sectionOf(TEST_EVENT)).toContain('`webhook_id`');
  });

  test('shows the envelope and the header fields', () => {
    const headers = signedHeaders(
      { id: 'id', event: 'message.sent', body: Buffer.from('{}'), now: 0 },
      { current: 'whsec_AA==', former: 'whsec_AQ==' },
    );
    const delivery = sectionOf('A delivery');
    for (const name of Object.keys(headers)) expect(delivery).toContain(`- \`${name}\`:`);
    for (const name of ['id', 'event', 'timestamp', 'data']) expect(delivery).toContain(`- \`${name}\` (`);
    expect(text).not.toMatch(/undefined|\[object/);
  });
});
