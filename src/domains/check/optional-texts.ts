// Checks the optional TXT records: BIMI, the domain's logo and its certificate
// (draft-brand-indicators-for-message-identification), which needs a DMARC policy of quarantine or reject; and TLS
// reports (RFC 8460 §3).
import { nothing, say, type Text } from '#src/kernel/say.ts';
import { parseTagList, type TagList, writeTagList } from '#src/mail/tag-list.ts';
import type { HostFacts, WantedRecord } from '../records/host-check.ts';
import { absentText, joined, type TextFacts } from './absence.ts';
import type { DmarcPolicy } from './dmarc.ts';
import { isNothing, type Judgement, quote, sentences, unknown } from './judgement.ts';

export const isBimi = (text: string): boolean => /^v\s*=\s*BIMI1\s*(?:;|$)/i.test(text);

const isHttps = (text: string, ending: RegExp): boolean => {
  const url = URL.parse(text);
  return url?.protocol === 'https:' && ending.test(url.pathname);
};

const judgeLogo = (list: TagList, wanted: TagList, isSet: boolean): { fault: Text; value: string } => {
  const logo = list.get('l') ?? '';
  const ours = wanted.get('l') ?? '';
  const fault =
    isSet && logo !== ours
      ? say`The logo (l=) is not the one set here: replace it by ${ours}.`
      : isHttps(logo, /\.svgz?$/i)
        ? nothing
        : say`The logo (l=${quote(logo)}) must be the https address of an SVG file, ending in .svg.`;
  return { fault, value: isNothing(fault) ? logo : ours };
};

const judgeCertificate = (
  list: TagList,
  certificateUrl: string | null,
): { fault: Text; value: string | null } => {
  const certificate = list.get('a');
  if (certificateUrl !== null && certificate !== certificateUrl)
    return {
      fault: say`The certificate (a=) is not the one set here: say a=${certificateUrl}.`,
      value: certificateUrl,
    };
  if (certificate === undefined) return { fault: nothing, value: null };
  if (certificate === '')
    return {
      fault: say`The certificate tag (a=) is empty: leave it out until there is a certificate.`,
      value: null,
    };
  return isHttps(certificate, /\.pem$/i)
    ? { fault: nothing, value: certificate }
    : {
        fault: say`The certificate (a=${quote(certificate)}) must be the https address of a PEM file; leave a= out until there is one.`,
        value: null,
      };
};

/** `policies` are those of the host and of the domain above it; null if unknown. */
const effectHint = (policies: readonly (DmarcPolicy | null)[]): Text =>
  policies.includes('none') ? say`It has no effect as long as the DMARC policy is p=none.` : nothing;

export const judgeBimi = (
  wanted: WantedRecord,
  facts: TextFacts,
  { logoUrl, certificateUrl }: HostFacts['bimi'],
  policies: readonly (DmarcPolicy | null)[],
): Judgement => {
  const { texts } = facts;
  if (texts.answer.kind === 'failed') return unknown(wanted.name, texts.answer.reason);
  const found = joined(texts).filter(isBimi);
  const [text] = found;
  if (text === undefined) {
    const own =
      logoUrl === null
        ? say`Optional: a logo beside your mails. Put your own logo's address in l=.`
        : say`Optional.`;
    return absentText(wanted, facts, own);
  }
  if (found.length > 1)
    return {
      status: 'multiple',
      found,
      hint: say`There are ${found.length} BIMI records at ${wanted.name}, and receivers ignore them all. Leave only one.`,
    };
  const list = parseTagList(text);
  if (logoUrl === null && list.get('l') === '' && (list.get('a') ?? '') === '')
    return {
      status: 'ok',
      found,
      hint: say`This record declines: receivers show no logo. To have one shown, put your logo's address in l=.`,
      value: text,
    };
  const [problem] = list.problems;
  const logo = judgeLogo(list, parseTagList(wanted.value), logoUrl !== null);
  const certificate = judgeCertificate(list, certificateUrl);
  const broken = problem ? say`${quote(problem.text)} does not belong there: leave it out.` : nothing;
  const hint = sentences(broken, logo.fault, certificate.fault);
  if (isNothing(hint)) return { status: 'ok', found, hint: effectHint(policies), value: text };
  const others = list.tags.filter(({ name }) => !['v', 'l', 'a'].includes(name));
  const value = writeTagList([
    { name: 'v', value: 'BIMI1' },
    { name: 'l', value: logo.value },
    ...(certificate.value === null ? [] : [{ name: 'a', value: certificate.value }]),
    ...others,
  ]);
  return { status: 'mismatch', found, hint, value: `${value};` };
};

export const isTlsReport = (text: string): boolean => /^v=TLSRPTv1\s*(?:;|$)/.test(text);

export const judgeTlsReport = (wanted: WantedRecord, facts: TextFacts): Judgement => {
  const { texts } = facts;
  if (texts.answer.kind === 'failed') return unknown(wanted.name, texts.answer.reason);
  const found = joined(texts).filter(isTlsReport);
  const [text] = found;
  if (text === undefined) return absentText(wanted, facts);
  if (found.length > 1)
    return {
      status: 'multiple',
      found,
      hint: say`There are ${found.length} such records at ${wanted.name}, and senders ignore them all. Leave only one.`,
    };
  const reports = parseTagList(text).get('rua') ?? '';
  const addresses = reports.split(',').map((address) => address.trim());
  if (!addresses.every((address) => /^(?:mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/i.test(address)))
    return {
      status: 'mismatch',
      found,
      hint: say`Reports cannot go to ${quote(`rua=${reports}`)}: name a mailto: or https: address.`,
    };
  const ours = parseTagList(wanted.value).get('rua') ?? '';
  return {
    status: 'ok',
    found,
    hint: addresses.includes(ours) ? nothing : say`The reports go to others and are not seen here.`,
    value: text,
  };
};
