import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { toRefusal } from '../../api/http/errors.ts'
import { clientAddress } from '../../api/http/guards.ts'
import { refuseOtherMethods } from '../../api/http/other-methods.ts'
import { bodyTooLarge, notFound, Refusal } from '../../platform/refusal.ts'
import { parseFields } from '../parts/forms/fields.ts'
import { serveAssets } from '../parts/routes/asset-routes.ts'
import { parseCookies } from '../parts/routes/cookies.ts'
import { judgeParams } from '../parts/routes/params.ts'
import { CHECKOUT_ASSETS } from './assets.ts'
import { LANGUAGE_COOKIE, makeLanguageCookie } from './cookies.ts'
import { buildTroubleView, showDisplay, showDisplayState } from './display/display-pages.ts'
import { isFromOwnPage, isOpenedByCustomer } from './form-token.ts'
import { chooseLanguage, findLanguage } from './language.ts'
import { retryPayment, submitPayForm } from './link/link-forms.ts'
import { showPayLink, showQr, showReceipt, showStatus, showStatusDocument } from './link/link-pages.ts'
import { showMails, showReport, stopMails, submitReport } from './link/report-pages.ts'
import { applyVoucher } from './link/voucher-form.ts'
import { sendReply } from './send-reply.ts'
import {
  payOwnAmount,
  showLogo,
  showPicture,
  showStorefront,
  showStorefrontItems,
  showStorefrontQr,
} from './storefront/storefront-pages.ts'
import { anyCaseSegment, findMeantAddress } from './storefront/typed-address.ts'
import type { ClosedView, View } from './view.ts'
import type { Checkout, CheckoutVisit, Handler, Reply } from './visit.ts'

type CheckoutOptions = Checkout & {
  log: Logger
  trustedProxies: number
  /** The address of the service. Called for each request: a port chosen by the system is not known at the start. */
  baseUrl(): string
}

type CheckoutRoute = {
  method: 'GET' | 'POST'
  path: string
  handle: Handler
  /** An open page polls this address, so it has a limit of its own. */
  polled?: boolean
  /** Makes the page to show instead if the handler fails; the usual closed page without it. */
  closed?: (visit: CheckoutVisit, why: ClosedView['why']) => View
}

// A form has a few short fields and one text of 2,000 characters.
const MAX_FORM_BYTES = 32 * 1024

/** Every public page of the checkout (contract.md 2.7, G33). Addresses with `@` are storefronts, those with `test` their twins of test mode. */
const ROUTES: readonly CheckoutRoute[] = [
  { method: 'GET', path: '/pay/@:handle', handle: showStorefront },
  { method: 'GET', path: '/pay/@:handle/items.json', handle: showStorefrontItems },
  { method: 'GET', path: '/pay/@:handle/qr.:form', handle: showStorefrontQr },
  { method: 'GET', path: '/pay/@:handle/pictures/:item', handle: showPicture },
  { method: 'GET', path: '/pay/@:handle/logo', handle: showLogo },
  { method: 'POST', path: '/pay/@:handle/pay', handle: payOwnAmount },
  { method: 'GET', path: '/pay/@:handle/test/:key', handle: showStorefront },
  { method: 'GET', path: '/pay/@:handle/test/:key/items.json', handle: showStorefrontItems },
  { method: 'GET', path: '/pay/@:handle/test/:key/qr.:form', handle: showStorefrontQr },
  { method: 'GET', path: '/pay/@:handle/test/:key/pictures/:item', handle: showPicture },
  { method: 'POST', path: '/pay/@:handle/test/:key/pay', handle: payOwnAmount },
  { method: 'GET', path: '/pay/:id', handle: showPayLink },
  { method: 'GET', path: '/pay/:id/status', handle: showStatus, polled: true },
  { method: 'GET', path: '/pay/:id/status.json', handle: showStatusDocument, polled: true },
  { method: 'GET', path: '/pay/:id/receipt', handle: showReceipt },
  { method: 'GET', path: '/pay/:id/report', handle: showReport },
  { method: 'GET', path: '/pay/:id/mails', handle: showMails },
  { method: 'GET', path: '/pay/:id/qr.:form', handle: showQr },
  { method: 'POST', path: '/pay/:id/submit', handle: submitPayForm },
  { method: 'POST', path: '/pay/:id/retry', handle: retryPayment },
  { method: 'POST', path: '/pay/:id/apply-voucher', handle: applyVoucher },
  { method: 'POST', path: '/pay/:id/mails', handle: stopMails },
  { method: 'POST', path: '/pay/:id/report', handle: submitReport },
  {
    method: 'GET',
    path: '/vending/display/:id',
    handle: showDisplay,
    closed: buildTroubleView,
    polled: true,
  },
  { method: 'GET', path: '/vending/display/:id/state.json', handle: showDisplayState, polled: true },
]

/** Every other address below these paths redirects to the page that was probably meant, or shows a 404 page. */
const STRAY_ROUTES: readonly CheckoutRoute[] = [
  '/pay',
  '/pay/*',
  `/${anyCaseSegment('pay')}/*`,
  '/vending/display/*',
  `/${anyCaseSegment('vending')}/${anyCaseSegment('display')}/*`,
].flatMap((path) =>
  (['GET', 'POST'] as const).map((method) => ({
    ...{ method, path, handle: refuseUnknownPage },
    ...(path.includes('display') ? { closed: (visit: CheckoutVisit) => buildTroubleView(visit, 'unknown') } : {}),
  })),
)

async function refuseUnknownPage(): Promise<Reply> {
  throw notFound('page')
}

