// The shortcuts, and the switch of those that are a single key.
import { Dialog } from '#dashboard/parts/dialog.tsx';
import { CheckField } from '#dashboard/parts/form.tsx';
import { translated } from '#dashboard/words.ts';
import { words } from './help/words/de.ts';
import { chooseLetterKeys, letterKeys } from './letter-keys.ts';
import { isHelpOpen } from './opened.ts';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

const keys: readonly (readonly [keys: readonly string[], name: keyof typeof words.keys])[] = [
  [[isApple ? '⌘' : 'Ctrl', 'K'], 'palette'],
  [['/'], 'search'],
  [['↓'], 'down'],
  [['J'], 'next'],
  [['K'], 'before'],
  [['Esc'], 'close'],
  [['?'], 'help'],
];

export const Help = () => {
  const w = translated(words);
  return (
    <Dialog title={w.title} isOpen={isHelpOpen.value} onClose={() => (isHelpOpen.value = false)}>
      <dl class="facts">
        {keys.map(([pressed, name]) => (
          <div key={name}>
            <dt>
              {pressed.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{w.keys[name]}</dd>
          </div>
        ))}
      </dl>
      <p class="more" />
      <CheckField
        label={w.letters}
        hint={w.lettersHint}
        value={letterKeys.value === 'on'}
        onValue={(isOn) => chooseLetterKeys(isOn ? 'on' : 'off')}
      />
    </Dialog>
  );
};
