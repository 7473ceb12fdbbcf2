import type { PersonCaller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { assert } from '../../../platform/assert.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { invalidRequest, Refusal } from '../../../platform/refusal.ts'
import { hasForbiddenControl } from '../../../platform/text/text.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { Gateway } from '../../../program/app.ts'
import { makeDashboardUrl } from '../account-mails.ts'
import { addMember, addTill, lockMembers } from '../accounts.ts'
import { findOpenLinks, linkGone, makeLink, useLink } from '../links.ts'
import { endOtherSessions, startSession } from '../write-sessions.ts'
import { type Visitor, visitorActor } from './visitor.ts'

// A code lasts long enough to walk to the till. A shift is no longer than a session of a person (reliability.md A68).
const CODE_LIFETIME_MS = 10 * 60_000
const MAX_SHIFT_HOURS = 12
const MAX_NAME_CHARACTERS = 60
const MAX_OPEN_CODES = 20

const FIND_TILL = statement<{ id: number; publicId: string }>(
  'till called',
  `select p.id, p.public_id as "publicId" from memberships w join people p on p.id = w.person_id
   where w.merchant_id = $1 and p.kind = 'till' and p.name = $2 and p.closed_at is null order by p.id limit 1`,
)

/** The code that lets a till in: the URL in its picture, when it expires, and when the shift ends. */
type TillCode = { address: string; expiresAt: Date; shiftEnds: Date }

/**
 * Makes a code for a device at the till. The first device that opens it is signed in as a cashier until the shift ends, without a
 * password. Throws 400.
 */
export async function makeTillCode(
  gateway: Gateway,
  caller: PersonCaller,
  { merchantId, name: typed, hours }: { merchantId: number; name: string; hours: number },
): Promise<TillCode> {
  allow(caller, 'till.show', merchantId)
  const name = typed.trim()
  if (name === '' || [...name].length > MAX_NAME_CHARACTERS || hasForbiddenControl(name, false))
    throw invalidRequest(`name must be 1 to ${MAX_NAME_CHARACTERS} characters`, 'name')
  if (!Number.isInteger(hours) || hours < 1 || hours > MAX_SHIFT_HOURS)
    throw invalidRequest(`hours must be a whole number from 1 to ${MAX_SHIFT_HOURS}`, 'hours')
  const at = gateway.clock.now()
  const shiftEnds = addMs(at, hours * 3_600_000)
  const link = makeLink({
    ...{ purpose: 'till', merchantId, role: 'cashier', name, shiftEnds, madeBy: caller.personId, at },
    lastsMs: CODE_LIFETIME_MS,
  })
  await gateway.directory.transaction(async (tx) => {
    const [, open] = await tx.send(lockMembers(merchantId), findOpenLinks(merchantId, at))
    if (open.filter(({ purpose }) => purpose === 'till').length >= MAX_OPEN_CODES)
      throw new Refusal(400, 'too_many_codes', 'there are many unused codes already: wait ten minutes')
    const act = { actor: caller, action: 'till.show', at, merchantId } as const
    return { value: null, last: [link.add, auditRow({ ...act, subject: link.id, after: { name, hours } })] }
  })
  const address = makeDashboardUrl(gateway, `/till?link=${link.token}`)
  return { address, expiresAt: addMs(at, CODE_LIFETIME_MS), shiftEnds }
}

/**
 * Signs this device in as the till. A till is one device: another device under the same name is signed out. Returns the session's cookie.
 * Throws 410.
 */
export async function enterTill(gateway: Gateway, visitor: Visitor, token: string): Promise<{ token: string }> {
  allow(visitorActor(visitor), 'till.enter')
  const at = gateway.clock.now()
  return gateway.directory.transaction(async (tx) => {
    const [[link]] = await tx.send(useLink('till', token, at))
    if (link?.merchantId == null || link.name === null || link.shiftEnds === null || link.shiftEnds <= at)
      throw linkGone()
    const { merchantId, name, shiftEnds: endsAt } = link
    const [, [known]] = await tx.send(lockMembers(merchantId), call(FIND_TILL, merchantId, name))
    const [[till]] = known ? [[known]] : await tx.send(addTill(name, at))
    assert(till, 'a till that was added has an id')
    const { id: personId, publicId: person } = till
    const session = startSession({
      personId,
      merchantId,
      visitor,
      at,
      endsAt,
      steppedUp: false,
      letInBy: link.madeBy,
    })
    const act = {
      actor: visitorActor(visitor, `till ${name}`),
      action: 'till.enter',
      at,
      merchantId,
    } as const
    const row = auditRow({ ...act, subject: link.id, after: { name, person, until: endsAt.toISOString() } })
    const member = addMember({ personId, merchantId }, 'cashier', { at })
    return {
      value: { token: session.token },
      last: [member, endOtherSessions(personId, null), ...session.calls, row],
    }
  })
}
