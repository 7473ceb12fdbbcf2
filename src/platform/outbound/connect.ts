import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import { connect as connectTls } from 'node:tls'
import { assert } from '../assert.ts'
import { timeLimit } from '../time/time-limit.ts'
import { resolveHost } from './resolve.ts'
import { isAddressAllowed, isOwnAddress, type Target, type TargetRules } from './target.ts'

/** The limits of one attempt: its time, reading the answer included; the time for its connection; the bytes of the answer that are read. */
export type PosterLimits = { attemptMs: number; connectMs: number; bodyBytes: number }

// Reliability.md 7.3.
const WEBHOOK_LIMITS: PosterLimits = { attemptMs: 5_000, connectMs: 2_000, bodyBytes: 4_096 }
const LOOK_UP_TIMEOUT_MS = 1_000
const NOT_AWAITED = new Error('nobody waits for this any more')

/**
 * How a POST ended. `failed.error`: `dns`, `connect`, `tls`, `late` (nothing was sent), `timeout`, `reset`, `protocol`, `aborted`
 * (something may
 * have been sent), `redirect refused` (the only one with a status). `answered.body`: only with `keepBody`; null when it was cut, late,
 * broken or
 * too long. `answered.firstBytes`: the first bytes of the answer, whatever became of the rest. `answered.retryAfter`: when it wants to be asked
 * again, in its own words.
 */
export type PostOutcome =
  | { kind: 'answered'; status: number; body?: Buffer | null; firstBytes?: Buffer; retryAfter?: string }
  | { kind: 'refused_target'; why: string }
  | { kind: 'failed'; error: string; status: number | null }

type Address = { address: string; family: 4 | 6 }

export type PosterOptions = TargetRules & {
  resolve?: (host: string, signal: AbortSignal) => Promise<Address[]>
  ca?: string
  /** Default: the limits of webhooks. */
  limits?: PosterLimits
  /** Whether the answer's bytes are handed on. */
  keepBody?: boolean
  /** How many of the answer's first bytes are handed on. */
  keepFirstBytes?: number
}

/** Nothing was sent: the socket was never opened, or closed before the first byte of the request. */
export class NotConnected extends Error {
  readonly outcome: PostOutcome
  constructor(outcome: PostOutcome) {
    super('no connection was made')
    this.outcome = outcome
  }
}

/** The limits of a poster with these options. */
export const limitsOf = ({ limits }: PosterOptions): PosterLimits => limits ?? WEBHOOK_LIMITS

/** Opens a checked socket: one look-up, every address of its answer checked, a socket to a checked address, its far end checked again. */
export async function connectChecked(target: Target, options: PosterOptions, gone: AbortSignal): Promise<Socket> {
  const addresses = await resolveTarget(target, options, gone)
  const own = listOwnAddresses(options)
  const allowed = (address: string) => isAddressAllowed(address) && !isOwnAddress(address, own)
  if (!target.exempt && !addresses.every(({ address }) => allowed(address))) throw privateAddressRefusal()
  if (gone.aborted) throw notConnected('connect')
  const socket = dial(target, addresses, options.ca)
  const ended = new AbortController()
  try {
    await waitUntilOpen(socket, target, timeLimit(limitsOf(options).connectMs, gone, ended.signal))
  } finally {
    // Ends the timer, which would otherwise make an unused error seconds later.
    ended.abort(NOT_AWAITED)
  }
  if (target.exempt || allowed(socket.remoteAddress ?? '')) return socket
  socket.destroy()
  throw privateAddressRefusal()
}

function privateAddressRefusal(): NotConnected {
  return new NotConnected({ kind: 'refused_target', why: 'private address' })
}

function notConnected(error: 'dns' | 'connect' | 'tls'): NotConnected {
  return new NotConnected({ kind: 'failed', error, status: null })
}

async function resolveTarget(target: Target, options: PosterOptions, gone: AbortSignal): Promise<Address[]> {
  if (target.literal !== null) return [toAddress(target.literal)]
  const ended = new AbortController()
  const limit = timeLimit(LOOK_UP_TIMEOUT_MS, gone, ended.signal)
  const late = new Promise<[]>((resolve) => limit.addEventListener('abort', () => resolve([])))
  const resolve = options.resolve ?? (target.exempt ? askSystem : resolveHost)
  const addresses = await Promise.race([resolve(target.host, limit), late]).catch(() => [])
  ended.abort(NOT_AWAITED)
  if (addresses.length === 0) throw notConnected('dns')
  return addresses.map(({ address }) => toAddress(address))
}

// Names on the allow-list are local, and often known to the hosts file only.
async function askSystem(host: string): Promise<Address[]> {
  return (await lookup(host, { all: true })).map(({ address }) => toAddress(address))
}

function toAddress(address: string): Address {
  return { address, family: isIP(address) === 6 ? 6 : 4 }
}

// The kernel is asked once a second at most: asking for each connection took a twentieth of the time of webhooks.
const LOCAL_KEPT_MS = 1000
let localAddresses: { at: number; addresses: string[] } | null = null

function listOwnAddresses({ ownHosts }: TargetRules): string[] {
  const at = performance.now()
  if (localAddresses === null || at - localAddresses.at > LOCAL_KEPT_MS) {
    const interfaces = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
    localAddresses = { at, addresses: interfaces.map(({ address }) => address) }
  }
  return [...ownHosts, ...localAddresses.addresses]
}

function dial(target: Target, addresses: Address[], ca: string | undefined): Socket {
  const [first] = addresses
  assert(first, 'only checked addresses are dialled, and there is at least one')
  const lookUpChecked: LookupFunction = (_host, request, callback) =>
    request.all ? callback(null, addresses) : callback(null, first.address, first.family)
  const address = { host: target.literal ?? target.host, port: target.port, lookup: lookUpChecked }
  if (target.url.protocol === 'http:') return connectPlain(address)
  // Set explicitly, so that no environment variable can switch the verification off. No session is resumed either: Node
  // does not compare the name of the certificate again when one is.
  const verified = { minVersion: 'TLSv1.2', rejectUnauthorized: true, ca } as const
  const named = target.literal === null ? { servername: target.host } : {}
  return connectTls({ ...address, ...verified, ...named, ALPNProtocols: ['http/1.1'] })
}

async function waitUntilOpen(socket: Socket, target: Target, limit: AbortSignal): Promise<void> {
  let error: 'connect' | 'tls' = 'connect'
  // A socket may report an error while it has no other listener; without this one the error would end the process.
  socket.setNoDelay(true).on('error', () => {})
  socket.once('connect', () => {
    error = 'tls'
  })
  const event = target.url.protocol === 'http:' ? 'connect' : 'secureConnect'
  try {
    await once(socket, event, { signal: limit })
  } catch {
    socket.destroy()
    throw notConnected(limit.aborted ? 'connect' : error)
  }
}
