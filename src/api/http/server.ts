import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { newTimeSpent, trackTimeFor } from '../../platform/log/spent.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import { invalidRequest, TooBusy } from '../../platform/refusal.ts'
import { newUuidAt } from '../../platform/text/ids.ts'
import { admitRequest } from './admission/admission.ts'
import { answerBrokenRequest, answerExpectation } from './admission/broken-request.ts'
import { closeAfterReply, isClosing } from './admission/close-gently.ts'
import { watchOwnDelay } from './admission/own-delay.ts'
import { limitListener } from './admission/requests-per-turn.ts'
import type { Answer } from './answer.ts'
import { newAnswerSender, type SendAnswer } from './answer-sender.ts'
import { type ParsedBody, parseRequestBody, type RefuseUsedKey } from './bodies/request-body.ts'
import { buildCallerHeaders } from './caller-headers.ts'
import type { ApiRequest, Endpoint } from './endpoint.ts'
import { toRefusal, writeErrorBody } from './errors.ts'
import type { AdmittedRequest, Frame } from './frame.ts'
import { findHeadersRefusal, NO_COMPILERS, translateFrameworkError } from './framework-refusals.ts'
import { parseQuery, parseRequestId } from './guards.ts'
import { noteIgnoredQuery } from './ignored-parameters.ts'
import {
  buildNotFound,
  refuseOtherMethods,
  refuseUnknownPath,
  restoreMethod,
  standInForMethod,
} from './other-methods.ts'
import { normalizeTarget, noteStoredRefusal, REQUEST_FACTS, withoutFacts } from './request-facts.ts'
import { logRequest } from './request-log.ts'
import { beginRequestSpan, endRequestSpan } from './request-span.ts'
import { API_HEADERS, secureHeaders } from './secure-headers.ts'
import { judgeDigest } from './signatures/judge-signature.ts'
import { endWaitingRequests } from './waiting-requests.ts'

/** The running HTTP server, as pages and documents register on it. */
export type HttpServer = FastifyInstance

const MAX_BODY_BYTES = 1024 * 1024
const MAX_HEADER_BYTES = 16 * 1024
const HEADERS_TIMEOUT_MS = 10_000
const REQUEST_TIMEOUT_MS = 30_000
// Above the balancer's, so that the balancer and not we closes an idle connection.
const KEEP_ALIVE_MS = 65_000
// For a connection that is not idle: longer than any answer takes, so that a client that reads nothing is disconnected in
// the end.
const SILENT_MS = 360_000
const NO_FINGERPRINT = Buffer.alloc(32)
const NO_BYTES = Buffer.alloc(0)

