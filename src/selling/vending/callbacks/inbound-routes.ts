import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { publicActor } from '../../../api/access/actor.ts'
import { closeAfterReply } from '../../../api/http/admission/close-gently.ts'
import { translateFrameworkError } from '../../../api/http/framework-refusals.ts'
import { clientAddress } from '../../../api/http/guards.ts'
import { refuseOtherMethods } from '../../../api/http/other-methods.ts'
import { newAddressWindow } from '../../../api/rate-limits/address-window.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { MAX_CALLBACK_BYTES } from './callback-body.ts'
import type { CallbackReceiver } from './judge-callback.ts'
import { newCallbackReceiver } from './receive-callback.ts'

export type InboundOptions = CallbackReceiver & {
  trustedProxies: number
  /** The limit for one client address; 0 switches it off. */
  callbacksAMinute: number
}

const INBOUND_PATH = '/inbound/vendor/dispense-result'
const HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' }
const RECEIVED = { code: '1', message: 'Received data successfully' }
// Texts for suppliers, who do not know those of our API (contract.md 6.4).
const SUPPLIER_TEXTS: Readonly<Record<number, string>> = { 413: 'body too large', 429: 'slow down' }

/**
 * Registers the endpoint for machine suppliers. It needs no key: the signature in the body authenticates. The answer is always
 * JSON `{code, message}`; any code but "1" makes the supplier send the callback again.
 */
export function registerInbound(server: FastifyInstance, options: InboundOptions): void {
  const window = newAddressWindow(options.callbacksAMinute)
  const receive = newCallbackReceiver(options)
  // Registered as a scope of its own, so that refusals of the framework have the supplier's form too.
  server.register(async (inbound) => {
    inbound.setErrorHandler((error, request, reply) => sendRefusal(options, { request, reply, error }))
    inbound.route({
      method: 'POST',
      url: INBOUND_PATH,
      bodyLimit: MAX_CALLBACK_BYTES,
      onRequest: async (request) =>
        window.take(clientAddress(request.raw, options.trustedProxies), options.clock.nowMs()),
      handler: async (request, reply) => {
        const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const origin = clientAddress(request.raw, options.trustedProxies)
        request.code = await receive(publicActor('machine', { origin, requestId: request.id }), body)
        return reply.headers(HEADERS).send(JSON.stringify(RECEIVED))
      },
    })
    refuseOtherMethods(inbound, [{ path: INBOUND_PATH, method: 'POST' }])
  })
}

function sendRefusal(
  { log }: InboundOptions,
  { request, reply, error }: { request: FastifyRequest; reply: FastifyReply; error: unknown },
): FastifyReply {
  const thrown = translateFrameworkError(error)
  const refusal = thrown instanceof Refusal && thrown.status < 500 ? thrown : null
  // Also while the database is away: the supplier keeps its report and sends it again.
  if (refusal === null) log.error({ err: error, request_id: request.id }, 'a callback could not be taken')
  request.code = refusal?.code ?? 'internal_error'
  const status = refusal?.status ?? 500
  if (refusal?.retryAfterSeconds != null) reply.header('Retry-After', String(refusal.retryAfterSeconds))
  if (status === 413) closeAfterReply(request, reply)
  const message = SUPPLIER_TEXTS[status] ?? refusal?.message ?? 'try again'
  return reply
    .code(status)
    .headers(HEADERS)
    .send(JSON.stringify({ code: '0', message }))
}
