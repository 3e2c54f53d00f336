import { expect, test } from 'vitest';
import { providerOf } from '#src/insight/providers.ts';

const domains: readonly (readonly [domains: string, provider: string])[] = [
  ['gmail.com googlemail.com', 'gmail'],
  ['outlook.com outlook.de hotmail.co.uk hotmail.fr live.de live.com msn.com', 'microsoft'],
  ['yahoo.com yahoo.de yahoo.co.uk aol.com aol.de ymail.com', 'yahoo'],
  ['gmx.de gmx.net gmx.at gmx.ch gmx.com web.de', 'gmx_webde'],
  ['t-online.de magenta.de', 't_online'],
  ['icloud.com me.com mac.com', 'icloud'],
  [
    'example.org notgmail.com gmail.com.example.org mygmx.de outlook.example.org live.example mail.web.de',
    'other',
  ],
];
test.each(domains)('%s: %s', (list, provider) => {
  for (const domain of list.split(' '))
    expect(`${domain} ${providerOf(domain)}`).toBe(`${domain} ${provider}`);
});
