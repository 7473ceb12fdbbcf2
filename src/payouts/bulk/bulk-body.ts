import { Type } from 'typebox'
import { CsvFile, openBody } from '../../http/body-content.ts'
import { isObject, readBody } from '../../http/read-body.ts'
import { badRequest, invalidRequest } from '../../platform/refusal.ts'
import { DEFAULT_PAYOUT_CHANNEL } from '../payout-request.ts'
import { readCsvItems } from './bulk-csv.ts'
import { type BulkItem, BulkItemShape, type GivenItem, LONGEST_CHANNEL, readBulkItem } from './bulk-item.ts'

export type { BulkItem }

/** The request of POST /v1/payouts/bulk: 1 to 1000 items in their order, `items[n].index` is n. */
export type BulkBody = { items: BulkItem[] }

export const BULK_BODY_LIMIT = 4 * 1024 * 1024
const MOST_ITEMS = 1000

const Root = Type.Object({
  channel: Type.Optional(
    Type.String({
      maxLength: LONGEST_CHANNEL,
      description: 'for items that name none',
      default: DEFAULT_PAYOUT_CHANNEL,
    }),
  ),
})

const list = (description: string) =>
  Type.Optional(Type.Array(BulkItemShape, { minItems: 1, maxItems: MOST_ITEMS, description }))

/** The JSON body, for the description only: it is parsed item by item, and a wrong item fails alone. */
export const BulkPayoutCreateShape = Type.Object(
  {
    ...Root.properties,
    payouts: list('one of `payouts` and `items` is required'),
    items: list('another name for `payouts`, which wins where both are given'),
  },
  {
    $id: 'BulkPayoutCreate',
    // One of the two is required. Written as a condition so that generators of clients, which ignore conditions, see one
    // plain object.
    if: { not: { required: ['payouts'] } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['items'] },
    examples: [{ payouts: [{ amount: 5000, recipient: { phone: '0700000000' } }] }],
  },
)

const noItems = () => badRequest('no payout items provided (JSON {payouts:[...]} or CSV)')
const tooManyItems = () => badRequest(`batch too large (max ${MOST_ITEMS} items per call)`)

/** Parses a bulk body as it came over the wire: JSON, a CSV, or a form with one CSV (contract.md G12, G13a). */
export async function readBulkBody(raw: Buffer, contentType: string | undefined): Promise<BulkBody> {
  return readBulkContent(await openBody(raw, contentType))
}

/**
 * Parses a CsvFile, or the value of a JSON body. Throws Refusal for an unreadable body, no items, or more than 1000; any other
 * fault is reported in its item. Nothing thrown here is stored under a key (contract.md 3 i).
 */
export async function readBulkContent(content: unknown): Promise<BulkBody> {
  if (content instanceof CsvFile) return { items: readItems(await readCsvItems(content.bytes, MOST_ITEMS)) }
  const { channel } = readBody(Root, content)
  return { items: readItems(listIn(content), channel) }
}

/** Parses the items and stops at the first one beyond the limit. */
function readItems(
  uncheckedItems: Iterable<GivenItem>,
  channel: string = DEFAULT_PAYOUT_CHANNEL,
): BulkItem[] {
  const items: BulkItem[] = []
  for (const item of uncheckedItems) {
    if (items.length === MOST_ITEMS) throw tooManyItems()
    items.push(readBulkItem(item, items.length, channel))
  }
  if (items.length === 0) throw noItems()
  return items
}

function listIn(body: unknown): GivenItem[] {
  const { payouts, items } = isObject(body) ? body : {}
  const [name, entries] = payouts === undefined || payouts === null ? ['items', items] : ['payouts', payouts]
  if (entries === undefined || entries === null) return []
  if (!Array.isArray(entries)) throw invalidRequest(`${name} must be a list`)
  if (entries.length > MOST_ITEMS) throw tooManyItems()
  return entries.map((fields) => ({ fields }))
}
