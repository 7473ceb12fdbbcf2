import type { Actor, MerchantRole } from '../../api/access/actor.ts'
import { actorName } from '../../api/access/actor.ts'
import type { Call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import type { SecretAct } from '../mails/account-letters.ts'
import { addMail } from '../mails/mail.ts'

/** An act with a secret of a merchant. `ends`: the last characters of the key. */
type SecretActInput = { merchantId: number; act: SecretAct; actor: Actor; ends?: string }

const MAX_RECIPIENTS = 20
type MailRecipient = { email: string; handle: string }

const FIND_RECIPIENTS = statement<MailRecipient>(
  'people to tell',
  `select p.email, d.handle from memberships m join people p on p.id = m.person_id join merchants d on d.id = m.merchant_id
   where m.merchant_id = $1 and ($3::text[] is null or m.role = any($3)) and ($4::bigint[] is null or p.id = any($4))
     and p.email is not null and p.confirmed_at is not null and p.closed_at is null
   order by p.id limit $2`,
)

/** Reads the proven addresses of a merchant's people in these roles, at most 20, with its handle. */
export const readMailRecipients = (
  app: App,
  merchantId: number,
  roles: readonly MerchantRole[],
): Promise<MailRecipient[]> => app.directory.query(FIND_RECIPIENTS, [merchantId, MAX_RECIPIENTS, roles, null])

/** Reads the proven addresses of a merchant's owners, with its handle. */
export const readMailOwners = (app: App, merchantId: number): Promise<MailRecipient[]> =>
  readMailRecipients(app, merchantId, ['owner'])

/** Reads the proven addresses of those of these people who work for the merchant, at most 20, with its handle. */
export const readMailPeople = (app: App, merchantId: number, personIds: readonly number[]): Promise<MailRecipient[]> =>
  app.directory.query(FIND_RECIPIENTS, [merchantId, MAX_RECIPIENTS, null, personIds])

/** Makes the mails to the owners about an act (reliability.md 8.2), for a transaction of the directory. */
export async function makeOwnerMails(app: App, { merchantId, act, actor, ends = '' }: SecretActInput): Promise<Call[]> {
  const owners = await readMailOwners(app, merchantId)
  const at = app.clock.now()
  return owners.map(({ email, handle }) =>
    addMail(app, {
      ...{ to: email, template: 'secret-act', at },
      values: { act, business: handle, who: actorName(actor), ends },
    }),
  )
}

/** Mails the owners after an act that was committed elsewhere. After a crash between the two no mail is sent; the audit has the act. */
export async function mailOwners(app: App, input: SecretActInput): Promise<void> {
  for (const { statement: add, values } of await makeOwnerMails(app, input)) await app.directory.query(add, values)
}
