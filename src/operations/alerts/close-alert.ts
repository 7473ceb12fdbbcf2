import type { Actor } from '../../api/access/actor.ts'
import { actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { badRequest, domainRefusal, notFound } from '../../platform/refusal.ts'
import type { Gateway } from '../../program/app.ts'

const LOCK = statement<{ kind: string; subject: string; closedAt: Date | null }>(
  'lock an alert',
  `select kind, subject, closed_at as "closedAt" from alerts where id = $1 for no key update`,
)
const CLOSE = statement(
  'close an alert by hand',
  `update alerts set closed_at = greatest($2, opened_at), closed_by = $3, note = $4, to_tell = 'closed' where id = $1`,
)

const MIN_NOTE_CHARACTERS = 3
const MAX_NOTE_CHARACTERS = 500

/** Closes an alert for a person, who says why. It opens again, as a new one, when a check finds its condition again. */
export async function closeAlert(
  { directory, clock }: Pick<Gateway, 'directory' | 'clock'>,
  actor: Actor,
  { id, note }: { id: number; note: string },
): Promise<void> {
  allow(actor, 'alert.close')
  const words = note.trim()
  if (words.length < MIN_NOTE_CHARACTERS || words.length > MAX_NOTE_CHARACTERS)
    throw badRequest(`note must be a sentence of at most ${MAX_NOTE_CHARACTERS} characters`, { field: 'note' })
  const at = clock.now()
  await directory.transaction(async (tx) => {
    const [[alert]] = await tx.send(call(LOCK, id))
    if (alert === undefined) throw notFound('alert')
    if (alert.closedAt !== null) throw domainRefusal('closed_already', 'this alert is over already')
    const { kind, subject } = alert
    const row = auditRow({
      ...{ actor, action: 'alert.close', at, merchantId: null, subject: `${kind} ${subject}`.slice(0, 200) },
      after: { note: words },
    })
    return { value: null, last: [call(CLOSE, id, at.toISOString(), actorName(actor), words), row] }
  })
}
