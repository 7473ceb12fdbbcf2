import type { Actor, MerchantRole } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { domainRefusal, notFound, Refusal } from '../../platform/refusal.ts'
import type { Gateway } from '../../program/app.ts'
import { accountMailRows, makeDashboardUrl } from './account-mails.ts'
import { lockMembers } from './accounts.ts'
import { parseEmail } from './addresses/email-address.ts'
import { findOpenLinks, makeLink, type OneTimeLink, voidLink } from './links.ts'
import { allowMakingOwner } from './members.ts'
import { takeMailSlot, tooManyMails } from './sign-in/sign-in-limits.ts'

/** The merchant that somebody is invited to. */
type Employer = { id: number; publicId: string; name: string; parent: string | null }

// More than this would be a mailing list.
const MAX_OPEN_INVITATIONS = 50

const FIND_MEMBER_BY_EMAIL = statement(
  'member with address',
  `select 1 from people p join memberships w on w.person_id = p.id
   where p.realm = 'merchant' and p.email_key = $1 and p.closed_at is null and p.confirmed_at is not null and w.merchant_id = $2`,
)

/**
 * Invites a person by e-mail. The link goes to that address alone, because it proves the address; for a command it is returned instead, to
 * be passed on by hand. Throws 400 for a person who works here already, 403, 429.
 */
export async function invitePerson(
  gateway: Gateway,
  actor: Actor,
  { merchant, email: typed, role }: { merchant: Employer; email: string; role: MerchantRole },
): Promise<{ link: string }> {
  allow(actor, 'people.invite', merchant.id)
  if (merchant.parent !== null)
    throw domainRefusal('bad_request', 'this business was made for tests: nobody signs in to it')
  if (actor.kind === 'person' && !actor.confirmed)
    throw new Refusal(403, 'email_unconfirmed', 'confirm your own e-mail address before you invite others')
  if (role === 'owner') allowMakingOwner(actor, merchant.id)
  const email = parseEmail(typed)
  if (actor.kind === 'person' && !(await takeMailSlot(gateway, 'invitation', email.key))) throw tooManyMails()
  const at = gateway.clock.now()
  const madeBy = actor.kind === 'person' ? actor.personId : null
  const { id, token, add } = makeLink({
    purpose: 'join',
    merchantId: merchant.id,
    role,
    email: email.text,
    madeBy,
    at,
  })
  const link = makeDashboardUrl(gateway, `/join?link=${token}`)
  const values = { business: merchant.name, role, link, by: actor.kind === 'person' ? actor.name : '' }
  await gateway.directory.transaction(async (tx) => {
    const [, open, member] = await tx.send(
      lockMembers(merchant.id),
      findOpenLinks(merchant.id, at),
      call(FIND_MEMBER_BY_EMAIL, email.key, merchant.id),
    )
    if (member.length > 0)
      throw domainRefusal('already_member', 'email belongs to somebody who works here already', { field: 'email' })
    if (open.length >= MAX_OPEN_INVITATIONS)
      throw domainRefusal(
        'too_many_invitations',
        `there are ${MAX_OPEN_INVITATIONS} open invitations already: take some back first`,
      )
    const letter =
      actor.kind === 'command' ? [] : accountMailRows(gateway, { to: email.text, template: 'invitation', values, at })
    const act = { actor, action: 'people.invite', at, merchantId: merchant.id } as const
    return {
      value: null,
      last: [add, ...letter, auditRow({ ...act, subject: id, after: { email: email.text, role } })],
    }
  })
  return { link }
}

/** Lists the open invitations and codes for tills, newest first. */
export async function listInvitations(gateway: Gateway, merchantId: number): Promise<OneTimeLink[]> {
  const list = findOpenLinks(merchantId, gateway.clock.now())
  return gateway.directory.query(list.statement, list.values)
}

/** Takes back an invitation, or the code for a till. Throws 404. */
export async function takeBackInvitation(
  gateway: Gateway,
  actor: Actor,
  { merchant, id }: { merchant: Pick<Employer, 'id'>; id: string },
): Promise<void> {
  allow(actor, 'people.take-back', merchant.id)
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const [[link]] = await tx.send(voidLink(merchant.id, id, at))
    if (!link) throw notFound('invitation')
    const act = { actor, action: 'people.take-back', at, merchantId: merchant.id } as const
    const before = { email: link.email, role: link.role }
    return { value: null, last: [auditRow({ ...act, subject: id, before, after: { taken_back: true } })] }
  })
}
