import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';
import type { SmppEvent } from '../../../src/adapters/carriers/smpp/options.ts';
import * as certificates from '../../support/certificates.ts';
import { freePort } from '../../support/programs.ts';
import { until } from '../../support/waiting.ts';
import { startEsme } from './esme.ts';
import { startSmsc } from './smsc.ts';

suite('binds', () => {
  test('a transmitter and a receiver make a pair', async (t) => {
    const smsc = await startSmsc();
    t.after(() => smsc.stop());
    const esme = startEsme(smsc.port, { bindAs: 'transmitter_and_receiver' });
    t.after(() => esme.stop());
    await esme.bound(2);
    assert.deepEqual((await smsc.binds()).sort(), ['receiver', 'transmitter']);
    assert.ok('accepted' in (await esme.submit({})));
    assert.equal(await smsc.deliver({ source_addr: '12125550123', short_message: 'Hi' }), 0);
    assert.equal(esme.replies.length, 1);
    await esme.stop();
    await until('both have unbound', async () => (await smsc.binds()).length === 0);
  });

  test('several binds share hosts, and one that fails goes on to the next host', async (t) => {
    const [one, other] = await Promise.all([startSmsc(), startSmsc()]);
    for (const smsc of [one, other]) t.after(() => smsc.stop());
    const esme = startEsme([one.port, other.port], { binds: 2 });
    t.after(() => esme.stop());
    await esme.bound(2);
    assert.equal((await one.binds()).length, 1);
    assert.equal((await other.binds()).length, 1);
    await one.stop();
    await until('both are at the other host', async () => (await other.binds()).length === 2);
    assert.ok('accepted' in (await esme.submit({})));
  });

  test('a refused bind is tried again, and the operator sees why', async (t) => {
    const smsc = await startSmsc();
    t.after(() => smsc.stop());
    await smsc.refuseBinds(0x0e, 0x0d);
    const events: SmppEvent[] = [];
    const esme = startEsme(smsc.port, { report: (event) => events.push(event) });
    t.after(() => esme.stop());
    await esme.bound();
    const [first, second, third] = events;
    assert.ok(first?.event === 'refused' && /ESME_RINVPASWD/.test(first.why), JSON.stringify(first));
    assert.ok(second?.event === 'refused' && /ESME_RBINDFAIL/.test(second.why));
    assert.ok(third?.event === 'bound' && third.systemId === 'SMSC');
    assert.match(esme.status().connections[0]?.lastFault ?? '', /ESME_RBINDFAIL/);
  });

  test('an SMSC that comes later is found, with growing pauses', async (t) => {
    const port = await freePort();
    const pauses: number[] = [];
    const esme = startEsme(port, {
      report: (event) => {
        if (event.event === 'lost') pauses.push(event.retryInMs);
        t.after(() => esme.stop());
      },
    });
    await until('it tried four times', () => pauses.length >= 4);
    const [first = 0, , , fourth = 0] = pauses;
    assert.ok(first <= 20 && fourth >= 50 && fourth <= 100, pauses.join());
    const smsc = await startSmsc({ port });
    t.after(() => smsc.stop());
    await esme.bound();
  });

  test('TLS, with a certificate that is checked', { skip: certificates.skip }, async (t) => {
    const authority = certificates.makeAuthority();
    t.after(() => authority.remove());
    const smsc = await startSmsc({ tls: authority.issue('smsc.test') });
    t.after(() => smsc.stop());
    const ca = readFileSync(authority.file, 'utf8');
    const host = { host: '127.0.0.1', port: smsc.port };
    const esme = startEsme([], { hosts: [{ ...host, tls: { ca, servername: 'smsc.test' } }] });
    t.after(() => esme.stop());
    await esme.bound();
    assert.ok('accepted' in (await esme.submit({})));
    const wrong = startEsme([], { hosts: [{ ...host, tls: { servername: 'smsc.test' } }] });
    t.after(() => wrong.stop());
    await until('it was refused', () => wrong.status().connections[0]?.lastFault !== null);
    assert.match(wrong.status().connections[0]?.lastFault ?? '', /CERT|SIGNATURE|SIGNED/i);
  });
});