/** The HTTP server of the API: one frame for every endpoint, checks in the order of contract.md 3 h. */
export function buildServer<App>(frame: Frame<App>): FastifyInstance {
  const ownDelay = watchOwnDelay()
  const server = Fastify({
    logger: false,
    bodyLimit: MAX_BODY_BYTES,
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: SILENT_MS,
    forceCloseConnections: 'idle',
    // While it stops, the server still answers requests that arrive on open connections, and then closes them: none is refused.
    return503OnClosing: false,
    genReqId: (raw) => parseRequestId(raw.headers['x-request-id']) ?? newUuidAt(frame.clock.nowMs()),
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      // How often the two time limits are checked; with Node's 30 s slow clients would stay that much longer.
      connectionsCheckingInterval: 1000,
      requireHostHeader: false,
    },
    routerOptions: { ignoreDuplicateSlashes: true, maxParamLength: MAX_HEADER_BYTES },
    rewriteUrl: prepareForRouting,
    schemaController: { compilersFactory: NO_COMPILERS },
    frameworkErrors: (error, request, reply) =>
      sendError(frame, withoutFacts(request), reply as never, translateFrameworkError(error)),
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, ownDelay),
  })
  server.addHook('onClose', async () => ownDelay.stop())
  for (const fact of REQUEST_FACTS) server.decorateRequest(fact, null)
  endWaitingRequests(server)
  acceptEveryBody(server)
  const headers = secureHeaders({ https: frame.https })
  const send = newAnswerSender(headers, frame.clock)
  server.setErrorHandler((error, request, reply) => {
    const refusal = translateFrameworkError(error)
    if (refusal instanceof TooBusy && !wantsPage(request)) sendTooBusy(send, request, { refusal, reply })
    else sendError(frame, request, reply, refusal)
  })
  server.setNotFoundHandler((request, reply) => sendError(frame, request, reply, buildNotFound(server, request, reply)))
  limitListener(server.server).on('checkExpectation', answerExpectation)
  server.addHook('onRequest', (request, reply, done) => beginRequest(server, request, reply, done))
  server.addHook('preHandler', (request, _reply, done) => {
    const refused = isClosing(request.raw.socket) ? invalidRequest('the connection was closed') : undefined
    // Again, because a body arrives outside of what began before it.
    trackTimeFor(request.spent, () => done(refused as never))
  })
  server.addHook('onResponse', (request, reply, done) => done(finishRequest(frame, request, reply)))
  server.addHook('onSend', (request, reply, _payload, done) => {
    reply.headers(headers).header('X-Request-ID', request.id)
    done()
  })
  for (const declared of frame.endpoints) addEndpoint(server, frame, { declared, send })
  refuseOtherMethods(server, frame.endpoints)
  return server
}

/** Prepares a request for routing: Fastify calls nothing else of ours before it chooses the route. */
function prepareForRouting(raw: { method?: string | undefined; url?: string | undefined }): string {
  standInForMethod(raw)
  return normalizeTarget(raw.url ?? '')
}

/** Starts the time account of a request and makes the checks that come before those of its route. */
function beginRequest(
  server: FastifyInstance,
  request: FastifyRequest,
  reply: FastifyReply,
  done: (refused?: Error) => void,
): void {
  restoreMethod(request.raw)
  // The Content-Type is not trusted, and must not decide whether the body is read.
  const { headers } = request.raw
  if (headers['content-type'] !== undefined) headers['content-type'] = 'application/json'
  request.spent = newTimeSpent()
  request.spent.span = beginRequestSpan(request)
  const refused = findHeadersRefusal(request.raw) ?? refuseUnknownPath(server, request, reply)
  trackTimeFor(request.spent, () => done(refused as never))
}

