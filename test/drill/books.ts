import type { Receiver } from '../fakes/receiver.ts'
import { commandOn, type DrillReport } from './on-program.ts'
import { AMOUNT, type Payments } from './payments.ts'

type Books = { lost: number; doubled: number; untold: number; wrong: string[] }

/** The database of a drill, asked past the service, and the cells that were paid into. */
type DrilledBooks = { ask(text: string): Promise<Record<string, any>[]>; cells: readonly string[] }

const ENDS_MS = 90_000
const LOOK_MS = 200

/**
 * Compares what was acknowledged with the books of the database and with what the receiver was told, once all has ended. Our own count: it
 * knows nothing of how the service keeps its books but which rows are credits.
 */
async function compareBooks({ ask, cells }: DrilledBooks, payments: Payments, receiver: Receiver): Promise<Books> {
  const wrong: string[] = []
  const read = async (textOf: (cell: string) => string) =>
    (await Promise.all(cells.map((cell) => ask(textOf(cell))))).flat()
  const told = () => new Set(receiver.received.map(({ event }) => event.data?.id))
  const isOver = async () => {
    const open = await read(
      (cell) => `select id from ${cell}.charges where status in ('pending', 'authorized') limit 1`,
    )
    const heard = told()
    return open.length === 0 && payments.acknowledged.every(({ id }) => heard.has(id))
  }
  const giveUpAt = performance.now() + ENDS_MS
  while (!(await isOver()) && performance.now() < giveUpAt) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))

  const charges = await read((cell) => `select id, status, reference, amount from ${cell}.charges`)
  const credits = await read(
    (cell) => `select subject, sum(amount) as amount, count(*) filter (where kind = 'charge_net') as nets
     from ${cell}.transfers where kind in ('charge_net', 'charge_fee') group by subject`,
  )
  const credited = new Map(
    credits.map(({ subject, amount, nets }) => [subject, { amount: Number(amount), nets: Number(nets) }]),
  )
  const stored = new Map(charges.map((charge) => [charge.id, charge]))
  const isLost = ({ id }: { id: string }) =>
    stored.get(id)?.status !== 'succeeded' || credited.get(id)?.amount !== AMOUNT || credited.get(id)?.nets !== 1
  const heard = told()
  const made = new Map<string, number>()
  for (const { reference } of charges) made.set(reference, (made.get(reference) ?? 0) + 1)
  const uncredited = charges.filter(({ id, status }) => status === 'succeeded' && credited.get(id)?.nets !== 1)
  if (uncredited.length > 0) wrong.push(`${uncredited.length} succeeded charges were not credited once`)
  if (credits.length > charges.length) wrong.push(`${credits.length} credits of ${charges.length} charges`)
  return {
    lost: payments.acknowledged.filter(isLost).length,
    doubled: [...made.values()].filter((count) => count > 1).length + countTwice(payments),
    untold: payments.acknowledged.filter(({ id }) => !heard.has(id)).length,
    wrong,
  }
}

/** Writes down what the books of a drill that has ended say, and what is wrong with them. */
export async function judgeBooks(
  books: DrilledBooks & { settings: Record<string, string> },
  report: DrillReport & { note(name: string, value: string | number): void },
  { payments, receiver }: { payments: Payments; receiver: Receiver },
): Promise<void> {
  const { lost, doubled, untold, wrong } = await compareBooks(books, payments, receiver)
  const { asked, refused, unanswered } = payments.counts
  report.note('payments asked for, acknowledged', `${asked}, ${payments.acknowledged.length}`)
  report.note('answers 503, calls without an answer', `${refused}, ${unanswered}`)
  report.note('failed, lost, doubled', `${payments.failed.length}, ${lost}, ${doubled}`)
  report.note('acknowledged and not told to the receiver', untold)
  const checked = await commandOn(books.settings, 'verify')
  report.note('verify', checked.holds ? 'holds' : 'DOES NOT HOLD')
  report.wrong.push(...wrong, ...payments.failed.slice(0, 5))
  if (lost + doubled + untold > 0) report.wrong.push(`lost ${lost}, doubled ${doubled}, untold ${untold}`)
  if (!checked.holds) report.wrong.push('verify does not hold')
  if (payments.acknowledged.length === 0) report.wrong.push('nothing was acknowledged')
}

/** Payments that were acknowledged under the name of another one's charge. */
const countTwice = ({ acknowledged }: Payments) => acknowledged.length - new Set(acknowledged.map(({ id }) => id)).size
