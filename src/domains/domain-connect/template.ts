// The Domain Connect template (draft-ietf-dconn-domainconnect) names the records that a DNS provider publishes for a
// host in one step. It goes into the providers' common repository as `<providerId>.<serviceId>.json`. Its records are
// derived from those that every host needs. Pure.

import type { CheckedRecord, RecordPurpose, WantedRecord } from '../records/host-check.ts';
import { wantedRecords } from '../records/wanted-records.ts';

export interface TemplateSettings {
  readonly providerId: string;
  readonly serviceId: string;
  readonly serviceName: string;
  readonly serviceHost: string;
  /** `https://mail.example.com` */
  readonly publicOrigin: string;
}

interface Grouped {
  /** Records of one group are applied together. */
  readonly groupId: string;
  /** Relative to the host; `@` is the host itself. */
  readonly host: string;
}

export type TemplateRecord = Grouped &
  (
    | { readonly type: 'CNAME'; readonly pointsTo: string; readonly ttl: number }
    | { readonly type: 'MX'; readonly pointsTo: string; readonly priority: number; readonly ttl: number }
    /** The provider merges it with the SPF record that exists. */
    | { readonly type: 'SPFM'; readonly spfRules: string }
    | {
        readonly type: 'TXT';
        readonly data: string;
        readonly ttl: number;
        /** The owner may change the record later without undoing the template. */
        readonly essential: 'OnApply';
        /** The record replaces one that begins like it. */
        readonly txtConflictMatchingMode: 'Prefix';
        readonly txtConflictMatchingPrefix: string;
      }
  );

export interface Template {
  readonly providerId: string;
  readonly providerName: string;
  readonly serviceId: string;
  readonly serviceName: string;
  readonly version: number;
  readonly description: string;
  readonly variableDescription: string;
  readonly syncBlock: boolean;
  readonly syncPubKeyDomain: string;
  readonly syncRedirectDomain: string;
  readonly hostRequired: boolean;
  readonly records: readonly TemplateRecord[];
}

/** Must grow with every change of the records: providers recognize a new version by it. */
const VERSION = 1;
const TTL_S = 3_600;
/** The limit of the repository. */
const MAX_NAME_CHARACTERS = 64;
/** One for each token of a host. */
export const tokenVariables = ['t1', 't2', 't3'] as const;

/** A template cannot contain what differs between hosts: a key or a logo of their own. */
const LEFT_OUT: ReadonlySet<RecordPurpose> = new Set(['dkim_imported', 'bimi']);
/** The name in the place of the host. It is its own organizational domain, so that all names are relative to it. */
const ANY_HOST = 'host.invalid';

const relativeName = (name: string, host: string): string =>
  name === host ? '@' : name.slice(0, -host.length - 1);

/** `v=spf1 include:spf.example ~all` becomes `include:spf.example`; the provider adds the rest. */
const spfRules = (text: string): string => text.replace(/^v=spf1 /, '').replace(/ [~?+-]?all$/, '');

const toTemplateRecord = ({ purpose, type, name, value, priority }: WantedRecord): TemplateRecord => {
  const grouped = { groupId: purpose, host: relativeName(name, ANY_HOST) };
  if (type === 'CNAME') return { type, ...grouped, pointsTo: value, ttl: TTL_S };
  if (type === 'MX') return { type, ...grouped, pointsTo: value, priority: priority ?? 0, ttl: TTL_S };
  if (value.startsWith('v=spf1 ')) return { type: 'SPFM', ...grouped, spfRules: spfRules(value) };
  return {
    type,
    ...grouped,
    data: value,
    ttl: TTL_S,
    essential: 'OnApply',
    txtConflictMatchingMode: 'Prefix',
    txtConflictMatchingPrefix: value.slice(0, value.indexOf(';')),
  };
};

export const templateRecords = (serviceHost: string): TemplateRecord[] => {
  const { records, inbound } = wantedRecords({
    host: ANY_HOST,
    kind: 'custom',
    serviceHost,
    keys: tokenVariables.map((variable) => ({ selector: `%${variable}%`, record: '', imported: false })),
    bimi: { logoUrl: null, certificateUrl: null },
  });
  return [...records, ...inbound].filter(({ purpose }) => !LEFT_OUT.has(purpose)).map(toTemplateRecord);
};

/** A per cent sign would begin a variable. */
const plainName = (name: string): string => name.replaceAll('%', '').slice(0, MAX_NAME_CHARACTERS);

export const domainConnectTemplate = ({
  providerId,
  serviceId,
  serviceName,
  serviceHost,
  publicOrigin,
}: TemplateSettings): Template => ({
  providerId,
  providerName: plainName(serviceName),
  serviceId,
  serviceName: 'Sending e-mail from your domain',
  version: VERSION,
  description:
    'Lets the service sign and send e-mail from the domain, take its bounces, and receive mail at a name below it.',
  variableDescription: 't1, t2, t3: the DKIM tokens that the service has given to the host',
  syncBlock: false,
  syncPubKeyDomain: serviceHost,
  syncRedirectDomain: new URL(publicOrigin).hostname,
  hostRequired: false,
  records: templateRecords(serviceHost),
});

/** Name and type of a template's record after it was applied to a host. */
export const appliedTo = (
  record: TemplateRecord,
  host: string,
): { name: string; type: WantedRecord['type'] } => ({
  name: record.host === '@' ? host : `${record.host}.${host}`,
  type: record.type === 'SPFM' ? 'TXT' : record.type,
});

export interface MissingRecords {
  /** Ids in the template's order, each with the names of its TXT records. */
  readonly groups: readonly { readonly id: string; readonly texts: readonly string[] }[];
  /** Missing records that the owner must add by hand. */
  readonly byHand: readonly CheckedRecord[];
}

/**
 * Finds the groups of the template that a host still needs, by its last check. Some providers replace existing records
 * without asking, so a TXT is asked for only if there is none. `variables` maps the template's variables to the host's
 * tokens.
 */
export const missingGroups = (
  template: readonly TemplateRecord[],
  host: string,
  variables: ReadonlyMap<string, string>,
  checked: readonly CheckedRecord[],
): MissingRecords => {
  const fill = (text: string): string =>
    text.replace(/%(\w+)%/g, (whole, variable: string) => variables.get(variable) ?? whole);
  const templateOf = ({ name, type }: CheckedRecord): TemplateRecord | undefined =>
    template.find((record) => {
      const applied = appliedTo(record, host);
      return fill(applied.name) === name && applied.type === type;
    });
  const texts = new Map<string, string[]>();
  const byHand: CheckedRecord[] = [];
  for (const record of checked) {
    if (record.status === 'ok') continue;
    const found = templateOf(record);
    // A template is the same for all hosts, so it cannot copy the policy of a host's domain.
    const isOther = found?.type === 'TXT' && found.data !== record.value;
    const isSafe = record.status === 'missing' || (record.type !== 'TXT' && record.status !== 'error');
    if (found === undefined || isOther || !isSafe) byHand.push(record);
    else
      texts.set(found.groupId, [
        ...(texts.get(found.groupId) ?? []),
        ...(record.type === 'TXT' ? [record.name] : []),
      ]);
  }
  const order = [...new Set(template.map(({ groupId }) => groupId))];
  return {
    groups: order.filter((id) => texts.has(id)).map((id) => ({ id, texts: texts.get(id) ?? [] })),
    byHand,
  };
};
