// A campaign before it is sent: written, checked against the people who would get it, tested, scheduled or sent.
import { useState } from 'preact/hooks';
import type { Campaign, CampaignAudience, CampaignCondition, CampaignFields, Score } from '#api';
import { call } from '#dashboard/api/call.ts';
import { allPages, useAction, useData } from '#dashboard/data.ts';
import { Badge, Button, Card } from '#dashboard/parts/basics.tsx';
import {
  type Content,
  ContentFields,
  contentNames,
  contentOf,
  sentContent,
  type Values,
} from '#dashboard/parts/content.tsx';
import { Confirm } from '#dashboard/parts/dialog.tsx';
import { held } from '#dashboard/parts/draft.tsx';
import { ErrorNote, Loaded, Note, toast } from '#dashboard/parts/feedback.tsx';
import { Form, named, SelectField, TextField, useFields } from '#dashboard/parts/form.tsx';
import { FormDialog } from '#dashboard/parts/form-dialog.tsx';
import { practiceValues } from '#dashboard/parts/placeholders.ts';
import { SegmentBuilder, wholeOf } from '#dashboard/parts/segment/segment.tsx';
import { account, may } from '#dashboard/session.ts';
import { moment, number, translated } from '#dashboard/words.ts';
import { LeftOut } from './left-out.tsx';
import { words } from './words/de.ts';

export interface CampaignProps {
  readonly id: string;
  readonly campaign: Campaign;
  readonly onChanged: (campaign: Campaign) => void;
}

interface Checked {
  readonly audience: CampaignAudience;
  readonly score: Score;
}

const tones = { low: 'good', medium: 'warn', high: 'bad' } as const;

