import type { FastifyInstance } from 'fastify'
import { Refusal } from '../refusal.ts'

const ALL_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'] as const

/** Known paths with a verb they do not have: 405, before any key is looked at. */
export function refuseOtherMethods(
  server: FastifyInstance,
  endpoints: readonly { path: string; method: string }[],
): void {
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
