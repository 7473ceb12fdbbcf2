import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { publicActor } from '../../api/access/actor.ts'
import { closeAfterReply } from '../../api/http/admission/close-gently.ts'
import { translateFrameworkError } from '../../api/http/framework-refusals.ts'
import { clientAddress } from '../../api/http/guards.ts'
import { STAND_IN_METHOD } from '../../api/http/other-methods.ts'
import { Refusal } from '../../platform/refusal.ts'
import { type RailCallbacks, railCallbacks } from './rail-callback.ts'

const PATH = '/inbound/op1/:about/:token'
const MAX_BODY_BYTES = 64 * 1024
const HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' }

/** Registers the address to which the operator calls back, by PUT or POST (rails.md 4.3). The response is always the same. */
export function registerRailCallbacks(
  server: FastifyInstance,
  options: RailCallbacks & { trustedProxies: number },
): void {
  const callbacks = railCallbacks(options)
  const take = async (request: FastifyRequest, reply: FastifyReply) => {
    const { about = '', token = '' } = request.params as { about?: string; token?: string }
    const body = Buffer.isBuffer(request.body) ? request.body : null
    const address = clientAddress(request.raw, options.trustedProxies)
    const actor = publicActor('rail', { origin: address, requestId: request.id })
    callbacks.take({ actor, about, token, body, address })
    return answer(reply)
  }
  server.register(async (inbound) => {
    inbound.addHook('onClose', () => callbacks.idle())
    inbound.setErrorHandler((error, request, reply) => {
      const refusal = translateFrameworkError(error)
      // A body that is too large changes nothing about the hint, which stands in the address.
      if (refusal instanceof Refusal && refusal.status === 413) closeAfterReply(request, reply)
      if (refusal instanceof Refusal && refusal.status === 405) throw error
      return answer(reply)
    })
    inbound.route({ method: 'POST', url: PATH, bodyLimit: MAX_BODY_BYTES, handler: take })
    inbound.route({
      method: ['GET', STAND_IN_METHOD],
      url: PATH,
      handler: async (request, reply) => {
        if (request.raw.method === 'PUT') return take(request, reply)
        reply.header('Allow', 'POST, PUT')
        throw new Refusal(405, 'method_not_allowed', 'method not allowed')
      },
    })
  })
}

const answer = (reply: FastifyReply) => reply.code(200).headers(HEADERS).send('{}')
