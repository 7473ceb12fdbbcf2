import type {
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  onRequestAsyncHookHandler,
  onRequestHookHandler,
} from 'fastify'
import { requireRole } from '../../../api/access/allow.ts'
import { closeAfterReply } from '../../../api/http/admission/close-gently.ts'
import { toRefusal } from '../../../api/http/errors.ts'
import { translateFrameworkError } from '../../../api/http/framework-refusals.ts'
import { clientAddress } from '../../../api/http/guards.ts'
import {
  MethodNotAllowed,
  refuseOtherMethods,
  refuseOtherMethodsBelow,
  STAND_IN_METHOD,
} from '../../../api/http/other-methods.ts'
import { newAddressWindow } from '../../../api/rate-limits/address-window.ts'
import type { SignedInSession } from '../../../merchants/people/session.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { ErrorPage } from '../error-page.tsx'
import { answerForm, type StepUp } from '../forms/answer-form.ts'
import { PARTS } from '../texts.ts'
import { admitForm, senderOf } from './admit-routes.ts'
import { emptyPageRequest, readPageRequest } from './page-request-routes.ts'
import type { PageRequest, Visit } from './route.ts'
import { sendSurfaceReply } from './send-routes.ts'
import {
  asRefusedPost,
  listServedRoutes,
  maxBodyBytes,
  maxFileBytes,
  newPageMatcher,
  type ServedRoute,
} from './served-routes.ts'
import type { Surface, SurfaceOptions } from './surface.ts'
import type { PageReply, SurfaceReply } from './surface-reply.ts'
import { expectUpload } from './upload-routes.ts'

type SurfaceHandle<V extends Visit> = {
  surface: Surface<V>
  options: SurfaceOptions
  limit(address: string): void
  isPage(path: string): boolean
}
/** The facts of a request that its reply needs, filled in as they become known, so that an error page has them too. */
type RequestState<V> = { pageRequest: PageRequest | null; visit: V | null; cookies: readonly string[] }

/** Registers every page and form of a surface, and an answer for every other address under its base. */
export function registerSurface<V extends Visit>(
  server: FastifyInstance,
  surface: Surface<V>,
  options: SurfaceOptions,
): void {
  const window = newAddressWindow(options.requestsAMinute)
  const { base } = surface
  const served = listServedRoutes(surface)
  const limit = (address: string) => window.take(address, options.nowMs())
  const handle: SurfaceHandle<V> = { surface, options, limit, isPage: newPageMatcher(served) }
  const register = (served: ServedRoute<V>, method: string[], before: onRequestHookHandler[] = []) =>
    server.route({
      method,
      url: served.url,
      bodyLimit: maxBodyBytes(served),
      onRequest: [...before, admit(handle, served)],
      errorHandler: (error, request, reply) => refuseUnread(handle, { served, request, reply }, error),
      handler: (request, reply) => answerRequest(handle, { served, request, reply }),
    })
  const refused = surface.readOnly === undefined ? [] : served.map(asRefusedPost)
  for (const route of [...served, ...refused.filter(({ url }) => url === base)]) register(route, [route.method])
  const endpoints = [...served, ...refused].map(({ url, method }) => ({ path: url, method }))
  const ofBase = endpoints.filter(({ path }) => path === base)
  refuseOtherMethods(server, ofBase)
  const elsewhere = { method: 'GET', url: `${base}/*`, prefix: '', route: null } as const
  register(elsewhere, ['GET', 'POST', STAND_IN_METHOD], [refuseOtherMethodsBelow(endpoints)])
}

/** Checks a request before its body is read: the rate of its address, the origin of a form, and its sender. */
const admit =
  <V extends Visit>(handle: SurfaceHandle<V>, served: ServedRoute<V>): onRequestAsyncHookHandler =>
  async (request, reply) => {
    const address = clientAddress(request.raw, handle.options.trustedProxies)
    handle.limit(address)
    if (request.method !== 'POST') return
    const forGuests = served.route !== null && 'handle' in served.route
    const sender = await admitForm(handle, request, { reply, forGuests })
    if (sender === null || maxFileBytes(served) === 0) return
    const { person, operatorRole } = sender
    const confirmed = person.confirmed || operatorRole !== null
    const { uploads } = handle.options
    expectUpload({ uploads, sender: { personId: person.id, address, confirmed } }, request, reply)
  }

type ServedRequest<V> = { served: ServedRoute<V>; request: FastifyRequest; reply: FastifyReply }

