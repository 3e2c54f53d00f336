// An appointment that goes with the letter, and when the letter is to go.
import type { Practice } from '#api';
import { Button } from '#dashboard/parts/basics.tsx';
import { SelectField, TextField } from '#dashboard/parts/form.tsx';
import { localTime, translated } from '#dashboard/words.ts';
import type { Appointment } from './letter.ts';
import { words } from './words/de.ts';

const DAY_MS = 86_400_000;
const MINUTES = ['15', '30', '45', '60', '90', '120'];

/** Tomorrow at this hour. */
export const tomorrowAt = (clock: string): string =>
  `${localTime(Date.now() + DAY_MS).slice(0, 10)}T${clock}`;

export const newAppointment = (subject: string, { legal }: Practice): Appointment => ({
  summary: subject.includes('{{') ? '' : subject,
  starts: tomorrowAt('09:00'),
  minutes: '30',
  place: [legal.street, legal.city].filter(Boolean).join(', '),
});

export const AppointmentFields = ({
  appointment,
  onAppointment,
}: {
  readonly appointment: Appointment;
  readonly onAppointment: (appointment: Appointment | null) => void;
}) => {
  const w = translated(words);
  const field = (name: keyof Appointment) => ({
    value: appointment[name],
    onValue: (value: string) => onAppointment({ ...appointment, [name]: value }),
  });
  return (
    <fieldset class="rule">
      <legend>{w.appointment}</legend>
      <p class="hint">{w.appointmentHint}</p>
      <TextField
        label={w.appointmentWhat}
        path="calendar.summary"
        required
        maxLength={200}
        {...field('summary')}
      />
      <TextField
        label={w.appointmentStarts}
        path="calendar.starts_at"
        type="datetime-local"
        required
        {...field('starts')}
      />
      <SelectField
        label={w.appointmentLength}
        options={Object.fromEntries(MINUTES.map((minutes) => [minutes, w.minutes(minutes)]))}
        {...field('minutes')}
      />
      <TextField label={w.appointmentPlace} path="calendar.location" optional {...field('place')} />
      <Button text={w.withoutAppointment} kind="small" onClick={() => onAppointment(null)} />
    </fieldset>
  );
};

/** `at`: as in a letter. */
export const When = ({
  at,
  onAt,
}: {
  readonly at: string | null;
  readonly onAt: (at: string | null) => void;
}) => {
  const w = translated(words);
  const choice = (isLater: boolean, text: string) => (
    <label>
      <input
        type="radio"
        name="when"
        checked={(at !== null) === isLater}
        onChange={() => onAt(isLater ? tomorrowAt('08:00') : null)}
      />
      {text}
    </label>
  );
  return (
    <fieldset class="when">
      <legend>{w.when}</legend>
      <div class="actions">
        {choice(false, w.atOnce)}
        {choice(true, w.later)}
      </div>
      {at !== null && (
        <TextField
          label={w.time}
          path="scheduled_at"
          type="datetime-local"
          required
          hint={w.timeHint(Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('_', ' '))}
          value={at}
          onValue={onAt}
        />
      )}
    </fieldset>
  );
};
