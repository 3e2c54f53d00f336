// The tenant's own record, its projects and its routes, in its own file. They are read for each message and change seldom, so
// they are remembered; the rows that it returns are shared and frozen.
import { remembered, rememberedBy } from '#src/kernel/db/memory.ts';
import { perConnection, type TenantDb } from '#src/kernel/db/sqlite.ts';
import type { Stream } from '#src/kernel/stream.ts';
import { type LegalColumns, legalFields } from './legal.ts';
import type { Plan } from './rules.ts';

export interface PracticeRow extends LegalColumns {
  id: string;
  number: number;
  name: string;
  slug: string;
  managed_host: string;
  /** In use, because its DKIM has been verified. */
  custom_domain: string | null;
  custom_verified_at: number | null;
  /** Asked for, not verified yet; may replace `custom_domain`. */
  pending_domain: string | null;
  plan: Plan;
  purpose: 'practice' | 'system';
  safe_mode: 0 | 1;
  pause_reason: string | null;
  pause_by: 'guardrail' | 'member' | 'operator' | null;
  paused_at: number | null;
  /** The address to which answers to mail without a Reply-To go; null: to its mailbox here, while it receives mail. */
  reply_address: string | null;
  /** 0: mail without a Reply-To leaves without one. */
  adds_reply_to: 0 | 1;
  /** First verification of `custom_domain`. */
  warmup_started_at: number | null;
  /** When the operator approved it for going live. */
  approved_at: number | null;
  /** 1: the operator has switched safe mode on. Leaving it takes the approval, whatever the plan. */
  safe_mode_held: 0 | 1;
  bimi_logo_url: string | null;
  bimi_certificate_url: string | null;
  /** End of the last pause: the guardrail counts from there. */
  resumed_at: number | null;
  /** 0: the owners must still be notified of the present pause, or of the resumption. */
  pause_told: 0 | 1;
  /** Who paused or resumed it last, or what the guardrail counted. */
  pause_facts_json: string | null;
  /** Days, fewer than the configuration keeps; null: as it says. */
  keep_bodies: number | null;
  keep_attachments: number | null;
  keep_events: number | null;
  keep_messages: number | null;
  keep_consent_ip: number | null;
  keep_consent_user_agent: number | null;
  created_at: number;
}

export interface ProjectRow {
  id: string;
  name: string;
  slug: string;
  is_default: 0 | 1;
  archived_at: number | null;
  /** Null: as the practice says. */
  reply_address: string | null;
  created_at: number;
}

export interface RouteRow {
  id: string;
  slug: string;
  name: string;
  type: Stream;
  project_id: string | null;
  is_default: 0 | 1;
  track_opens: 0 | 1;
  track_clicks: 0 | 1;
  plain_text_fallback: 0 | 1;
  /** Null: as the project says. */
  reply_address: string | null;
  created_at: number;
}

type New<Row extends { reply_address: string | null }> = Omit<Row, 'reply_address'> &
  Partial<Pick<Row, 'reply_address'>>;

type NewPractice = Pick<
  PracticeRow,
  | 'id'
  | 'number'
  | 'name'
  | 'slug'
  | 'managed_host'
  | 'pending_domain'
  | 'plan'
  | 'purpose'
  | 'safe_mode'
  | 'created_at'
>;

/** What can change in a practice's row, except its domains, pause and retention. */
export type PracticeSettings = Pick<
  PracticeRow,
  | 'name'
  | 'plan'
  | 'safe_mode'
  | keyof LegalColumns
  | 'reply_address'
  | 'adds_reply_to'
  | 'approved_at'
  | 'safe_mode_held'
  | 'bimi_logo_url'
  | 'bimi_certificate_url'
>;

export type PracticePause = Pick<
  PracticeRow,
  'pause_reason' | 'pause_by' | 'paused_at' | 'resumed_at' | 'pause_told' | 'pause_facts_json'
>;

export type PracticeRetention = Pick<
  PracticeRow,
  | 'keep_bodies'
  | 'keep_attachments'
  | 'keep_events'
  | 'keep_messages'
  | 'keep_consent_ip'
  | 'keep_consent_user_agent'
>;

export type PracticeDomains = Pick<
  PracticeRow,
  'custom_domain' | 'custom_verified_at' | 'pending_domain' | 'warmup_started_at'
>;

