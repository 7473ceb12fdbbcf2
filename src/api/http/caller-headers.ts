import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../platform/time/clock.ts'
import { MINUTE_MS, type WindowState } from '../rate-limits/limits.ts'

/** The name of the limit that counts the requests of all kinds together. */
export const ALL_REQUESTS = 'all'

const WINDOW_SECONDS = MINUTE_MS / 1000

/** Builds the headers that tell a caller about its request: its limits, and the names that its endpoint does not know. */
export function buildCallerHeaders(clock: Clock, request: FastifyRequest, status: number): Record<string, string> {
  const headers = buildRateHeaders(clock, request, status)
  if (request.ignored !== null) headers['Ignored-Parameters'] = request.ignored
  return headers
}

/**
 * Builds the headers that tell a caller its limits (draft-ietf-httpapi-ratelimit-headers-10): what this process knows, without a question
 * to anybody. None without a key, none where nothing is limited, and none for whoever has the key at an address where it may not be used.
 */
function buildRateHeaders(clock: Clock, { passed }: FastifyRequest, status: number): Record<string, string> {
  if (passed === null || passed.withoutRight) return {}
  const { caller, rate, windows, exactWindows, giveBack } = passed
  const nowMs = clock.nowMs()
  const exact = exactWindows[rate]
  const own = exact ? exact.stateOf(caller, nowMs) : windows.stateOf(caller.merchantId, caller.mode, rate, nowMs)
  const all = windows.stateOf(caller.merchantId, caller.mode, ALL_REQUESTS, nowMs)
  if (own === null && all === null) return {}
  // What is answered with a 4xx leaves its own window once it has been sent (finishRequest).
  const returned = giveBack !== null && status >= 400 && status < 500 ? 1 : 0
  const policies = join(own && formatPolicy(rate, own), all && formatPolicy(ALL_REQUESTS, all))
  const states = join(own && formatState(rate, own, returned), all && formatState(ALL_REQUESTS, all, 0))
  return states === '' ? { 'RateLimit-Policy': policies } : { 'RateLimit-Policy': policies, RateLimit: states }
}

const join = (own: string | null, all: string | null) => (own && all ? `${own}, ${all}` : own || all || '')

const formatPolicy = (name: string, { limit }: WindowState) => `"${name}";q=${limit};w=${WINDOW_SECONDS}`

/** Empty where this process has not seen the window yet: an invented number would be worse than none. */
function formatState(name: string, { limit, remaining, moreInMs }: WindowState, returned: number): string {
  if (remaining === null) return ''
  const more = moreInMs === null ? '' : `;t=${Math.max(1, Math.ceil(moreInMs / 1000))}`
  return `"${name}";r=${Math.min(limit, remaining + returned)}${more}`
}
