import { randomUUID } from 'node:crypto'
import { deadlineIn } from '../rail.ts'
import { parseAnswerBody, parseErrorCode, parseWord } from './parse-answer.ts'
import { type OperatorReply, type OperatorRequest, openWire } from './transport.ts'

/** An API user in the operator's own sandbox, of a product whose subscription key a developer has. */
type ProvisionedUser = { user: string; secret: string; targetEnvironment: string }
type ProvisionInput = { baseUrl: string; subscriptionKey: string; callbackHost: string }

const CALL_DEADLINE_MS = 30_000
const TIMEOUT_SECONDS = { connect: 5, headers: 25, body: 10 }

/** The operator did not make the user; `message` says which step failed and how. */
export class NotProvisioned extends Error {}

/** Makes an API user and its key (rails.md 3.3). Production users come from the operator's portal. Throws NotProvisioned. */
export async function provisionUser({
  baseUrl,
  subscriptionKey,
  callbackHost,
}: ProvisionInput): Promise<ProvisionedUser> {
  const wire = openWire({
    baseUrl,
    timeouts: TIMEOUT_SECONDS,
    submitConnections: 1,
    tokenTimeoutMs: CALL_DEADLINE_MS,
  })
  const user = randomUUID()
  const ask = async (
    step: string,
    expected: number,
    request: Omit<OperatorRequest, 'headers'> & { headers?: OperatorRequest['headers'] },
  ) => {
    const headers = { 'ocp-apim-subscription-key': subscriptionKey, ...request.headers }
    const heard = await wire.ask('status', { ...request, headers }, deadlineIn(CALL_DEADLINE_MS))
    if (heard.status !== expected) throw new NotProvisioned(`${step}: ${describeAnswer(heard)}`)
    return parseAnswerBody(heard)
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
    const secret = parseWord(key, 'apiKey')
    if (secret === null) throw new NotProvisioned('the operator gave no key')
    return { user, secret, targetEnvironment: parseWord(facts, 'targetEnvironment') ?? 'sandbox' }
  } finally {
    await wire.close()
  }
}

const describeAnswer = (heard: OperatorReply): string =>
  heard.status === null
    ? `no answer (${heard.transport})`
    : `${heard.status} ${parseErrorCode(parseAnswerBody(heard)) ?? parseWord(parseAnswerBody(heard), 'message') ?? ''}`.trim()
