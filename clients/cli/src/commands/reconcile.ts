import type { Charge, Gateway } from '../../../typescript/src/gateway-client.ts'
import type { Call, Command, Given } from '../command.ts'
import { Refused } from '../faults.ts'
import { readOwnFile } from '../own-file.ts'
import { compare, type Difference } from '../reconcile/compare.ts'
import { type Order, parseOrders } from '../reconcile/orders-file.ts'
import { MOST_ROWS_OF_PAGE } from '../resources.ts'
import { openSession } from '../session.ts'
import { type Column, formatNumber, printTable } from '../table.ts'

const MAX_FILE_BYTES = 16 * 1024 * 1024
const MAX_CHARGES = 50_000
const MAX_LOOK_UPS = 1000
const MAX_CHARGES_OF_REFERENCE = 100
const LOOK_UPS_AT_ONCE = 4

const COLUMNS: readonly Column<Difference>[] = [
  { head: 'DIFFERENCE', cell: ({ kind }) => kind },
  { head: 'LINE', cell: ({ line }) => line },
  { head: 'REFERENCE', cell: ({ reference }) => reference },
  { head: 'CHARGE', cell: ({ charge }) => charge },
  { head: 'MINE', cell: ({ mine }) => mine },
  { head: 'GATEWAY', cell: ({ gateway }) => gateway },
  { head: 'REASON', cell: ({ reason }) => reason },
]

const reconcile: Command = {
  words: 'reconcile',
  args: 'FILE',
  summary: 'compare your orders with the charges of the gateway',
  details: [
    'A CSV file with the columns reference and amount, and status and phone where you have them; an order without a status should be paid.',
    'With days, all charges of these days are read, so that payments which the file lacks are found too. Without, each order is looked up',
    `by its reference, at most ${formatNumber(MAX_LOOK_UPS)}. The exit code is 1 where there is a difference.`,
  ].join('\n'),
  options: {
    'created-after': { value: 'TIME', help: 'all charges not before this time, ISO 8601' },
    'created-before': { value: 'TIME', help: 'all charges not after this time, ISO 8601' },
  },
  run: runReconcile,
}

async function runReconcile({ terminal, environment, given }: Call): Promise<number> {
  const orders = await parseOrders(readOwnFile(given.args[0] ?? '', MAX_FILE_BYTES))
  const { gateway } = openSession(environment)
  const days = daysOf(given)
  const charges = days === null ? await lookUp(gateway, orders) : await readDays(gateway, days)
  const { differences, agreed } = compare(orders, charges, { isWhole: days !== null })
  if (terminal.json) {
    const counts = { orders: orders.length, charges: charges.length, agreed }
    terminal.out(JSON.stringify({ ...counts, whole_days: days !== null, differences }))
  } else {
    if (differences.length > 0) printTable(terminal, COLUMNS, differences)
    const told = [
      `${orders.length} orders`,
      `${charges.length} charges`,
      `${agreed} agree`,
      `${differences.length} differences`,
    ]
    terminal.out(told.join(', '))
    if (days === null) terminal.note('payments that the file lacks are found with --created-after and --created-before')
  }
  return differences.length === 0 ? 0 : 1
}

type Days = { created_after?: string; created_before?: string }

function daysOf(given: Given): Days | null {
  const [after, before] = [given.text('created-after'), given.text('created-before')]
  if (after === undefined && before === undefined) return null
  return {
    ...(after === undefined ? {} : { created_after: after }),
    ...(before === undefined ? {} : { created_before: before }),
  }
}

async function readDays(gateway: Gateway, days: Days): Promise<Charge[]> {
  const list = gateway.charges.list({ ...days, limit: MOST_ROWS_OF_PAGE })
  const charges = await list.toArray({ limit: MAX_CHARGES + 1 })
  if (charges.length > MAX_CHARGES)
    throw new Refused(`there are more than ${formatNumber(MAX_CHARGES)} charges: choose fewer days`)
  return charges
}

/** Reads the charges of each reference, a few at once. */
async function lookUp(gateway: Gateway, orders: readonly Order[]): Promise<Charge[]> {
  const references = [...new Set(orders.map(({ reference }) => reference))]
  if (references.length > MAX_LOOK_UPS)
    throw new Refused(
      `the file has more than ${formatNumber(MAX_LOOK_UPS)} orders to look up one by one: add --created-after and --created-before`,
    )
  const charges: Charge[] = []
  const next = references.values()
  const work = async () => {
    for (const reference of next) {
      const limit = MAX_CHARGES_OF_REFERENCE
      charges.push(...(await gateway.charges.list({ reference, limit }).toArray({ limit })))
    }
  }
  await Promise.all(Array.from({ length: LOOK_UPS_AT_ONCE }, work))
  return charges
}

export const RECONCILE_COMMANDS: readonly Command[] = [reconcile]
