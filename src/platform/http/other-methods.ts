import { METHODS } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../refusal.ts'

// Every verb that Node can read; CONNECT never reaches a route.
const ALL_METHODS = METHODS.filter((method) => method !== 'CONNECT')

/** Known paths with a verb they do not have: 405, before any key is looked at. */
export function refuseOtherMethods(
  server: FastifyInstance,
  endpoints: readonly { path: string; method: string }[],
): void {
  for (const method of ALL_METHODS)
    if (!server.supportedMethods.includes(method)) server.addHttpMethod(method)
  const paths = new Map<string, Set<string>>()
  for (const { path, method } of endpoints) paths.set(path, (paths.get(path) ?? new Set()).add(method))
  for (const [path, methods] of paths) {
    const others = ALL_METHODS.filter((method) => !methods.has(method))
    server.route({
      method: others,
      url: path,
      onRequest: (_request, reply, done) => {
        reply.header('Allow', [...methods].join(', '))
        done(new Refusal(405, 'method_not_allowed', 'method not allowed') as never)
      },
      handler: async () => '',
    })
  }
}

/** 404, or 405 where the path is there for another verb: pages and health documents, whose paths have no parameters. */
export function notFoundHere(server: FastifyInstance, request: FastifyRequest, reply: FastifyReply): Refusal {
  const url = request.url.split('?', 1)[0] ?? ''
  const methods = ['GET', 'POST'].filter((method) => server.hasRoute({ url, method: method as 'GET' }))
  if (methods.length === 0) return new Refusal(404, 'not_found', 'not found')
  reply.header('Allow', methods.join(', '))
  return new Refusal(405, 'method_not_allowed', 'method not allowed')
}
