import { describe, expect, test } from 'vitest';
import { redact } from '#src/kernel/redact.ts';

const GONE = '[redacted]';
const SECRET = 'Zq3v0aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789AB';

describe('values under names that speak of secrets', () => {
  const names = [
    'authorization',
    'Authorization',
    'code',
    'cookie',
    'session',
    'private_key',
    'password',
    'new_password',
    'secret',
    'client_secret',
    'token',
    'csrf_token',
    'CSRF_TOKEN',
    'api_key',
  ];
  test.each(names)('%s is redacted', (name) => {
    expect(redact({ [name]: 'hush', name: 'Praxis' })).toEqual({ [name]: GONE, name: 'Praxis' });
    expect(redact({ [name]: { inner: 'hush' } })).toEqual({ [name]: GONE });
    expect(redact({ [name]: 123_456 })).toEqual({ [name]: GONE });
  });

  const harmless = ['token_id', 'tokens', 'code_name', 'passwords_allowed', 'secretary', 'smtp_code'];
  test.each(harmless)('%s is kept', (name) => {
    expect(redact({ [name]: 'seen' })).toEqual({ [name]: 'seen' });
  });

  test('that there is one, or none, is kept', () => {
    const record = { has_password: true, password: null, token: false };
    expect(redact(record)).toEqual(record);
  });

  test('are found at any depth', () => {
    expect(redact({ a: [{ b: { token: 'x' } }, [{ secret: 'y' }]] })).toEqual({
      a: [{ b: { token: GONE } }, [{ secret: GONE }]],
    });
  });
});

describe('what looks like a secret of the service', () => {
  const prefixes = ['svc_team_', 'svc_proj_', 'svc_sess_', 'svc_inv_', 'whsec_', 'hooksec_'];
  test.each(prefixes)('%s… is cut out of any text, all of it', (prefix) => {
    const link = `https://mail.example.com/invitation/${prefix}${SECRET}?x=1 and ${prefix}${SECRET}.`;
    const after = redact({ note: link, list: [prefix + SECRET], [prefix + SECRET]: 1 });
    expect(JSON.stringify(after)).not.toContain(SECRET.slice(0, 6));
    expect(after).toEqual({
      note: `https://mail.example.com/invitation/${GONE}?x=1 and ${GONE}.`,
      list: [GONE],
      [GONE]: 1,
    });
  });

  test('base64 secrets go to their last character', () => {
    expect(redact('whsec_ab+/cd==')).toBe(GONE);
  });

  test('other words stay', () => {
    expect(redact(['svc_team', 'svc_other_abc', 'the svc_team_ prefix'])).toEqual([
      'svc_team',
      'svc_other_abc',
      'the svc_team_ prefix',
    ]);
  });
});

test('the record itself stays as it was', () => {
  const record = { token: 'x', inner: { text: `svc_team_${SECRET}` } };
  const before = structuredClone(record);
  redact(record);
  expect(record).toEqual(before);
});

test('what is no object comes back', () => {
  expect([null, 1, true, 'text', undefined].map(redact)).toEqual([null, 1, true, 'text', undefined]);
});

test('a field called __proto__ does no harm', () => {
  const record: unknown = JSON.parse('{"__proto__": {"token": "x"}, "a": 1}');
  expect(JSON.stringify(redact(record))).toBe(`{"__proto__":{"token":"${GONE}"},"a":1}`);
});
