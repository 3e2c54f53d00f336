// What a stop leaves of questions to name servers.
import { expect, onTestFinished, test } from 'vitest';
import { createDnsLookup } from '#src/kernel/dns-lookup.ts';
import { startScriptedDns } from '#test/kernel/outbound/scripted-dns.ts';
import { startApp } from '#test/support/app.ts';

test('a question about a receiver is not asked again after the stop', async () => {
  let isSilent = false;
  const dns = await startScriptedDns(({ type }) => {
    if (isSilent) return null;
    return type === 'A' ? [{ type: 'A', data: '93.184.215.14' }] : [];
  });
  onTestFinished(() => dns.stop());
  const app = await startApp({ config: { dns: { resolvers: [dns.address] }, webhooks: { timeout: '1s' } } });
  onTestFinished(() => app.remove());
  const { base, token } = await app.createSender({ plan: 'praxis' });
  const fields = { name: 'Chat', kind: 'slack', url: 'https://chat.example.com/hooks/one' };
  const { body } = await app.request<{ id: string }>('POST', `${base}/alerts`, fields, token);
  isSilent = true;
  const tested = await app.request('POST', `${base}/alerts/${body.id}/test`, undefined, token);
  expect(tested.body).toMatchObject({ delivered: false, error: 'no answer within the time' });
  const askedAbout = (name: string) => dns.asked.filter((line) => line.endsWith(name)).length;
  await app.stop();
  const before = askedAbout('chat.example.com');
  // Whoever asks from now on has given up after all tries of the one that was under way.
  const later = await createDnsLookup([dns.address]).addresses('later.example.com');
  expect(later).toEqual({ kind: 'failed', reason: 'timeout' });
  expect(askedAbout('later.example.com')).toBe(4);
  expect(askedAbout('chat.example.com')).toBe(before);
});