/** Reads every body as bytes, whatever its Content-Type says (contract.md 2.0). */
function acceptEveryBody(server: FastifyInstance): void {
  server.removeAllContentTypeParsers()
  // `application/json` is registered by its name too: for a type that only `*` serves, Fastify searches again in each request.
  const types = ['application/json', '*']
  server.addContentTypeParser(types, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
}

function addEndpoint<App>(
  server: FastifyInstance,
  frame: Frame<App>,
  { declared, send }: { declared: Endpoint<App>; send: SendAnswer },
): void {
  server.route({
    method: declared.method,
    url: declared.path,
    bodyLimit: declared.rawBody?.limit,
    onRequest: (request, reply, done) => {
      const admitted = admitRequest(frame, declared, request)
      if (admitted instanceof Promise) admitted.then(() => done(), done)
      else if (admitted === null) done()
      else if (admitted instanceof TooBusy && !wantsPage(request))
        sendTooBusy(send, request, { refusal: admitted, reply })
      else done(admitted as Error)
    },
    // Without `async`, and so with one promise from the request to its work: every payment passes here.
    handler: (request, reply) =>
      handleRequest(frame, declared, request).then((answer) => {
        request.objectId = answer.objectId ?? null
        const { key } = request.passed as AdmittedRequest
        if (key !== null) {
          request.outcome = answer.replayed ? 'replay' : 'new'
          crashPoint('key.done-unsent')
        }
        if (answer.status >= 400) noteStoredRefusal(request, answer)
        return send(request.id, reply, answer)
      }),
  })
}

function handleRequest<App>(frame: Frame<App>, declared: Endpoint<App>, request: FastifyRequest): Promise<Answer> {
  const { caller, key, signed } = request.passed as AdmittedRequest
  if (signed === true) judgeDigest(request)
  noteIgnoredQuery(request, declared)
  const refuseUsedKey: RefuseUsedKey = async (fingerprint) => {
    if (key !== null) await frame.refuseUsedKey(caller, { key, fingerprint: fingerprint ?? NO_FINGERPRINT })
  }
  const parsed = parseRequestBody(request, declared, { keyed: key !== null, refuseUsedKey })
  if (parsed instanceof Promise)
    return parsed.then((content) => callHandler(frame, declared, { request, parsed: content }))
  return callHandler(frame, declared, { request, parsed })
}

function callHandler<App>(
  frame: Frame<App>,
  declared: Endpoint<App>,
  { request, parsed }: { request: FastifyRequest; parsed: ParsedBody },
): Promise<Answer> {
  const { caller, key } = request.passed as AdmittedRequest
  const { fingerprint, body } = parsed
  const api: ApiRequest = {
    caller,
    requestId: request.id,
    params: request.params as Record<string, string>,
    query: parseQuery(request.query),
    body,
    bodyBytes: Buffer.isBuffer(request.body) ? request.body : NO_BYTES,
    idempotency: key === null || fingerprint === null ? null : { key, fingerprint },
    onEnd: (end) => request.onEnd(end),
  }
  return declared.handle(frame.cellServicesOf(caller).app, api)
}

/** Sends a 503 past the framework, which would write each header by itself: refusing must cost little under overload. */
function sendTooBusy(
  send: SendAnswer,
  request: FastifyRequest,
  { refusal, reply }: { refusal: TooBusy; reply: FastifyReply },
): void {
  request.code = refusal.code
  request.errorText = refusal.message
  const { status, retryAfterSeconds } = refusal
  send(request.id, reply, { status, body: writeErrorBody(refusal, request.id), retryAfterSeconds })
}

function sendError<App>(frame: Frame<App>, request: FastifyRequest, reply: FastifyReply, error: unknown): void {
  const refusal = toRefusal(error)
  request.code = refusal.code
  request.errorText = refusal.message
  // Fastify's own refusals run no hooks.
  reply.headers(secureHeaders({ https: frame.https })).headers(buildCallerHeaders(frame.clock, request, refusal.status))
  reply.header('X-Request-ID', request.id)
  // Overload: a second log line for each refusal would add to it.
  if (refusal.status >= 500 && !(error instanceof TooBusy))
    frame.log[refusal.status === 500 ? 'error' : 'warn']({ err: error, request_id: request.id }, refusal.message)
  if (refusal.retryAfterSeconds !== null) reply.header('Retry-After', String(refusal.retryAfterSeconds))
  if (refusal.status === 413 || refusal.status === 431) closeAfterReply(request, reply)
  if (wantsPage(request)) {
    const page = frame.errorPage(refusal)
    reply.code(refusal.status).headers(page.headers).send(page.html)
    return
  }
  reply.code(refusal.status).headers(API_HEADERS).send(writeErrorBody(refusal, request.id))
}

/** JSON under /v1, a page for a browser elsewhere (contract.md 9.4). */
const wantsPage = (request: FastifyRequest) =>
  !/^\/+v1(\/|$|\?)/.test(request.url) && (request.headers.accept ?? '').includes('text/html')

/** Removes a clean 4xx from its rate window, then counts and logs. Returns their error, because the answer has been sent. */
function finishRequest<App>(frame: Frame<App>, request: FastifyRequest, reply: FastifyReply): Error | undefined {
  const status = reply.statusCode
  try {
    if (status >= 400 && status < 500) request.passed?.giveBack?.()
    logRequest(frame, request, reply)
    endRequestSpan(request, reply)
  } catch (error) {
    return error as Error
  }
  return undefined
}
