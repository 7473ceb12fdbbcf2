import { type Answer, NOT_FOUND, refusal, UNKNOWN_PATH } from './answer.ts'
import type { Product } from './book.ts'
import { basicOf, jsonOf, keyRefusal, type Request, referenceOf, referenceRefusal } from './checks.ts'
import type { Counter } from './operator.ts'

/** What the operator also offers and nobody here uses: kept so far that a client of all its operations finds them. */
export type Asides = Map<string, { kind: Kind; body: Record<string, unknown>; status: string; reason?: string }>
type Kind = 'preapproval' | 'invoice' | 'payment'

const ASIDE = /^\/(collection|disbursement)\/v[12]_0\/(preapproval|invoice|payment)(?:\/([^/]+))?\/?$/
const CONSENT = /^\/(collection|disbursement)\/v1_0\/bc-authorize\/?$/
const USER_INFO = /^\/(collection|disbursement)\/oauth2\/v1_0\/userinfo\/?$/
const CONSENT_SECONDS = 3600
/** The ends of bill payments, by their amount (the order is an assumption). */
const BILL_WORDS: Record<string, string> = {
  1000: 'INTERNAL_PROCESSING_ERROR',
  2000: 'APPROVAL_REJECTED',
  3000: 'EXPIRED',
  4000: 'NOT_ENOUGH_FUNDS',
  5000: 'PAYER_NOT_FOUND',
  6000: 'PAYEE_NOT_FOUND',
  7000: 'SERVICE_UNAVAILABLE',
}

/** Preapprovals, invoices, bill payments and consent. */
export function serveAside(counter: Counter, request: Request, product: Product): Answer {
  const { path, method } = request
  if (USER_INFO.test(path) && method === 'GET')
    return { status: 200, body: { sub: '0', given_name: 'Holder', family_name: 'Consenting' } }
  if (CONSENT.test(path) && method === 'POST')
    return {
      status: 200,
      body: { auth_req_id: counter.desk.world.accounts.uuid(), interval: 5, expires_in: CONSENT_SECONDS },
    }
  const found = ASIDE.exec(path)
  if (!found) return UNKNOWN_PATH
  const [, , kind = '', given] = found
  if (given === undefined)
    return method === 'POST' ? takeAside(counter, request, { product, kind: kind as Kind }) : UNKNOWN_PATH
  return tellAside(counter, method, { key: `${product}/${given.toLowerCase()}`, kind })
}

function takeAside(
  { desk, asides }: Counter,
  request: Request,
  { product, kind }: { product: Product; kind: Kind },
): Answer {
  const key = `${product}/${referenceOf(request)}`
  const refused = referenceRefusal(request, desk.world, asides.has(key))
  if (refused !== null) return refused
  const body = jsonOf(request.body)
  if (body === null) return refusal(400, 'VALIDATION_ERROR', 'body is not valid')
  const { money } = body as { money?: { amount?: unknown } }
  const reason = kind === 'payment' ? BILL_WORDS[String(money?.amount)] : undefined
  const status = kind === 'invoice' ? 'CREATED' : 'SUCCESSFUL'
  asides.set(key, { kind, body, ...(reason === undefined ? { status } : { status: 'FAILED', reason }) })
  return { status: 202 }
}

function tellAside({ asides }: Counter, method: string, { key, kind }: { key: string; kind: string }): Answer {
  const found = asides.get(key)
  if (found === undefined || found.kind !== kind) return NOT_FOUND
  if (method === 'DELETE') {
    asides.delete(key)
    return { status: 200 }
  }
  const { body, status, reason } = found
  const told = {
    ...body,
    referenceId: key.split('/')[1],
    status,
    ...(reason === undefined ? {} : { reason }),
  }
  return method === 'GET' ? { status: 200, body: told } : UNKNOWN_PATH
}

/** A token in the name of a subscriber who has consented; it opens no payments. */
export function consentToken({ desk }: Counter, request: Request, product: Product): Answer {
  const { world } = desk
  const denied = keyRefusal(request, world, product)
  if (denied !== null) return denied
  const { user, secret } = basicOf(request)
  if (!world.accounts.knows(product, user, secret)) return { status: 401, body: { error: 'login_failed' } }
  const token = world.accounts.issue(product, user, CONSENT_SECONDS)
  const body = {
    access_token: token.value,
    token_type: 'Bearer',
    expires_in: CONSENT_SECONDS,
    scope: 'profile',
  }
  return { status: 200, body }
}
