import type { Actor, StaffRole } from '../../../api/access/actor.ts'
import { actorName } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { call } from '../../../platform/db/database.ts'
import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import { domainRefusal, notFound } from '../../../platform/refusal.ts'
import type { Gateway } from '../../../program/app.ts'
import { accountMailRows, makeConsoleUrl } from '../account-mails.ts'
import { findAccounts } from '../accounts.ts'
import { parseEmail } from '../addresses/email-address.ts'
import { newAppSecret } from '../factors/codes.ts'
import { findOpenStaffLinks, makeLink, type OneTimeLink, voidLinks, voidStaffLink, voidStaffLinksTo } from '../links.ts'
import { linkBinding } from '../sealed-columns.ts'
import { queryArguments } from '../sign-in/sign-up.ts'
import { lockAdmins, lockStaff } from './lock-staff.ts'

// The lifetime of a command's link, which stands on a terminal, and of a reset, which replaces a sign-in: both are short (reliability.md A77).
const HOUR_MS = 3_600_000
// More than this would be a mailing list.
const MAX_OPEN_INVITATIONS = 50

const FIND_STAFF = statement<{ publicId: string }>(
  'operator with address',
  `select public_id as "publicId" from people where realm = 'operator' and email_key = $1 and closed_at is null`,
)

/** Makes a secret for an authenticator, sealed for the link that shows it. */
const sealNewSecret =
  ({ vault }: Gateway) =>
  (id: string): Buffer =>
    vault.seal(newAppSecret(), linkBinding(id))

/**
 * Invites a person to become an operator. The link of an admin's invitation goes to that address alone and works for 24 hours; a command
 * gets its link returned, which works for one hour. An older link to the same address works no longer. Throws 400 for an address that
 * has an account.
 */
export async function inviteStaff(
  gateway: Gateway,
  actor: Actor,
  { email: typed, role }: { email: string; role: StaffRole },
): Promise<{ link: string }> {
  allow(actor, 'operator.invite')
  const email = parseEmail(typed)
  const at = gateway.clock.now()
  const madeBy = actor.kind === 'operator' ? { madeBy: actor.personId } : { lastsMs: HOUR_MS }
  const { id, token, add } = makeLink({
    ...{ purpose: 'operator', operatorRole: role, email: email.text, at },
    ...{ ...madeBy, seal: sealNewSecret(gateway) },
  })
  const link = makeConsoleUrl(gateway, `/join?link=${token}`)
  await gateway.directory.transaction(async (tx) => {
    await lockAdmins(tx, actor)
    const [, [known], open] = await tx.send(
      voidStaffLinksTo(email, at),
      findAccounts('operator', email),
      findOpenStaffLinks(at),
    )
    if (known) throw domainRefusal('operator_exists', 'email belongs to an operator already', { field: 'email' })
    if (open.length >= MAX_OPEN_INVITATIONS)
      throw domainRefusal(
        'too_many_invitations',
        `there are ${MAX_OPEN_INVITATIONS} open invitations already: take some back first`,
      )
    const values = { role, link, by: actorName(actor) }
    const letter =
      actor.kind === 'operator'
        ? accountMailRows(gateway, { to: email.text, template: 'operator-invitation', values, at })
        : []
    const act = { actor, action: 'operator.invite', at, merchantId: null } as const
    const row = auditRow({ ...act, subject: id, after: { email: email.text, role } })
    return { value: null, last: [add, ...letter, row] }
  })
  return { link }
}

/** Lists the open invitations of operators, newest first. */
export async function listStaffInvitations(gateway: Gateway): Promise<OneTimeLink[]> {
  return gateway.directory.query(...queryArguments(findOpenStaffLinks(gateway.clock.now())))
}

/** Takes back an invitation of an operator. Throws 404. */
export async function takeBackStaffInvitation(gateway: Gateway, actor: Actor, id: string): Promise<void> {
  allow(actor, 'operator.take-back')
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    await lockAdmins(tx, actor)
    const [[link]] = await tx.send(voidStaffLink(id, at))
    if (!link) throw notFound('invitation')
    const act = { actor, action: 'operator.take-back', at, merchantId: null } as const
    const before = { email: link.email, role: link.operatorRole }
    return { value: null, last: [auditRow({ ...act, subject: id, before, after: { taken_back: true } })] }
  })
}

/**
 * Lets an operator choose a new password and a new authenticator, by a link of one hour; nothing ends before it is used. The link of an
 * admin goes to the operator's own address; a command gets it returned. Throws 404.
 */
export async function resetStaff(
  gateway: Gateway,
  actor: Actor,
  { publicId }: { publicId: string },
): Promise<{ link: string }> {
  allow(actor, 'operator.reset')
  const at = gateway.clock.now()
  return gateway.directory.transaction(async (tx) => {
    const operator = await lockStaff(tx, actor, { publicId, staysAdmin: true })
    const { token, add } = makeLink({
      ...{ purpose: 'operator-reset', personId: operator.id, at, lastsMs: HOUR_MS },
      ...{ madeBy: actor.kind === 'operator' ? actor.personId : null, seal: sealNewSecret(gateway) },
    })
    const link = makeConsoleUrl(gateway, `/reset?link=${token}`)
    const values = { link, by: actorName(actor) }
    const letter =
      actor.kind === 'operator'
        ? accountMailRows(gateway, { to: operator.email, template: 'operator-reset', values, at })
        : []
    const act = { actor, action: 'operator.reset', at, merchantId: null } as const
    const row = auditRow({ ...act, subject: publicId, after: { email: operator.email } })
    return {
      value: { link },
      last: [voidLinks(operator.id, ['operator-reset'], at), add, ...letter, row],
    }
  })
}

/** Returns the operator with this address. Throws 404. */
export async function getStaffByEmail(gateway: Gateway, typed: string): Promise<{ publicId: string }> {
  const operator = await firstRow(gateway.directory.query(...queryArguments(call(FIND_STAFF, parseEmail(typed).key))))
  if (operator === null) throw notFound('operator')
  return operator
}
