import type { Conversation, Item } from '../api/types.ts';

/** What the story has people say. */
export const said = {
  first: 'Hi Ana, your annual review is due. Does Tuesday at 3 PM suit you?',
  answer: 'Tuesday works 👍',
  birthday: 'Happy birthday, Ana! Enjoy your day.',
};

type StepName = 'ask' | 'accept' | 'answer' | 'schedule' | 'wait' | 'stop';
export type Pane = 'advisor' | 'phones' | 'partner';
/** What to do next. `pane` is where, on a screen that shows one at a time; the clock is on all of them. */
export type Step = { name: StepName; label: string; what: string; pane: Pane | null };

export const steps: Step[] = [
  {
    name: 'ask',
    label: 'Ask',
    what: 'Ana hasn’t agreed to texts. Press “Send once they accept”: she is asked first.',
    pane: 'advisor',
  },
  { name: 'accept', label: 'Accept', what: 'Ana has the question. Reply ACCEPT on her phone.', pane: 'phones' },
  {
    name: 'answer',
    label: 'Answer',
    what: 'The text that waited went out by itself. Answer it on Ana’s phone.',
    pane: 'phones',
  },
  { name: 'schedule', label: 'Plan', what: 'Her birthday is near. Plan a text for 9:00 that day.', pane: null },
  { name: 'wait', label: 'Wait', what: 'Move the clock to Ana’s birthday, and see it arrive.', pane: null },
  {
    name: 'stop',
    label: 'Stop',
    what: 'Reply STOP on Ana’s phone, and see that the advisor can’t text her any more.',
    pane: 'phones',
  },
];

/** The first step that hasn't happened yet, by what the conversation with Ana shows; null once all have. */
export function nextStep({ state }: Conversation, items: Item[]): Step | null {
  const became = (to: string) => items.some((item) => item.type === 'consent' && item.state === to);
  const hasBirthdayText = items.some((item) => item.type === 'text' && item.text === said.birthday);
  const happened: Record<StepName, boolean> = {
    ask: state !== 'none',
    accept: state === 'accepted' || became('accepted'),
    answer: items.some((item) => item.type === 'reply' && item.text === said.answer),
    schedule: hasBirthdayText || items.some((item) => item.type === 'scheduled'),
    wait: hasBirthdayText,
    stop: became('opted_out'),
  };
  // Somebody may go their own way: what lies behind the last thing that happened is over.
  const last = steps.findLastIndex(({ name }) => happened[name]);
  return steps[last + 1] ?? null;
}
