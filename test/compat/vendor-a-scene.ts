// What the rows about vendor A's client share: the client, what it is answered, and what it sends.
import { type ErrorResponse, Resend } from 'resend';
import { expect } from 'vitest';
import type { Sender } from '#test/support/app.ts';
import type { Scene } from './scene.ts';

export const BASE = '/api/compat/vendor-a';
/** A PDF as short as can be. */
export const PDF = Buffer.from('%PDF-1.4\n1 0 obj\n<< >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n');
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
export const ERIKA = 'erika@example.org';

export const clientOf = (scene: Scene, token = scene.sender.token, base = BASE): Resend =>
  new Resend(token, { baseUrl: scene.app.origin + base });

/** The practice's own address. */
export const fromOf = ({ practice }: Sender): string => `Praxis am Markt <${practice.default_from}>`;

export const letterOf = (scene: Scene, sender = scene.sender) => ({
  from: fromOf(sender),
  to: ERIKA,
  subject: 'Ihr Befund',
  html: '<p>Ihr Befund ist <b>da</b>.</p>',
});

interface Answered<T> {
  readonly data: T | null;
  readonly error: ErrorResponse | null;
}

export const dataOf = <T>({ data, error }: Answered<T>): T => {
  if (data === null) throw new Error(JSON.stringify(error));
  return data;
};

/** The call is refused by that name and status, in words that fit. */
export const expectRefused = (
  { data, error }: Answered<unknown>,
  name: string,
  statusCode: number | null,
  words: RegExp,
): void => {
  expect(data).toBeNull();
  expect(error).toEqual({ name, statusCode, message: expect.stringMatching(words) });
};

/** Sends the letter with these fields, and resolves with its id. */
export const sendWith = async (scene: Scene, fields: object = {}): Promise<string> => {
  const payload = { ...letterOf(scene), ...fields };
  return dataOf(await clientOf(scene).emails.send(payload)).id;
};

/** Sends the letter with these fields, and resolves with the copy that arrives. */
export const arrivedWith = async (scene: Scene, fields: object = {}, recipient = ERIKA) =>
  scene.arrived(await sendWith(scene, fields), recipient);

/** The same without what the client makes of a payload: as clients in other languages write it. */
export const postPlain = (scene: Scene, fields: object) =>
  clientOf(scene).post<{ id: string }>('/emails', { ...letterOf(scene), ...fields });
