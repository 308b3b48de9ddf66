// @ts-nocheck: plain JavaScript to copy. A CRM that answers Assent as docs/reference/crm-lookup.md says.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const people = [
  { remoteContactId: '8051', firstName: 'Ann', lastName: 'Smith', phone: '+12125550123' },
  { remoteContactId: '8052', firstName: 'Bob', lastName: 'Jones', phone: '+12125550124' },
];
const key = Buffer.from(process.env.SECRET.replace('whsec_', ''), 'base64');
const sign = (id, time, body) => `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`;
const same = (a, b) => a.length === b.length && timingSafeEqual(a, b);

async function answer(request, response) {
  const body = Buffer.concat(await request.toArray()).toString();
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures = '' } = request.headers;
  const right = Buffer.from(sign(id, time, body));
  const isSigned = signatures.split(' ').some((each) => same(Buffer.from(each), right));
  if (!isSigned || Math.abs(Date.now() / 1000 - time) > 300) return response.writeHead(401).end();

  const { data } = JSON.parse(body);
  const text = JSON.stringify({ contacts: people.filter(({ phone }) => phone === data.phone) });

  const now = String(Math.floor(Date.now() / 1000));
  const signed = { 'webhook-id': id, 'webhook-timestamp': now, 'webhook-signature': sign(id, now, text) };
  response.writeHead(200, { 'content-type': 'application/json', ...signed }).end(text);
}

createServer((request, response) => answer(request, response).catch(() => response.destroy())).listen(process.env.PORT);
