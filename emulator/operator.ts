import { type Answer, NOT_FOUND, refusal, UNKNOWN_PATH } from './answer.ts'
import type { Operation, Product } from './book.ts'
import { callRefusal, gatewayRefusal, jsonOf, type Request, tokenAnswer } from './checks.ts'
import { type Desk, takePayment } from './payments.ts'
import { provision } from './provisioning.ts'
import { tellStatus, treated } from './questions.ts'
import { holderOf } from './scenarios.ts'
import { type Asides, consentToken, serveAside } from './side-operations.ts'
import type { Troubles } from './troubles.ts'

const PAYMENT =
  /^\/(collection|disbursement)\/v([12])_0\/(requesttopay|requesttowithdraw|transfer|deposit|refund)(?:\/([^/]+))?\/?$/
const TOKEN = /^\/(collection|disbursement)\/token\/?$/
const CONSENT = /^\/(collection|disbursement)\/oauth2\/token\/?$/
const HOLDER = /^\/(collection|disbursement)\/v1_0\/accountholder\/msisdn\/([^/]+)\/(active|basicuserinfo)\/?$/i
const BALANCE = /^\/(collection|disbursement)\/v1_0\/account\/balance(?:\/[A-Z]{3})?\/?$/
const NOTIFICATION = /^\/(collection|disbursement)\/v1_0\/requesttopay\/([^/]+)\/deliverynotification\/?$/
const API_USER = /^\/v1_0\/apiuser(?:\/([^/]+)(\/apikey)?)?\/?$/
/** Which operations a product has, and in which versions. */
const OFFERED: Record<Product, Partial<Record<Operation, readonly string[]>>> = {
  collection: { requesttopay: ['1'], requesttowithdraw: ['1', '2'] },
  disbursement: { transfer: ['1'], deposit: ['1', '2'], refund: ['1', '2'] },
}
const NOT_THIS_METHOD: Answer = { status: 405, body: { statusCode: 405, message: 'Method not allowed' } }
const MOST_MESSAGE = 160

export type Counter = { desk: Desk; troubles: Troubles; asides: Asides }

/** What the operator answers to a request. */
export function answerTo(counter: Counter, request: Request): Answer | Promise<Answer> {
  const { world } = counter.desk
  const refused = gatewayRefusal(request, world)
  if (refused !== null) return refused
  const payment = PAYMENT.exec(request.path)
  if (payment?.[1] !== undefined) return withBearer(counter, request, payment[1], () => pay(counter, request, payment))
  const token = TOKEN.exec(request.path)
  if (token) return request.method === 'POST' ? giveToken(counter, request, token[1] as Product) : NOT_THIS_METHOD
  const user = API_USER.exec(request.path)
  if (user) return provision(counter.desk, request, { id: user[1], key: user[2] !== undefined })
  const consent = CONSENT.exec(request.path)
  if (consent) return consentToken(counter, request, consent[1] as Product)
  const product = /^\/(collection|disbursement)\//.exec(request.path)?.[1]
  if (product === undefined) return UNKNOWN_PATH
  return withBearer(counter, request, product, () => serve(counter, request, product as Product))
}

function withBearer(
  { desk, troubles: { unauthorized } }: Counter,
  request: Request,
  product: string,
  serve: () => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  if (unauthorized.left > 0 && (unauthorized.product ?? product) === product) {
    unauthorized.left -= 1
    return { status: 401, body: { error: 'login_failed' } }
  }
  return callRefusal(request, desk.world, product as Product) ?? serve()
}

async function giveToken({ desk, troubles }: Counter, request: Request, product: Product): Promise<Answer> {
  const { profile, decide, chance, clock, world, rules } = desk
  await clock.wait(troubles.tokenDelayMs + (decide === 'profile' ? profile.tokenMs(chance, world.platform) : 0))
  if (troubles.tokenDown) return refusal(503, 'SERVICE_UNAVAILABLE')
  const seconds = rules.tokenSeconds({ product })
  const proper = () => tokenAnswer(request, world, { product, ...(seconds === null ? {} : { seconds }) })
  return treated(desk, { endpoint: 'token', product }, proper)
}

function serve(counter: Counter, request: Request, product: Product): Answer | Promise<Answer> {
  const { path, method, place } = request
  const { desk } = counter
  const notified = NOTIFICATION.exec(path)
  if (notified && method === 'POST')
    return notify(desk, request, { product, place, reference: (notified[2] ?? '').toLowerCase() })
  const holder = HOLDER.exec(path)
  if (holder && method === 'GET') {
    const [, , phone = '', what = ''] = holder
    return treated(desk, { endpoint: 'lookup', product, phone }, () => tellHolder(counter, { phone, what }))
  }
  if (BALANCE.test(path) && method === 'GET')
    return treated(desk, { endpoint: 'balance', product }, () => ({
      status: 200,
      body: { availableBalance: String(desk.book.wallets.balance(product)), currency: desk.world.currency },
    }))
  return serveAside(counter, request, product)
}

function pay(
  { desk }: Counter,
  request: Request,
  [, name, version = '', called, given]: RegExpExecArray,
): Promise<Answer> | Answer {
  const product = name as Product
  const operation = called as Operation
  if (OFFERED[product][operation]?.includes(version) !== true) return UNKNOWN_PATH
  const { place, method } = request
  if (method === 'POST' && given === undefined) return takePayment(desk, request, { place, product, operation })
  if (method !== 'GET' || given === undefined) return NOT_THIS_METHOD
  const reference = given.toLowerCase()
  return treated(desk, { endpoint: 'status', product, reference }, () =>
    tellStatus(desk, { place, product, reference }, operation),
  )
}

function tellHolder({ desk, troubles }: Counter, { phone, what }: { phone: string; what: string }): Answer {
  const holder = holderOf(desk.profile.phones, phone)
  if ('status' in holder) return holder.status === 404 ? NOT_FOUND : refusal(holder.status, holder.code)
  const isActive = holder.active && !troubles.inactive.has(phone)
  if (what.toLowerCase() === 'active') return { status: 200, body: { result: isActive } }
  if (troubles.kycDenied) return refusal(403, 'NOT_ALLOWED', 'not granted')
  if (!isActive) return NOT_FOUND
  const name = { given_name: 'Holder', family_name: `Of ${phone.slice(-4)}` }
  const more = { birthdate: '1990-01-01', locale: 'en_UG', gender: 'F', status: 'active' }
  return { status: 200, body: { sub: '0', ...name, ...more } }
}

/** A text message about a payment, which nobody here sends. */
function notify({ book }: Desk, { body, headers }: Request, where: Parameters<Desk['book']['find']>[0]): Answer {
  const message = jsonOf(body)?.notificationMessage ?? headers.notificationmessage
  if (typeof message !== 'string' || message === '' || message.length > MOST_MESSAGE)
    return refusal(400, 'VALIDATION_ERROR')
  return book.find(where) === undefined ? NOT_FOUND : { status: 200 }
}
