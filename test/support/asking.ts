// Asking the API as its users do: lists, their pages, and refusals.
import { expect } from 'vitest';
import { errorTable } from '#src/kernel/error-table.ts';
import type { ErrorCode } from '#src/kernel/errors.ts';
import type { AppAnswer, List, Refusal, TestApp } from './app.ts';

export interface Found {
  readonly id: string;
  readonly slug: string;
  readonly [field: string]: unknown;
}

/** Each asks with the usual token where none is given. */
export interface Asking {
  call<Body = Refusal & Found>(
    method: string,
    path: string,
    body?: unknown,
    token?: string,
  ): Promise<AppAnswer<Body>>;
  list<T = Found>(path: string, token?: string): Promise<readonly T[]>;
  /** All pages of a list, `limit` at a time. */
  pages<T = Found>(path: string, limit: number, token?: string): Promise<readonly (readonly T[])[]>;
}

/** `usual` is asked at each request: what it gives is made in a hook. */
export const asking = (usual: () => { readonly app: TestApp; readonly token: string }): Asking => {
  const call: Asking['call'] = (method, path, body, token = usual().token) =>
    usual().app.request(method, path, body, token);
  return {
    call,
    list: async <T>(path: string, token?: string) => {
      const { status, body } = await call<List<T>>('GET', path, undefined, token);
      expect(status).toBe(200);
      return body.data;
    },
    pages: async <T>(path: string, limit: number, token?: string) => {
      const read: (readonly T[])[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const target: string = `${path}?limit=${limit}${cursor && `&cursor=${cursor}`}`;
        const { body } = await call<List<T>>('GET', target, undefined, token);
        read.push(body.data);
        cursor = body.next_cursor;
      }
      return read;
    },
  };
};

/** Expects that refusal; where `field` is given, for that field alone. */
export const refused = async (
  code: ErrorCode,
  answer: Promise<AppAnswer<Refusal>>,
  field?: string,
): Promise<void> => {
  const { status, body } = await answer;
  expect({ status, code: body.code }).toEqual({ status: errorTable[code].status, code });
  if (field !== undefined) expect(body.fields).toEqual([{ path: field, message: expect.any(String) }]);
};

/** The forms that ids (UUIDv7) and times have everywhere. */
export const UUID: unknown = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
);
export const ISO: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
/** Well-formed, and nobody's. */
export const UNKNOWN_ID = '018f0000-0000-7000-8000-00000000dead';
