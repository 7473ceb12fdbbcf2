import type { Accounts } from './accounts.ts'
import { type Answer, html, refusal } from './answer.ts'
import type { Book, Operation, Place, Product, Where } from './book.ts'

/** A request to the operator, read to its end, at one of its addresses. */
export type Request = {
  method: string
  path: string
  headers: Record<string, string | undefined>
  body: Buffer
  place: Place
}
export type World = {
  accounts: Accounts
  book: Book
  currency: string
  targetEnvironment: string
  platform: 'old' | 'new'
  isOn(wanted: Switch): boolean
}

/** The checks of rails.md 6.1 that can be left out. */
const CHECKS = [
  'length',
  'userAgent',
  'subscriptionKey',
  'form',
  'user',
  'tokenTarget',
  'bearer',
  'target',
  'reference',
  'duplicate',
  'body',
  'note',
  'currency',
  'callback',
  'statusCap',
] as const
const UNKNOWN_TRUTHS = ['token500', 'invalidClient', 'reuseRefused', 'allowList', 'syncRefusal'] as const
/** Things the truth of which is not known, or that only some contracts have; and checks that are left out. */
export type Switch = (typeof UNKNOWN_TRUTHS)[number] | `without ${(typeof CHECKS)[number]}`
export const SWITCHES: readonly Switch[] = [...UNKNOWN_TRUTHS, ...CHECKS.map((check) => `without ${check}` as const)]

const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const MOST_NOTE = 160
const ACCESS_DENIED =
  'Access denied due to invalid subscription key. Make sure to provide a valid key for an active subscription.'

const platformAt = (world: World, { place }: Request) => (place === 'moved' ? 'new' : world.platform)

/** Before anything is read of a request: what the gateway of the operator refuses. */
export function gatewayRefusal(request: Request, world: World): Answer | null {
  const { method, headers, body } = request
  const isWithoutLength = method === 'POST' && body.length === 0 && headers['content-length'] === undefined
  if (isWithoutLength && !world.isOn('without length')) return html(411, 'Length Required')
  const isRefused = platformAt(world, request) === 'new' && /python-requests/i.test(headers['user-agent'] ?? '')
  return isRefused && !world.isOn('without userAgent') ? html(403, 'Forbidden') : null
}

export const keyRefusal = (request: Request, world: World, product: Product | null): Answer | null => {
  const own = world.accounts.productOfKey(request.headers['ocp-apim-subscription-key'])
  const isGood = product === null ? own !== null : own === product
  if (isGood || world.isOn('without subscriptionKey')) return null
  return { status: 401, body: { statusCode: 401, message: ACCESS_DENIED } }
}

/** The token call (rails.md 3.4). `seconds`: how long a rule lets this one live. */
export function tokenAnswer(
  request: Request,
  world: World,
  { product, seconds = world.accounts.tokenSeconds }: { product: Product; seconds?: number },
): Answer {
  const denied = keyRefusal(request, world, product)
  if (denied !== null) return denied
  // Clients say that they send a form when they send nothing at all.
  const isForm = request.body.length > 0 && /x-www-form-urlencoded/i.test(request.headers['content-type'] ?? '')
  if (isForm && !world.isOn('without form')) return html(200, 'Request Rejected')
  const { user, secret } = basicOf(request)
  if (!world.accounts.knows(product, user, secret) && !world.isOn('without user')) {
    if (world.isOn('token500')) return refusal(500, 'INTERNAL_PROCESSING_ERROR')
    return { status: 401, body: { error: world.isOn('invalidClient') ? 'invalid_client' : 'login_failed' } }
  }
  const isWrong =
    platformAt(world, request) === 'new' && request.headers['x-target-environment'] !== world.targetEnvironment
  if (isWrong && !world.isOn('without tokenTarget'))
    return { status: 400, body: { error: 'Invalid or missing X-Target-Environment header' } }
  const token = world.accounts.issue(product, user, seconds)
  return { status: 200, body: { access_token: token.value, token_type: 'access_token', expires_in: seconds } }
}

