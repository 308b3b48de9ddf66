// Texts somebody who hasn't agreed to it yet: ask, wait for the answer, send. `node sdk/examples/text-with-consent.ts`
import { connectAs } from './connect.ts';

const assent = connectAs('avery@sandbox.example');
// A magic number of the sandbox: it answers every consent request with ACCEPT.
const phone = '+15005550010';

const sent = await assent.messages.sendWithConsent(
  { phone, text: 'Your annual review is on Tuesday at 10.' },
  { poll: true, onState: (state) => console.log(state.sendingAt ? 'sending' : 'asking for consent') },
);
const [message] = sent.successes;
if (!message?.messageId) throw new Error(sent.failures.join(' '));

// A text is accepted first, and delivered a moment later: the feed says when.
for await (const event of assent.events.stream()) {
  if (event.type !== 'message.status' || event.data.messageId !== message.messageId) continue;
  console.log(`the text is ${event.data.status}`);
  if (event.data.status === 'delivered') break;
}
