import type { Caller, StaffCaller } from '../../api/access/actor.ts'
import { mayDo, requireRole } from '../../api/access/allow.ts'
import type { Merchant } from '../../merchants/account/merchant.ts'
import { getMerchantOfTag } from '../../merchants/account/set-merchant.ts'
import { reachedCells } from '../../platform/db/cell-watch.ts'
import { statement } from '../../platform/db/statement.ts'
import { notFound } from '../../platform/refusal.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App, Gateway } from '../../program/app.ts'
import { CASE_COLUMNS, CASE_MESSAGES, type CaseMessage, type CaseState, type SupportCase } from './support-case.ts'

/** How many cases a list shows, of a merchant or of all. */
export const MAX_CASES_LISTED = 100
const MAX_CASES_BESIDE = 10

const CASE_BY_ID = statement<SupportCase>(
  'support case by id',
  `select ${CASE_COLUMNS} from support_cases c where c.merchant_id = $1 and c.id = $2`,
)
const CASES_OF_MERCHANT = statement<SupportCase & ListedWords>(
  'support cases of merchant',
  `select ${CASE_COLUMNS}, ${firstWords()} from support_cases c
   where c.merchant_id = $1 and c.mode = $2 and (c.at_counter or $3::boolean) and ($4::text is null or c.state = $4)
   order by c.last_at desc, c.id desc limit ${MAX_CASES_LISTED}`,
)
const CASES_BESIDE = statement<SupportCase & ListedWords>(
  'support cases beside object',
  `select ${CASE_COLUMNS}, ${firstWords()} from support_cases c where c.merchant_id = $1 and ($2::text is null or c.subject = $2)
   order by c.last_at desc, c.id desc limit ${MAX_CASES_BESIDE}`,
)
/** Those that wait are listed by how long they have waited, others by what was written last. */
const CASES_OF_CELL = {
  waiting: statement<CaseOfAny>('support cases that wait', casesOfCell('c.waits_since, c.id')),
  others: statement<CaseOfAny>('support cases of a state', casesOfCell('c.last_at desc, c.id desc')),
}

/** The beginning of the first message, by which people know a case. */
type ListedWords = { says: string }
export type ListedCase = SupportCase & ListedWords
export type CaseOfAny = ListedCase & { merchant: string; business: string }

function firstWords(): string {
  return `(select left(m.says, 120) from support_case_messages m where m.merchant_id = c.merchant_id and m.case_id = c.id
    order by m.said_at, m.id limit 1) as says`
}

function casesOfCell(order: string): string {
  return `select ${CASE_COLUMNS}, ${firstWords()}, b.public_id as merchant, b.name as business from support_cases c
    join merchants b on b.id = c.merchant_id where c.state = $1 order by ${order} limit ${MAX_CASES_LISTED}`
}

/** Whether a person reads this case: in its mode, and what people who see payouts have written only if they do too. */
export const mayRead = (caller: Caller, { merchantId, mode, atCounter }: SupportCase): boolean =>
  merchantId === caller.merchantId && mode === caller.mode && (atCounter || mayDo(caller, 'payouts.read'))

/** Lists the caller's cases, the last written first; at most 100. */
export const listCases = (app: App, caller: Caller, state: CaseState | null): Promise<ListedCase[]> =>
  app.db.query(CASES_OF_MERCHANT, [caller.merchantId, caller.mode, mayDo(caller, 'payouts.read'), state])

/** A case with what was written, oldest first. Throws 404 `case not found`. */
export async function getCase(
  app: App,
  caller: Caller,
  id: string,
): Promise<{ supportCase: SupportCase; messages: CaseMessage[] }> {
  const known = parseTag('case_', id) === caller.tag
  const [found] = known ? await app.db.query(CASE_BY_ID, [caller.merchantId, id]) : []
  if (!found || !mayRead(caller, found)) throw notFound('case')
  return { supportCase: found, messages: await app.db.query(CASE_MESSAGES, [found.merchantId, id]) }
}

/** A case of any merchant, for staff. Throws 404 `case not found`. */
export async function getCaseOfAny(gateway: Gateway, actor: StaffCaller, id: string): Promise<CaseAtMerchant> {
  requireRole(actor, 'console.read')
  const tag = parseTag('case_', id)
  if (tag === null) throw notFound('case')
  const { app, merchant } = await getMerchantOfTag(gateway, { tag, noun: 'case' })
  const [supportCase] = await app.db.query(CASE_BY_ID, [merchant.id, id])
  if (!supportCase) throw notFound('case')
  return { app, merchant, supportCase, messages: await app.db.query(CASE_MESSAGES, [merchant.id, id]) }
}

export type CaseAtMerchant = { app: App; merchant: Merchant; supportCase: SupportCase; messages: CaseMessage[] }

/** The newest cases of a merchant in both modes, or those about one of its objects; at most 10, for staff. */
export const listCasesBeside = (app: App, merchantId: number, subject: string | null = null): Promise<ListedCase[]> =>
  app.db.query(CASES_BESIDE, [merchantId, subject])

/** Lists the cases of all merchants in this state: those that wait longest first, others newest first; at most 100. */
export async function listCasesOfAll(gateway: Gateway, actor: StaffCaller, state: CaseState): Promise<CaseOfAny[]> {
  requireRole(actor, 'console.read')
  const list = state === 'waiting' ? CASES_OF_CELL.waiting : CASES_OF_CELL.others
  const lists = await Promise.all(reachedCells(gateway).map(({ db }) => db.query(list, [state])))
  const placeOf = ({ waitsSince, lastAt }: CaseOfAny) =>
    state === 'waiting' ? (waitsSince ?? lastAt).getTime() : -lastAt.getTime()
  return lists
    .flat()
    .sort((a, b) => placeOf(a) - placeOf(b))
    .slice(0, MAX_CASES_LISTED)
}
