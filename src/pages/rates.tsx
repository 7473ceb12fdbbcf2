import type { VNode } from 'preact'
import { type GrantedRates, RATE_NAMES, type RateName } from '../rate-limits/rates.ts'
import { type Column, Table } from './table.tsx'
import { PARTS } from './texts.ts'

const { rates: words } = PARTS
const COUNT = new Intl.NumberFormat('en-US')

type Row = { name: RateName; most: number; isOwn: boolean }

const COLUMNS: readonly Column<Row>[] = [
  { title: words.of, cell: ({ name }) => words.names[name] },
  {
    title: words.aMinute,
    figures: true,
    cell: ({ most }) => (most === 0 ? words.any : COUNT.format(most)),
  },
  { title: words.set, cell: ({ isOwn }) => (isOwn ? words.own : words.usual) },
]

/** How many requests of each kind a merchant may send a minute, and which of these numbers are its own. */
export function RatesTable({
  most,
  granted,
}: {
  most: Readonly<Record<RateName, number>>
  granted: GrantedRates
}): VNode {
  const rows = RATE_NAMES.map((name) => ({ name, most: most[name], isOwn: granted[name] !== undefined }))
  return <Table rows={rows} columns={COLUMNS} caption={words.title} />
}