export function basicOf({ headers }: Request): { user: string; secret: string } {
  const basic = /^Basic (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''
  const [user = '', ...rest] = Buffer.from(basic, 'base64').toString('utf8').split(':')
  return { user, secret: rest.join(':') }
}

const bearerOf = ({ headers }: Request) => /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? null

/** What every product call must carry. */
export function callRefusal(request: Request, world: World, product: Product): Answer | null {
  const denied = keyRefusal(request, world, product)
  if (denied !== null) return denied
  const refused = world.accounts.refuses(product, bearerOf(request))
  if (refused !== null && !world.isOn('without bearer')) return { status: 401, body: { error: refused } }
  if (world.isOn('allowList') && product === 'disbursement')
    return refusal(403, 'FORBIDDEN IP', 'Authorization failed. IP not whitelisted.')
  if (request.headers['x-target-environment'] !== world.targetEnvironment && !world.isOn('without target'))
    return refusal(500, 'NOT_ALLOWED_TARGET_ENVIRONMENT', 'Access to target environment is forbidden.')
  return null
}

/** The reference of a request, in the form in which the book has it. */
export const referenceOf = ({ headers }: Request) => (headers['x-reference-id'] ?? '').toLowerCase()

/** What a request that brings a new reference must be first. */
export function referenceRefusal(request: Request, world: World, isTaken: boolean): Answer | null {
  if (!UUID4.test(referenceOf(request)) && !world.isOn('without reference')) return badRequest('X-Reference-Id')
  if (isTaken && !world.isOn('without duplicate'))
    return refusal(409, 'RESOURCE_ALREADY_EXIST', 'Duplicated reference id. Creation of resource failed.')
  return null
}

/** What a money POST must be, in the order in which the operator looks. A refusal can use its reference up. */
export function paymentRefusal(
  request: Request,
  world: World,
  { where, operation }: { where: Where; operation: Operation },
): { answer: Answer; burns: boolean } | null {
  const early = referenceRefusal(request, world, world.book.isTaken(where))
  if (early !== null) return { answer: early, burns: false }
  const answer = bodyRefusal(request, world, operation) ?? callbackRefusal(request, world)
  return answer === null ? null : { answer, burns: answer.status === 400 && !world.isOn('reuseRefused') }
}

const badRequest = (what: string) => refusal(400, 'VALIDATION_ERROR', `${what} is not valid`)

function bodyRefusal({ body }: Request, world: World, operation: Operation): Answer | null {
  const read = jsonOf(body)
  const wrong = world.isOn('without body') ? null : wrongField(read, operation)
  if (wrong !== null) return badRequest(wrong)
  const notes = world.isOn('without note') ? [] : [read?.payerMessage, read?.payeeNote]
  for (const note of notes) {
    if (note === '' || note === null)
      return refusal(500, 'INTERNAL_PROCESSING_ERROR', 'An internal error occurred while processing.')
    if (note !== undefined && (typeof note !== 'string' || /['#&]/.test(note) || note.length > MOST_NOTE))
      return badRequest('note')
  }
  if (read?.currency !== world.currency && !world.isOn('without currency'))
    return refusal(500, 'INVALID_CURRENCY', 'Currency not supported.')
  return null
}

/** The field because of which a body is no payment, or null. */
function wrongField(read: Record<string, unknown> | null, operation: Operation): string | null {
  if (read === null) return 'body'
  const { amount, currency, externalId } = read
  if (!/^[0-9]+$/.test(String(amount ?? '')) || Number(amount) === 0) return 'amount'
  if (typeof currency !== 'string' || currency === '') return 'currency'
  if (typeof externalId !== 'string' || externalId === '') return 'externalId'
  if (operation === 'refund') return typeof read.referenceIdToRefund === 'string' ? null : 'referenceIdToRefund'
  const isIn = operation === 'requesttopay' || operation === 'requesttowithdraw'
  const party = (isIn ? read.payer : read.payee) as { partyIdType?: unknown; partyId?: unknown } | undefined
  if (!/^msisdn$/i.test(String(party?.partyIdType ?? ''))) return 'partyIdType'
  return /^[0-9]{9,15}$/.test(String(party?.partyId ?? '')) ? null : 'partyId'
}

function callbackRefusal(request: Request, world: World): Answer | null {
  const url = request.headers['x-callback-url']
  if (url === undefined || world.isOn('without callback')) return null
  if (url === '' || !URL.canParse(url)) return badRequest('X-Callback-Url')
  if (world.accounts.mayCallBack(bearerOf(request), new URL(url).hostname)) return null
  return refusal(500, 'INVALID_CALLBACK_URL_HOST', 'The host of the callback address is not the one of the API user.')
}

/** The object in a body, or null. */
export function jsonOf(body: Buffer): Record<string, unknown> | null {
  try {
    const read: unknown = JSON.parse(body.toString('utf8'))
    return typeof read === 'object' && read !== null && !Array.isArray(read) ? (read as Record<string, unknown>) : null
  } catch {
    return null
  }
}
