// Whether opens and clicks are tracked. The settings of the message or its template come first; else its route decides, for
// kinds that may be tracked by default. The service's own mail is never tracked. Pure.
import type { FindingWords } from '#src/intake/content/rate-content.ts';
import type { Language } from '#src/kernel/language.ts';
import { delicateKinds, type Kind, kinds } from '#src/messages/kinds.ts';
import type { Draft } from './draft.ts';
import type { Verdict } from './gate.ts';

interface Tracking {
  readonly track_opens: boolean;
  readonly track_clicks: boolean;
}

interface TrackingRoute {
  readonly track_opens: 0 | 1;
  readonly track_clicks: 0 | 1;
}

export const trackingOf = (
  given: Draft['settings'],
  kind: Kind,
  route: TrackingRoute,
  source: string,
): Tracking => {
  if (source === 'system') return { track_opens: false, track_clicks: false };
  const asRoute = (flag: 0 | 1): boolean => kinds[kind].tracking === 'as its route' && flag === 1;
  return {
    track_opens: given.track_opens ?? asRoute(route.track_opens),
    track_clicks: given.track_clicks ?? asRoute(route.track_clicks),
  };
};

export const isDelicate = ({ track_opens, track_clicks }: Draft['settings'], kind: Kind): boolean =>
  (track_opens === true || track_clicks === true) && delicateKinds.has(kind);

export const TRACKING_GATE = 'tracking';
export const warnsOfTracking = (verdicts: readonly Verdict[]): boolean =>
  verdicts.some(({ gate, verdict }) => gate === TRACKING_GATE && verdict === 'warned');

/** The id of the warning about that. */
export const DELICATE_TRACKING = 'tracking_on_kind';
export const delicateWords: Readonly<Record<Language, FindingWords>> = {
  de: {
    why: 'In einer Mail über einen Termin, zur Vorsorge oder zur Bestätigung einer Anmeldung werden Öffnungen oder Klicks erfasst. Dafür fehlt in der Regel die Einwilligung (§ 25 TDDDG).',
    advice: 'Schalten Sie track_opens und track_clicks für die Arten termin, recall und doi aus.',
  },
  en: {
    why: 'Opens or clicks are tracked in a mail about an appointment, a check-up or the confirmation of a subscription. As a rule no one has consented to that (§ 25 TDDDG).',
    advice: 'Turn track_opens and track_clicks off for the kinds termin, recall and doi.',
  },
};
