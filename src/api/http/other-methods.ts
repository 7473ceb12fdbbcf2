import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { Refusal } from '../../platform/refusal.ts'

// The verbs that routes have. HEAD works wherever GET does: it is routed as GET, and Node leaves the body of its answer out.
const ROUTED_METHODS = ['GET', 'POST']
const ANY_ROUTED_METHOD: ReadonlySet<string> = new Set(ROUTED_METHODS)
// One stand-in for all other verbs: a table of all paths for each verb that Node reads took a tenth of the start.
/** The method under which a route gets every verb but GET, HEAD and POST. Handlers see the real one: `restoreMethod` runs before them. */
export const STAND_IN_METHOD = 'TRACE'
const originalMethods = new WeakMap<object, string>()

/** Replaces a method that no route has by the stand-in, before routing. `restoreMethod` undoes it right after. */
export function standInForMethod(raw: { method?: string | undefined }): void {
  const { method = '' } = raw
  if (ROUTED_METHODS.includes(method)) return
  originalMethods.set(raw, method)
  raw.method = method === 'HEAD' ? 'GET' : STAND_IN_METHOD
}

/** Gives a routed request its real method back. */
export function restoreMethod(raw: IncomingMessage): void {
  if (raw.method !== 'POST') raw.method = originalMethods.get(raw) ?? raw.method
}

/**
 * Returns the refusal of an address that no route has, for methods other than GET and POST, before the body is read; else undefined. The
 * framework has rules of its own for the bodies of some methods (QUERY), whose errors must not reach a client.
 */
export function refuseUnknownPath(
  server: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
): Refusal | undefined {
  const isOther = request.is404 && !ROUTED_METHODS.includes(request.method)
  return isOther ? buildNotFound(server, request, reply) : undefined
}

type RoutedPath = { path: string; method: 'GET' | 'POST' }

/** Adds routes that refuse (405) every verb a known path does not have, before any key is checked. */
export function refuseOtherMethods(server: FastifyInstance, endpoints: readonly RoutedPath[]): void {
  for (const [path, methods] of groupMethods(endpoints)) {
    server.route({
      method: [...ROUTED_METHODS.filter((method) => !methods.has(method)), STAND_IN_METHOD],
      url: path,
      onRequest: (_request, reply, done) => done(refuseMethod(reply, methods) as never),
      handler: async () => '',
    })
  }
}

/**
 * Makes a hook that refuses (405) other verbs of hundreds of paths, for the route `base/*`, which takes what no other route takes. A route
 * for every verb of every page took a quarter of the start.
 */
export function refuseOtherMethodsBelow(endpoints: readonly RoutedPath[]): onRequestHookHandler {
  const known = [...groupMethods(endpoints)].map(([path, methods]) => ({ parts: path.split('/'), methods }))
  return ({ raw, url }, reply, done) => {
    const parts = (url.split('?', 1)[0] ?? '').replace(/\/{2,}/g, '/').split('/')
    const methods = known.find((path) => matchesPath(path.parts, parts))?.methods ?? ANY_ROUTED_METHOD
    const method = raw.method === 'HEAD' ? 'GET' : (raw.method ?? '')
    done(methods.has(method) ? undefined : (refuseMethod(reply, methods) as never))
  }
}

/** Whether these parts of an address fit a path. A part of the path that begins with a colon fits any text. */
const matchesPath = (path: readonly string[], parts: readonly string[]) =>
  path.length === parts.length &&
  path.every((part, nth) => part === parts[nth] || (part.startsWith(':') && parts[nth] !== ''))

function groupMethods(endpoints: readonly RoutedPath[]): Map<string, Set<string>> {
  const paths = new Map<string, Set<string>>()
  for (const { path, method } of endpoints) paths.set(path, (paths.get(path) ?? new Set()).add(method))
  return paths
}

export class MethodNotAllowed extends Refusal {
  constructor() {
    super(405, 'method_not_allowed', 'method not allowed')
  }
}

function refuseMethod(reply: FastifyReply, methods: Iterable<string>): Refusal {
  const allowed = [...methods].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  reply.header('Allow', allowed.join(', '))
  return new MethodNotAllowed()
}

/**
 * Makes the 404 of an unknown path, or the 405 of a path that has another verb: pages and health documents, whose paths have no
 * parameters.
 */
export function buildNotFound(server: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Refusal {
  const url = request.url.split('?', 1)[0] ?? ''
  const methods = ROUTED_METHODS.filter((method) => server.hasRoute({ url, method: method as 'GET' }))
  return methods.length === 0 ? noSuchPath() : refuseMethod(reply, methods)
}

/** An unknown path has the same text as an unknown object; the hint tells them apart. */
const noSuchPath = () =>
  new Refusal(404, 'not_found', 'not found', {
    hint: 'no endpoint has this path: the reference at /docs lists them',
  })
