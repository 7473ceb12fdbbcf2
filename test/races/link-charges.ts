import { setTimeout as sleep } from 'node:timers/promises'
import { type Fleet, QUESTION_MS } from './fleet.ts'
import { DONE_WITHIN_MS } from './money.ts'

/** A charge on a link; includes charges that were taken back. */
export type LinkCharge = {
  id: string
  link: string
  status: string
  amount: number
  card: number
  phone: string | null
  email: string | null
  voided: boolean
}

const ON_LINKS = `select c.id, c.payment_link_id as link, c.status, c.amount::int, c.gift_card_amount::int as card, c.phone,
    c.email, c.voided_at is not null as voided
  from charges c where c.payment_link_id = any($1) order by c.created_at, c.id`

export const chargesOn = ({ installation }: Fleet, links: readonly string[]) =>
  installation.sql<LinkCharge>(ON_LINKS, [links])

export const isOpenOrPaid = ({ status, voided }: LinkCharge) => !voided && status !== 'failed'

/** Moves the clock until the operator has decided every open payment on these links. */
export async function allDecided(fleet: Fleet, links: readonly string[]): Promise<void> {
  const giveUpAt = performance.now() + DONE_WITHIN_MS
  for (let look = 0; ; look += 1) {
    const open = (await chargesOn(fleet, links)).filter(
      ({ status, voided }) => !voided && (status === 'pending' || status === 'authorized'),
    )
    if (open.length === 0) return
    if (performance.now() > giveUpAt) throw new Error(`still open after 20 s: ${JSON.stringify(open[0])}`)
    if (look % 5 === 0) fleet.installation.advance(QUESTION_MS)
    await sleep(30)
  }
}

/** How often the operator was asked to collect for these charges. */
export function promptsFor({ operator }: Fleet, charges: readonly LinkCharge[]): number {
  const ids = new Set(charges.map(({ id }) => id))
  return [...operator.book.values()].filter((entry) => ids.has(entry.external_id)).length
}
