// Opens the room of insight: the reports that a practice gets about itself.
import type { Base, Room } from '#src/kernel/base.ts';
import { upstreamsOutsideSpf } from '#src/kernel/config/sender-policy.ts';
import type { ProveAuthor } from '#src/mail/domain-report.ts';
import type { DomainReportMail, DomainReportOutcome } from './domain-reports/receive.ts';
import { domainReportRoutes } from './domain-reports/routes.ts';
import { exportRoutes } from './exports/routes.ts';
import { type PreviewSources, previewRoutes } from './preview/routes.ts';
import { createOriginProbe } from './public-origin.ts';
import { insightRoutes } from './routes.ts';

export type Insight = ReturnType<typeof openInsight>;

export const openInsight = (
  { config, storage, clock, log, simulatorDomain }: Base,
  proveAuthor: ProveAuthor,
  sources: PreviewSources,
) => {
  const { service, upstreams, dns } = config();
  const outsideSpf = upstreamsOutsideSpf(upstreams, service.host, dns.zones);
  const origin = createOriginProbe(service.public_origin, clock);
  /** Loaded with the first report. */
  const openReports = async () => {
    const { createDomainReports } = await import('./domain-reports/receive.ts');
    return createDomainReports({
      storage,
      clock,
      log,
      proveAuthor,
      relays: () => [...config().dns.zones.addresses, ...config().dns.zones.spf_addresses],
    });
  };
  let reports: ReturnType<typeof openReports> | null = null;
  return {
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
      ...exportRoutes({ files: storage.tenants, clock }),
      ...previewRoutes({ files: storage.tenants, sources, origin: service.public_origin, clock }),
    ],
    /** Mail to the addresses for reports about domains. */
    receiveDomainReport: async (mail: DomainReportMail): Promise<DomainReportOutcome> => {
      reports ??= openReports();
      return (await reports)(mail);
    },
    /** Ends the request of the origin probe; it makes no further ones. */
    stop: () => origin.stop(),
  } satisfies Room & Record<string, unknown>;
};
