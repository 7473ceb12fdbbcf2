import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { requireRole } from '../actors/allow.ts'
import { lastAnswer } from '../http/close-gently.ts'
import { refusalFor } from '../http/errors.ts'
import { asRefusal } from '../http/framework-refusals.ts'
import { clientAddress, readQuery } from '../http/guards.ts'
import {
  MethodNotAllowed,
  refuseOtherMethods,
  refuseOtherMethodsBelow,
  STAND_IN,
} from '../http/other-methods.ts'
import type { SignedIn } from '../people/session.ts'
import { Refusal } from '../platform/refusal.ts'
import { addressWindow } from '../rate-limits/address-window.ts'
import { answerForm, type StepUp } from './answer-form.ts'
import { readCookies } from './cookies.ts'
import { ErrorPage } from './error-page.tsx'
import { readFlash } from './flash.ts'
import { sentFromHere } from './from-here.ts'
import { judgeParams } from './params.ts'
import type { Asked, GuestRoute, Route, Visit } from './route.ts'
import { sendShown } from './send-routes.ts'
import type { PageShown, Shown } from './shown.ts'
import type { Surface, SurfaceOptions } from './surface.ts'
import { PARTS } from './texts.ts'
import { admitUpload, readPosted } from './upload-routes.ts'

const FORM_BYTES = 512 * 1024
const LONGEST_AGENT = 300

type Handle<V extends Visit> = { surface: Surface<V>; options: SurfaceOptions; limit(address: string): void }
/** What is known of a request when it is answered, whatever becomes of it. */
type Known<V> = { asked: Asked | null; visit: V | null; cookies: readonly string[] }
type Served<V> = { method: 'GET' | 'POST'; url: string; prefix: string; route: Route<V> | GuestRoute | null }

/** Registers every page and form of a surface, and an answer for every other address under its base. */
export function registerSurface<V extends Visit>(
  server: FastifyInstance,
  surface: Surface<V>,
  options: SurfaceOptions,
): void {
  const window = addressWindow(options.requestsAMinute)
  const handle: Handle<V> = { surface, options, limit: (address) => window.take(address, options.nowMs()) }
  const register = (served: Served<V>, method: string[], onRequest?: onRequestHookHandler) =>
    server.route({
      method,
      url: served.url,
      bodyLimit: bytesOf(served),
      ...(onRequest === undefined ? {} : { onRequest }),
      errorHandler: (error, request, reply) => refuseUnread(handle, { served, request, reply }, error),
      handler: (request, reply) => answer(handle, { served, request, reply }),
    })
  const { base } = surface
  const served = servedBy(surface)
  const refused = surface.readOnly === undefined ? [] : served.map(posted)
  for (const one of [...served, ...refused.filter(({ url }) => url === base)])
    register(one, [one.method], mostFileOf(one) > 0 ? admitUpload(surface, options) : undefined)
  const endpoints = [...served, ...refused].map(({ url, method }) => ({ path: url, method }))
  const ofBase = endpoints.filter(({ path }) => path === base)
  refuseOtherMethods(server, ofBase)
  const elsewhere = { method: 'GET', url: `${base}/*`, prefix: '', route: null } as const
  register(elsewhere, ['GET', 'POST', STAND_IN], refuseOtherMethodsBelow(endpoints))
}

function servedBy<V extends Visit>({ base, prefixes, routes, guests }: Surface<V>): Served<V>[] {
  const signedIn = prefixes.flatMap((prefix) =>
    routes.map((route): Served<V> => {
      const path = route.kind === 'page' ? route.path : route.spec.path
      const url = `${base}${prefix}${path === '/' ? '' : path}`
      return { method: route.kind === 'page' ? 'GET' : 'POST', url, prefix, route }
    }),
  )
  const open = guests.map(
    (route): Served<V> => ({ method: route.method, url: `${base}${route.path}`, prefix: '', route }),
  )
  return [...signedIn, ...open]
}

/** The address of a page, asked for with what would change something: no verb that it lacks, but it says that nothing can be changed. */
const posted = <V>(served: Served<V>): Served<V> => ({ ...served, method: 'POST', route: null })

const mostFileOf = <V>({ route }: Served<V>) =>
  route !== null && 'spec' in route ? (route.spec.mostFileBytes ?? 0) : 0

/** With room for a file that is a little too long, so that its form can say so. */
const bytesOf = <V>(served: Served<V>) => FORM_BYTES + Math.ceil(1.25 * mostFileOf(served))

type Request<V> = { served: Served<V>; request: FastifyRequest; reply: FastifyReply }

async function answer<V extends Visit>(
  handle: Handle<V>,
  { served, request, reply }: Request<V>,
): Promise<FastifyReply> {
  const { surface, options } = handle
  const known: Known<V> = { asked: null, visit: null, cookies: [] }
  const shown: Shown = await answerTo(handle, { served, request, known }).catch((error) => {
    const refusal = refusalFor(error)
    request.code = refusal.code
    if (refusal.status >= 500) options.troubled(error, request.id)
    return errorPage(refusal)
  })
  const { asked, visit, cookies } = known
  const kept = cookies.length === 0 ? shown : { ...shown, cookies: [...cookies, ...(shown.cookies ?? [])] }
  return sendShown(kept, {
    ...{ request, reply, asked, https: options.https },
    frame: (page) => surface.frame(page, { asked: asked ?? askedNothing(request, options), visit }),
    cut: (error) => options.troubled(error, request.id),
  })
}

