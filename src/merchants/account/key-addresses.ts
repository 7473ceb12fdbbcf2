import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { invalidRequest } from '../../platform/refusal.ts'
import { formatAddressRange, networkOf, parseAddressRange } from '../../platform/text/address-ranges.ts'
import { echo } from '../../platform/text/text.ts'
import type { App } from '../../program/app.ts'
import { type KeyTarget, restrictKey } from './restrict-key.ts'

const SET_ADDRESSES = statement(
  'set addresses of key',
  'update api_keys set allowed_from = nullif($3::text[], $4::text[])::cidr[] where merchant_id = $1 and id = $2',
)

// Enough for the servers of a business and their networks; each request with the key compares them one after the other.
const MAX_ADDRESSES = 20

/**
 * Says from which addresses and networks a key may be used; none: from anywhere. From the commit on requests from elsewhere are refused, in
 * all processes within a second. Returns the list as it is stored. Throws Refusal.
 */
export async function setKeyAddresses(
  app: App,
  actor: Actor,
  { holder, id, addresses }: KeyTarget & { addresses: readonly string[] },
): Promise<string[]> {
  allow(actor, 'key.restrict', holder.id)
  const after = parseAddresses(addresses)
  const set = call(SET_ADDRESSES, holder.id, id, after, [])
  await restrictKey(app, actor, { holder, id }, { name: 'addresses', after, set, mail: 'key-addresses' })
  return after
}

/** Parses the list, each entry once, in the order in which they came. Throws 400. */
function parseAddresses(entries: readonly string[]): string[] {
  const addresses = [...new Set(entries.map(parseEntry))]
  if (addresses.length > MAX_ADDRESSES) throw invalidRequest(`addresses may be at most ${MAX_ADDRESSES}`, 'addresses')
  return addresses
}

function parseEntry(entry: string): string {
  const range = parseAddressRange(entry)
  if (range === null)
    throw invalidRequest(
      `addresses must be IPv4 or IPv6 addresses or networks such as 41.210.1.7, 41.210.0.0/16 or 2c0f:eb00::/32: ${echo(entry)} is none`,
      'addresses',
    )
  if (range[1] === 0)
    throw invalidRequest(`addresses: ${echo(entry)} is everything; an empty list allows that`, 'addresses')
  const [text, network] = [range, networkOf(range)].map(formatAddressRange)
  // Someone who means one address, and writes a network by mistake, would allow all of it.
  if (text !== network)
    throw invalidRequest(
      `addresses: ${echo(entry)} is an address within a network; write ${network} for all of it`,
      'addresses',
    )
  return text as string
}
