// Checks the MX of the return path and of the receiving host, which must lead to the service alone (RFC 5321 §5.1, RFC
// 2181 §10.3, RFC 7505), and the MX of the domain itself, which must not lead to the service, because the domain's own
// mail would be lost.
import type { Lookup, MxAnswer } from '#src/kernel/dns-lookup.ts';
import { nothing, say, type Text } from '#src/kernel/say.ts';
import type { DnsConflict, WantedRecord } from '../records/host-check.ts';
import { type Absence, absentHint, askWhyAbsent, besideOf, wildcardHint } from './absence.ts';
import { type CheckLookup, valuesOf } from './check-lookup.ts';
import { bounded, type Judgement, mxText, quote, sentences, unknown } from './judgement.ts';

export interface MxFacts {
  readonly cname: Lookup<string>;
  readonly mx: Lookup<MxAnswer>;
  /** The MX of a sibling name, which only a wildcard can have. */
  readonly beside: Lookup<MxAnswer> | null;
  readonly besideCname: Lookup<string> | null;
  readonly absence: Absence | null;
}

export const askForMx = async (
  lookup: CheckLookup,
  { name, value }: WantedRecord,
  zones: readonly string[],
): Promise<MxFacts> => {
  const [cname, mx] = await Promise.all([lookup.cname(name), lookup.mx(name)]);
  const isOurs = (answer: Lookup<MxAnswer>) => valuesOf(answer).some(({ exchange }) => exchange === value);
  const [beside, besideCname, absence] = await Promise.all([
    mx.kind === 'found' && !isOurs(mx) ? lookup.mx(besideOf(name)) : null,
    cname.kind === 'found' ? lookup.cname(besideOf(name)) : null,
    mx.kind === 'none' && cname.kind === 'none'
      ? askWhyAbsent(lookup, name, zones, async (at) => isOurs(await lookup.mx(at)))
      : null,
  ]);
  return { cname, mx, beside, besideCname, absence };
};

const textsOf = (answer: Lookup<MxAnswer>): string[] =>
  valuesOf(answer)
    .toSorted((a, b) => a.preference - b.preference || (a.exchange < b.exchange ? -1 : 1))
    .map(mxText);

const judgeAlias = (wanted: WantedRecord, { besideCname }: MxFacts, target: string): Judgement => {
  const byWildcard = besideCname !== null && valuesOf(besideCname).includes(target);
  return byWildcard
    ? { status: 'missing', found: [], hint: wildcardHint(wanted) }
    : {
        status: 'mismatch',
        found: [target],
        hint: say`${wanted.name} is an alias (CNAME) of ${target}. A name with a CNAME cannot have an MX (RFC 2181, 10.3): remove the CNAME and add the MX ${wanted.priority ?? 0} ${wanted.value}.`,
      };
};

const judgeOthers = (wanted: WantedRecord, others: readonly MxAnswer[]): Text => {
  const { name, value, priority } = wanted;
  const [first = { exchange: '', preference: 0 }] = others;
  if (first.exchange === '')
    return say`The MX at ${name} says that the name takes no mail ("0 ."): bounces could not arrive. Replace it by MX ${priority ?? 0} ${value}.`;
  if (first.exchange.startsWith(`${value}.`))
    return say`Your provider has put ${first.exchange.slice(value.length + 1)} behind the target: enter it with a dot at its end (${value}.).`;
  return say`The MX at ${name} leads to ${quote(first.exchange)}, not to this service. Replace it by MX ${priority ?? 0} ${value}.`;
};

export const judgeMx = (wanted: WantedRecord, facts: MxFacts): Judgement => {
  const [target] = valuesOf(facts.cname);
  if (target !== undefined) return judgeAlias(wanted, facts, target);
  if (facts.mx.kind === 'failed') return unknown(wanted.name, facts.mx.reason);
  const exchanges = valuesOf(facts.mx);
  const found = textsOf(facts.mx);
  const others = exchanges.filter(({ exchange }) => exchange !== wanted.value);
  if (exchanges.length === 0)
    return { status: 'missing', found, hint: facts.absence ? absentHint(facts.absence, wanted) : nothing };
  if (others.length === 0) return { status: 'ok', found, hint: nothing };
  if (others.length < exchanges.length)
    return {
      status: 'multiple',
      found,
      hint: say`Besides this service's there are other MX records at ${wanted.name}, and mail that goes there is lost. Remove them and leave only ${wanted.priority ?? 0} ${wanted.value}.`,
    };
  const byWildcard =
    facts.beside !== null && textsOf(facts.beside).join() === found.join() && facts.beside.kind === 'found';
  return byWildcard
    ? { status: 'missing', found, hint: wildcardHint(wanted) }
    : { status: 'mismatch', found, hint: judgeOthers(wanted, others) };
};

/** `mx` is that of the domain or host itself. */
export const judgeOwnMx = (
  name: string,
  mx: Lookup<MxAnswer>,
  serviceHost: string,
  incoming: string,
): DnsConflict | null =>
  valuesOf(mx).some(({ exchange }) => exchange === serviceHost)
    ? {
        purpose: 'apex_mx',
        type: 'MX',
        name,
        found: bounded(textsOf(mx)),
        hint: sentences(
          say`The MX of ${name} leads to ${serviceHost}: mail to your own addresses would arrive here and not at your mailboxes.`,
          say`Put back your mail provider's MX there. To receive mail here, publish an MX for ${incoming} only.`,
        ),
      }
    : null;
