// Where a campaign goes: its lists, the kind and route of its messages, its project.
import { tenantStore } from '#src/accounts/tenants/store.ts';
import { type ListRow, listStore } from '#src/audience/lists/store.ts';
import { usualProject } from '#src/intake/evaluate.ts';
import type { TenantDb } from '#src/kernel/db/sqlite.ts';
import { AppError } from '#src/kernel/errors.ts';
import { say, type Text } from '#src/kernel/say.ts';
import { unfit } from '#src/kernel/validate.ts';
import { builtInRoute, campaignKind, type Kind, kinds } from '#src/messages/kinds.ts';
import type { CampaignBody } from './schema.ts';
import type { CampaignRow } from './store.ts';

/** The lists that there are, in the campaign's order. */
export const listsOf = (db: TenantDb, { list_ids_json }: Pick<CampaignRow, 'list_ids_json'>): ListRow[] =>
  (JSON.parse(list_ids_json) as string[]).flatMap((id) => listStore(db).byId(id) ?? []);

const namedLists = (db: TenantDb, { list_id, list_ids }: CampaignBody): ListRow[] | null => {
  if (list_id === undefined && list_ids === undefined) return null;
  if (list_id !== undefined && list_ids !== undefined)
    throw unfit([{ path: 'body.list_id', message: say`cannot be given beside list_ids` }]);
  return [...new Set(list_ids ?? [list_id ?? ''])].map((id) => {
    const list = listStore(db).byId(id);
    if (!list) throw new AppError('not_found', say`There is no list ${id}.`);
    if (list.archived_at !== null) throw new AppError('conflict', say`The list ${list.name} is archived.`);
    return list;
  });
};

const refuseKind = (message: Text, hint: Text): AppError =>
  new AppError('kind_not_allowed_on_route', message, { hint });

const requireChannel = ({ name, channel }: ListRow, kind: Kind): void => {
  const usual = campaignKind(channel);
  if (usual === kind) return;
  if (usual === undefined)
    throw refuseKind(
      say`Campaigns are marketing, and the people on the list ${name} agreed to ${channel} mail only.`,
      say`Choose lists of the channels newsletter and other; appointments and reminders are sent with POST /api/practices/{id}/send.`,
    );
  throw new AppError(
    'consent_required',
    say`The people on the list ${name} agreed to mail of the channel ${channel}, not to messages of kind ${kind}.`,
    { hint: say`Use message_kind ${usual} for it, and lists of one channel only.`, extra: { missing: [] } },
  );
};

export type Selection = Pick<CampaignRow, 'project_id' | 'route_id' | 'message_kind' | 'list_ids_json'>;

/** Throws `not_found`, `conflict`, `kind_not_allowed_on_route` and `consent_required`. */
export const select = (db: TenantDb, body: CampaignBody, former: Selection | null): Selection => {
  const store = tenantStore(db);
  const named = namedLists(db, body);
  const lists = named ?? (former ? listsOf(db, former) : []);
  const [first] = lists;
  if (first === undefined) throw unfit([{ path: 'body.list_id', message: say`is required` }]);
  const message_kind =
    body.message_kind ??
    (named === null ? former?.message_kind : undefined) ??
    campaignKind(first.channel) ??
    'newsletter';
  if (kinds[message_kind].stream !== 'marketing')
    throw refuseKind(
      say`A campaign cannot have messages of kind ${message_kind}.`,
      say`Campaigns are of the kinds newsletter and custom.`,
    );
  for (const list of lists) requireChannel(list, message_kind);

  const project_id =
    body.project_id === undefined && former
      ? former.project_id
      : (usualProject(db, { projects: null, projectId: body.project_id ?? null }) ?? '');
  const project = store.project(project_id);
  if (!project) throw new AppError('not_found', say`There is no such project.`);
  if (project.archived_at !== null)
    throw new AppError('conflict', say`The project is archived and does not send.`);

  const name = body.route ?? former?.route_id ?? builtInRoute.marketing;
  const route = store.route(name);
  if (!route || (route.project_id !== null && route.project_id !== project_id))
    throw new AppError('not_found', say`There is no route ${JSON.stringify(name)} in this project.`);
  if (route.type !== 'marketing')
    throw refuseKind(
      say`The route ${route.slug} is not for marketing.`,
      say`Use broadcast or another marketing route.`,
    );
  return {
    project_id,
    route_id: route.id,
    message_kind,
    list_ids_json: JSON.stringify(lists.map(({ id }) => id)),
  };
};
