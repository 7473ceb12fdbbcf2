import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
} from 'fastify'
import { requireRole } from '../actors/allow.ts'
import { lastAnswer } from '../http/close-gently.ts'
import { refusalFor } from '../http/errors.ts'
import { asRefusal } from '../http/framework-refusals.ts'
import { clientAddress } from '../http/guards.ts'
import {
  MethodNotAllowed,
  refuseOtherMethods,
  refuseOtherMethodsBelow,
  STAND_IN,
} from '../http/other-methods.ts'
import type { SignedIn } from '../people/session.ts'
import { Refusal } from '../platform/refusal.ts'
import { addressWindow } from '../rate-limits/address-window.ts'
import { admitForm, senderOf } from './admit-routes.ts'
import { answerForm, type StepUp } from './answer-form.ts'
import { askedNothing, readAsked } from './asked-routes.ts'
import { ErrorPage } from './error-page.tsx'
import type { Asked, Visit } from './route.ts'
import { sendShown } from './send-routes.ts'
import { bytesOf, mostFileOf, pagesAmong, posted, type Served, servedBy } from './served.ts'
import type { PageShown, Shown } from './shown.ts'
import type { Surface, SurfaceOptions } from './surface.ts'
import { PARTS } from './texts.ts'
import { expectUpload } from './upload-routes.ts'

type Handle<V extends Visit> = {
  surface: Surface<V>
  options: SurfaceOptions
  limit(address: string): void
  isPage(path: string): boolean
}
/** The facts of a request that its reply needs, filled in as they become known, so that an error page has them too. */
type Known<V> = { pageRequest: Asked | null; visit: V | null; cookies: readonly string[] }

/** Registers every page and form of a surface, and an answer for every other address under its base. */
export function registerSurface<V extends Visit>(
  server: FastifyInstance,
  surface: Surface<V>,
  options: SurfaceOptions,
): void {
  const window = addressWindow(options.requestsAMinute)
  const { base } = surface
  const served = servedBy(surface)
  const limit = (address: string) => window.take(address, options.nowMs())
  const handle: Handle<V> = { surface, options, limit, isPage: pagesAmong(served) }
  const register = (served: Served<V>, method: string[], before: onRequestHookHandler[] = []) =>
    server.route({
      method,
      url: served.url,
      bodyLimit: bytesOf(served),
      onRequest: [...before, admit(handle, served)],
      errorHandler: (error, request, reply) => refuseUnread(handle, { served, request, reply }, error),
      handler: (request, reply) => answer(handle, { served, request, reply }),
    })
  const refused = surface.readOnly === undefined ? [] : served.map(posted)
  for (const route of [...served, ...refused.filter(({ url }) => url === base)])
    register(route, [route.method])
  const endpoints = [...served, ...refused].map(({ url, method }) => ({ path: url, method }))
  const ofBase = endpoints.filter(({ path }) => path === base)
  refuseOtherMethods(server, ofBase)
  const elsewhere = { method: 'GET', url: `${base}/*`, prefix: '', route: null } as const
  register(elsewhere, ['GET', 'POST', STAND_IN], [refuseOtherMethodsBelow(endpoints)])
}

/** Checks a request before its body is read: the rate of its address, the origin of a form, and its sender. */
const admit =
  <V extends Visit>(handle: Handle<V>, served: Served<V>): onRequestAsyncHookHandler =>
  async (request, reply) => {
    const address = clientAddress(request.raw, handle.options.trustedProxies)
    handle.limit(address)
    if (request.method !== 'POST') return
    const forGuests = served.route !== null && 'handle' in served.route
    const sender = await admitForm(handle, request, { reply, forGuests })
    if (sender === null || mostFileOf(served) === 0) return
    const { person, operatorRole } = sender
    const confirmed = person.confirmed || operatorRole !== null
    const { uploads } = handle.options
    expectUpload({ uploads, sender: { personId: person.id, address, confirmed } }, request, reply)
  }

type Request<V> = { served: Served<V>; request: FastifyRequest; reply: FastifyReply }

async function answer<V extends Visit>(
  handle: Handle<V>,
  { served, request, reply }: Request<V>,
): Promise<FastifyReply> {
  const { surface, options } = handle
  const state: Known<V> = { pageRequest: null, visit: null, cookies: [] }
  const surfaceReply: Shown = await answerTo(handle, { served, request, state }).catch((error) => {
    const refusal = refusalFor(error)
    request.code = refusal.code
    if (refusal.status >= 500) options.troubled(error, request.id)
    return errorPage(refusal)
  })
  const { pageRequest, visit, cookies } = state
  const withCookies =
    cookies.length === 0
      ? surfaceReply
      : { ...surfaceReply, cookies: [...cookies, ...(surfaceReply.cookies ?? [])] }
  return sendShown(withCookies, {
    ...{ request, reply, pageRequest, https: options.https },
    frame: (page) => surface.frame(page, { asked: pageRequest ?? askedNothing(request, options), visit }),
    cut: (error) => options.troubled(error, request.id),
  })
}

