import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Actor, publicActor } from '../../api/access/actor.ts'
import { allow, requireLiveMode } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { Merchant } from '../../merchants/account/merchant.ts'
import { getMerchantOfTag } from '../../merchants/account/set-merchant.ts'
import { addMail } from '../../merchants/mails/mail.ts'
import { parseEmail } from '../../merchants/people/addresses/email-address.ts'
import { takeMailSlot, tooManyMails } from '../../merchants/people/sign-in/sign-in-limits.ts'
import { assert } from '../../platform/assert.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { isUniqueViolation } from '../../platform/db/unique-violation.ts'
import { domainRefusal, notFound } from '../../platform/refusal.ts'
import type { Vault } from '../../platform/secrets.ts'
import { newId, parseTag } from '../../platform/text/ids.ts'
import { oneLine } from '../../platform/text/text.ts'
import type { App, Gateway } from '../../program/app.ts'

/** An e-mail address that gets mails about live payments; its reader needs no login. */
export type Notice = {
  merchantId: number
  id: string
  email: string
  /** Mails about payments from this amount on, in whole UGX; null: about no payments. */
  paymentsAbove: number | null
  failures: boolean
  dailyClose: boolean
  confirmedAt: Date | null
  stoppedAt: Date | null
  toldUntil: Date
  createdAt: Date
}
type NoticeInput = Pick<Notice, 'email' | 'paymentsAbove' | 'failures' | 'dailyClose'>

export const NOTICE_COLUMNS = `n.merchant_id as "merchantId", n.id, n.email, n.payments_above as "paymentsAbove", n.failures,
  n.daily_close as "dailyClose", n.confirmed_at as "confirmedAt", n.stopped_at as "stoppedAt", n.told_until as "toldUntil",
  n.created_at as "createdAt"`

const MAX_NOTICES = 20
// The reader has not asked for the first mail: a merchant cannot cause many, nor soon ask an address again that has refused.
const MAX_ASKED_PER_DAY = 40
const DAY_MS = 86_400_000
const ASK_AGAIN_AFTER_DAYS = 30
const ANSWER_WITHIN_DAYS = 7

const LIST = statement<Notice>(
  'list notices',
  `select ${NOTICE_COLUMNS} from notices n where n.merchant_id = $1 and n.stopped_at is null order by n.created_at, n.id limit ${MAX_NOTICES + 1}`,
)
const BY_ID = statement<Notice>(
  'notice by id',
  `select ${NOTICE_COLUMNS} from notices n where n.merchant_id = $1 and n.id = $2`,
)
const ADD = statement(
  'add notice',
  `insert into notices (merchant_id, id, email, payments_above, failures, daily_close, told_until, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $7)`,
)
const LOCK = statement('lock merchant of notices', 'select id from merchants where id = $1 for no key update')
const COUNTS = statement<{ named: number; today: number; left: boolean }>(
  'counts of notices',
  `select count(*) filter (where stopped_at is null)::int as named, count(*) filter (where created_at > $2)::int as today,
     coalesce(bool_or(stopped_by = 'reader' and stopped_at > $3 and lower(email) = lower($4)), false) as left
   from notices where merchant_id = $1`,
)
const STOP = statement<{ id: string }>(
  'stop notice',
  `update notices set stopped_at = $3, stopped_by = $4, telling_until = null
   where merchant_id = $1 and id = $2 and stopped_at is null returning id`,
)
const CONFIRM = statement<{ id: string }>(
  'confirm notice',
  `update notices set confirmed_at = $3, told_until = $3
   where merchant_id = $1 and id = $2 and stopped_at is null and confirmed_at is null returning id`,
)

/** Lists the addresses that get mails about this merchant's payments, oldest first. */
export const listNotices = (app: App, merchantId: number): Promise<Notice[]> => app.db.query(LIST, [merchantId])

/**
 * Adds an address. Its first mail asks whether it agrees; nothing else is sent before. Only a person with a proven address may add one,
 * in live mode, and only a few a day per address, across all merchants. Throws 400, 403, 429.
 */
export async function addNotice(
  app: App,
  actor: Actor,
  { merchant, input }: { merchant: Merchant; input: NoticeInput },
): Promise<Notice> {
  allow(actor, 'notice.set', merchant.id)
  requireLiveMode(actor)
  const { text: email, key } = parseEmail(input.email)
  if (input.paymentsAbove === null && !input.failures && !input.dailyClose)
    throw domainRefusal('bad_request', 'choose at least one thing to hear of')
  if (!(await takeMailSlot(app, 'notice', key))) throw tooManyMails()
  const at = app.clock.now()
  const id = newId('ntc_', merchant.tag)
  const { paymentsAbove, failures, dailyClose } = input
  await app.db
    .transaction(async (tx) => {
      const since = [daysBefore(at, 1), daysBefore(at, ASK_AGAIN_AFTER_DAYS)]
      const [, [counts]] = await tx.send(call(LOCK, merchant.id), call(COUNTS, merchant.id, ...since, email))
      assert(counts, 'an aggregate is one row')
      requireRoom(counts)
      await tx.send(call(ADD, merchant.id, id, email, paymentsAbove, failures, dailyClose, at.toISOString()))
      const act = { actor, action: 'notice.set', at, merchantId: merchant.id, subject: id } as const
      return { value: null, last: [auditRow({ ...act, after: { ...input, email } })] }
    })
    .catch((error) => {
      throw isUniqueViolation(error) ? domainRefusal('known', 'email is named already', { field: 'email' }) : error
    })
  // If this process dies here, the sweep sends the question.
  await askReader(app, { merchantId: merchant.id, id, email, business: merchant.name })
  const [notice] = await app.db.query(BY_ID, [merchant.id, id])
  if (!notice) throw notFound('notice')
  return notice
}

