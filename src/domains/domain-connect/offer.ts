// What the one-click set-up can do for a host at this moment: the signed address, or the reason why there is none.
import type { DnsLookup } from '#src/kernel/dns-lookup.ts';
import type { CheckedRecord } from '../records/host-check.ts';
import type { HostReading } from '../records/host-reading.ts';
import { apexOf } from '../records/wanted-records.ts';
import { applyUrl, type SigningKey } from './apply-url.ts';
import { groupsLacking } from './groups.ts';
import { type Provider, reasonAgainst } from './provider.ts';
import { type TemplateSettings, templateRecords, tokenVariables } from './template.ts';

export interface OfferDeps {
  readonly lookup: Pick<DnsLookup, 'txt'>;
  readonly template: TemplateSettings;
  readonly signingKey: SigningKey | null;
}

export interface OfferRequest extends HostReading {
  readonly provider: Provider;
  readonly withInbound: boolean;
  readonly redirectUri: string | null;
}

export interface Offer {
  /** Null exactly where there is a reason. */
  readonly url: string | null;
  readonly reason: string | null;
  readonly provider: string;
  readonly groups: readonly string[];
  readonly byHand: readonly CheckedRecord[];
}

/** The last check may be a day old, and what has come since would be overwritten: only "none" is good enough. */
const isStillMissing = async (lookup: Pick<DnsLookup, 'txt'>, name: string): Promise<boolean> => {
  const answer = await lookup.txt(name);
  if (answer.kind !== 'found') return answer.kind === 'none';
  return !answer.records.some((strings) => /^v=(?:spf1|DMARC1|TLSRPTv1)\b/i.test(strings.join('')));
};

const stillLacking = async (
  lookup: Pick<DnsLookup, 'txt'>,
  groups: readonly { readonly id: string; readonly texts: readonly string[] }[],
): Promise<string[]> => {
  const asked = await Promise.all(
    groups.map(async ({ id, texts }) => {
      const missing = await Promise.all(texts.map((name) => isStillMissing(lookup, name)));
      return missing.every(Boolean) ? [id] : [];
    }),
  );
  return asked.flat();
};

export const offerFor = async (
  { lookup, template, signingKey }: OfferDeps,
  { facts, check, provider, withInbound, redirectUri }: OfferRequest,
): Promise<Offer> => {
  const none = (reason: string, byHand: readonly CheckedRecord[] = []): Offer => ({
    url: null,
    reason,
    provider: provider.name,
    groups: [],
    byHand,
  });
  if (signingKey === null)
    return none('The operator has not set up Domain Connect. Publish the records by hand.');
  if (facts.kind === 'managed')
    return none('The service serves the records of a managed host itself: there is nothing to publish.');
  const tokens = facts.keys.filter(({ imported }) => !imported).map(({ selector }) => selector);
  if (tokens.length !== tokenVariables.length || check === null)
    return none(`Nobody has looked at the records of ${facts.host} yet. Check DNS first.`);
  const zone = apexOf(facts);
  const against = await reasonAgainst(lookup, provider, zone);
  if (against !== null) return none(against);

  const variables = new Map(
    tokenVariables.map((variable, index) => [variable as string, tokens[index] ?? '']),
  );
  const { groups, byHand } = groupsLacking(templateRecords(template.serviceHost), facts.host, variables, [
    ...check.records.filter(({ required }) => required),
    ...(withInbound ? check.inbound : []),
  ]);
  const asked = await stillLacking(lookup, groups);
  if (asked.length === 0)
    return none(
      byHand.length === 0 && groups.length === 0
        ? `Nothing lacks: all records of ${facts.host} were found at the last check.`
        : `What lacks of the records of ${facts.host} has to be changed by hand. Check DNS for what to do.`,
      byHand,
    );
  const { providerId, serviceId } = template;
  return {
    url: applyUrl(
      {
        syncUx: provider.syncUx,
        providerId,
        serviceId,
        zone,
        host: facts.host,
        variables,
        groups: asked,
        redirectUri,
      },
      signingKey,
    ),
    reason: null,
    provider: provider.name,
    groups: asked,
    byHand,
  };
};
