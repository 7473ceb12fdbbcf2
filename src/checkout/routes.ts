import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { refusalFor } from '../http/errors.ts'
import { clientAddress } from '../http/guards.ts'
import { refuseOtherMethods } from '../http/other-methods.ts'
import { serveAssets } from '../pages/asset-routes.ts'
import { readCookies } from '../pages/cookies.ts'
import { readFields } from '../pages/fields.ts'
import { judgeParams } from '../pages/params.ts'
import { bodyTooLarge, notFound, Refusal } from '../platform/refusal.ts'
import { CHECKOUT_ASSETS } from './assets.ts'
import { languageCookie } from './cookies.ts'
import { displayState, displayTrouble, showDisplay } from './display/display-pages.ts'
import { cameFromHere } from './form.ts'
import { known, languageOf } from './language.ts'
import { retry, submit } from './link/link-forms.ts'
import { showLink, showQr, showReceipt, showStatus, statusDocument } from './link/link-pages.ts'
import { report, showReport } from './link/report-pages.ts'
import { applyVoucher } from './link/voucher-form.ts'
import { sendReply } from './send-reply.ts'
import {
  payOwnAmount,
  showItems,
  showLogo,
  showPicture,
  showStorefront,
  showStorefrontQr,
} from './storefront/storefront-pages.ts'
import { anyCase, meantAddress } from './storefront/typed-address.ts'
import type { ClosedView, View } from './view.ts'
import type { Checkout, Handler, Reply, Visit } from './visit.ts'

type CheckoutOptions = Checkout & {
  log: Logger
  trustedProxies: number
  /** The address of the service. Called for each request: a port chosen by the system is not known at the start. */
  baseUrl(): string
}

type Route = {
  method: 'GET' | 'POST'
  path: string
  handle: Handler
  /** An open page polls this address, so it has a limit of its own. */
  polled?: boolean
  /** Makes the page to show instead if the handler fails; the usual closed page without it. */
  closed?: (visit: Visit, why: ClosedView['why']) => View
}

// A form has a few short fields and one text of 2,000 characters.
const FORM_LIMIT = 32 * 1024

/** Every public page of the checkout (contract.md 2.7, G33). Addresses with `@` are storefronts. */
const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/pay/@:handle', handle: showStorefront },
  { method: 'GET', path: '/pay/@:handle/items.json', handle: showItems },
  { method: 'GET', path: '/pay/@:handle/qr.:form', handle: showStorefrontQr },
  { method: 'GET', path: '/pay/@:handle/pictures/:item', handle: showPicture },
  { method: 'GET', path: '/pay/@:handle/logo', handle: showLogo },
  { method: 'POST', path: '/pay/@:handle/pay', handle: payOwnAmount },
  { method: 'GET', path: '/pay/:id', handle: showLink },
  { method: 'GET', path: '/pay/:id/status', handle: showStatus, polled: true },
  { method: 'GET', path: '/pay/:id/status.json', handle: statusDocument, polled: true },
  { method: 'GET', path: '/pay/:id/receipt', handle: showReceipt },
  { method: 'GET', path: '/pay/:id/report', handle: showReport },
  { method: 'GET', path: '/pay/:id/qr.:form', handle: showQr },
  { method: 'POST', path: '/pay/:id/submit', handle: submit },
  { method: 'POST', path: '/pay/:id/retry', handle: retry },
  { method: 'POST', path: '/pay/:id/apply-voucher', handle: applyVoucher },
  { method: 'POST', path: '/pay/:id/report', handle: report },
  { method: 'GET', path: '/vending/display/:id', handle: showDisplay, closed: displayTrouble, polled: true },
  { method: 'GET', path: '/vending/display/:id/state.json', handle: displayState, polled: true },
]

/** Every other address below these paths redirects to the page that was probably meant, or shows a 404 page. */
const ELSEWHERE: readonly Route[] = [
  '/pay',
  '/pay/*',
  `/${anyCase('pay')}/*`,
  '/vending/display/*',
  `/${anyCase('vending')}/${anyCase('display')}/*`,
].flatMap((path) =>
  (['GET', 'POST'] as const).map((method) => ({
    ...{ method, path, handle: nowhere },
    ...(path.includes('display') ? { closed: (visit: Visit) => displayTrouble(visit, 'unknown') } : {}),
  })),
)

async function nowhere(): Promise<Reply> {
  throw notFound('page')
}

/** Registers the hosted pages: no key, no login, and a first visit gets the whole page in one response. */
export function registerCheckout(server: FastifyInstance, options: CheckoutOptions): void {
  for (const route of [...ROUTES, ...ELSEWHERE])
    server.route({
      method: route.method,
      url: route.path,
      bodyLimit: FORM_LIMIT,
      handler: (request, reply) => answer(options, { request, reply, route }),
    })
  const assets = Object.values(CHECKOUT_ASSETS)
  serveAssets(server, assets)
  refuseOtherMethods(server, [...ROUTES, ...assets.map(({ path }) => ({ path, method: 'GET' as const }))])
}