export const tenantStore = perConnection((db: TenantDb) => {
  const insertPractice = db.prepare<NewPractice>(
    `INSERT INTO practice (only, id, number, name, slug, managed_host, pending_domain, plan, purpose, safe_mode, created_at)
     VALUES (1, :id, :number, :name, :slug, :managed_host, :pending_domain, :plan, :purpose, :safe_mode, :created_at)`,
  );
  const practice = db.prepare<[], PracticeRow>('SELECT * FROM practice');
  const updatePractice = db.prepare<PracticeSettings>(
    `UPDATE practice SET name = :name, plan = :plan, safe_mode = :safe_mode,
     ${legalFields.map((field) => `legal_${field} = :legal_${field}`).join(', ')}, reply_address = :reply_address,
     adds_reply_to = :adds_reply_to, approved_at = :approved_at, safe_mode_held = :safe_mode_held,
     bimi_logo_url = :bimi_logo_url, bimi_certificate_url = :bimi_certificate_url`,
  );
  const settle = db.prepare<Pick<PracticeRow, 'number' | 'slug' | 'managed_host'>>(
    'UPDATE practice SET number = :number, slug = :slug, managed_host = :managed_host',
  );
  const updateDomains = db.prepare<PracticeDomains>(
    `UPDATE practice SET custom_domain = :custom_domain, custom_verified_at = :custom_verified_at,
     pending_domain = :pending_domain, warmup_started_at = :warmup_started_at`,
  );
  const updatePause = db.prepare<PracticePause>(
    `UPDATE practice SET pause_reason = :pause_reason, pause_by = :pause_by, paused_at = :paused_at,
     resumed_at = :resumed_at, pause_told = :pause_told, pause_facts_json = :pause_facts_json`,
  );
  const updateRetention = db.prepare<PracticeRetention>(
    `UPDATE practice SET keep_bodies = :keep_bodies, keep_attachments = :keep_attachments,
     keep_events = :keep_events, keep_messages = :keep_messages, keep_consent_ip = :keep_consent_ip,
     keep_consent_user_agent = :keep_consent_user_agent`,
  );
  const insertProject = db.prepare<ProjectRow>(
    `INSERT INTO projects (id, name, slug, is_default, archived_at, reply_address, created_at)
     VALUES (:id, :name, :slug, :is_default, :archived_at, :reply_address, :created_at)`,
  );
  const updateProject = db.prepare<Pick<ProjectRow, 'id' | 'name' | 'archived_at' | 'reply_address'>>(
    `UPDATE projects SET name = :name, archived_at = :archived_at, reply_address = :reply_address
     WHERE id = :id`,
  );
  const projects = db.prepare<[], ProjectRow>('SELECT * FROM projects ORDER BY id');
  const project = db.prepare<[string], ProjectRow>('SELECT * FROM projects WHERE id = ?');
  const defaultProject = db.prepare<[], ProjectRow>('SELECT * FROM projects WHERE is_default = 1');
  const projectBySlug = db.prepare<[string], ProjectRow>('SELECT * FROM projects WHERE slug = ?');
  const insertRoute = db.prepare<RouteRow>(
    `INSERT INTO routes (id, slug, name, type, project_id, is_default, track_opens, track_clicks, plain_text_fallback,
                         reply_address, created_at)
     VALUES (:id, :slug, :name, :type, :project_id, :is_default, :track_opens, :track_clicks, :plain_text_fallback,
             :reply_address, :created_at)`,
  );
  const updateRoute = db.prepare<Omit<RouteRow, 'slug' | 'type' | 'is_default' | 'created_at'>>(
    `UPDATE routes SET name = :name, project_id = :project_id, track_opens = :track_opens,
     track_clicks = :track_clicks, plain_text_fallback = :plain_text_fallback, reply_address = :reply_address
     WHERE id = :id`,
  );
  const clearDefaultRoute = db.prepare('UPDATE routes SET is_default = 0 WHERE is_default = 1');
  const setDefaultRoute = db.prepare<[string]>('UPDATE routes SET is_default = 1 WHERE id = ?');
  const routes = db.prepare<[], RouteRow>('SELECT * FROM routes ORDER BY id');
  const route = db.prepare<[string, string], RouteRow>('SELECT * FROM routes WHERE id = ? OR slug = ?');
  const defaultRoute = db.prepare<[], RouteRow>('SELECT * FROM routes WHERE is_default = 1');

  const known = {
    practice: remembered(db, () => Object.freeze(practice.get())),
    defaultProject: remembered(db, () => Object.freeze(defaultProject.get())),
    project: rememberedBy(db, (id: string) => Object.freeze(project.get(id))),
    defaultRoute: remembered(db, () => Object.freeze(defaultRoute.get())),
    route: rememberedBy(db, (idOrSlug: string) => Object.freeze(route.get(idOrSlug, idOrSlug))),
  };
  /** Runs a write of these tables. */
  const write = (run: () => unknown): void => {
    run();
    for (const { forget } of Object.values(known)) forget();
  };

  return {
    insertPractice: (row: NewPractice): void => write(() => insertPractice.run(row)),
    /** What another installation gives it. */
    settle: (names: Pick<PracticeRow, 'number' | 'slug' | 'managed_host'>): void =>
      write(() => settle.run(names)),
    hasPractice: (): boolean => known.practice() !== undefined,
    /** Throws where the file is not a complete tenant's. */
    practice: (): Readonly<PracticeRow> => {
      const row = known.practice();
      if (!row) throw new Error(`${db.name} holds no practice`);
      return row;
    },
    updatePractice: (row: PracticeSettings): void => write(() => updatePractice.run(row)),
    updateDomains: (row: PracticeDomains): void => write(() => updateDomains.run(row)),
    updatePause: (row: PracticePause): void => write(() => updatePause.run(row)),
    updateRetention: (row: PracticeRetention): void => write(() => updateRetention.run(row)),
    insertProject: (row: New<ProjectRow>): void =>
      write(() => insertProject.run({ reply_address: null, ...row })),
    updateProject: (row: ProjectRow): void => write(() => updateProject.run(row)),
    projects: (): ProjectRow[] => projects.all(),
    project: (id: string): Readonly<ProjectRow> | undefined => known.project(id),
    projectBySlug: (slug: string): ProjectRow | undefined => projectBySlug.get(slug),
    defaultProject: (): Readonly<ProjectRow> => {
      const row = known.defaultProject();
      if (!row) throw new Error(`${db.name} holds no default project`);
      return row;
    },
    insertRoute: (row: New<RouteRow>): void => write(() => insertRoute.run({ reply_address: null, ...row })),
    updateRoute: (row: RouteRow): void => write(() => updateRoute.run(row)),
    makeDefaultRoute: (id: string): void =>
      write(() => {
        clearDefaultRoute.run();
        setDefaultRoute.run(id);
      }),
    routes: (): RouteRow[] => routes.all(),
    /** Takes an id or a slug. */
    route: (idOrSlug: string): Readonly<RouteRow> | undefined => known.route(idOrSlug),
    defaultRoute: (): Readonly<RouteRow> => {
      const row = known.defaultRoute();
      if (!row) throw new Error(`${db.name} holds no default route`);
      return row;
    },
  };
});
