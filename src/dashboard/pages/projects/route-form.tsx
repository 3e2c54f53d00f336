// A route: a new one, or what may be changed of one that is there.
import type { Project, Route } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { toast } from '#dashboard/parts/feedback.tsx';
import { CheckField, Form, named, SelectField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export const RouteForm = ({
  id,
  route,
  projects,
  onDone,
}: {
  readonly id: string;
  readonly route?: Route;
  readonly projects: readonly Project[];
  readonly onDone: () => void;
}) => {
  const w = translated(words);
  const { fields, field } = useFields({
    name: route?.name ?? '',
    type: route?.type ?? 'transactional',
    project_id: route?.project_id ?? '',
    track_opens: route?.track_opens ?? false,
    track_clicks: route?.track_clicks ?? false,
    plain_text_fallback: route?.plain_text_fallback ?? true,
    reply_address: route?.reply_address ?? '',
  });
  const action = useAction(async () => {
    const { type, project_id, ...rest } = fields;
    const reply_address = rest.reply_address.trim() || null;
    const name = rest.name.trim();
    const body = { ...rest, reply_address };
    if (route)
      await call('PATCH /api/practices/{id}/routes/{routeID}', {
        id,
        routeID: route.id,
        // The name may be the one in words, which the route has not.
        body: { ...body, name: name === route.name ? undefined : name, project_id: project_id || null },
      });
    else
      await call('POST /api/practices/{id}/routes', {
        id,
        body: { ...body, name, type, project_id: project_id || undefined },
      });
    toast(w.saved);
    onDone();
  });
  return (
    <Form action={action} submit={route ? w.save : w.create}>
      <TextField label={w.name} required {...field('name')} />
      {route === undefined && (
        <SelectField
          label={w.stream}
          hint={w.streamHints[fields.type]}
          options={w.streams}
          {...field('type')}
        />
      )}
      <SelectField
        label={w.project}
        options={{
          '': w.allProjects,
          ...named(
            projects.filter(({ id: one, archived_at }) => archived_at === null || one === fields.project_id),
          ),
        }}
        {...field('project_id')}
      />
      <TextField
        label={w.replyTo}
        hint={w.replyOfProject}
        optional
        type="email"
        {...field('reply_address')}
      />
      <CheckField label={w.trackOpens} hint={w.trackOpensHint} {...field('track_opens')} />
      <CheckField label={w.trackClicks} hint={w.trackClicksHint} {...field('track_clicks')} />
      <CheckField label={w.plainText} hint={w.plainTextHint} {...field('plain_text_fallback')} />
    </Form>
  );
};
