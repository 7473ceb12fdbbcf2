import pg from 'pg'

/** A server that an address names. */
export type ServerPlace = { host: string; port: number }
/** A server as people write it; null for none. */
export const formatPlace = (place: ServerPlace | null): string | null =>
  place === null ? null : `${place.host}:${place.port}`
/** What an address says. `first`: the address of the first server alone, as the driver reads it. `writes`: a server that takes none is not wanted. */
export type ServerAddress = { first: string; places: readonly ServerPlace[]; writes: boolean; user: string }

/** An address that cannot be used; the message says why, after the name of its setting. */
export class WrongAddress extends Error {}

// Before the servers, the servers, the database, and what follows the question mark.
const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)([^?#]*)(?:\?([^#]*))?$/
const HOST_AND_PORT = /^(\[[^\]]+\]|[^:]*)(?::([0-9]+))?$/
const USUAL_PORT = '5432'
const MAX_PORT = 65_535
const FORM =
  'must be postgres://user:password@host:port/database; several servers have commas between (host1:port1,host2:port2)'
const TAKES_WRITES: readonly string[] = ['read-write', 'primary']

/**
 * Reads an address as libpq does: one server, or several with commas between, in the place of the host or as `host` and `port` behind the
 * question mark. Of several only the one that takes writes is ever used; of one with `target_session_attrs=read-write` too. Throws
 * WrongAddress.
 */
export function readServerAddress(url: string): ServerAddress {
  const [, head, authority = '', path = '', query = ''] = PARTS.exec(url) ?? []
  if (head === undefined) throw new WrongAddress(FORM)
  const more = new URLSearchParams(query)
  const hosts = more.get('host') ?? authority
  const several = hosts.includes(',')
  const writes = wantsWrites(more.get('target_session_attrs'), several)
  if (!several) return { ...readOne(url), first: url, writes }
  const places = more.has('host') ? listPlaces(hosts, more.get('port') ?? '') : authority.split(',').map(readPlace)
  for (const [name, value] of Object.entries(firstOf(places))) more.set(name, value)
  more.delete('target_session_attrs')
  const first = `${head}localhost${path}?${more}`
  return { first, places, writes, user: readOne(first).user }
}

function wantsWrites(wanted: string | null, several: boolean): boolean {
  if (wanted === null) return several
  if (TAKES_WRITES.includes(wanted)) return true
  if (wanted === 'any' && !several) return false
  throw new WrongAddress(
    `has target_session_attrs=${wanted}, and must have read-write: the gateway works on the server that takes writes`,
  )
}

const firstOf = ([place]: readonly ServerPlace[]) => ({ host: place?.host ?? '', port: `${place?.port ?? ''}` })

function listPlaces(hosts: string, ports: string): ServerPlace[] {
  const [names, numbers] = [hosts.split(','), ports.split(',')]
  if (numbers.length !== 1 && numbers.length !== names.length)
    throw new WrongAddress(
      `names ${names.length} servers and ${numbers.length} ports: give one port for all, or one for each`,
    )
  return names.map((name, nth) => makePlace(name, numbers.length === 1 ? numbers[0] : numbers[nth]))
}

/** Parses HOST or HOST:PORT; null for what is none. */
export function parsePlace(text: string): ServerPlace | null {
  try {
    return readPlace(text)
  } catch {
    return null
  }
}

function readPlace(text: string): ServerPlace {
  const [, name, port] = HOST_AND_PORT.exec(text) ?? []
  if (name === undefined) throw new WrongAddress(FORM)
  return makePlace(decodeURIComponent(name.replace(/^\[(.+)\]$/, '$1')), port)
}

function makePlace(host: string, text: string | undefined): ServerPlace {
  if (host === '') throw new WrongAddress('names a server without a host: give each one, with commas between')
  const port = Number(text || USUAL_PORT)
  if (!(port >= 1 && port <= MAX_PORT)) throw new WrongAddress(`has the port ${text}: it must be from 1 to ${MAX_PORT}`)
  return { host, port }
}

/** What the driver itself reads from the address of one server. */
function readOne(url: string): Pick<ServerAddress, 'places' | 'user'> {
  try {
    const { host, port, user } = new pg.Client({ connectionString: url })
    return { places: [{ host, port }], user: user ?? '' }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new WrongAddress(code?.startsWith('ERR_') ? FORM : `cannot be used: ${message}`)
  }
}
