import type { Actor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App } from '../app.ts'
import { addMail } from '../mails/mail.ts'
import type { Merchant } from '../merchants/merchant.ts'
import { ownersToTell } from '../merchants/tell-owners.ts'
import { later } from '../platform/clock.ts'
import { call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { kampalaIso } from '../platform/kampala.ts'
import { invalidRequest, notFound } from '../platform/refusal.ts'
import type { DocumentKind } from './documents.ts'

/** A document that counts no longer soon, or does not any more. `expiresOn`: YYYY-MM-DD. */
export type EndingDocument = {
  merchantId: number
  merchant: string
  business: string
  id: string
  kind: DocumentKind
  expiresOn: string
  toldAt: Date | null
}

const DAY_MS = 24 * 3_600_000
const SOON_MS = 30 * DAY_MS
const MOST_LISTED = 200
const TOLD_AT_ONCE = 50
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/

const SET = statement<{ kind: DocumentKind }>(
  'set end of document',
  'update verification_documents set expires_on = $3::date, told_at = null where merchant_id = $1 and id = $2 returning kind',
)
const COLUMNS = `d.merchant_id as "merchantId", m.public_id as merchant, m.name as business, d.id, d.kind,
  d.expires_on::text as "expiresOn", d.told_at as "toldAt"`
const ENDING = statement<EndingDocument>(
  'documents that end',
  `select ${COLUMNS} from verification_documents d join merchants m on m.id = d.merchant_id
   where d.expires_on is not null and d.expires_on <= $1::date and m.closed_at is null
   order by d.expires_on, d.merchant_id, d.id limit $2`,
)
const UNTOLD = statement<EndingDocument>(
  'untold ends of documents',
  `select ${COLUMNS} from verification_documents d join merchants m on m.id = d.merchant_id
   where d.expires_on is not null and d.told_at is null and d.expires_on <= $1::date order by d.expires_on limit $2`,
)
const OF_MERCHANT = statement<EndingDocument>(
  'ending documents of merchant',
  `select ${COLUMNS} from verification_documents d join merchants m on m.id = d.merchant_id
   where d.merchant_id = $2 and d.expires_on is not null and d.expires_on <= $1::date order by d.expires_on, d.id`,
)
const ENDS = statement<{ id: string; expiresOn: string }>(
  'ends of documents',
  'select id, expires_on::text as "expiresOn" from verification_documents where merchant_id = $1 and expires_on is not null',
)
const TOLD = statement<{ id: string }>(
  'told of document',
  'update verification_documents set told_at = $3 where merchant_id = $1 and id = $2 and told_at is null returning id',
)

/** Notes until when a document counts, or that it does not end (null). Throws Refusal. */
export async function setDocumentExpiry(
  app: App,
  actor: Actor,
  { merchant, id, expiresOn }: { merchant: Pick<Merchant, 'id'>; id: string; expiresOn: string | null },
): Promise<void> {
  allow(actor, 'verification.expiry', merchant.id)
  if (expiresOn !== null && !isDay(expiresOn)) throw invalidRequest('expires_on must be a day, YYYY-MM-DD')
  const at = app.clock.now()
  const act = { actor, action: 'verification.expiry', at, merchantId: merchant.id, subject: id } as const
  await app.db.transaction(async (tx) => {
    const [[document]] = await tx.send(call(SET, merchant.id, id, expiresOn))
    if (!document) throw notFound('document')
    return { value: null, last: [auditRow({ ...act, after: { document: document.kind, expiresOn } })] }
  })
}

function isDay(text: string): boolean {
  if (!DAY.test(text)) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) && day.getUTCFullYear() < 2100
}

const soon = ({ clock }: Pick<App, 'clock'>) => kampalaIso(later(clock.now(), SOON_MS)).slice(0, 10)

/** The documents of a cell that end within thirty days or have ended, the first first; at most 200. */
export const endingDocuments = (app: App): Promise<EndingDocument[]> =>
  app.db.query(ENDING, [soon(app), MOST_LISTED])

/** Those of one merchant. */
export const endingDocumentsOf = (app: App, merchantId: number): Promise<EndingDocument[]> =>
  app.db.query(OF_MERCHANT, [soon(app), merchantId])

/** Until when each document of a merchant counts, by id. */
export async function documentEnds(app: App, merchantId: number): Promise<ReadonlyMap<string, string>> {
  const rows = await app.db.query(ENDS, [merchantId])
  return new Map(rows.map(({ id, expiresOn }) => [id, expiresOn]))
}

/** Tells the owners by mail of documents that end within thirty days, each once; answers how many documents. */
export async function tellEndings(app: App): Promise<number> {
  const found = await app.db.query(UNTOLD, [soon(app), TOLD_AT_ONCE])
  let told = 0
  for (const one of found) told += await tellEnding(app, one)
  return told
}

/** Marked before the mail is written: of two workers one tells, and a process that dies between the two tells nobody. */
async function tellEnding(
  app: App,
  { merchantId, id, business, kind, expiresOn }: EndingDocument,
): Promise<number> {
  const at = app.clock.now()
  const [mine] = await app.db.query(TOLD, [merchantId, id, at.toISOString()])
  if (!mine) return 0
  const values = { business, document: kind, day: expiresOn, link: `${app.baseUrl}/dashboard/verification` }
  for (const { email } of await ownersToTell(app, merchantId)) {
    const mail = addMail(app, { to: email, template: 'document-ends', values, at })
    await app.directory.query(mail.statement, mail.values)
  }
  return 1
}
