// Whose complaints count: the sender of the report by SPF and DKIM, against the provider of the recipient's mailbox and known sources.
import { expect, test } from 'vitest';
import { type Reporter, type SenderProof, type Standing, standingOf } from '#src/feedback/reporter.ts';
import type { Lookup, MxAnswer } from '#src/kernel/dns-lookup.ts';

const none: Lookup<MxAnswer> = { kind: 'none', nameExists: true };
const failed: Lookup<MxAnswer> = { kind: 'failed', reason: 'timeout' };
const mx = (...hosts: readonly string[]): Lookup<MxAnswer> => ({
  kind: 'found',
  records: hosts.map((exchange) => ({ exchange, preference: 10 })),
});
const proof = (...domains: readonly string[]): SenderProof => ({ domains, isUncertain: false });
const unsure = (...domains: readonly string[]): SenderProof => ({ domains, isUncertain: true });

test.each<[string, Standing, SenderProof, Lookup<MxAnswer>]>([
  ['nothing is proven', 'not_proven', proof(), mx('mx.example.org')],
  ['of a known source', 'proven', proof('arf.loop.example'), none],
  ['of a domain beside a known source', 'not_proven', proof('other.example'), none],
  ['of a name that ends like a known source', 'not_proven', proof('myloop.example'), none],
  ['of the recipient’s domain', 'proven', proof('praxis.example.org'), none],
  ['of the owner of its mail hosts', 'proven', proof('fbl.provider.example'), mx('mx1.in.provider.example')],
  [
    'of one of several signers',
    'proven',
    proof('list.example', 'provider.example'),
    mx('mx.provider.example'),
  ],
  ['of someone with other mail hosts', 'not_proven', proof('stranger.example'), mx('mx.provider.example')],
  ['of a customer of the same public suffix', 'not_proven', proof('one.co.uk'), mx('mx.two.co.uk')],
  ['the signature’s key could not be asked for', 'not_checked', unsure(), none],
  ['the mail hosts could not be asked for', 'not_checked', proof('provider.example'), failed],
  [
    'a second signature could not be checked, and the first suffices',
    'proven',
    unsure('loop.example'),
    failed,
  ],
])('%s: %s', async (_, standing, sender, hosts) => {
  const asked: string[] = [];
  const reporter: Reporter = {
    proof: async () => sender,
    mailHosts: async (domain) => {
      asked.push(domain);
      return hosts;
    },
  };
  expect(await standingOf(reporter, 'Erika@example.org', ['loop.example'])).toBe(standing);
  expect(asked.every((domain) => domain === 'example.org')).toBe(true);
});
