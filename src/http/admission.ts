import type { FastifyRequest } from 'fastify'
import type { KeyCaller } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { count } from '../platform/measures.ts'
import { Refusal } from '../platform/refusal.ts'
import { nothingSpent } from '../platform/spent.ts'
import type { CountedWindow } from '../rate-limits/exact-window.ts'
import type { Endpoint } from './endpoint.ts'
import type { Frame, KeyHolder, Passed } from './frame.ts'
import { bearerToken, checkTimestamp, clientAddress, keyRequired, readIdempotencyKey } from './guards.ts'

const ALL = 'all'

/**
 * Runs every check that comes before the body. Returns null or the thrown error, without a promise when the key is cached: it runs on
 * every request.
 */
export function admitNow<App>(
  frame: Frame<App>,
  declared: Endpoint<App>,
  request: FastifyRequest,
): Promise<void> | unknown {
  try {
    const origin = clientAddress(request.raw, frame.trustedProxies)
    const holder = identify(frame, request, origin)
    if (holder instanceof Promise)
      return holder.then((authenticated) =>
        admit(frame, declared, { request, caller: callerOf(authenticated, origin, request) }),
      )
    return admit(frame, declared, { request, caller: callerOf(holder, origin, request) }) ?? null
  } catch (error) {
    return error
  }
}

// Field by field: this runs on every request, and spreading an object costs several times as much.
const callerOf = (
  holder: KeyHolder,
  origin: string,
  { id: requestId, spent }: FastifyRequest,
): KeyCaller => ({
  kind: holder.kind,
  merchantId: holder.merchantId,
  tag: holder.tag,
  cell: holder.cell,
  mode: holder.mode,
  scope: holder.scope,
  keyId: holder.keyId,
  keyLast4: holder.keyLast4,
  origin,
  requestId,
  spent: spent ?? nothingSpent(),
})

/** Returns the holder of the request's key. A request without credentials counts as a failed authentication of its address. */
function identify<App>(
  frame: Frame<App>,
  request: FastifyRequest,
  address: string,
): KeyHolder | Promise<KeyHolder> {
  try {
    return frame.authenticate(bearerToken(request.raw), address)
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
  { request, caller }: { request: FastifyRequest; caller: KeyCaller },
): void | Promise<void> {
  const { rate } = declared
  const atMs = frame.clock.nowMs()
  const { windows, exactWindows, expectedMs } = frame.placeOf(caller)
  const passed: Passed = { caller, key: null, giveBack: null }
  request.passed = passed
  allow(caller, declared.action)
  windows.take(caller.merchantId, caller.mode, ALL, atMs)
  const exact = exactWindows[rate]
  exact?.refuseEarly(caller, atMs)
  frame.crowds.enter(rate, caller, expectedMs(rate))
  if (exact === undefined) {
    windows.take(caller.merchantId, caller.mode, rate, atMs)
    passed.giveBack = () => windows.giveBack(caller.merchantId, caller.mode, { what: rate, atMs })
  }
  if (declared.method === 'POST') checkTimestamp(request.headers['x-timestamp'], frame.clock)
  if (declared.idempotency !== 'ignored') passed.key = readIdempotencyKey(request.raw)
  if (declared.idempotency === 'required' && passed.key === null) throw keyRequired()
  if (exact !== undefined && declared.rateKind !== 'batch') return takePlace(frame, exact, passed)
}

/** Counts the request in a window that all processes share. If it cannot be counted, the request passes (contract.md G5). */
async function takePlace<App>(frame: Frame<App>, exact: CountedWindow, passed: Passed): Promise<void> {
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