/** Registers the hosted pages: no key, no login, and a first visit gets the whole page in one response. */
export function registerCheckout(server: FastifyInstance, options: CheckoutOptions): void {
  for (const route of [...ROUTES, ...STRAY_ROUTES])
    server.route({
      method: route.method,
      url: route.path,
      bodyLimit: MAX_FORM_BYTES,
      handler: (request, reply) => answerRequest(options, { request, reply, route }),
    })
  const assets = Object.values(CHECKOUT_ASSETS)
  serveAssets(server, assets)
  refuseOtherMethods(server, [...ROUTES, ...assets.map(({ path }) => ({ path, method: 'GET' as const }))])
}

type RoutedRequest = { request: FastifyRequest; reply: FastifyReply; route: CheckoutRoute }

/** Handles one request. An error of a handler becomes a page in the customer's language. */
async function answerRequest(
  options: CheckoutOptions,
  { request, reply, route }: RoutedRequest,
): Promise<FastifyReply> {
  const visit = parseVisit(options, request)
  const { id } = visit.params
  if (id !== undefined) request.objectId = id.slice(0, 60)
  const chosenLanguage = findLanguage(visit.query.lang)
  // A machine gets its language from its address and needs no cookie.
  const isOfCustomer = visit.here.startsWith('/pay/')
  if (chosenLanguage !== null && isOfCustomer)
    reply.header('Set-Cookie', makeLanguageCookie(chosenLanguage, options.https))
  const gzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  const answered = await handleRequest(options, { request, visit, route })
  return sendReply(reply, answered, { visit, gzip })
}

async function handleRequest(
  options: CheckoutOptions,
  { request, visit, route }: { request: FastifyRequest; visit: CheckoutVisit; route: CheckoutRoute },
): Promise<Reply> {
  try {
    judgeParams(visit.params)
    if (visit.posted === null) throw bodyTooLarge()
    const to = request.method !== 'POST' ? findMeantAddress(request.url) : null
    if (route.polled && to === null) return await handlePoll(options, route, visit)
    countVisit(options, route, visit)
    if (to !== null) return { kind: 'redirect', to }
    return await route.handle(options, visit)
  } catch (error) {
    const refusal = toRefusal(error)
    if (route.method === 'POST' && refusal.status === 404) countStray(options, visit)
    request.code = refusal.code
    if (refusal.status >= 500)
      options.log[refusal.status === 500 ? 'error' : 'warn']({ err: error, request_id: request.id }, 'a page failed')
    const status = refusal.status === 400 ? 404 : refusal.status
    if (/\.json($|\?)/.test(request.url))
      return {
        kind: 'json',
        status,
        value: { error: refusal.message, code: refusal.code, request_id: request.id },
        ...retryAfterOf(refusal),
      }
    const why = CLOSED_REASON_BY_STATUS[status] ?? 'trouble'
    const view = route.closed?.(visit, why) ?? buildRefusedView(why)
    return { kind: 'page', status, view, shop: null, mode: 'live', ...retryAfterOf(refusal) }
  }
}

/**
 * Handles a poll. Waiting pages and machine screens poll every two seconds, so polls have their own limits and do not use
 * up that of the customers behind the same address. A poll of an address that does not exist counts as a visit.
 */
async function handlePoll(options: CheckoutOptions, route: CheckoutRoute, visit: CheckoutVisit): Promise<Reply> {
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
function countVisit({ limits, clock }: CheckoutOptions, { method }: CheckoutRoute, { address }: CheckoutVisit): void {
  if (method === 'GET') limits.pages.take(address, clock.nowMs())
  else limits.strays.check(address, clock.nowMs())
}

function countStray({ limits, clock }: CheckoutOptions, { address }: CheckoutVisit): void {
  try {
    limits.strays.take(address, clock.nowMs())
  } catch {
    // Parallel requests have filled the window in the meantime; the next form is refused.
  }
}

const CLOSED_REASON_BY_STATUS: Record<number, ClosedView['why']> = {
  404: 'unknown',
  429: 'busy',
  503: 'busy',
}

const retryAfterOf = ({ retryAfterSeconds }: Refusal) => (retryAfterSeconds === null ? {} : { retryAfterSeconds })

const buildRefusedView = (why: ClosedView['why']): View => ({
  kind: 'closed',
  why,
  cancelUrl: null,
  storefront: null,
})

// The address that a form is sent to has no GET, so reloads and the language switch go to the page of the form.
const formPagePath = (method: string, path: string) =>
  method === 'POST' ? path.replace(/\/(submit|retry|apply-voucher|pay)\/?$/, '') : path

function parseVisit({ trustedProxies, baseUrl }: CheckoutOptions, request: FastifyRequest): CheckoutVisit {
  const { headers } = request.raw
  const cookies = parseCookies(headers.cookie)
  const { pathname, searchParams } = new URL(request.url.replace(/^\/{2,}/, '/'), 'http://here')
  const query: Record<string, string> = Object.create(null)
  for (const [name, value] of searchParams) query[name] ??= value
  const posted = parseFields(request.body)
  searchParams.delete('lang')
  const rest = searchParams.toString()
  return {
    params: request.params as Record<string, string>,
    query,
    posted,
    fields: posted?.fields ?? {},
    cookies,
    address: clientAddress(request.raw, trustedProxies),
    language: chooseLanguage({
      query: query.lang,
      cookie: cookies.get(LANGUAGE_COOKIE),
      browser: headers['accept-language'],
    }),
    here: `${formPagePath(request.method, pathname)}${rest === '' ? '' : `?${rest}`}`,
    byCustomer: request.method === 'GET' && isOpenedByCustomer(headers),
    fromOwnPage: isFromOwnPage(headers, baseUrl()),
  }
}
