import type { Accounts } from './accounts.ts'
import { type Answer, html, refusal } from './answer.ts'
import type { Book, Product } from './book.ts'

/** A request to the operator, read to its end. */
export type Request = {
  method: string
  path: string
  headers: Record<string, string | undefined>
  body: Buffer
  remote: string
}
export type World = {
  accounts: Accounts
  book: Book
  currency: string
  targetEnvironment: string
  platform: 'old' | 'new'
  /** Checks that are switched off, and things the truth of which is not known. */
  switches: Set<Switch>
}
export type Switch =
  | 'token500'
  | 'invalidClient'
  | 'reuseRefused'
  | 'allowList'
  | 'anyTarget'
  | 'anyCallbackHost'

const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const ACCESS_DENIED =
  'Access denied due to invalid subscription key. Make sure to provide a valid key for an active subscription.'

/** Before anything is read of a request: what the gateway of the operator refuses. */
export function gatewayRefusal(request: Request, world: World): Answer | null {
  const { method, headers, body } = request
  if (method === 'POST' && body.length === 0 && headers['content-length'] === undefined)
    return html(411, 'Length Required')
  if (world.platform === 'new' && /python-requests/i.test(headers['user-agent'] ?? ''))
    return html(403, 'Forbidden')
  return null
}

export const keyRefusal = (request: Request, world: World, product: Product): Answer | null =>
  world.accounts.productOfKey(request.headers['ocp-apim-subscription-key']) === product
    ? null
    : { status: 401, body: { statusCode: 401, message: ACCESS_DENIED } }

/** The token call (rails.md 3.4). */
export function tokenAnswer(request: Request, world: World, product: Product): Answer {
  const denied = keyRefusal(request, world, product)
  if (denied !== null) return denied
  if (/x-www-form-urlencoded/i.test(request.headers['content-type'] ?? ''))
    return html(200, 'Request Rejected')
  const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? ''
  const [user = '', ...rest] = Buffer.from(basic, 'base64').toString('utf8').split(':')
  if (!world.accounts.knows(product, user, rest.join(':'))) {
    if (world.switches.has('token500')) return refusal(500, 'INTERNAL_PROCESSING_ERROR')
    return {
      status: 401,
      body: { error: world.switches.has('invalidClient') ? 'invalid_client' : 'login_failed' },
    }
  }
  if (world.platform === 'new' && request.headers['x-target-environment'] !== world.targetEnvironment)
    return { status: 400, body: { error: 'Invalid or missing X-Target-Environment header' } }
  const token = world.accounts.issue(product)
  const expires = world.accounts.tokenSeconds
  return { status: 200, body: { access_token: token.value, token_type: 'access_token', expires_in: expires } }
}

/** What every product call must carry. */
export function callRefusal(request: Request, world: World, product: Product): Answer | null {
  const denied = keyRefusal(request, world, product)
  if (denied !== null) return denied
  const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? null
  const refused = world.accounts.refuses(product, bearer)
  if (refused !== null) return { status: 401, body: { error: refused } }
  if (world.switches.has('allowList') && product === 'disbursement')
    return refusal(403, 'FORBIDDEN IP', 'Authorization failed. IP not whitelisted.')
  const environment = request.headers['x-target-environment']
  if (environment !== world.targetEnvironment && !world.switches.has('anyTarget'))
    return refusal(500, 'NOT_ALLOWED_TARGET_ENVIRONMENT', 'Access to target environment is forbidden.')
  return null
}

/** What a money POST must be, in the order in which the operator looks. */
export function paymentRefusal(request: Request, world: World): { answer: Answer; burns: boolean } | null {
  const reference = request.headers['x-reference-id'] ?? ''
  if (!UUID4.test(reference.toLowerCase())) return { answer: badRequest('X-Reference-Id'), burns: false }
  if (world.book.transactions.has(reference) || world.book.burnt.has(reference))
    return { answer: refusal(409, 'RESOURCE_ALREADY_EXIST', 'Duplicated reference id.'), burns: false }
  const burns = !world.switches.has('reuseRefused')
  const answer = bodyRefusal(request, world) ?? callbackRefusal(request, world)
  return answer === null ? null : { answer, burns: burns && answer.status === 400 }
}

const badRequest = (what: string) => refusal(400, 'VALIDATION_ERROR', `${what} is not valid`)

function bodyRefusal({ body }: Request, world: World): Answer | null {
  const read = jsonOf(body)
  if (read === null) return badRequest('body')
  const { amount, currency, externalId } = read
  if (!/^[0-9]+$/.test(String(amount ?? '')) || Number(amount) === 0) return badRequest('amount')
  if (typeof externalId !== 'string' || externalId === '') return badRequest('externalId')
  const party = (read.payer ?? read.payee) as { partyIdType?: unknown; partyId?: unknown } | undefined
  if (party === undefined || !/^msisdn$/i.test(String(party.partyIdType ?? ''))) return badRequest('party')
  if (!/^[0-9]{9,15}$/.test(String(party.partyId ?? ''))) return badRequest('partyId')
  for (const note of [read.payerMessage, read.payeeNote]) {
    if (note === '' || note === null)
      return refusal(500, 'INTERNAL_PROCESSING_ERROR', 'An internal error occurred.')
    if (note !== undefined && (typeof note !== 'string' || /['#&]/.test(note) || note.length > 160))
      return badRequest('note')
  }
  if (currency !== world.currency) return refusal(500, 'INVALID_CURRENCY', 'Currency not supported.')
  return null
}

function callbackRefusal({ headers }: Request, world: World): Answer | null {
  const url = headers['x-callback-url']
  if (url === undefined) return null
  if (url === '' || !URL.canParse(url)) return badRequest('X-Callback-Url')
  if (world.switches.has('anyCallbackHost') || world.accounts.callbackHosts.has(new URL(url).hostname))
    return null
  return refusal(
    500,
    'INVALID_CALLBACK_URL_HOST',
    'Callback URL with different host name then configured for API User.',
  )
}

/** The object in a body, or null. */
export function jsonOf(body: Buffer): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(body.toString('utf8'))
    return typeof read === 'object' && read !== null && !Array.isArray(read)
      ? (read as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
