import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '../../deps.ts';
import { allScopes } from '../../domain/access/scopes.ts';
import { issueToken } from '../../domain/access/tokens.ts';
import { problem } from '../../domain/problems.ts';
import type { SandboxAdvisor } from '../../domain/sandbox/sandbox.ts';
import { readSandboxFile } from '../../domain/sandbox/sandbox-file.ts';
import { cookieJar } from '../browser/cookies.ts';
import { formDoor } from '../browser/forms.ts';
import { type Html, html } from '../browser/page.ts';
import { addPagesHere } from './this-machine.ts';

/**
 * The sandbox's API key and a fresh access token, for calls from the reference page. Like the phones' pages it needs no
 * key: the sandbox listens on this machine alone, and only our own page has the form token.
 */
export function addCredentials(app: FastifyInstance, deps: Deps): void {
  const forms = formsOf(deps);
  addPagesHere(app, [], (scope) => {
    scope.post('/sandbox/credentials', async (request) => {
      const { advisorId } = forms.readJson(request);
      const sandbox = readSandboxFile(deps.config.dataDir);
      const advisor = sandbox?.advisors.find(({ id }) => id === advisorId);
      if (!sandbox || !advisor) throw problem('not_found', 'The sandbox has no such advisor.');
      const { apiKey, clientId } = sandbox;
      return { apiKey, accessToken: await issueToken(deps, { clientId, advisorId: advisor.id, scopes: allScopes }) };
    });
  });
}

/** For the reference page: whom its calls act for. */
export function credentialsBar(deps: Deps): (request: FastifyRequest, reply: FastifyReply) => Html {
  const forms = formsOf(deps);
  return (request, reply) => {
    const advisors = readSandboxFile(deps.config.dataDir)?.advisors ?? [];
    return html`<div class="credentials" data-form-token="${forms.token(request, reply)}"${advisors.length === 0 && html` hidden`}>
<label for="advisor">Calls as</label>
<select id="advisor" data-advisor aria-describedby="about">${advisors.map(option)}<option value="">nobody: your own token</option></select>
<span id="about" data-about role="status"></span>
</div>`;
  };
}

function option({ id, name, about }: SandboxAdvisor): Html {
  return html`<option value="${id}" data-about="${about}">${name}</option>`;
}

function formsOf({ config }: Deps) {
  return formDoor(cookieJar(config.publicUrl), config);
}
