import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import spectralRulesets from '@stoplight/spectral-rulesets';
import type { App } from '../../src/app.ts';
import { anotherNode } from '../support/nodes.ts';
import { type Document, fetchDocument, schemasOf, strictAjv } from '../support/openapi.ts';
import { makeWorld, type World } from '../support/world.ts';

/** Other people's tools, on the documents that servers really serve. */
suite('everyone’s tools have nothing to say about', () => {
  let world: World;
  let production: App;
  const publicUrl = 'https://api.assent.test';
  before(async () => {
    world = await makeWorld();
    production = await anotherNode(world, { config: { ...world.config, environment: 'production', publicUrl } });
  });
  after(async () => {
    await production.close();
    await world.close();
  });

  // The sandbox is on localhost, and its document has to say so. Redocly means that as a warning about published ones.
  const onLocalhost = { 'no-server-example.com': 'off' } as const;
  async function redocly(document: Document, rules = {}): Promise<string[]> {
    const config = await createConfig({ extends: ['recommended-strict'], rules });
    const found = await lintFromString({ source: JSON.stringify(document), config });
    return found.map(({ ruleId, location, message }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
  }

  suite('the sandbox’s openapi.json', () => {
    let document: Document;
    before(async () => {
      document = await fetchDocument(world.app);
    });

    test('Spectral, with spectral:oas', async () => {
      const spectral = new spectralCore.Spectral();
      spectral.setRuleset({ extends: [spectralRulesets.oas as never] });
      const found = await spectral.run(document);
      assert.deepEqual(
        found.map(({ code, path, message }) => `${code} ${path.join('/')}: ${message}`),
        [],
      );
    });

    // The same rules as `recommended`, where some only warn. Here a warning counts too.
    test('Redocly, with recommended-strict', async () => {
      assert.deepEqual(await redocly(document, onLocalhost), []);
    });

    test('Ajv, which compiles every schema in its strict mode', () => {
      const ajv = strictAjv(document);
      const schemas = schemasOf(document);
      assert.ok(schemas.length > 10);
      for (const [place, schema] of schemas) assert.doesNotThrow(() => ajv.compile(schema), place);
    });
  });

  test('production’s openapi.json, which is the sandbox’s without faults on request, at its own address', async () => {
    const document = await fetchDocument(production);
    assert.deepEqual(await redocly(document), []);
    const sandboxes = JSON.stringify(await fetchDocument(world.app), (name, value) => {
      if (name === 'SandboxFault') return undefined;
      const isFault = ({ $ref }: { $ref?: string }) => $ref === '#/components/parameters/SandboxFault';
      return name === 'parameters' && Array.isArray(value) ? value.filter((each) => !isFault(each)) : value;
    });
    assert.deepEqual(JSON.parse(sandboxes.replaceAll(world.config.publicUrl, publicUrl)), document);
  });
});
