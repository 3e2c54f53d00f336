// A route: a new one, or what may be changed of one that is there.
import type { Project, Route } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction } from '#dashboard/data.ts';
import { inWords } from '#dashboard/given-names.ts';
import { toast } from '#dashboard/parts/feedback.tsx';
import { CheckField, Form, named, SelectField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './words/de.ts';

export const RouteForm = ({
  id,
  record,
  onTake = () => {},
  projects,
  onDone,
}: {
  readonly id: string;
  /** Absent: a new one. */
  readonly record?: Route;
  readonly onTake?: (current: Route) => void;
  readonly projects: readonly Project[];
  readonly onDone: () => void;
}) => {
  const w = translated(words);
  const [route] = record ? inWords([record]) : [];
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
    if (record)
      await call(
        'PATCH /api/practices/{id}/routes/{routeID}',
        {
          ...{ id, routeID: record.id },
          // The name may be the one in words, which the route has not.
          body: { ...body, name: name === route?.name ? undefined : name, project_id: project_id || null },
        },
        {
          over: {
            record,
            names: {
              ...{ name: w.name, project_id: w.project, reply_address: w.replyTo },
              ...{ track_opens: w.trackOpens, track_clicks: w.trackClicks, plain_text_fallback: w.plainText },
            },
            values: { project_id: named(projects) },
            take: onTake,
          },
        },
      );
    else
      await call('POST /api/practices/{id}/routes', {
        id,
        body: { ...body, name, type, project_id: project_id || undefined },
      });
    toast(w.saved);
    onDone();
  });
  return (
    <Form action={action} submit={record ? w.save : w.create}>
      <TextField label={w.name} required {...field('name')} />
      {record === undefined && (
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
