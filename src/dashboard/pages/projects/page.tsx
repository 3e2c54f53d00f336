// Projects, which keep the mail of one site or program apart, and the routes by which mail leaves.
import type { Project, Route } from '#api';
import { call } from '#dashboard/api/call.ts';
import { useAction, useData } from '#dashboard/data.ts';
import { inWords } from '#dashboard/given-names.ts';
import { Badge, Button, Card, Head, Time } from '#dashboard/parts/basics.tsx';
import { Current } from '#dashboard/parts/current.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { curlOf, Empty, Loaded, toast } from '#dashboard/parts/feedback.tsx';
import { Form, TextField, useFields } from '#dashboard/parts/form.tsx';
import { both, FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { type Column, Table } from '#dashboard/parts/table.tsx';
import { may, practice } from '#dashboard/session.ts';
import { language, translated } from '#dashboard/words.ts';
import { RouteForm } from './route-form.tsx';
import { words } from './words/de.ts';

/** More than any practice has so far; the API gives at most so many at once. */
const ALL = 200;

interface Changing {
  readonly id: string;
  readonly onDone: () => void;
}

const ProjectForm = ({
  id,
  record,
  onTake = () => {},
  onDone,
}: Changing & { readonly record?: Project; readonly onTake?: (current: Project) => void }) => {
  const w = translated(words);
  const [project] = record ? inWords([record]) : [];
  const { fields, field } = useFields({
    name: project?.name ?? '',
    reply_address: project?.reply_address ?? '',
  });
  const action = useAction(async () => {
    const name = fields.name.trim();
    const reply_address = fields.reply_address.trim() || null;
    if (record)
      await call(
        'PATCH /api/practices/{id}/projects/{projectID}',
        {
          ...{ id, projectID: record.id },
          // The name may be the one in words, which the project has not.
          body: { name: name === project?.name ? undefined : name, reply_address },
        },
        { over: { record, names: { name: w.name, reply_address: w.replyTo }, take: onTake } },
      );
    else await call('POST /api/practices/{id}/projects', { id, body: { name, reply_address } });
    toast(w.saved);
    onDone();
  });
  return (
    <Form action={action} submit={record ? w.save : w.create}>
      <TextField label={w.name} required {...field('name')} />
      <TextField
        label={w.replyTo}
        hint={w.replyOfPractice}
        optional
        type="email"
        {...field('reply_address')}
      />
    </Form>
  );
};

const ProjectActions = ({ id, project, onDone }: Changing & { readonly project: Project }) => {
  const w = translated(words);
  const isArchived = project.archived_at !== null;
  const setArchived = async (archived: boolean): Promise<void> => {
    await call('PATCH /api/practices/{id}/projects/{projectID}', {
      id,
      projectID: project.id,
      body: { archived },
    });
    onDone();
  };
  const restore = useAction(() => setArchived(false));
  return (
    <div class="actions">
      <FormDialog button={w.change} title={project.name} kind="small">
        {(close) => (
          <Current of="GET /api/practices/{id}/projects/{projectID}" at={{ id, projectID: project.id }}>
            {(record, take) => (
              <ProjectForm id={id} record={record} onTake={take} onDone={both(close, onDone)} />
            )}
          </Current>
        )}
      </FormDialog>
      {isArchived ? (
        <Button
          text={w.restore}
          kind="small"
          disabled={restore.isRunning}
          onClick={() => void restore.run()}
        />
      ) : (
        !project.is_default && (
          <Confirm
            button={w.archive}
            title={w.archiveTitle(project.name)}
            text={w.archiveText}
            kind="danger"
            small
            onConfirm={() => setArchived(true)}
          />
        )
      )}
    </div>
  );
};

const RouteActions = ({
  id,
  route,
  projects,
  onDone,
}: Changing & { readonly route: Route; readonly projects: readonly Project[] }) => {
  const w = translated(words);
  return (
    <div class="actions">
      <FormDialog button={w.change} title={route.name} kind="small">
        {(close) => (
          <Current of="GET /api/practices/{id}/routes/{routeID}" at={{ id, routeID: route.id }}>
            {(record, take) => (
              <RouteForm
                id={id}
                record={record}
                onTake={take}
                projects={projects}
                onDone={both(close, onDone)}
              />
            )}
          </Current>
        )}
      </FormDialog>
      {!route.is_default && (
        <Confirm
          button={w.makeDefault}
          title={w.makeDefaultTitle(route.name)}
          text={w.makeDefaultText}
          small
          onConfirm={async () => {
            await call('POST /api/practices/{id}/routes/{routeID}/default', { id, routeID: route.id });
            onDone();
          }}
        />
      )}
    </div>
  );
};

const Tracking = ({ route: { track_opens, track_clicks } }: { readonly route: Route }) => {
  const w = translated(words);
  const measured = [track_opens ? w.opens : '', track_clicks ? w.clicks : ''].filter(Boolean);
  return measured.length === 0 ? <span class="quiet">{w.none}</span> : measured.join(', ');
};

const Projects = () => {
  const w = translated(words);
  const id = practice.value?.id ?? '';
  const data = useData(
    async (abort) => {
      const [projects, routes] = await Promise.all([
        call('GET /api/practices/{id}/projects', { id, limit: ALL }, { abort }),
        call('GET /api/practices/{id}/routes', { id, limit: ALL }, { abort }),
      ]);
      return { projects: inWords(projects.data), routes: inWords(routes.data) };
    },
    [id, language.value],
  );
  const changing = { id, onDone: data.reload };
  const projectColumns: readonly Column<Project>[] = [
    {
      head: w.name,
      isMain: true,
      cell: ({ name, is_default, archived_at }) => (
        <>
          {name} {is_default && <Badge tone="good">{w.default}</Badge>}
          {archived_at && <Badge tone="plain">{w.archived}</Badge>}
        </>
      ),
    },
    { head: w.slug, cell: ({ slug }) => <code>{slug}</code> },
    { head: w.created, cell: ({ created_at }) => <Time at={created_at} /> },
    ...(may('projects.manage')
      ? [
          {
            head: w.actions,
            align: 'end' as const,
            cell: (project: Project) => <ProjectActions {...changing} project={project} />,
          },
        ]
      : []),
  ];
  const routeColumns = (projects: readonly Project[]): readonly Column<Route>[] => [
    {
      head: w.name,
      isMain: true,
      cell: ({ name, is_default }) => (
        <>
          {name} {is_default && <Badge tone="good">{w.default}</Badge>}
        </>
      ),
    },
    { head: w.slug, cell: ({ slug }) => <code>{slug}</code> },
    {
      head: w.stream,
      cell: ({ type }) => <Badge tone={type === 'marketing' ? 'busy' : 'plain'}>{w.streams[type]}</Badge>,
    },
    {
      head: w.project,
      cell: ({ project_id }) =>
        project_id === null ? w.allProjects : projects.find((one) => one.id === project_id)?.name,
    },
    { head: w.measures, cell: (route) => <Tracking route={route} /> },
    ...(may('routes.manage')
      ? [
          {
            head: w.actions,
            align: 'end' as const,
            cell: (route: Route) => <RouteActions {...changing} route={route} projects={projects} />,
          },
        ]
      : []),
  ];
  const createRoute = (projects: readonly Project[]) =>
    may('routes.manage') && (
      <FormDialog button={w.newRoute}>
        {(close) => <RouteForm id={id} projects={projects} onDone={both(close, data.reload)} />}
      </FormDialog>
    );
  return (
    <>
      <Head title={w.title} intro={w.intro} />
      <Loaded data={data}>
        {({ projects, routes }) => (
          <>
            <Card
              title={w.projects}
              actions={
                may('projects.manage') && (
                  <FormDialog button={w.newProject}>
                    {(close) => <ProjectForm id={id} onDone={both(close, data.reload)} />}
                  </FormDialog>
                )
              }
            >
              {projects.length === 0 ? (
                <Empty
                  title={w.empty}
                  text={w.emptyText}
                  curl={curlOf(`practices/${id}/projects`, '{"name": "Webseite"}')}
                />
              ) : (
                <Table caption={w.projects} columns={projectColumns} rows={projects} />
              )}
            </Card>
            <Card title={w.routes} actions={createRoute(projects)}>
              <p class="quiet">{w.routesText}</p>
              <Table caption={w.routes} columns={routeColumns(projects)} rows={routes} />
            </Card>
          </>
        )}
      </Loaded>
    </>
  );
};

export default Projects;
