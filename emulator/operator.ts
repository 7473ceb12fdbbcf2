import { type Answer, NOT_FOUND, refusal } from './answer.ts'
import type { Product } from './book.ts'
import { callRefusal, gatewayRefusal, jsonOf, keyRefusal, type Request, tokenAnswer } from './checks.ts'
import type { General } from './general-faults.ts'
import { type Desk, takePayment, tellStatus } from './payments.ts'
import { holderOf } from './scenarios.ts'

const UNKNOWN_PATH: Answer = { status: 404, body: { statusCode: 404, message: 'Resource not found' } }
const PAYMENT =
  /^\/(collection|disbursement)\/v[12]_0\/(requesttopay|requesttowithdraw|transfer|deposit|refund)(?:\/([^/]+))?\/?$/
const TOKEN = /^\/(collection|disbursement)\/token\/?$/
const HOLDER =
  /^\/(collection|disbursement)\/v1_0\/accountholder\/msisdn\/([^/]+)\/(active|basicuserinfo)\/?$/i
const BALANCE = /^\/(collection|disbursement)\/v1_0\/account\/balance(?:\/[A-Z]{3})?\/?$/
const NOTIFICATION = /^\/(collection|disbursement)\/v1_0\/requesttopay\/([^/]+)\/deliverynotification\/?$/
const SIDE_SHOWS =
  /^\/(collection|disbursement)\/(?:v[12]_0\/(?:preapproval|invoice|payment|bc-authorize)|oauth2\/token)(?:\/[^/]+)?\/?$/
const API_USER = /^\/v1_0\/apiuser(?:\/([^/]+)(\/apikey)?)?\/?$/

/** What the operator answers to a request. */
export async function answerTo(desk: Desk, general: General, request: Request): Promise<Answer> {
  const refused = gatewayRefusal(request, desk.world)
  if (refused !== null) return refused
  const token = TOKEN.exec(request.path)
  if (token && request.method === 'POST') return giveToken(desk, general, request, token[1] as Product)
  const user = API_USER.exec(request.path)
  if (user) return provision(desk, request, { id: user[1], key: user[2] !== undefined })
  const product = /^\/(collection|disbursement)\//.exec(request.path)?.[1] as Product | undefined
  if (product === undefined) return UNKNOWN_PATH
  const denied = unauthorizedNow(general) ?? callRefusal(request, desk.world, product)
  return denied ?? serve(desk, general, request)
}

function unauthorizedNow(general: General): Answer | null {
  if (general.unauthorized === null || general.unauthorized.left <= 0) return null
  general.unauthorized.left -= 1
  return { status: 401, body: { error: 'login_failed' } }
}

async function giveToken(desk: Desk, general: General, request: Request, product: Product): Promise<Answer> {
  const { profile, decide, chance, clock, world } = desk
  await clock.wait(
    general.tokenDelayMs + (decide === 'profile' ? profile.tokenMs(chance, world.platform) : 0),
  )
  if (general.tokenDown) return refusal(503, 'SERVICE_UNAVAILABLE')
  return tokenAnswer(request, world, product)
}

async function serve(desk: Desk, general: General, request: Request): Promise<Answer> {
  const { path, method } = request
  if (NOTIFICATION.test(path) && method === 'POST') return notify(request)
  const payment = PAYMENT.exec(path)
  if (payment) return servePayment(desk, request, payment)
  const holder = HOLDER.exec(path)
  if (holder && method === 'GET')
    return tellHolder(desk, general, { phone: holder[2] ?? '', what: holder[3] ?? '' })
  const balance = BALANCE.exec(path)
  if (balance && method === 'GET') {
    const available = desk.book.balance(balance[1] as Product)
    return { status: 200, body: { availableBalance: String(available), currency: desk.world.currency } }
  }
  // Known to the operator, and used by nobody here.
  if (SIDE_SHOWS.test(path)) return { status: 202 }
  return UNKNOWN_PATH
}

function servePayment(desk: Desk, request: Request, payment: RegExpExecArray): Promise<Answer> | Answer {
  const [, product, operation, reference] = payment
  const place = { product: product as Product, operation: operation as never }
  if (request.method === 'POST' && reference === undefined) return takePayment(desk, request, place)
  if (request.method !== 'GET' || reference === undefined)
    return { status: 405, body: { statusCode: 405, message: 'Method not allowed' } }
  if (isCapped(desk)) return { status: 429, body: { statusCode: 429, message: 'Rate limit is exceeded.' } }
  return tellStatus(desk, reference, product as Product)
}

/** The operator answers so many questions a second. */
const questions = new WeakMap<Desk, number[]>()
function isCapped(desk: Desk): boolean {
  if (desk.statusCap === null) return false
  const now = desk.clock.nowMs()
  const recent = (questions.get(desk) ?? []).filter((at) => at > now - 1000)
  const capped = recent.length >= desk.statusCap
  questions.set(desk, capped ? recent : [...recent, now])
  return capped
}

function tellHolder(desk: Desk, general: General, { phone, what }: { phone: string; what: string }): Answer {
  const holder = holderOf(desk.profile.phones, phone)
  if ('status' in holder) return holder.status === 404 ? NOT_FOUND : refusal(holder.status, holder.code)
  const active = holder.active && !general.inactive.has(phone)
  if (what.toLowerCase() === 'active') return { status: 200, body: { result: active } }
  if (general.kycDenied) return refusal(403, 'NOT_ALLOWED', 'not granted')
  if (!active) return NOT_FOUND
  const body = {
    given_name: 'Holder',
    family_name: `Of ${phone.slice(-4)}`,
    birthdate: '1990-01-01',
    gender: 'F',
  }
  return { status: 200, body: { sub: '0', locale: 'sv_SE', ...body, status: 'active' } }
}

function notify({ body }: Request): Answer {
  const message = jsonOf(body)?.notificationMessage
  return typeof message === 'string' && message !== '' && message.length <= 160
    ? { status: 200 }
    : refusal(400, 'VALIDATION_ERROR')
}

const UUID4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** How a developer makes a user of the operator's sandbox (rails.md 3.3). */
function provision(
  desk: Desk,
  request: Request,
  { id, key }: { id: string | undefined; key: boolean },
): Answer {
  const { world } = desk
  const product = world.accounts.productOfKey(request.headers['ocp-apim-subscription-key'])
  if (product === null) return keyRefusal(request, world, 'collection') ?? UNKNOWN_PATH
  const { users } = world.accounts
  if (id === undefined && request.method === 'POST') return makeUser(desk, request)
  const user = id === undefined ? undefined : users.get(id)
  if (user === undefined || id === undefined) return NOT_FOUND
  if (key && request.method === 'POST') return { status: 201, body: { apiKey: world.accounts.makeKey(id) } }
  if (!key && request.method === 'GET')
    return {
      status: 200,
      body: { providerCallbackHost: user.host, targetEnvironment: world.targetEnvironment },
    }
  return UNKNOWN_PATH
}

function makeUser({ world }: Desk, request: Request): Answer {
  const id = request.headers['x-reference-id'] ?? ''
  const host = jsonOf(request.body)?.providerCallbackHost
  if (!UUID4.test(id) || typeof host !== 'string' || host === '') return refusal(400, 'VALIDATION_ERROR')
  if (world.accounts.users.has(id)) return refusal(409, 'RESOURCE_ALREADY_EXIST')
  world.accounts.users.set(id, { host, key: null })
  world.accounts.callbackHosts.add(host)
  return { status: 201 }
}
