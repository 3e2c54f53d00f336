// What the simulated DNS says. Records are published as the API lists them.

export type Zones = Map<string, Record<string, unknown[]>>;

export interface PublishedRecord {
  readonly name: string;
  readonly type: string;
  readonly value: string;
  readonly priority: number | null;
}

const recordOf = ({ type, value, priority }: PublishedRecord): unknown => {
  if (type === 'MX') return { exchange: value.replace(/\.$/, ''), priority: priority ?? 10 };
  if (type === 'TXT') return [value];
  return value.replace(/\.$/, '');
};

export const publish = (zones: Zones, records: readonly PublishedRecord[]): void => {
  for (const record of records) {
    const name = record.name.toLowerCase().replace(/\.$/, '');
    const zone = zones.get(name) ?? {};
    zone[record.type] = [recordOf(record)];
    zones.set(name, zone);
  }
};

/** Each starts with the same zones; what is published in one is not in another. */
export const copyZones = (zones: Zones): Zones =>
  new Map([...zones].map(([name, records]) => [name, { ...records }]));
