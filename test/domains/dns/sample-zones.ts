// An operator's zones as the tests of the listener serve them.
import { createZones, type Zones } from '#src/domains/zones/zone.ts';
import type { ZoneFacts } from '#src/domains/zones/zone-records.ts';

/** As long as an RSA-2048 key's record: 18 + 392 octets, two character-strings. */
export const rsaText = `v=DKIM1; k=rsa; p=${'MIIBIjANBgkqhkiG9w0B'.repeat(20).slice(0, 392)}`;
export const edText = `v=DKIM1; k=ed25519; p=${'A'.repeat(43)}=`;

const sampleFacts: ZoneFacts = {
  serviceHost: 'post.example',
  managedSuffix: 'praxis.example',
  addresses: ['192.0.2.10', '2001:db8::10'],
  nameservers: ['ns1.post.example', 'ns2.elsewhere.example'],
  hostmaster: 'dns.admin@post.example',
  mtaSts: { mode: 'testing', maxAge: 604_800_000 },
  serial: () => 2026112001,
  findToken: (token) => ({ aaa: rsaText, bbb: edText })[token] ?? null,
  findManagedHost: (slug) => ({ berg: { tokens: ['aaa', 'bbb', 'gone'] } })[slug] ?? null,
};

export const sampleZones = (changed: Partial<ZoneFacts> = {}): Zones =>
  createZones({ ...sampleFacts, ...changed });
