import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { Refusal } from '../platform/refusal.ts'

// The verbs that any path has. HEAD is there wherever GET is: it is routed as GET, and Node sends no body to who asked with HEAD.
const SERVED = ['GET', 'POST']
const ANY: ReadonlySet<string> = new Set(SERVED)
// All others are routed as this one: a table of all paths for each verb that Node reads took a tenth of the start.
/** The method under which a route gets every verb but GET and POST; `restoreMethod` has put the right one back by then. */
export const STAND_IN = 'TRACE'
const asked = new WeakMap<object, string>()

/** Before a route is looked for: a request has a method that routes have. `restoreMethod` comes right after. */
export function standInForMethod(raw: { method?: string | undefined }): void {
  const { method = '' } = raw
  if (SERVED.includes(method)) return
  asked.set(raw, method)
  raw.method = method === 'HEAD' ? 'GET' : STAND_IN
}

/** The request says again what it was asked with. */
export function restoreMethod(raw: IncomingMessage): void {
  if (raw.method !== 'POST') raw.method = asked.get(raw) ?? raw.method
}

/**
 * Why an address that no route has is refused already before its body is looked at, or nothing: the framework has rules of its own for
 * the bodies of some methods (QUERY), which a stranger must not meet.
 */
export function refuseUnknown(
  server: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
): Refusal | undefined {
  const isOther = request.is404 && !SERVED.includes(request.method)
  return isOther ? notFoundHere(server, request, reply) : undefined
}

type Endpoint = { path: string; method: 'GET' | 'POST' }

/** Answers 405 on a known path with a verb that it does not have, before any key is checked. */
export function refuseOtherMethods(server: FastifyInstance, endpoints: readonly Endpoint[]): void {
  for (const [path, methods] of methodsOf(endpoints)) {
    server.route({
      method: [...SERVED.filter((method) => !methods.has(method)), STAND_IN],
      url: path,
      onRequest: (_request, reply, done) => done(refused(reply, methods) as never),
      handler: async () => '',
    })
  }
}

/**
 * The same for hundreds of paths: a hook for the route `base/*`, which takes what no other route takes. A route for every verb of every
 * page was a quarter of the start.
 */
export function refuseOtherMethodsBelow(endpoints: readonly Endpoint[]): onRequestHookHandler {
  const known = [...methodsOf(endpoints)].map(([path, methods]) => ({ parts: path.split('/'), methods }))
  return ({ raw, url }, reply, done) => {
    const parts = (url.split('?', 1)[0] ?? '').replace(/\/{2,}/g, '/').split('/')
    const methods = known.find((one) => standsFor(one.parts, parts))?.methods
    const has = methods ?? ANY
    const wanted = raw.method === 'HEAD' ? 'GET' : (raw.method ?? '')
    done(has.has(wanted) ? undefined : (refused(reply, has) as never))
  }
}

/** A part of a path that begins with a colon stands for any other. */
const standsFor = (path: readonly string[], asked: readonly string[]) =>
  path.length === asked.length &&
  path.every((part, nth) => part === asked[nth] || (part.startsWith(':') && asked[nth] !== ''))

function methodsOf(endpoints: readonly Endpoint[]): Map<string, Set<string>> {
  const paths = new Map<string, Set<string>>()
  for (const { path, method } of endpoints) paths.set(path, (paths.get(path) ?? new Set()).add(method))
  return paths
}

export class MethodNotAllowed extends Refusal {
  constructor() {
    super(405, 'method_not_allowed', 'method not allowed')
  }
}

function refused(reply: FastifyReply, methods: Iterable<string>): Refusal {
  reply.header('Allow', [...methods].flatMap((one) => (one === 'GET' ? ['GET', 'HEAD'] : [one])).join(', '))
  return new MethodNotAllowed()
}

/** 404, or 405 where the path is there for another verb: pages and health documents, whose paths have no parameters. */
export function notFoundHere(server: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Refusal {
  const url = request.url.split('?', 1)[0] ?? ''
  const methods = SERVED.filter((method) => server.hasRoute({ url, method: method as 'GET' }))
  return methods.length === 0 ? noSuchPath() : refused(reply, methods)
}

/** What is no path of ours has the text of what is no object; the hint tells them apart. */
const noSuchPath = () =>
  new Refusal(404, 'not_found', 'not found', {
    hint: 'no endpoint has this path: the reference at /docs lists them',
  })
