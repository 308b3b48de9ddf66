import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as telnyx from '../../../src/adapters/carriers/telnyx/codes.ts';
import * as twilio from '../../../src/adapters/carriers/twilio/codes.ts';

const refusal = { status: 400, retryAfterMs: null };

test('Twilio’s 21610 says that the person opted out, in a response and in a receipt', () => {
  const response = twilio.resultOf({ ...refusal, body: { code: 21610 } });
  assert.deepEqual(response, { code: '21610', meaning: 'opted_out' });
  const receipt = twilio.receiptOf('undelivered', '21610');
  assert.deepEqual(receipt, { status: 'undelivered', code: '21610', reason: 'opted_out' });
});

test('so does Telnyx’s 40300', () => {
  const errors = [{ code: '40300' }];
  assert.deepEqual(telnyx.resultOf({ ...refusal, body: { errors } }), { code: '40300', meaning: 'opted_out' });
  const receipt = telnyx.receiptOf({ to: [{ status: 'delivery_failed' }], errors });
  assert.deepEqual(receipt, { status: 'undelivered', code: '40300', reason: 'opted_out' });
});
