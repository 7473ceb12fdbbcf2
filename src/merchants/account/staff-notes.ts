import { actorName, type StaffCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { invalidRequest } from '../../platform/refusal.ts'
import type { Gateway } from '../../program/app.ts'
import type { Merchant } from './merchant.ts'

/** A note of an operator about a merchant. Only operators read it. */
type StaffNote = { says: string; at: Date; by: string }

const MAX_NOTE_CHARACTERS = 2000
const MAX_LISTED = 50

const ADD = statement(
  'add merchant note',
  'insert into merchant_notes (merchant_id, says, at, by_person, by) values ($1, $2, $3, $4, $5)',
)
const LIST = statement<StaffNote>(
  'merchant notes',
  'select says, at, by from merchant_notes where merchant_id = $1 order by id desc limit $2',
)

/** Lists the newest fifty notes about a merchant. */
export const listStaffNotes = ({ directory }: Pick<Gateway, 'directory'>, merchantId: number) =>
  directory.query(LIST, [merchantId, MAX_LISTED])

/** Adds a note, which cannot be changed afterwards. The audit records that there is one, not its text. Throws Refusal. */
export async function addStaffNote(
  { directory, clock }: Pick<Gateway, 'directory' | 'clock'>,
  actor: StaffCaller,
  { merchant, says }: { merchant: Pick<Merchant, 'id' | 'publicId'>; says: string },
): Promise<void> {
  allow(actor, 'merchant.note', merchant.id)
  if (says.trim() === '' || says.length > MAX_NOTE_CHARACTERS)
    throw invalidRequest(`note must have 1 to ${MAX_NOTE_CHARACTERS} characters`, 'note')
  const at = clock.now()
  // Not filed under the merchant's id: its people read the audit of their business, and notes are not for them.
  const act = { actor, action: 'merchant.note', at, merchantId: null, subject: merchant.publicId } as const
  const add = call(ADD, merchant.id, says, at.toISOString(), actor.personId, actorName(actor))
  await directory.transaction(async (tx) => {
    await tx.send(add)
    return { value: null, last: [auditRow({ ...act, after: { characters: says.length } })] }
  })
}