async function answerRequest<V extends Visit>(
  handle: SurfaceHandle<V>,
  { served, request, reply }: ServedRequest<V>,
): Promise<FastifyReply> {
  const { surface, options } = handle
  const state: RequestState<V> = { pageRequest: null, visit: null, cookies: [] }
  const surfaceReply: SurfaceReply = await findReply(handle, { served, request, state }).catch((error) => {
    const refusal = toRefusal(error)
    request.code = refusal.code
    if (refusal.status >= 500) options.troubled(error, request.id)
    return errorPage(refusal)
  })
  const { pageRequest, visit, cookies } = state
  const withCookies =
    cookies.length === 0 ? surfaceReply : { ...surfaceReply, cookies: [...cookies, ...(surfaceReply.cookies ?? [])] }
  return sendSurfaceReply(withCookies, {
    ...{ request, reply, pageRequest, https: options.https },
    frame: (page) => surface.frame(page, { asked: pageRequest ?? emptyPageRequest(request, options), visit }),
    cut: (error) => options.troubled(error, request.id),
  })
}

/** Answers a request whose body was not read, because it is too long or from another site. */
function refuseUnread<V extends Visit>(
  { surface, options }: SurfaceHandle<V>,
  { request, reply }: ServedRequest<V>,
  error: unknown,
): void {
  // A method that an address does not have is refused as on the API.
  if (error instanceof MethodNotAllowed) throw error
  const refusal = toRefusal(translateFrameworkError(error))
  request.code = refusal.code
  if (refusal.status >= 500) options.troubled(error, request.id)
  closeAfterReply(request, reply)
  const pageRequest = emptyPageRequest(request, options)
  void sendSurfaceReply(errorPage(refusal), {
    ...{ request, reply, pageRequest: null, https: options.https },
    frame: (page) => surface.frame(page, { asked: pageRequest, visit: null }),
    cut: (cut) => options.troubled(cut, request.id),
  }).catch((fault) => {
    // The reply cannot be sent. Without this the browser would wait for ever.
    options.troubled(fault, request.id)
    reply.raw.destroy()
  })
}

async function findReply<V extends Visit>(
  { surface, options }: SurfaceHandle<V>,
  {
    served: { route, prefix },
    request,
    state,
  }: { served: ServedRoute<V>; request: FastifyRequest; state: RequestState<V> },
): Promise<SurfaceReply> {
  const mayCarryFile = maxFileBytes({ route }) > 0
  const pageRequest = await readPageRequest(request, options, mayCarryFile)
  state.pageRequest = pageRequest
  if (route !== null && 'handle' in route) return route.handle(pageRequest)
  const cookie = pageRequest.cookies.get(surface.sessionCookie(options.https)) ?? null
  // A file may have taken long, and its sender may have been signed out meanwhile, so the session is read again.
  const earlierSession = mayCarryFile ? null : senderOf(request)
  const signedIn =
    earlierSession ?? (await surface.findSession(pageRequest.gateway, cookie, { isPoll: pageRequest.part !== null }))
  if (signedIn === null) return redirectToSignIn(surface, request)
  if (request.method === 'POST' && surface.readOnly !== undefined) throw new Refusal(403, 'forbidden', surface.readOnly)
  const opened = await openVisit(surface, { pageRequest, signedIn, prefix })
  if ('instead' in opened) return opened.instead
  state.visit = opened.visit
  if (route === null) throw new Refusal(404, 'not_found', PARTS.errors.notFound)
  if (route.kind === 'form') return answerForm(opened.visit, route, keepStepUpResult(surface.stepUp, state))
  requireRole(opened.visit.caller, route.see)
  return route.show(opened.visit)
}

/** Keeps the visit and the cookies after a step-up for the reply, even if the act then fails: the old cookie expires within a minute. */
const keepStepUpResult =
  <V extends Visit>(stepUp: StepUp<V>, state: RequestState<V>): StepUp<V> =>
  async (visit, confirm) => {
    const result = await stepUp(visit, confirm)
    Object.assign(state, { visit: result.after, cookies: result.cookies })
    return result
  }

const openVisit = <V extends Visit>(
  surface: Surface<V>,
  { pageRequest, signedIn, prefix }: { pageRequest: PageRequest; signedIn: SignedInSession; prefix: string },
) => surface.open(pageRequest, signedIn, prefix)

/** Redirects to the sign-in, which leads back to the requested page. */
function redirectToSignIn<V extends Visit>(
  { signIn, base }: Surface<V>,
  { method, url }: FastifyRequest,
): SurfaceReply {
  const to = method !== 'POST' && url !== base && !url.includes('part=') ? `?then=${encodeURIComponent(url)}` : ''
  return { kind: 'redirect', to: `${signIn}${to}` }
}

const STATUSES_WITH_OWN_TEXT = [400, 403, 409, 429]

/** Makes the page of a refusal: what went wrong, and that nothing was done. */
function errorPage(refusal: Refusal): PageReply {
  const { errors } = PARTS
  const text =
    refusal.status === 404
      ? errors.notFound
      : refusal.status === 503
        ? errors.unavailable
        : refusal.status === 413
          ? errors.tooLarge
          : STATUSES_WITH_OWN_TEXT.includes(refusal.status)
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
