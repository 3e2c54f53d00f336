// The verdicts of `sendwerk doctor` that take more than a broken installation to see.
import { expect, test } from 'vitest';
import { DAY, HOUR, MINUTE, SECOND } from '#src/kernel/time.ts';
import type { Verdict } from '#src/operations/doctor/finding.ts';
import {
  backupVerdict,
  clockVerdict,
  descriptorVerdict,
  diskVerdict,
  replicaVerdict,
} from '#src/operations/doctor/host-rules.ts';
import {
  type CertificateFacts,
  certificateVerdicts,
  reverseVerdicts,
} from '#src/operations/doctor/network-rules.ts';
import { signInVerdict } from '#src/operations/doctor/relay-rules.ts';

const NOW = Date.UTC(2026, 10, 28);
const certificate: CertificateFacts = {
  where: 'port 25',
  name: 'mail.example.com',
  error: null,
  names: ['mail.example.com'],
  isForName: true,
  problem: null,
  validTo: NOW + 60 * DAY,
  isSelfSigned: false,
  mustBeValid: true,
  mend: 'renew it',
};
const signIn = {
  name: 'relay',
  address: 'relay.example.net:587',
  failedAt: null,
  error: null,
  tls: { verified: true, problem: null },
  wantedTls: 'required',
  isLoopback: false,
  signsIn: true,
} as const;
const disk = { freeBytes: 50e9, totalBytes: 100e9, freeInodes: 900_000, totalInodes: 1_000_000 };
const least = { percent: 5, bytes: 1e9 };
const one = (verdicts: readonly Verdict[]): Verdict => verdicts[0] as Verdict;
const withCertificate = (changed: Partial<CertificateFacts>): Verdict =>
  one(certificateVerdicts([{ ...certificate, ...changed }], NOW));
const reverse = (names: string[], confirmed: string[], sends: boolean): Verdict =>
  one(reverseVerdicts([{ address: '192.0.2.1', names, confirmed }], 'mail.example.com', sends));

test.each<[sentence: string, verdict: Verdict, state: Verdict['state'], says: RegExp]>([
  ['a clock that is right', clockVerdict('a', 300), 'ok', /300 ms ahead of a/],
  ['a clock that is some seconds off', clockVerdict('a', -3 * SECOND), 'warn', /3s behind a/],
  ['a clock that is far off', clockVerdict('a', 2 * HOUR), 'fail', /2h ahead of a: signatures/],
  [
    'a limit that is high enough',
    descriptorVerdict({ limit: 65_536, used: 90, needed: 2_600 }),
    'ok',
    /may open 65,536/,
  ],
  [
    'a limit that may be too low',
    descriptorVerdict({ limit: 1_024, used: 90, needed: 2_600 }),
    'warn',
    /may need 2,600/,
  ],
  [
    'a limit that is nearly reached',
    descriptorVerdict({ limit: 1_024, used: 1_000, needed: 2_600 }),
    'fail',
    /uses 1,000/,
  ],
  ['few inodes', diskVerdict({ ...disk, freeInodes: 10 }, least), 'fail', /^10 of 1,000,000 inodes/],
  [
    'a file system that has no number of inodes',
    diskVerdict({ ...disk, freeInodes: 0, totalInodes: 0 }, least),
    'ok',
    /free \(50 %\)$/,
  ],
  [
    'an old backup',
    backupVerdict({ madeAt: NOW - 3 * DAY, missing: [], maxAge: DAY }, NOW),
    'fail',
    /older than backup\.max_age/,
  ],
  [
    'a backup that lacks a practice',
    backupVerdict({ madeAt: NOW, missing: ['see'], maxAge: DAY }, NOW),
    'fail',
    /lacks see/,
  ],
  [
    'a backup in time',
    backupVerdict({ madeAt: NOW - HOUR, missing: [], maxAge: DAY }, NOW),
    'ok',
    /2026-11-27T23/,
  ],
  [
    'a replica that is behind',
    replicaVerdict({ state: 'behind', behind: 2, lagSeconds: 200 }),
    'fail',
    /2 files, since 200 s/,
  ],
  [
    'a replica that is silent',
    replicaVerdict({ state: 'silent', behind: 0, lagSeconds: 0 }),
    'fail',
    /does not answer/,
  ],
  ['a good certificate', withCertificate({}), 'ok', /for mail\.example\.com until 2027-01-27/],
  [
    'a certificate for another name',
    withCertificate({ isForName: false, names: ['www.example.com'] }),
    'fail',
    /is for www\.example\.com, not for/,
  ],
  [
    'a chain that is not whole',
    withCertificate({ problem: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }),
    'fail',
    /not trusted: UNABLE/,
  ],
  [
    'a certificate that ends in ten days',
    withCertificate({ validTo: NOW + 10 * DAY }),
    'warn',
    /ends at 2026-12-08/,
  ],
  ['a certificate that ends tomorrow', withCertificate({ validTo: NOW + DAY }), 'fail', /ends at/],
  [
    'a self-signed one where none has to be valid',
    withCertificate({ isSelfSigned: true, mustBeValid: false }),
    'warn',
    /self-signed/,
  ],
  [
    'an address with its name',
    reverse(['mail.example.com'], ['mail.example.com'], true),
    'ok',
    /which leads back/,
  ],
  [
    'an address without a name that sends',
    reverse([], [], true),
    'fail',
    /has no name, and mail leaves by it/,
  ],
  ['an address without a name behind relays', reverse([], [], false), 'warn', /relays elsewhere/],
  ['a name that leads elsewhere', reverse(['a.example.net'], [], true), 'fail', /does not lead back/],
  [
    'another name that leads back',
    reverse(['a.example.net'], ['a.example.net'], true),
    'warn',
    /says mail\.example\.com in EHLO/,
  ],
  ['a relay by verified TLS', signInVerdict(signIn), 'ok', /takes the password, by TLS/],
  [
    'a relay in the clear',
    signInVerdict({ ...signIn, tls: null, wantedTls: 'opportunistic' }),
    'warn',
    /anyone on the way/,
  ],
  [
    'a relay whose certificate is not trusted',
    signInVerdict({
      ...signIn,
      wantedTls: 'opportunistic',
      tls: { verified: false, problem: 'SELF_SIGNED' },
    }),
    'warn',
    /not trusted: SELF_SIGNED/,
  ],
])('%s', (_, { state, found, mend }, expected, says) => {
  expect(state).toBe(expected);
  expect(found).toMatch(says);
  expect(mend === null).toBe(state === 'ok');
});

test('half a minute is no time for a clock to be told in hours', () => {
  expect(clockVerdict('a', 30 * SECOND).found).toContain('30s');
  expect(clockVerdict('a', 4 * MINUTE).state).toBe('warn');
});
