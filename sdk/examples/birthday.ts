// Wishes a happy birthday every year, in the morning of the advisor's time zone. `node sdk/examples/birthday.ts`
import { AssentError } from '@assent/client';
import { connectAs } from './connect.ts';

const assent = connectAs('avery@sandbox.example');
const yearly = 4;

/** Nine o'clock in the morning of the next birthday. */
function nextBirthday(month: number, day: number): number {
  const now = new Date();
  const thisYear = new Date(now.getFullYear(), month - 1, day, 9);
  return (thisYear > now ? thisYear : new Date(now.getFullYear() + 1, month - 1, day, 9)).getTime();
}

try {
  const { successes, failureDetails } = await assent.messages.send(
    {
      phone: '+15005550006',
      text: 'Happy birthday, Pia!',
      scheduleDelivery: true,
      deliveryDate: nextBirthday(3, 1),
      frequency: yearly,
    },
    // Made from what it is about, so that running this twice schedules it once.
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
