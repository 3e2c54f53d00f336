// Opens the room of insight: the reports that a practice gets about itself.
import type { Base, Room } from '#src/kernel/base.ts';
import { upstreamsOutsideSpf } from '#src/kernel/config/sender-policy.ts';
import type { ExportTable } from '#src/kernel/export-table.ts';
import type { ProveAuthor } from '#src/mail/domain-report.ts';
import type { Receives } from '#src/mail/reception.ts';
import { domainReportRoutes } from './domain-reports/routes.ts';
import { oldReports } from './domain-reports/store.ts';
import { exportRoutes } from './export-routes.ts';
import { personalData } from './personal-data.ts';
import { type PreviewSources, previewRoutes } from './preview/routes.ts';
import { createOriginProbe } from './public-origin.ts';
import { insightRoutes } from './routes.ts';

export const openInsight = (base: Base, proveAuthor: ProveAuthor, sources: PreviewSources) => {
  const { config, storage, clock, simulatorDomain } = base;
  const { service, upstreams, dns } = config();
  const outsideSpf = upstreamsOutsideSpf(upstreams, service.host, dns.zones);
  const origin = createOriginProbe(service.public_origin, clock);
  /** Loaded with the first report. */
  const openReports = async () => {
    const { createDomainReports } = await import('./domain-reports/receive.ts');
    return createDomainReports(base, proveAuthor, () => [
      ...config().dns.zones.addresses,
      ...config().dns.zones.spf_addresses,
    ]);
  };
  let reports: ReturnType<typeof openReports> | null = null;
  const receives: Pick<Receives<unknown>, 'domainReport'> = {
    domainReport: async (mail) => {
      reports ??= openReports();
      return (await reports)(mail);
    },
  };
  return {
    personalData,
    oldRows: oldReports,
    routes: [
      ...insightRoutes({
        storage,
        files: storage.tenants,
        clock,
        installation: {
          publicOrigin: service.public_origin,
          deliveringUpstreams: upstreams.filter(({ kind }) => kind !== 'capture').map(({ name }) => name),
        },
        serviceHost: service.host,
        outsideSpf: ({ id, slug }) =>
          outsideSpf
            .filter(({ for: named }) => named?.practices?.some((one) => one === id || one === slug) ?? true)
            .map(({ name }) => name),
        simulatorDomain,
        testers: () => config().safe_mode.placement_testers,
        origin,
      }),
      ...domainReportRoutes(storage.tenants),
      ...previewRoutes(storage.tenants, sources, service.public_origin, clock),
    ],
    /** The routes of the tables that all rooms hand in. */
    exportRoutes: (tables: Readonly<Record<string, ExportTable>>) =>
      exportRoutes({ files: storage.tenants, clock }, tables),
    receives,
    /** Ends the request of the origin probe; it makes no further ones. */
    stop: () => origin.stop(),
  } satisfies Room & Record<string, unknown>;
};
