// The letter while it is written.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Meta, Practice, Template, TemplateSummary } from '#api';
import { call, newKey, Refusal } from '#dashboard/api/call.ts';
import { useAction, useData } from '#dashboard/data.ts';
import { type Attachment, Attachments, dropOf, useAttachments } from '#dashboard/parts/attachments.tsx';
import { Button } from '#dashboard/parts/basics.tsx';
import { ContentPreview } from '#dashboard/parts/content.tsx';
import { held } from '#dashboard/parts/draft.tsx';
import { ErrorNote, Note } from '#dashboard/parts/feedback.tsx';
import { Form, named, SelectField, TextField } from '#dashboard/parts/form.tsx';
import { scoreOf, usePaused } from '#dashboard/parts/score.ts';
import { language, translated } from '#dashboard/words.ts';
import type { Recipient } from './addresses.ts';
import { AppointmentFields, newAppointment, When } from './appointment.tsx';
import { Body } from './body.tsx';
import { Check, type Checked } from './check.tsx';
import {
  askedValues,
  filledSubject,
  isFixed,
  type Letter,
  makeLetter,
  missingIn,
  newLetter,
  proposedReply,
  type SentLetter,
  withTemplate,
} from './letter.ts';
import { Recipients } from './recipients.tsx';
import type { Said } from './sentence.ts';
import { words } from './words/de.ts';

interface WritingProps {
  readonly id: string;
  readonly own: Practice;
  readonly policy: Meta['attachment_policy'];
  readonly templates: readonly TemplateSummary[];
  readonly to: readonly Recipient[];
  /** Id; empty: none. */
  readonly template: string;
  readonly onSent: (sent: SentLetter) => void;
}

/** What the tab keeps of it. */
interface Kept {
  readonly letter: Letter;
  /** That of the attempt to send it; absent: there was none of this very letter. */
  readonly key?: string;
  /** Files are not kept: their names say what to attach again. */
  readonly files: readonly string[];
}

const saidOf = ({ to, cc, bcc, appointment, at }: Letter, attachments: number): Said => {
  const names = (people: readonly Recipient[]): string[] =>
    people.map(({ name, address }) => name || address);
  return {
    to: names(to),
    copies: names([...cc, ...bcc]),
    attachments,
    isInvitation: appointment !== null,
    at: at === null ? null : new Date(at).getTime(),
  };
};

/** The key that ends a line in a field sends no letter. */
const withoutSending = (event: KeyboardEvent): void => {
  const isOwn = event.target instanceof HTMLInputElement && !event.target.closest('dialog');
  if (isOwn && event.key === 'Enter') event.preventDefault();
};