type Asked = { request: FastifyRequest; reply: FastifyReply; route: Route }

/** Handles one request. An error of a handler becomes a page in the customer's language. */
async function answer(options: CheckoutOptions, { request, reply, route }: Asked): Promise<FastifyReply> {
  const visit = readVisit(options, request)
  const { id } = visit.params
  if (id !== undefined) request.objectId = id.slice(0, 60)
  const chosenLanguage = known(visit.query.lang)
  // A machine gets its language from its address and needs no cookie.
  const isOfCustomer = visit.here.startsWith('/pay/')
  if (chosenLanguage !== null && isOfCustomer)
    reply.header('Set-Cookie', languageCookie(chosenLanguage, options.https))
  const gzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  const answered = await handled(options, { request, visit, route })
  return sendReply(reply, answered, { visit, gzip })
}

async function handled(
  options: CheckoutOptions,
  { request, visit, route }: { request: FastifyRequest; visit: Visit; route: Route },
): Promise<Reply> {
  try {
    judgeParams(visit.params)
    if (visit.posted === null) throw bodyTooLarge()
    const to = request.method !== 'POST' ? meantAddress(request.url) : null
    if (route.polled && to === null) return await look(options, route, visit)
    admit(options, route, visit)
    if (to !== null) return { kind: 'redirect', to }
    return await route.handle(options, visit)
  } catch (error) {
    const refusal = refusalFor(error)
    if (route.method === 'POST' && refusal.status === 404) countStray(options, visit)
    request.code = refusal.code
    if (refusal.status >= 500)
      options.log[refusal.status === 500 ? 'error' : 'warn'](
        { err: error, request_id: request.id },
        'a page failed',
      )
    const status = refusal.status === 400 ? 404 : refusal.status
    if (/\.json($|\?)/.test(request.url))
      return {
        kind: 'json',
        status,
        value: { error: refusal.message, code: refusal.code, request_id: request.id },
        ...waitOf(refusal),
      }
    const why = WHY[status] ?? 'trouble'
    const view = route.closed?.(visit, why) ?? closedView(why)
    return { kind: 'page', status, view, shop: null, mode: 'live', ...waitOf(refusal) }
  }
}

/**
 * Handles a poll. Waiting pages and machine screens poll every two seconds, so polls have their own limits and do not use
 * up that of the customers behind the same address. A poll of an address that does not exist counts as a visit.
 */
async function look(options: CheckoutOptions, route: Route, visit: Visit): Promise<Reply> {
  const { limits, clock } = options
  const { address, params } = visit
  limits.polls.take(address, clock.nowMs())
  limits.pollsOfPage.take(`${params.id} ${address}`, clock.nowMs())
  try {
    return await route.handle(options, visit)
  } catch (error) {
    if (error instanceof Refusal && error.status === 404) limits.pages.take(address, clock.nowMs())
    throw error
  }
}

/**
 * Counts a page against the limit of its client address. Forms have a limit for each link; a form for a link that does not
 * exist is only checked here and counted by countStray.
 */
function admit({ limits, clock }: CheckoutOptions, { method }: Route, { address }: Visit): void {
  if (method === 'GET') limits.pages.take(address, clock.nowMs())
  else limits.strays.check(address, clock.nowMs())
}

function countStray({ limits, clock }: CheckoutOptions, { address }: Visit): void {
  try {
    limits.strays.take(address, clock.nowMs())
  } catch {
    // Parallel requests have filled the window in the meantime; the next form is refused.
  }
}

const WHY: Record<number, ClosedView['why']> = { 404: 'unknown', 429: 'busy', 503: 'busy' }

const waitOf = ({ retryAfterSeconds }: Refusal) => (retryAfterSeconds === null ? {} : { retryAfterSeconds })

const closedView = (why: ClosedView['why']): View => ({
  kind: 'closed',
  why,
  cancelUrl: null,
  storefront: null,
})

// The address that a form is sent to has no GET, so reloads and the language switch go to the page of the form.
const pageOfForm = (method: string, path: string) =>
  method === 'POST' ? path.replace(/\/(submit|retry|apply-voucher|pay)\/?$/, '') : path

function readVisit({ trustedProxies, baseUrl }: CheckoutOptions, request: FastifyRequest): Visit {
  const { headers } = request.raw
  const cookies = readCookies(headers.cookie)
  const { pathname, searchParams } = new URL(request.url.replace(/^\/{2,}/, '/'), 'http://here')
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of searchParams) query[name] ??= value
  const posted = readFields(request.body)
  searchParams.delete('lang')
  const rest = searchParams.toString()
  return {
    params: request.params as Record<string, string>,
    query,
    posted,
    fields: posted?.fields ?? {},
    cookies,
    address: clientAddress(request.raw, trustedProxies),
    language: languageOf({
      query: query.lang,
      cookie: cookies.get('lang'),
      browser: headers['accept-language'],
    }),
    here: `${pageOfForm(request.method, pathname)}${rest === '' ? '' : `?${rest}`}`,
    fromOwnPage: cameFromHere(headers, baseUrl()),
  }
}