/** Answers a request whose body was not read, because it is too long or from another site. */
function refuseUnread<V extends Visit>(
  { surface, options }: Handle<V>,
  { request, reply }: Request<V>,
  error: unknown,
): void {
  // A method that an address does not have is refused as on the API.
  if (error instanceof MethodNotAllowed) throw error
  const refusal = refusalFor(asRefusal(error))
  request.code = refusal.code
  if (refusal.status >= 500) options.troubled(error, request.id)
  lastAnswer(request, reply)
  const pageRequest = askedNothing(request, options)
  void sendShown(errorPage(refusal), {
    ...{ request, reply, pageRequest: null, https: options.https },
    frame: (page) => surface.frame(page, { asked: pageRequest, visit: null }),
    cut: (cut) => options.troubled(cut, request.id),
  }).catch((fault) => {
    // The reply cannot be sent. Without this the browser would wait for ever.
    options.troubled(fault, request.id)
    reply.raw.destroy()
  })
}

async function answerTo<V extends Visit>(
  { surface, options }: Handle<V>,
  {
    served: { route, prefix },
    request,
    state,
  }: { served: Served<V>; request: FastifyRequest; state: Known<V> },
): Promise<Shown> {
  const mayCarryFile = mostFileOf({ route }) > 0
  const pageRequest = await readAsked(request, options, mayCarryFile)
  state.pageRequest = pageRequest
  if (route !== null && 'handle' in route) return route.handle(pageRequest)
  const cookie = pageRequest.cookies.get(surface.sessionCookie(options.https)) ?? null
  // A file may have taken long, and its sender may have been signed out meanwhile, so the session is read again.
  const earlierSession = mayCarryFile ? null : senderOf(request)
  const signedIn =
    earlierSession ??
    (await surface.findSession(pageRequest.gateway, cookie, { isPoll: pageRequest.part !== null }))
  if (signedIn === null) return toSignIn(surface, request)
  if (request.method === 'POST' && surface.readOnly !== undefined)
    throw new Refusal(403, 'forbidden', surface.readOnly)
  const opened = await openVisit(surface, { pageRequest, signedIn, prefix })
  if ('instead' in opened) return opened.instead
  state.visit = opened.visit
  if (route === null) throw new Refusal(404, 'not_found', PARTS.errors.notFound)
  if (route.kind === 'form') return answerForm(opened.visit, route, remembering(surface.stepUp, state))
  requireRole(opened.visit.caller, route.see)
  return route.show(opened.visit)
}

/** Keeps the visit and the cookies after a step-up for the reply, even if the act then fails: the old cookie expires within a minute. */
const remembering =
  <V extends Visit>(stepUp: StepUp<V>, state: Known<V>): StepUp<V> =>
  async (visit, confirm) => {
    const result = await stepUp(visit, confirm)
    Object.assign(state, { visit: result.after, cookies: result.cookies })
    return result
  }

const openVisit = <V extends Visit>(
  surface: Surface<V>,
  { pageRequest, signedIn, prefix }: { pageRequest: Asked; signedIn: SignedIn; prefix: string },
) => surface.open(pageRequest, signedIn, prefix)

/** Redirects to the sign-in, which leads back to the requested page. */
function toSignIn<V extends Visit>({ signIn, base }: Surface<V>, { method, url }: FastifyRequest): Shown {
  const to =
    method !== 'POST' && url !== base && !url.includes('part=') ? `?then=${encodeURIComponent(url)}` : ''
  return { kind: 'redirect', to: `${signIn}${to}` }
}

const OWN_WORDS = [400, 403, 409, 429]

/** Makes the page of a refusal: what went wrong, and that nothing was done. */
function errorPage(refusal: Refusal): PageShown {
  const { errors } = PARTS
  const text =
    refusal.status === 404
      ? errors.notFound
      : refusal.status === 503
        ? errors.unavailable
        : refusal.status === 413
          ? errors.tooLarge
          : OWN_WORDS.includes(refusal.status)
            ? refusal.message
            : errors.internal
  return {
    kind: 'page',
    status: refusal.status,
    title: errors.title(refusal.status),
    body: ErrorPage({ title: errors.title(refusal.status), says: text }),
    ...(refusal.retryAfterSeconds === null ? {} : { retryAfterSeconds: refusal.retryAfterSeconds }),
  }
}