export const Writing = ({ id, own, policy, templates, to, template: first, onSent }: WritingProps) => {
  const w = translated(words);
  const [letter, setLetter] = useState<Letter>(() => newLetter(to));
  const [key, setKey] = useState<string>();
  const [template, setTemplate] = useState<Template>();
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [lostFiles, setLostFiles] = useState<readonly string[]>([]);
  const [further, setFurther] = useState<readonly string[]>([]);
  const [shown, show] = useState({ copies: false, reply: false, preview: false });
  /** The text that a template took the place of. */
  const [before, setBefore] = useState<Letter>();
  /** Another one shows what did not come from the field itself. */
  const [body, setBody] = useState(0);

  const change = (changes: Partial<Letter>): void => {
    setLetter((present) => ({ ...present, ...changes }));
    setKey(undefined);
  };
  const latest = useRef(letter);
  latest.current = letter;
  const put = (whole: Letter): void => {
    latest.current = whole;
    setLetter(whole);
    setKey(undefined);
    setBody((count) => count + 1);
  };
  const find = async (templateID: string): Promise<Template | undefined> =>
    templateID === ''
      ? undefined
      : call('GET /api/practices/{id}/templates/{templateID}', { id, templateID });
  const choose = useAction(async (templateID: string) => {
    const found = await find(templateID);
    const present = latest.current;
    const isTyped = JSON.stringify(withTemplate(present, template)) !== JSON.stringify(present);
    setTemplate(found);
    setBefore(isTyped ? present : undefined);
    put(withTemplate(present, found));
  });
  const takeBack = useAction(async () => {
    if (before === undefined) return;
    setTemplate(await find(before.template));
    const { subject, document, template: templateID } = before;
    put({ ...latest.current, subject, document, template: templateID });
    setBefore(undefined);
  });
  useEffect(() => {
    if (first !== '') void choose.run(first);
  }, []);
  const restore = useAction(async (kept: Kept) => {
    setTemplate(await find(kept.letter.template));
    put(kept.letter);
    setKey(kept.key);
    setLostFiles(kept.files);
  });

  const attaching = useAttachments(policy, attachments, (chosen) => {
    setAttachments(chosen);
    // With the files that it had it is the same letter again.
    if (lostFiles.length === 0) setKey(undefined);
    setLostFiles((lost) => lost.filter((name) => !chosen.some(({ filename }) => filename === name)));
  });

  const written = { letter, attachments, template, own, further };
  const asked = askedValues(written);
  const missing = missingIn(written);
  const isComplete = missing.length === 0;
  // An object of each rendering is another one: what decides is what it is made of.
  const inputs = JSON.stringify([letter, template?.id, further]);
  const version = useMemo(() => ({ written, isComplete }), [inputs, attachments, isComplete]);
  const paused = usePaused(version);
  const checked = useData<Checked | null>(
    async (abort) => {
      if (!paused.isComplete) return null;
      const made = await makeLetter(id, paused.written, abort);
      return { ...made, score: await scoreOf(id, made.body, abort) };
    },
    [id, paused, language.value],
  );
  const made = checked.value ?? undefined;
  useEffect(() => {
    if (made && made.missing.length > 0) setFurther([...new Set([...further, ...made.missing])]);
  }, [made]);

  const said = saidOf(letter, attachments.length);
  const send = useAction(async () => {
    if (!isComplete) throw new Error('it is not complete');
    const whole = await makeLetter(id, written);
    if (whole.missing.length > 0) {
      setFurther([...new Set([...further, ...whole.missing])]);
      throw new Error('it is not complete');
    }
    // The same letter under the same key is sent once, however often the button is clicked, also after the page is loaded again.
    const under = key !== undefined && lostFiles.length === 0 ? key : newKey();
    setKey(under);
    const headers = { 'Idempotency-Key': under };
    const accepted = await call('POST /api/practices/{id}/send', { id, body: whole.body }, { headers }).catch(
      (error) => {
        // What was sent under it was another letter.
        if (error instanceof Refusal && error.code === 'idempotency_conflict') setKey(undefined);
        throw error;
      },
    );
    onSent({ accepted, said });
  });
  const isLost = send.error instanceof Refusal && send.error.status === 0;
  const proposed = proposedReply(template, own);
  const field = (name: 'to' | 'cc' | 'bcc') => ({
    path: name,
    recipients: letter[name],
    onRecipients: (recipients: readonly Recipient[]) => change({ [name]: recipients }),
  });
  const hasCopies = shown.copies || letter.cc.length > 0 || letter.bcc.length > 0;
  const isReplyShown = shown.reply || letter.replyTo !== null;
  const kept: Kept = { letter, ...(key && { key }), files: attachments.map(({ filename }) => filename) };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files are dropped there, and chosen by the keyboard in their field
    <section class="card writeletter" {...dropOf(attaching)} onKeyDown={withoutSending}>
      <Form
        action={send}
        submit={w.send}
        what={isComplete ? undefined : w.stillMissing(missing.map((one) => w.missing[one]))}
        held={held(kept, (found) => void restore.run(found))}
        others={isLost && <span class="hint">{w.sendAgainSafely}</span>}
      >
        <ErrorNote error={choose.error ?? restore.error ?? takeBack.error} />
        {templates.length > 0 && (
          <SelectField
            label={w.template}
            hint={template?.description}
            value={letter.template}
            onValue={(chosen) => void choose.run(chosen)}
            options={{ '': w.blank, ...named(templates) }}
          />
        )}
        {before && (
          <Note>
            <p class="actions">
              {w.replaced} <Button text={w.takeBack} kind="small" onClick={() => void takeBack.run()} />
            </p>
          </Note>
        )}
        <Recipients
          label={w.to}
          isRequired
          hint={letter.to.length + letter.cc.length > 1 ? w.seeEachOther : w.toHint}
          {...field('to')}
        />
        {hasCopies && (
          <>
            <Recipients label={w.cc} {...field('cc')} />
            <Recipients label={w.bcc} hint={w.bccHint} {...field('bcc')} />
          </>
        )}
        {isReplyShown && (
          <TextField
            label={w.replyTo}
            path="reply_to"
            type="email"
            hint={proposed === '' ? w.replyNone : w.replyProposed(proposed)}
            value={letter.replyTo ?? proposed}
            onValue={(replyTo) => change({ replyTo })}
          />
        )}
        {!(hasCopies && isReplyShown) && (
          <p class="actions addfields">
            {!hasCopies && (
              <Button
                text={w.addCopies}
                kind="small plain"
                onClick={() => show({ ...shown, copies: true })}
              />
            )}
            {!isReplyShown && (
              <Button
                text={proposed === '' ? w.addReply : w.repliesTo(proposed)}
                kind="small plain"
                onClick={() => show({ ...shown, reply: true })}
              />
            )}
          </p>
        )}
        {isFixed(template) ? (
          <p class="hint">{w.fixed}</p>
        ) : (
          <TextField
            label={w.subject}
            path="subject"
            required
            maxLength={900}
            hint={letter.subject.includes('{{') && w.subjectArrives(filledSubject(written))}
            value={letter.subject}
            onValue={(subject) => change({ subject })}
          />
        )}
        {asked.length > 0 && (
          <fieldset class="rule">
            <legend>{w.values}</legend>
            {asked.map(({ name, value }) => (
              <TextField
                key={name}
                label={w.valueNames[name] ?? name}
                path={`data.${name}`}
                required
                value={value}
                onValue={(typed) => change({ values: { ...letter.values, [name]: typed } })}
              />
            ))}
          </fieldset>
        )}
        {!isFixed(template) && (
          <Body
            key={body}
            id={id}
            document={letter.document}
            onDocument={(document) => change({ document })}
            own={own}
          />
        )}
        {lostFiles.length > 0 && <Note kind="warn">{w.attachAgain(lostFiles.join(', '))}</Note>}
        <Attachments attaching={attaching} />
        {letter.appointment === null ? (
          <p>
            <Button
              text={w.addAppointment}
              onClick={() => change({ appointment: newAppointment(letter.subject, own) })}
            />
          </p>
        ) : (
          <AppointmentFields
            appointment={letter.appointment}
            onAppointment={(appointment) => change({ appointment })}
          />
        )}
        <When at={letter.at} onAt={(at) => change({ at })} />
        {made && (
          <details onToggle={(event) => show({ ...shown, preview: event.currentTarget.open })}>
            <summary>{w.preview}</summary>
            {shown.preview && <ContentPreview content={made} />}
          </details>
        )}
        <Check said={said} missing={missing} checked={checked} isOld={paused !== version} />
      </Form>
    </section>
  );
};
