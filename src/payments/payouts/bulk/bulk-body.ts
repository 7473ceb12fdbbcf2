import { Type } from 'typebox'
import { CsvFile, parseJsonOrCsv } from '../../../api/http/bodies/body-content.ts'
import { isJsonObject, parseBody } from '../../../api/http/bodies/parse-body.ts'
import { badRequest, invalidRequest } from '../../../platform/refusal.ts'
import { DEFAULT_PAYOUT_CHANNEL } from '../payout-request.ts'
import { parseCsvItems } from './bulk-csv.ts'
import { type BulkItem, BulkItemShape, MAX_CHANNEL_CHARACTERS, parseBulkItem, type UncheckedItem } from './bulk-item.ts'

export type { BulkItem }

/** The request of POST /v1/payouts/bulk: 1 to 1000 items in their order, `items[n].index` is n. */
export type BulkBody = { items: BulkItem[] }

export const MAX_BULK_BODY_BYTES = 4 * 1024 * 1024
const MAX_ITEMS = 1000

const BulkBodyRoot = Type.Object({
  channel: Type.Optional(
    Type.String({
      maxLength: MAX_CHANNEL_CHARACTERS,
      description: 'for items that name none',
      default: DEFAULT_PAYOUT_CHANNEL,
    }),
  ),
})

const itemListSchema = (description: string) =>
  Type.Optional(Type.Array(BulkItemShape, { minItems: 1, maxItems: MAX_ITEMS, description }))

/** The JSON body, for the description only: it is parsed item by item, and a wrong item fails alone. */
export const BulkPayoutCreateShape = Type.Object(
  {
    ...BulkBodyRoot.properties,
    payouts: itemListSchema('one of `payouts` and `items` is required'),
    items: itemListSchema('another name for `payouts`, which wins where both are given'),
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
const tooManyItems = () => badRequest(`batch too large (max ${MAX_ITEMS} items per call)`)

/** Parses a bulk body as it came over the wire: JSON, a CSV, or a form with one CSV (contract.md G12, G13a). */
export async function parseBulkBody(raw: Buffer, contentType: string | undefined): Promise<BulkBody> {
  return parseBulkContent(await parseJsonOrCsv(raw, contentType))
}

/**
 * Parses a CsvFile, or the value of a JSON body. Throws Refusal for an unreadable body, no items, or more than 1000; any other
 * fault is reported in its item. Nothing thrown here is stored under a key (contract.md 3 i).
 */
export async function parseBulkContent(content: unknown): Promise<BulkBody> {
  if (content instanceof CsvFile) return { items: parseItems(await parseCsvItems(content.bytes, MAX_ITEMS)) }
  const { channel } = parseBody(BulkBodyRoot, content)
  return { items: parseItems(pickItems(content), channel) }
}

/** Parses the items and stops at the first one beyond the limit. */
function parseItems(uncheckedItems: Iterable<UncheckedItem>, channel: string = DEFAULT_PAYOUT_CHANNEL): BulkItem[] {
  const items: BulkItem[] = []
  for (const item of uncheckedItems) {
    if (items.length === MAX_ITEMS) throw tooManyItems()
    items.push(parseBulkItem(item, items.length, channel))
  }
  if (items.length === 0) throw noItems()
  return items
}

function pickItems(body: unknown): UncheckedItem[] {
  const { payouts, items } = isJsonObject(body) ? body : {}
  const [name, entries] = payouts === undefined || payouts === null ? ['items', items] : ['payouts', payouts]
  if (entries === undefined || entries === null) return []
  if (!Array.isArray(entries)) throw invalidRequest(`${name} must be a list`)
  if (entries.length > MAX_ITEMS) throw tooManyItems()
  return entries.map((fields) => ({ fields }))
}