const daysBefore = (at: Date, days: number) => new Date(at.getTime() - days * DAY_MS).toISOString()

function requireRoom({ named, today, left }: { named: number; today: number; left: boolean }): void {
  if (left)
    throw domainRefusal(
      'known',
      `email has said that it wants no more mails: it can be asked again after ${ASK_AGAIN_AFTER_DAYS} days`,
      { field: 'email' },
    )
  if (named >= MAX_NOTICES) throw domainRefusal('too_many', `at most ${MAX_NOTICES} addresses can be named`)
  if (today >= MAX_ASKED_PER_DAY)
    throw domainRefusal('too_many', `at most ${MAX_ASKED_PER_DAY} addresses can be asked in 24 hours: try again later`)
}

const RECORD_ASKED = statement(
  'notice was asked',
  'update notices set asked_at = $3 where merchant_id = $1 and id = $2 and asked_at is null',
)

/** Writes the mail that asks a reader, once. */
export async function askReader(
  app: App,
  { merchantId, id, email, business }: Pick<Notice, 'merchantId' | 'id' | 'email'> & { business: string },
): Promise<void> {
  const at = app.clock.now()
  const values = {
    business: oneLine(business),
    link: makeNoticeLink(app, id),
    days: String(ANSWER_WITHIN_DAYS),
  }
  const mail = addMail(app, { to: email, template: 'notice-confirm', values, at, once: `confirm ${id}` })
  await app.directory.query(mail.statement, mail.values)
  await app.db.query(RECORD_ASKED, [merchantId, id, at.toISOString()])
}

/** Stops the mails to an address of this merchant. Throws 404. */
export async function stopNotice(
  app: App,
  actor: Actor,
  { merchant, id }: { merchant: Merchant; id: string },
): Promise<void> {
  allow(actor, 'notice.stop', merchant.id)
  const at = app.clock.now()
  await app.db.transaction(async (tx) => {
    const [[stopped]] = await tx.send(call(STOP, merchant.id, id, at.toISOString(), 'merchant'))
    if (!stopped) throw notFound('notice')
    const act = { actor, action: 'notice.stop', at, merchantId: merchant.id, subject: id } as const
    return { value: null, last: [auditRow({ ...act, after: { stopped: true } })] }
  })
}

/** Makes the link to the page on which a reader agrees or unsubscribes. Only the mails to that reader hold it. */
export const makeNoticeLink = ({ baseUrl, vault }: Pick<App, 'baseUrl' | 'vault'>, id: string): string =>
  `${baseUrl}/dashboard/notices?link=${id}.${makeLinkMac(vault, id)}`

const makeLinkMac = (vault: Vault, id: string) =>
  createHmac('sha256', vault.derive('dashboard form tokens')).update(`notice ${id}`).digest('hex').slice(0, 40)

/** Returns the notice behind a mailed link. Throws 404 for a link that is none of ours, or whose question is too old. */
export async function getNoticeOfLink(
  gateway: Gateway,
  link: string,
): Promise<{ app: App; merchant: Merchant; notice: Notice }> {
  const [id = '', mac = ''] = link.split('.', 2)
  const tag = parseTag('ntc_', id)
  const expected = makeLinkMac(gateway.vault, id)
  if (tag === null || mac.length !== expected.length || !timingSafeEqual(Buffer.from(mac), Buffer.from(expected)))
    throw notFound('page')
  const { app, merchant } = await getMerchantOfTag(gateway, { tag, noun: 'page' })
  const [notice] = await app.db.query(BY_ID, [merchant.id, id])
  if (!notice || isTooOld(gateway, notice)) throw notFound('page')
  return { app, merchant, notice }
}

/** Whether the question was not answered in time: somebody else may read the mailbox by now. */
const isTooOld = ({ clock }: Gateway, { confirmedAt, stoppedAt, createdAt }: Notice) =>
  confirmedAt === null && stoppedAt === null && clock.nowMs() > createdAt.getTime() + ANSWER_WITHIN_DAYS * DAY_MS

/** Records that the reader agrees to the mails, or stops them. A repeat changes nothing. Throws 404. */
export async function answerNotice(
  gateway: Gateway,
  { link, agrees, address }: { link: string; agrees: boolean; address: string },
): Promise<void> {
  const actor = publicActor('customer', { origin: address })
  allow(actor, 'notice.answer')
  const { app, notice } = await getNoticeOfLink(gateway, link)
  const { merchantId, id } = notice
  const at = app.clock.now()
  const own = [merchantId, id, at.toISOString()]
  await app.db.transaction(async (tx) => {
    const [[changed]] = await tx.send(agrees ? call(CONFIRM, ...own) : call(STOP, ...own, 'reader'))
    if (!changed) return { value: null }
    const act = { actor, action: 'notice.answer', at, merchantId, mode: 'live', subject: id } as const
    return { value: null, last: [auditRow({ ...act, after: { agrees } })] }
  })
}