/** The answer to a request whose body is not read: too long, or from somewhere else. */
function refuseUnread<V extends Visit>(
  { surface, options }: Handle<V>,
  { request, reply }: Request<V>,
  error: unknown,
): void {
  // A verb that an address does not have is refused as everywhere else.
  if (error instanceof MethodNotAllowed) throw error
  const refusal = refusalFor(asRefusal(error))
  request.code = refusal.code
  if (refusal.status >= 500) options.troubled(error, request.id)
  lastAnswer(request, reply)
  const asked = askedNothing(request, options)
  void sendShown(errorPage(refusal), {
    ...{ request, reply, asked: null, https: options.https },
    frame: (page) => surface.frame(page, { asked, visit: null }),
    cut: (cut) => options.troubled(cut, request.id),
  })
}

async function answerTo<V extends Visit>(
  { surface, options, limit }: Handle<V>,
  {
    served: { route, prefix },
    request,
    known,
  }: { served: Served<V>; request: FastifyRequest; known: Known<V> },
): Promise<Shown> {
  limit(clientAddress(request.raw, options.trustedProxies))
  const asked = await readAsked(
    request,
    options,
    route !== null && 'spec' in route && route.spec.mostFileBytes !== undefined,
  )
  known.asked = asked
  if (request.method === 'POST' && !sentFromHere(request.raw.headers, options.baseUrl()))
    throw new Refusal(403, 'forbidden', PARTS.errors.elsewhere)
  if (route !== null && 'handle' in route) return route.handle(asked)
  const cookie = asked.cookies.get(surface.sessionCookie(options.https)) ?? null
  const signedIn = await surface.findSession(asked.gateway, cookie, { isPoll: asked.part !== null })
  if (signedIn === null) return toSignIn(surface, request)
  if (request.method === 'POST' && surface.readOnly !== undefined)
    throw new Refusal(403, 'forbidden', surface.readOnly)
  const opened = await openVisit(surface, { asked, signedIn, prefix })
  if ('instead' in opened) return opened.instead
  known.visit = opened.visit
  if (route === null) throw new Refusal(404, 'not_found', PARTS.errors.notFound)
  if (route.kind === 'form') return answerForm(opened.visit, route, remembering(surface.stepUp, known))
  requireRole(opened.visit.caller, route.see)
  return route.show(opened.visit)
}

/** The new cookie of a session goes out with the answer even where the act is refused or fails: the old one ends within the minute. */
const remembering =
  <V extends Visit>(stepUp: StepUp<V>, known: Known<V>): StepUp<V> =>
  async (visit, confirm) => {
    const stepped = await stepUp(visit, confirm)
    Object.assign(known, { visit: stepped.after, cookies: stepped.cookies })
    return stepped
  }

const openVisit = <V extends Visit>(
  surface: Surface<V>,
  { asked, signedIn, prefix }: { asked: Asked; signedIn: SignedIn; prefix: string },
) => surface.open(asked, signedIn, prefix)

/** To the sign-in, which leads back to the page that was wanted. */
function toSignIn<V extends Visit>({ signIn, base }: Surface<V>, { method, url }: FastifyRequest): Shown {
  const to =
    method !== 'POST' && url !== base && !url.includes('part=') ? `?then=${encodeURIComponent(url)}` : ''
  return { kind: 'redirect', to: `${signIn}${to}` }
}

async function readAsked(
  request: FastifyRequest,
  options: SurfaceOptions,
  mayCarryFile: boolean,
): Promise<Asked> {
  const { headers } = request.raw
  const cookies = readCookies(headers.cookie)
  const query = readQuery(request.query)
  const params = request.params as Record<string, string>
  judgeParams(params)
  return {
    gateway: options.gateway(),
    params,
    query,
    ...(await readPosted(request, mayCarryFile)),
    cookies,
    address: clientAddress(request.raw, options.trustedProxies),
    agent: (headers['user-agent'] ?? '').slice(0, LONGEST_AGENT),
    requestId: request.id,
    now: new Date(options.nowMs()),
    here: request.url,
    part: query.part ?? null,
    flash: readFlash(cookies, options.https),
    https: options.https,
  }
}

/** For the page of a request that could not be read, or that came while the database was away. */
const askedNothing = (request: FastifyRequest, { nowMs, https }: SurfaceOptions): Asked => ({
  // The frame of an error reads nothing from it.
  gateway: null as never,
  ...{ params: {}, query: {}, fields: {}, file: null, cookies: new Map(), address: '', agent: '' },
  ...{ requestId: request.id, now: new Date(nowMs()), here: request.url, part: null, flash: null, https },
})

const OWN_WORDS = [400, 403, 409, 429]

/** A refusal as a page: what went wrong, and that nothing was done. */
function errorPage(refusal: Refusal): PageShown {
  const { errors } = PARTS
  const says =
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
    body: ErrorPage({ title: errors.title(refusal.status), says }),
    ...(refusal.retryAfterSeconds === null ? {} : { retryAfterSeconds: refusal.retryAfterSeconds }),
  }
}