const Judgement = ({ score }: { readonly score: Score }) => {
  const w = translated(words);
  const faults = [...score.reasons, ...score.warnings];
  return (
    <div class="stack">
      <p>
        <Badge tone={tones[score.inbox_risk]}>{w.grades[score.inbox_risk]}</Badge>
      </p>
      {(score.would_block || score.would_refuse) && (
        <Note kind="bad">
          <p>
            <strong>{w.blocked}</strong>
          </p>
          <p>{score.hint ?? score.would_refuse}</p>
        </Note>
      )}
      {faults.length === 0 ? (
        <p class="quiet">{w.nothing}</p>
      ) : (
        <ul>
          {faults.map(({ id, why, advice }) => (
            <li key={id}>
              {why} <span class="quiet">{advice}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
};

const Schedule = ({ id, campaign, onChanged, count }: CampaignProps & { readonly count: number }) => {
  const w = translated(words);
  const [at, setAt] = useState('');
  const action = useAction(async () => {
    const body = { schedule_at: at, time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone };
    onChanged(
      await call('POST /api/practices/{id}/campaigns/{campaignID}/schedule', {
        id,
        campaignID: campaign.id,
        body,
      }),
    );
  });
  return (
    <Form action={action} submit={w.scheduleIt(count)}>
      <TextField label={w.at} type="datetime-local" path="schedule_at" required value={at} onValue={setAt} />
    </Form>
  );
};

const Ready = (props: CampaignProps & { readonly checked: Checked }) => {
  const { id, campaign, onChanged, checked } = props;
  const w = translated(words);
  const { audience, score } = checked;
  const count = audience.will_receive;
  const at = { id, campaignID: campaign.id };
  const test = useAction(async () => {
    const to = account.value?.email ?? '';
    await call('POST /api/practices/{id}/campaigns/{campaignID}/test', { ...at, body: { to: [to] } });
    toast(w.tested(to));
  });
  const send = async (): Promise<void> => {
    onChanged(await call('POST /api/practices/{id}/campaigns/{campaignID}/send', at));
    toast(w.sending);
  };
  return (
    <Card title={w.ready}>
      <div class="columns">
        <div class="stack">
          <h3>{w.receive}</h3>
          <p>
            <strong class="large">{w.people(count)}</strong>{' '}
            <span class="quiet">{w.ofPeople(audience.people)}</span>
          </p>
          <LeftOut counts={audience.left_out} placeholders={audience.placeholders} />
          {count === 0 && <Note kind="bad">{w.nobody}</Note>}
          {campaign.unknown_fields.length > 0 && (
            <Note kind="warn">{w.unknown(campaign.unknown_fields.join(', '))}</Note>
          )}
        </div>
        <div class="stack">
          <h3>{w.score}</h3>
          <Judgement score={score} />
        </div>
      </div>
      <ErrorNote error={test.error} />
      {may('messages.send') && (
        <div class="actions">
          <Button text={w.testMailToMe} disabled={test.isRunning} onClick={() => void test.run()} />
          <FormDialog button={w.schedule} title={w.scheduleTitle}>
            {(close) => (
              <Schedule
                {...props}
                count={count}
                onChanged={(scheduled) => {
                  close();
                  onChanged(scheduled);
                }}
              />
            )}
          </FormDialog>
          <Confirm
            kind="primary"
            button={w.send}
            title={w.sendTitle}
            text={w.sendText(count)}
            confirm={w.sendIt(count)}
            disabled={count === 0}
            onConfirm={send}
          />
        </div>
      )}
    </Card>
  );
};

const settingsOf = ({ name, from, reply_to }: Campaign) => ({
  name,
  from: from ?? '',
  reply_to: [reply_to ?? []].flat().join(', '),
});

/** What the form holds. */
interface Written {
  readonly content: Content;
  readonly fields: ReturnType<typeof settingsOf>;
  readonly listIds: readonly string[];
  readonly filter: readonly CampaignCondition[];
  readonly segmentId: string | undefined;
  readonly values: Values;
}

export const Writing = (props: CampaignProps) => {
  const { id, campaign, onChanged } = props;
  const w = translated(words);
  const [content, setContent] = useState<Content>(contentOf(campaign));
  /** Counts the templates that were put in the place of the content. */
  const [takenIn, setTakenIn] = useState(0);
  const { fields, field, setFields } = useFields(settingsOf(campaign));
  const [listIds, setListIds] = useState<readonly string[]>(campaign.list_ids);
  const [filter, setFilter] = useState<readonly CampaignCondition[]>(campaign.filter);
  const [segmentId, setSegmentId] = useState(campaign.segment_id ?? undefined);
  /** The version from which the form was filled: the campaign itself may have been loaded again since. */
  const [base, setBase] = useState(campaign);
  const [values, setValues] = useState<Values>(campaign.values);
  const [checked, setChecked] = useState<Checked & { readonly of: string }>();
  const choices = useData(
    async (abort) => {
      const [lists, templates, record] = await Promise.all([
        allPages((page) => call('GET /api/practices/{id}/lists', { id, ...page }, { abort })),
        may('messages.send')
          ? allPages((page) => call('GET /api/practices/{id}/templates', { id, ...page }, { abort }))
          : [],
        call('GET /api/practices/{id}', { id }, { abort }),
      ]);
      return { lists, templates, defaultFrom: record.default_from, known: practiceValues(record) };
    },
    [id],
  );
  const sentValues = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
  const sentFilter = wholeOf(filter);
  const written = JSON.stringify([
    content,
    fields,
    listIds,
    sentFilter,
    segmentId ?? null,
    Object.entries(sentValues).sort(),
  ]);
  const stored = JSON.stringify([
    contentOf(campaign),
    settingsOf(campaign),
    campaign.list_ids,
    campaign.filter,
    campaign.segment_id,
    Object.entries(campaign.values).sort(),
  ]);
  const at = { id, campaignID: campaign.id };
  const takeIn = (taken: Written): void => {
    setContent(taken.content);
    setFields(taken.fields);
    setListIds(taken.listIds);
    setFilter(taken.filter);
    setSegmentId(taken.segmentId);
    setValues(taken.values);
    setTakenIn((before) => before + 1);
  };
  const check = useAction(async () => {
    // What the campaign has taken of a segment is not taken again: the segment may have been changed since.
    const isOther = segmentId !== (base.segment_id ?? undefined);
    const people =
      segmentId === undefined
        ? { list_ids: [...listIds], filter: sentFilter }
        : isOther
          ? { segment_id: segmentId }
          : {};
    const body = {
      ...sentContent(content),
      name: fields.name,
      ...people,
      from: fields.from || null,
      values: sentValues,
      reply_to: fields.reply_to || null,
    };
    const over = {
      record: base,
      names: {
        ...contentNames(),
        ...{
          name: w.name,
          list_ids: w.lists,
          filter: w.onlySome,
          segment_id: w.onlySome,
          from: w.from,
          reply_to: w.replyTo,
        },
      },
      take: (current: Campaign) => {
        takeIn({
          content: contentOf(current),
          fields: settingsOf(current),
          listIds: current.list_ids,
          filter: current.filter,
          segmentId: current.segment_id ?? undefined,
          values: current.values,
        });
        setBase(current);
        onChanged(current);
      },
    };
    if (written !== stored) {
      const saved = await call(
        'PATCH /api/practices/{id}/campaigns/{campaignID}',
        { ...at, body: body as object as CampaignFields },
        { over },
      );
      setBase(saved);
      onChanged(saved);
    }
    const [audience, score] = await Promise.all([
      call('GET /api/practices/{id}/campaigns/{campaignID}/audience', at),
      call('POST /api/practices/{id}/campaigns/{campaignID}/score', at),
    ]);
    setChecked({ audience, score, of: written });
  });
  const putIn = useAction(async (templateID: string) => {
    const template = await call('GET /api/practices/{id}/templates/{templateID}', { id, templateID });
    setContent(contentOf(template));
    const { reply_to } = template;
    if (reply_to !== null) setFields((before) => ({ ...before, reply_to }));
    setTakenIn((before) => before + 1);
  });
  const unschedule = useAction(async () => {
    const body = { schedule_at: null };
    const saved = await call('PATCH /api/practices/{id}/campaigns/{campaignID}', { ...at, body });
    setBase(saved);
    onChanged(saved);
  });
  return (
    <>
      {campaign.status === 'scheduled' && campaign.schedule_at && (
        <Note>
          <p>{w.scheduled(moment(campaign.schedule_at))}</p>
          <Button text={w.unschedule} onClick={() => void unschedule.run()} />
          <ErrorNote error={unschedule.error} />
        </Note>
      )}
      <Form
        action={check}
        submit={w.check}
        held={held<Written>({ content, fields, listIds, filter, segmentId, values }, takeIn)}
        others={written !== stored && <span class="quiet">{w.notSavedYet}</span>}
      >
        <Loaded data={choices}>
          {({ lists, templates, defaultFrom }) => (
            <div class="columns">
              <fieldset class="field">
                <legend>{w.lists}</legend>
                {lists.map((list) => (
                  <label key={list.id} class="choice">
                    <input
                      type="checkbox"
                      checked={listIds.includes(list.id)}
                      onChange={({ currentTarget: { checked: isChosen } }) => {
                        setSegmentId(undefined);
                        setListIds((before) =>
                          isChosen ? [...before, list.id] : before.filter((one) => one !== list.id),
                        );
                      }}
                    />
                    <span>
                      {list.name} <span class="quiet">({number(list.counts.active)})</span>
                    </span>
                  </label>
                ))}
                {lists.length > 1 && <p class="hint">{w.listsHint}</p>}
              </fieldset>
              <div>
                <TextField label={w.name} hint={w.nameHint} required {...field('name')} />
              </div>
              <TextField label={w.from} hint={w.fromHint(defaultFrom)} optional {...field('from')} />
              <TextField label={w.replyTo} hint={w.replyToHint} optional {...field('reply_to')} />
              {templates.length > 0 && (
                <SelectField
                  label={w.template}
                  value=""
                  onValue={(chosen) => void (chosen && putIn.run(chosen))}
                  options={{ '': w.noTemplate, ...named(templates) }}
                />
              )}
            </div>
          )}
        </Loaded>
        <SegmentBuilder
          id={id}
          choice={{ listIds, filter, segmentId }}
          onChoice={(choice) => {
            setListIds(choice.listIds);
            setFilter(choice.filter);
            setSegmentId(choice.segmentId);
          }}
        />
        <ErrorNote error={putIn.error} />
        <ContentFields
          key={takenIn}
          content={content}
          onContent={setContent}
          values={values}
          onValues={setValues}
          known={choices.value?.known ?? {}}
          areForAll
          error={check.error}
        />
      </Form>
      {checked?.of === written && <Ready {...props} checked={checked} />}
    </>
  );
};
