import type { Emulator } from '../../emulator/emulator.ts'
import type { Installation } from '../crash/installation.ts'

/** From when to when a process had a wrong clock, in ms of the common clock, and by how much it was ahead. */
export type WrongTime = { from: number; to: number; byMs: number }

// The deadline of a submit is 25 s. On a crowded machine the common clock, which runs eight times as fast, adds its share.
const LATE_MS = 90_000
const MARKED = `select a.id as reference, a.subject, a.sending_since as since from rail_attempts a where a.sends = 1`

/**
 * Posts that reached an operator long after the commit that marked them as sending: a customer is asked for the PIN out of the
 * blue, or a payout is paid that was given back. Marks made while a clock was wrong have no time that could be compared.
 */
export async function judgePosts(
  { sql }: Installation,
  operators: readonly Emulator[],
  wrong: readonly WrongTime[],
): Promise<string[]> {
  const arrived = new Map<string, number>()
  for (const { method, reference, at } of operators.flatMap((operator) => operator.journal()))
    if (method === 'POST' && reference !== null && !wrong.some(({ from, to }) => at >= from && at <= to))
      arrived.set(reference, at)
  const marked = await sql<{ reference: string; subject: string; since: Date }>(MARKED)
  return marked.flatMap(({ reference, subject, since }) => {
    const at = arrived.get(reference)
    const lateMs = at === undefined ? 0 : at - since.getTime()
    return lateMs > LATE_MS ? [`${subject} was posted ${Math.round(lateMs / 1000)} s after its mark`] : []
  })
}
