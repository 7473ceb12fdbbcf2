import { randomUUID } from 'node:crypto'
import { deadlineIn } from '../rail.ts'
import { bodyOf, codeOf, wordIn } from './answers.ts'
import { type Asked, type Heard, openWire } from './transport.ts'

/** An API user in the operator's own sandbox, of a product whose subscription key a developer has. */
type Provisioned = { user: string; secret: string; targetEnvironment: string }
type Wanted = { baseUrl: string; subscriptionKey: string; callbackHost: string }

const CALL_MS = 30_000
const TIMEOUTS = { connect: 5, headers: 25, body: 10 }

/** The operator did not make the user; `message` says which step failed and how. */
export class NotProvisioned extends Error {}

/** Makes an API user and its key (rails.md 3.3). Production users come from the operator's portal. Throws NotProvisioned. */
export async function provisionUser({
  baseUrl,
  subscriptionKey,
  callbackHost,
}: Wanted): Promise<Provisioned> {
  const wire = openWire({ baseUrl, timeouts: TIMEOUTS, submitConnections: 1, tokenTimeoutMs: CALL_MS })
  const user = randomUUID()
  const ask = async (
    step: string,
    expected: number,
    request: Omit<Asked, 'headers'> & { headers?: Asked['headers'] },
  ) => {
    const headers = { 'ocp-apim-subscription-key': subscriptionKey, ...request.headers }
    const heard = await wire.ask('status', { ...request, headers }, deadlineIn(CALL_MS))
    if (heard.status !== expected) throw new NotProvisioned(`${step}: ${said(heard)}`)
    return bodyOf(heard)
  }
  try {
    await ask('the user was not made', 201, {
      method: 'POST',
      path: '/v1_0/apiuser',
      headers: { 'x-reference-id': user, 'content-type': 'application/json' },
      body: JSON.stringify({ providerCallbackHost: callbackHost }),
    })
    const key = await ask('the key was not made', 201, {
      method: 'POST',
      path: `/v1_0/apiuser/${user}/apikey`,
    })
    const facts = await ask('the user was not found', 200, { method: 'GET', path: `/v1_0/apiuser/${user}` })
    const secret = wordIn(key, 'apiKey')
    if (secret === null) throw new NotProvisioned('the operator gave no key')
    return { user, secret, targetEnvironment: wordIn(facts, 'targetEnvironment') ?? 'sandbox' }
  } finally {
    await wire.close()
  }
}

const said = (heard: Heard): string =>
  heard.status === null
    ? `no answer (${heard.transport})`
    : `${heard.status} ${codeOf(bodyOf(heard)) ?? wordIn(bodyOf(heard), 'message') ?? ''}`.trim()
