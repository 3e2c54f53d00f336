// Checks the records of a host: looks up everything at the same time, then a judge for each kind of record says what is
// right and what to do. A failed lookup is `error`, never `missing`.
import type { DnsLookup } from '#src/kernel/dns-lookup.ts';
import { say } from '#src/kernel/say.ts';
import type {
  CheckedRecord,
  DnsConflict,
  HostCheck,
  HostFacts,
  WantedRecord,
} from '../records/host-check.ts';
import { apexOf, wantedRecords } from '../records/wanted-records.ts';
import { askForText } from './absence.ts';
import { askForAlias, judgeDkimAlias, judgePolicyAlias } from './alias.ts';
import { type CheckLookup, createCheckLookup } from './check-lookup.ts';
import { judgeImportedKey } from './dkim-record.ts';
import { type DmarcJudgement, isDmarc, judgeDmarc, judgeDmarcCopy } from './dmarc.ts';
import { checked, type Judgement, sentences } from './judgement.ts';
import { askForMx, judgeMx, judgeOwnMx } from './mail-exchange.ts';
import { isBimi, isTlsReport, judgeBimi, judgeTlsReport } from './optional-texts.ts';
import { askForSpf, judgeSpf } from './spf.ts';

const NOTHING_TO_DO = say`That is for the operator to put right; there is nothing for you to do.`;

interface Scene {
  readonly cached: CheckLookup;
  readonly facts: HostFacts;
  /** Zones that a provider may append to an entered name. */
  readonly zones: readonly string[];
  /** The judgements of apex and host, each looked up once. */
  readonly policies: Promise<readonly DmarcJudgement[]>;
}

const checkDmarc = async (
  cached: CheckLookup,
  facts: HostFacts,
  zones: readonly string[],
): Promise<readonly DmarcJudgement[]> => {
  const { records } = wantedRecords(facts);
  const original = records.find(({ purpose }) => purpose === 'dmarc');
  const copy = records.find(({ purpose }) => purpose === 'dmarc_subdomain');
  if (!original) return [];
  const [found, foundCopy] = await Promise.all([
    askForText(cached, original, zones, isDmarc),
    copy ? askForText(cached, copy, zones, isDmarc) : null,
  ]);
  const judgement = judgeDmarc(original, found, facts);
  return copy && foundCopy
    ? [judgement, judgeDmarcCopy(copy, foundCopy, facts, { name: original.name, judgement })]
    : [judgement];
};

const keyOf = (facts: HostFacts, { name }: WantedRecord): string =>
  facts.keys.find(({ selector }) => name === `${selector}._domainkey.${facts.host}`)?.record ?? '';

const judge = async (wanted: WantedRecord, scene: Scene): Promise<Judgement> => {
  const { cached, facts, zones, policies } = scene;
  switch (wanted.purpose) {
    case 'dkim':
      return judgeDkimAlias(wanted, await askForAlias(cached, wanted, zones), keyOf(facts, wanted));
    case 'dkim_imported':
      return judgeImportedKey(wanted.name, await cached.texts(wanted.name), wanted.value);
    case 'spf':
    case 'mail_from_spf':
      return judgeSpf(wanted, await askForSpf(cached, wanted, zones, facts.serviceHost), facts.serviceHost);
    case 'mail_from_mx':
    case 'inbound_mx':
      return judgeMx(wanted, await askForMx(cached, wanted, zones));
    case 'dmarc':
    case 'dmarc_subdomain': {
      const judgements = await policies;
      const judgement = wanted.purpose === 'dmarc' ? judgements[0] : judgements[1];
      if (!judgement) throw new Error(`no judgement of ${wanted.name}`);
      return judgement;
    }
    case 'bimi': {
      const found = await askForText(cached, wanted, zones, isBimi);
      return judgeBimi(
        wanted,
        found,
        facts.bimi,
        (await policies).map(({ policy }) => policy),
      );
    }
    case 'mta_sts':
    case 'mta_sts_policy':
      return judgePolicyAlias(wanted, await askForAlias(cached, wanted, zones));
    case 'tls_rpt':
      return judgeTlsReport(wanted, await askForText(cached, wanted, zones, isTlsReport));
    default:
      return wanted.purpose satisfies never;
  }
};

/** The records of a managed host are in the operator's zone, so its tenant cannot follow advice on them. */
const asOfOperator = (record: CheckedRecord): CheckedRecord => {
  if (record.status === 'ok') return record;
  const known =
    record.status === 'error' ? record.hint : say`The operator's zone does not hold it as it should.`;
  return { ...record, hint: sentences(known, NOTHING_TO_DO) };
};

const conflictsOf = async (cached: CheckLookup, { host, kind, serviceHost }: HostFacts, apex: string) => {
  // The zone of a managed host is the service's own.
  const names = kind === 'managed' ? [] : [...new Set([apex, host])];
  const found = await Promise.all(
    names.map(async (name) => judgeOwnMx(name, await cached.mx(name), serviceHost, `in.${host}`)),
  );
  return found.filter((conflict): conflict is DnsConflict => conflict !== null);
};

/** Looks up everything that the host should have. Never rejects; takes as long as the slowest lookup. */
export const checkHost = async (lookup: DnsLookup, facts: HostFacts): Promise<HostCheck> => {
  const cached = createCheckLookup(lookup);
  const wanted = wantedRecords(facts);
  const apex = apexOf(facts);
  const zones = [...new Set([apex, facts.host])];
  const scene: Scene = { cached, facts, zones, policies: checkDmarc(cached, facts, zones) };
  const check = (all: readonly WantedRecord[]): Promise<CheckedRecord[]> =>
    Promise.all(
      all.map(async (record) => {
        const result = checked(record, await judge(record, scene));
        return facts.kind === 'managed' ? asOfOperator(result) : result;
      }),
    );
  const [records, inbound, conflicts] = await Promise.all([
    check(wanted.records),
    check(wanted.inbound),
    conflictsOf(cached, facts, apex),
  ]);
  const tokens = records.filter(({ purpose }) => purpose === 'dkim');
  return {
    host: facts.host,
    records,
    inbound,
    conflicts,
    ok: records.every(({ required, status }) => !required || status === 'ok') && conflicts.length === 0,
    dkimVerified: tokens.length > 0 && tokens.every(({ status }) => status === 'ok'),
  };
};
