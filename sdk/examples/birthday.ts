// Wishes a happy birthday every year, in the morning of the advisor's time zone. `node sdk/examples/birthday.ts`
import { AssentError } from '@assent/client';
import { connectAs } from './connect.ts';

const assent = connectAs('avery@sandbox.example');
const phone = '+15005550006';
const text = 'Happy birthday, Pia!';
const yearly = 4;

/** Nine o'clock in the morning of the next birthday, where the advisor is. */
function nextBirthday(month: number, day: number, timeZone: string): number {
  const year = new Date().getFullYear();
  const dates = [year, year + 1].map((each) => {
    const utc = Date.UTC(each, month - 1, day, 9);
    // Sweden writes times as ISO 8601 does.
    return 2 * utc - Date.parse(`${new Date(utc).toLocaleString('sv', { timeZone })}Z`);
  });
  return dates.find((date) => date > Date.now()) ?? 0;
}

try {
  // The server keeps an idempotency key for 24 hours. After that, what is scheduled already is only in the list.
  for await (const each of assent.scheduledMessages.list()) {
    if (each.phone !== phone || each.text !== text) continue;
    console.log('It is scheduled already.');
    process.exit();
  }
  const { timeZone } = await assent.account.get();
  const { successes, failureDetails } = await assent.messages.send(
    {
      phone,
      text,
      scheduleDelivery: true,
      deliveryDate: nextBirthday(3, 1, timeZone),
      frequency: yearly,
    },
    // Made from what it is about, so that running this twice at a time schedules it once.
    { idempotencyKey: 'birthday-pia' },
  );
  for (const { message } of failureDetails) console.log(message);
  for (const { scheduledMessageId } of successes) {
    if (!scheduledMessageId) continue;
    const { nextDeliveryDates } = await assent.scheduledMessages.get(scheduledMessageId);
    for (const date of nextDeliveryDates) console.log(new Date(date).toISOString());
    await assent.scheduledMessages.cancel(scheduledMessageId);
    console.log('canceled again: this is an example');
  }
} catch (error) {
  if (!(error instanceof AssentError)) throw error;
  console.error(`${error.code}: ${error.message} (${error.traceId})`);
  process.exitCode = 1;
}
