// What people monitor by: the document, the alerts and the dashboard name the metrics that a daemon prints, and no others. The tables of
// the document are printed where they differ.
// @module-tag slow
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { startApp } from '#test/support/app.ts';
import { createCertificate } from '#test/support/certificate.ts';
import { type Printed, scrape } from '#test/support/metrics.ts';

const ALERTS = 'config/prometheus/alerts.yaml';
const RULES_TEST = 'test/operations/metrics/alerts.test.yaml';
const DASHBOARD = 'config/grafana/sendwerk.json';
const DOCUMENT = 'docs/operate/monitoring.md';
/** What Prometheus itself says of a scrape. */
const OF_PROMETHEUS = ['up'];

const alertsSchema = z.strictObject({
  groups: z.tuple([
    z.strictObject({
      name: z.literal('sendwerk'),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Sendwerk[A-Z]\w+$/),
          expr: z.string(),
          for: z.string().regex(/^\d+[mhd]$/),
          labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.strictObject({ summary: z.string().min(10), action: z.string().min(40) }),
        }),
      ),
    }),
  ]),
});
type Alert = z.infer<typeof alertsSchema>['groups'][0]['rules'][number];

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

let printed: Printed;
let alerts: readonly Alert[];
let panels: readonly Panel[];
beforeAll(async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'monitoring-'));
  const { certificate, key } = createCertificate(['mail.example.com']);
  const tls = { cert: path.join(home, 'mail.crt'), key: path.join(home, 'mail.key') };
  await writeFile(tls.cert, certificate);
  await writeFile(tls.key, key, { mode: 0o600 });
  const app = await startApp({
    config: {
      metrics: { listen: '127.0.0.1:0' },
      backup: { dir: home },
      smtp: { inbound: { listen: '127.0.0.1:0', tls } },
    },
  });
  try {
    printed = await scrape(app.metricsPort);
  } finally {
    await app.remove();
    await rm(home, { recursive: true });
  }
  alerts = alertsSchema.parse(parse(await readFile(ALERTS, 'utf8'))).groups[0].rules;
  panels = JSON.parse(await readFile(DASHBOARD, 'utf8')).panels;
});

/** Every name that may be asked for: of a histogram those of its series. */
const askable = (): Set<string> =>
  new Set(
    printed.metrics.flatMap(({ name, type }) =>
      type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : [name],
    ),
  );
/** Names of metrics in a query: words that are neither functions nor inside of labels, strings or `by (…)`. */
const namesIn = (query: string): string[] =>
  query
    .replace(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, '')
    .replace(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, '')
    .match(/\b[a-z]\w*\b(?!\s*\()/g)
    ?.filter((name) => !['and', 'or', 'unless', 'sum', 'max', 'min'].includes(name)) ?? [];
const unknown = (queries: readonly string[]): string[] => {
  const known = askable();
  return queries.flatMap(namesIn).filter((name) => !known.has(name) && !OF_PROMETHEUS.includes(name));
};
const queriesOfPanels = (): string[] => panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

const labelsOf = (metric: string): string[] => {
  const own = [...printed.series.keys()].filter((one) =>
    new RegExp(`^${metric}(?:_bucket|_sum|_count)?(?:\\{|$)`).test(one),
  );
  const labels = own.flatMap((one) => [...one.matchAll(/[{,](\w+)="/g)].map(([, label = '']) => label));
  return [...new Set(labels)].filter((label) => label !== 'le').sort();
};
const table = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

describe('the alerts', () => {
  test('each says how bad it is, for how long, what it means and what to do; and asks for metrics that there are', () => {
    expect(alerts).toHaveLength(15);
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
    expect(alerts.map(({ expr }) => namesIn(expr).length).filter((names) => names === 0)).toEqual([]);
    expect(unknown(alerts.map(({ expr }) => expr))).toEqual([]);
  });

  test('promtool takes the rules, and they fire when they should', { tags: 'debian/prometheus' }, () => {
    const promtool = (...command: readonly string[]) =>
      execFileSync('/usr/bin/promtool', command, { encoding: 'utf8' });
    expect(promtool('check', 'rules', ALERTS)).toContain(`SUCCESS: ${alerts.length} rules found`);
    expect(promtool('test', 'rules', RULES_TEST)).toContain('SUCCESS');
  });

  test('the document has each of them', async () => {
    const rows = alerts.map(({ alert, labels, for: how, annotations }) => [
      `\`${alert}\``,
      labels.severity,
      how,
      annotations.action,
    ]);
    const wanted = table(['alert', 'severity', 'for', 'what to do'], rows);
    expect(await readFile(DOCUMENT, 'utf8')).toContain(`\n${wanted}\n\n`);
  });
});

describe('the dashboard', () => {
  test('asks for metrics that there are, and for each of them', () => {
    expect(unknown(queriesOfPanels())).toEqual([]);
    const asked = new Set(queriesOfPanels().flatMap(namesIn));
    const left = printed.metrics.filter(
      ({ name }) => !asked.has(name) && !asked.has(`${name}_bucket`) && !asked.has(`${name}_count`),
    );
    expect(left.map(({ name }) => name)).toEqual([]);
  });
});

describe('the metrics', () => {
  test('keep the conventions of Prometheus', () => {
    expect(printed.metrics.length).toBeGreaterThan(25);
    const odd = printed.metrics.filter(
      ({ name, type, help }) =>
        !/^sendwerk_[a-z_]+$/.test(name) ||
        (type === 'counter') !== name.endsWith('_total') ||
        (type === 'histogram' && !name.endsWith('_seconds')) ||
        !/^[A-Z1].*\.$/.test(help),
    );
    expect(odd).toEqual([]);
  });

  test('the document has each of them, as the daemon prints it', async () => {
    const rows = printed.metrics
      .map(({ name, type, help }) => [
        `\`${name}\``,
        type,
        labelsOf(name)
          .map((label) => `\`${label}\``)
          .join(', '),
        help,
      ])
      .sort(([a = ''], [b = '']) => a.localeCompare(b));
    const wanted = table(['metric', 'type', 'labels', 'what it is'], rows);
    expect(await readFile(DOCUMENT, 'utf8')).toContain(`\n${wanted}\n\n`);
  });
});
