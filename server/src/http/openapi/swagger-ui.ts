import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { icon } from '../browser/public-pages.ts';
import type { Document } from './document.ts';

/** The human-readable reference, with calls to try. */
export async function addSwaggerUi(app: FastifyInstance, document: Document): Promise<void> {
  // The page's form takes an access token as it is, and calls go to the host where it was opened, localhost or 127.0.0.1.
  const oauth2 = { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' };
  const { securitySchemes, ...components } = document.components;
  const specification = {
    ...document,
    servers: [{ url: '/v1' }],
    components: { ...components, securitySchemes: { ...securitySchemes, oauth2 } },
  };
  await app.register(swagger, { mode: 'static', specification: { document: specification as never } });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // The page styles its own elements. Scripts come from this server alone, and calls go to it alone.
    staticCSP:
      "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    theme: {
      title: 'Assent partner API',
      favicon: [{ filename: 'icon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: icon }],
      css: [
        {
          filename: 'assent.css',
          content:
            '.swagger-ui .topbar, .swagger-ui .info .link { display: none } .swagger-ui .info { margin: 24px 0 }',
        },
      ],
    },
    uiConfig: { persistAuthorization: true, tryItOutEnabled: true, displayRequestDuration: true, docExpansion: 'list' },
  });
}
