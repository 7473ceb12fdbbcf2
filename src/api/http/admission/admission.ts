import type { FastifyRequest } from 'fastify'
import { count } from '../../../platform/log/measures.ts'
import { newTimeSpent } from '../../../platform/log/spent.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { KeyCaller } from '../../access/actor.ts'
import { allow } from '../../access/allow.ts'
import type { CountedWindow } from '../../rate-limits/exact-window.ts'
import { ALL_REQUESTS } from '../caller-headers.ts'
import type { Endpoint } from '../endpoint.ts'
import type { AdmittedRequest, Frame, KeyHolder } from '../frame.ts'
import {
  addressBehindProxies,
  checkTimestamp,
  clientAddress,
  keyRequired,
  parseBearerToken,
  parseIdempotencyKey,
  testKeyRequired,
} from '../guards.ts'
import { judgeSignature } from '../signatures/judge-signature.ts'
import { judgeAddress } from './refuse-elsewhere.ts'

/**
 * Runs every check that comes before the body. Returns null or the thrown error, without a promise when the key is cached: it runs on
 * every request.
 */
export function admitRequest<App>(
  frame: Frame<App>,
  declared: Endpoint<App>,
  request: FastifyRequest,
): Promise<void> | unknown {
  try {
    const origin = clientAddress(request.raw, frame.trustedProxies)
    const holder = authenticateRequest(frame, request, origin)
    if (holder instanceof Promise)
      return holder.then((authenticated) => admitHolder(frame, declared, { request, holder: authenticated, origin }))
    return admitHolder(frame, declared, { request, holder, origin }) ?? null
  } catch (error) {
    return error
  }
}

type HeldRequest = { request: FastifyRequest; holder: KeyHolder; origin: string }

function admitHolder<App>(
  frame: Frame<App>,
  declared: Endpoint<App>,
  { request, holder, origin }: HeldRequest,
): void | Promise<void> {
  const caller = buildCaller(holder, origin, request)
  if (holder.allowedFrom !== null) {
    const refusal = judgeAddress(addressBehindProxies(request.raw, frame.trustedProxies), holder.allowedFrom)
    if (refusal !== null) return refuseWithoutRight(frame, { request, caller, rate: declared.rate, refusal })
  }
  if (holder.signedBy === null) return admit(frame, declared, { request, caller })
  const refusal = judgeSignature(request, holder.signedBy, frame.clock.nowMs())
  if (refusal !== null) return refuseWithoutRight(frame, { request, caller, rate: declared.rate, refusal })
  return admit(frame, declared, { request, caller, signed: true })
}

type RefusedRequest = { request: FastifyRequest; caller: KeyCaller; rate: string; refusal: Refusal }

/**
 * Counts as a failed authentication of its address, and not in the windows of the merchant: whoever has stolen a key cannot spend them. Its
 * merchant sees the request in the log.
 */
function refuseWithoutRight<App>(frame: Frame<App>, { request, caller, rate, refusal }: RefusedRequest): Promise<void> {
  const { windows, exactWindows } = frame.cellServicesOf(caller)
  request.passed = { caller, rate, windows, exactWindows, key: null, giveBack: null, withoutRight: true }
  return frame.countFailedAuth(caller.origin).then(() => {
    throw refusal
  })
}

// Field by field: this runs on every request, and spreading an object costs several times as much.
const buildCaller = (holder: KeyHolder, origin: string, { id: requestId, spent }: FastifyRequest): KeyCaller => ({
  kind: holder.kind,
  merchantId: holder.merchantId,
  tag: holder.tag,
  cell: holder.cell,
  mode: holder.mode,
  scope: holder.scope,
  keyId: holder.keyId,
  keyLast4: holder.keyLast4,
  limited: holder.limited === true,
  origin,
  requestId,
  spent: spent ?? newTimeSpent(),
})

/** Returns the holder of the request's key. A request without credentials counts as a failed authentication of its address. */
function authenticateRequest<App>(
  frame: Frame<App>,
  request: FastifyRequest,
  address: string,
): KeyHolder | Promise<KeyHolder> {
  try {
    return frame.authenticate(parseBearerToken(request.raw), address)
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error
    return frame.countFailedAuth(address).then(() => {
      throw error
    })
  }
}

/** Makes all checks that come before the body is read: scope, rate, expected wait, timestamp, Idempotency-Key. */
function admit<App>(
  frame: Frame<App>,
  declared: Endpoint<App>,
  { request, caller, signed }: { request: FastifyRequest; caller: KeyCaller; signed?: true },
): void | Promise<void> {
  const { rate } = declared
  const atMs = frame.clock.nowMs()
  const { windows, exactWindows, expectedMs } = frame.cellServicesOf(caller)
  const passed: AdmittedRequest = { caller, rate, windows, exactWindows, key: null, giveBack: null }
  request.passed = passed
  if (signed === true) passed.signed = true
  allow(caller, declared.action)
  if (declared.testOnly && caller.mode === 'live') throw testKeyRequired()
  windows.take(caller.merchantId, caller.mode, ALL_REQUESTS, atMs)
  const exact = exactWindows[rate]
  exact?.refuseEarly(caller, atMs)
  frame.overload.refuseIfTooLong(rate, caller, expectedMs(rate))
  if (exact === undefined) {
    windows.take(caller.merchantId, caller.mode, rate, atMs)
    passed.giveBack = () => windows.giveBack(caller.merchantId, caller.mode, { what: rate, atMs })
  }
  if (declared.method === 'POST') checkTimestamp(request.headers['x-timestamp'], frame.clock)
  if (declared.idempotency !== 'ignored') passed.key = parseIdempotencyKey(request.raw)
  if (declared.idempotency === 'required' && passed.key === null) throw keyRequired()
  if (exact !== undefined && declared.rateKind !== 'batch') return countExactly(frame, exact, passed)
}

/** Counts the request in a window that all processes share. If it cannot be counted, the request passes (contract.md G5). */
async function countExactly<App>(frame: Frame<App>, exact: CountedWindow, passed: AdmittedRequest): Promise<void> {
  const { caller } = passed
  const logUncounted = (error: unknown) => frame.log.error({ err: error }, 'a request was not counted')
  try {
    const atMs = await exact.takeNow(caller, frame.clock.nowMs())
    passed.giveBack = () => void exact.giveBack(caller, atMs).catch(logUncounted)
  } catch (error) {
    if (error instanceof Refusal) throw error
    count('rate_limiter_uncounted_total')
    logUncounted(error)
  }
}
