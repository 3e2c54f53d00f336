// One application with one person who signs in, and what the tests of that ask of it.
import { onTestFinished } from 'vitest';
import { type AppOptions, startApp, type TestApp } from '#test/support/app.ts';
import {
  codesTo,
  type Mail,
  mailsTo,
  makeOwner,
  type Person,
  unlimitedSignIn,
} from '#test/support/people.ts';
import { until } from '#test/support/process.ts';

export const ERIKA = 'erika@example.org';
export const PASSWORD = 'Drei Köche, ein Brei';

export interface Me {
  readonly id: string;
  readonly email: string;
  readonly language: string;
  readonly is_operator: boolean;
  readonly has_password: boolean;
  readonly csrf_token: string;
  readonly session: { readonly id: string; readonly last_used_at: string };
  readonly practices: readonly { readonly practice_id: string; readonly permissions: readonly string[] }[];
}

interface Audited {
  readonly action: string;
  readonly actor_name: string;
  readonly target_id: string;
  readonly client_address: string;
}

interface Scene {
  readonly app: TestApp;
  readonly practiceId: string;
}

export const start = async (options: AppOptions = {}): Promise<Scene> => {
  const app = await startApp({ config: unlimitedSignIn, ...options });
  onTestFinished(() => app.remove());
  const { id: practiceId } = await app.createPractice();
  await makeOwner(app, practiceId, ERIKA);
  return { app, practiceId };
};

export const withPasswords = { ...unlimitedSignIn, auth: { password_login: true } };
export const me = (app: TestApp, token: string) => app.request<Me>('GET', '/api/auth/me', undefined, token);
export const isLive = async (app: TestApp, token: string): Promise<boolean> =>
  (await me(app, token)).status === 200;
export const requestCode = (app: TestApp, email = ERIKA, headers: Record<string, string> = {}) =>
  app.request('POST', '/api/auth/request-otp', { email }, undefined, headers);
export const verify = (app: TestApp, code: string, email = ERIKA) =>
  app.request<{ token: string; csrf_token: string }>('POST', '/api/auth/verify-otp', { email, code });
export const login = (app: TestApp, password: string, email = ERIKA) =>
  app.request<{ token: string }>('POST', '/api/auth/login-password', { email, password });
export const setPassword = (app: TestApp, token: string, body: object) =>
  app.request('PUT', '/api/auth/password', body, token);
export const wrong = (code: string, by = 1): string =>
  String((Number(code) + by) % 1_000_000).padStart(6, '0');
export const byCookie = ({ cookie, csrfToken }: Person) => ({ Cookie: cookie, 'X-CSRF-Token': csrfToken });
/** The mails that bring a code, once there are so many. */
export const codeMails = async (app: TestApp, count: number, email = ERIKA): Promise<Mail[]> => {
  await until('the codes are mailed', async () => (await codesTo(app, email)).length === count);
  const codes = await codesTo(app, email);
  return (await mailsTo(app, email)).filter(({ text }) => codes.some((code) => text.includes(code)));
};
export const audited = (app: TestApp, action: string): Audited[] =>
  app.sql(null, 'SELECT * FROM audit WHERE action = ? ORDER BY seq', action);
