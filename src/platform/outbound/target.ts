import { isIP, isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The rules by which a URL is judged. `ownHosts` may hold names and addresses; `allowPrivate` holds `host:port` pairs. */
export type TargetRules = {
  ownHosts: readonly string[]
  allowPrivate: readonly string[]
  /** When given, no port outside this list is allowed: it narrows the built-in rule and never widens it. */
  onlyPorts?: readonly number[]
}

/** A URL that may be called. `literal` is the address when the host is one, without brackets. */
export type Target = { url: URL; host: string; port: number; exempt: boolean; literal: string | null }

type ParsedTarget = { kind: 'ok'; target: Target } | { kind: 'refused'; why: string }

const MAX_URL_CHARACTERS = 2048

// Ports of databases, caches, brokers and their consoles: no receiver of webhooks uses them, but an attacker would like us to call them.
const CLOSED_PORTS: ReadonlySet<number> = new Set([
  1433, 1434, 1521, 1883, 2181, 2375, 2376, 2379, 2380, 2483, 2484, 3050, 3306, 4222, 4369, 5432, 5433, 5671, 5672,
  5984, 6379, 6380, 6432, 6984, 7000, 7001, 7199, 7473, 7474, 7687, 8086, 8091, 8123, 8529, 8883, 8983, 9000, 9042,
  9092, 9093, 9094, 9160, 9200, 9300, 11210, 11211, 15672, 16379, 25672, 26257, 26379, 27017, 27018, 27019, 28015,
  33060, 50000, 61613, 61616,
])

const CLOSED_ZONES = ['localhost', 'local', 'internal', 'lan', 'home.arpa', 'onion', 'test', 'example', 'invalid']

// Our own outbound addresses: a call to them would reach us as if from outside (reliability.md 7.5).
const OWN_OUTBOUND = ['74.220.48.0/24', '74.220.56.0/24'].map((range) => ipaddr.IPv4.parseCIDR(range))

const IPV6_GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Judges the text of an outbound URL by rules 1 to 4 and 7 of reliability.md 7.5, without any look-up.
 * `why` is a short class for logs; a form shows the same sentence for every class, so that it cannot be used as a network scanner.
 */
export function parseTarget(text: string, rules: TargetRules): ParsedTarget {
  if (text.length > MAX_URL_CHARACTERS) return { kind: 'refused', why: 'too long' }
  if (!URL.canParse(text)) return { kind: 'refused', why: 'not a url' }
  const target = describeTarget(new URL(text), rules)
  const why = target.exempt ? findGeneralFault(target) : (findGeneralFault(target) ?? findPublicFault(target, rules))
  return why === null ? { kind: 'ok', target } : { kind: 'refused', why }
}

/** Whether the table of reliability.md 7.5 allows a socket to this address. False for anything that is no plain address. */
export function isAddressAllowed(address: string): boolean {
  // A zone id names one of our own interfaces, so such an address is never a public one.
  if (address.includes('%')) return false
  if (isIPv4(address)) return isIpv4Allowed(ipaddr.IPv4.parse(address))
  if (!ipaddr.IPv6.isValid(address)) return false
  const parsed = ipaddr.IPv6.parse(address)
  // Beyond 2000::/3 nothing is assigned to the public, whatever the library calls it.
  return parsed.match(IPV6_GLOBAL_UNICAST) && parsed.range() === 'unicast'
}

/** Whether an address is one of `own`, a list that may also hold names. Spellings of one IPv6 address count as the same. */
export function isOwnAddress(address: string, own: readonly string[]): boolean {
  if (isIP(address) === 0) return false
  const normalized = ipaddr.parse(address).toNormalizedString()
  return own.some((each) => isIP(each) !== 0 && ipaddr.parse(each).toNormalizedString() === normalized)
}

function isIpv4Allowed(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !OWN_OUTBOUND.some((range) => address.match(range))
}

function describeTarget(url: URL, rules: TargetRules): Target {
  const host = url.hostname
  const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port)
  const allowed = findAllowedHost(host, port, rules)
  return { url, host, port, exempt: allowed !== null, literal: literalOf(allowed ?? host) }
}

const LOOPBACK = ['127.0.0.1', '[::1]']

/**
 * Returns the host under which the allow-list has this host and port, or null. `localhost` and the two addresses to which it leads
 * stand for one another; the entry decides which one is called.
 */
function findAllowedHost(host: string, port: number, { allowPrivate }: TargetRules): string | null {
  const same = host === 'localhost' ? [host, ...LOOPBACK] : LOOPBACK.includes(host) ? [host, 'localhost'] : [host]
  const entries = allowPrivate.map((entry) => entry.toLowerCase())
  const listed = same.find((name) => entries.includes(`${name}:${port}`))
  return listed === 'localhost' ? host : (listed ?? null)
}

function literalOf(host: string): string | null {
  if (host.startsWith('[')) return host.slice(1, -1)
  return isIPv4(host) ? host : null
}

/** Finds a fault that the allow-list does not excuse; it excuses scheme, port and address. */
function findGeneralFault({ url }: Target): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'scheme'
  if (url.username !== '' || url.password !== '') return 'user info'
  // In a serialised URL a `#` can only open a fragment; `hash` alone would miss an empty one.
  if (url.href.includes('#')) return 'fragment'
  return null
}

function findPublicFault(target: Target, rules: TargetRules): string | null {
  if (target.url.protocol !== 'https:') return 'scheme'
  if (!isPortAllowed(target.port, rules.onlyPorts)) return 'port'
  if (rules.ownHosts.some((own) => own.toLowerCase() === target.host)) return 'own host'
  if (target.literal !== null && isOwnAddress(target.literal, rules.ownHosts)) return 'own host'
  if (target.literal !== null) return isAddressAllowed(target.literal) ? null : 'private address'
  return isNameAllowed(target.host) ? null : 'host name'
}

function isPortAllowed(port: number, onlyPorts: readonly number[] | undefined): boolean {
  if (onlyPorts !== undefined && !onlyPorts.includes(port)) return false
  return port === 443 || (port >= 1024 && !CLOSED_PORTS.has(port))
}

function isNameAllowed(host: string): boolean {
  if (!host.includes('.') || host.endsWith('.')) return false
  return !CLOSED_ZONES.some((zone) => host === zone || host.endsWith(`.${zone}`))
}
