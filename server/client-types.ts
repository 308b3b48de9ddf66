// The types of the client, as `npm run generate` writes them to sdk/src/openapi.ts. Here, because this workspace has the TypeScript that
// openapi-typescript needs.
import openapiTypescript, { astToString } from 'openapi-typescript';

export async function describeClientTypes(document: string): Promise<string> {
  return `// Generated from openapi.json by \`npm run generate\`.\n\n${astToString(await openapiTypescript(document))}`;
}
