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
  before(async () => {
    world = await makeWorld();
    const publicUrl = 'https://api.assent.test';
    production = await anotherNode(world, { config: { ...world.config, environment: 'production', publicUrl } });
  });
  after(async () => {
    await production.close();
    await world.close();
  });

  // The sandbox is on localhost, and its document has to say so. Redocly means that as a warning about published ones.
  const onLocalhost = { 'no-server-example.com': 'off' } as const;
  const documents = [
    { name: 'production’s openapi.json', fetch: () => fetchDocument(production), rules: {} },
    { name: 'the sandbox’s openapi.json', fetch: () => fetchDocument(world.app), rules: onLocalhost },
    {
      name: 'sandbox/openapi.json',
      fetch: () => fetchDocument(world.app, '/sandbox/openapi.json'),
      rules: onLocalhost,
    },
  ];
  for (const { name, fetch, rules } of documents)
    suite(name, () => {
      let document: Document;
      before(async () => {
        document = await fetch();
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
        const config = await createConfig({ extends: ['recommended-strict'], rules });
        const found = await lintFromString({ source: JSON.stringify(document), config });
        assert.deepEqual(
          found.map(({ ruleId, location, message }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
          [],
        );
      });

      test('Ajv, which compiles every schema in its strict mode', () => {
        const ajv = strictAjv(document);
        const schemas = schemasOf(document);
        assert.ok(schemas.length > 10);
        for (const [place, schema] of schemas) assert.doesNotThrow(() => ajv.compile(schema), place);
      });
    });
});
