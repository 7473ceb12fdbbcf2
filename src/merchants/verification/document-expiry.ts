import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { invalidRequest, notFound } from '../../platform/refusal.ts'
import { addMs } from '../../platform/time/clock.ts'
import { kampalaIso } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { readMailOwners } from '../account/mail-owners.ts'
import type { Merchant } from '../account/merchant.ts'
import { addMail } from '../mails/mail.ts'
import type { DocumentKind } from './documents.ts'

/** A document that has expired or soon will. `expiresOn`: YYYY-MM-DD. `toldAt`: when the owners were mailed. */
export type ExpiringDocument = {
  merchantId: number
  merchant: string
  business: string
  id: string
  kind: DocumentKind
  expiresOn: string
  toldAt: Date | null
}

const DAY_MS = 24 * 3_600_000
const EXPIRES_SOON_MS = 30 * DAY_MS
const MAX_LISTED = 200
const DOCUMENTS_PER_RUN = 50
const DAY = /^[0-9]{4}-[0-9]{2}-[0-9]{2}$/

const SET_EXPIRY = statement<{ kind: DocumentKind }>(
  'set end of document',
  'update verification_documents set expires_on = $3::date, told_at = null where merchant_id = $1 and id = $2 returning kind',
)
const COLUMNS = `d.merchant_id as "merchantId", m.public_id as merchant, m.name as business, d.id, d.kind,
  d.expires_on::text as "expiresOn", d.told_at as "toldAt"`
const FIND_EXPIRING = statement<ExpiringDocument>(
  'documents that end',
  `select ${COLUMNS} from verification_documents d join merchants m on m.id = d.merchant_id
   where d.expires_on is not null and d.expires_on <= $1::date and m.closed_at is null
   order by d.expires_on, d.merchant_id, d.id limit $2`,
)
const FIND_UNTOLD = statement<ExpiringDocument>(
  'untold ends of documents',
  `select ${COLUMNS} from verification_documents d join merchants m on m.id = d.merchant_id
   where d.expires_on is not null and d.told_at is null and d.expires_on <= $1::date order by d.expires_on limit $2`,
)
const OF_MERCHANT = statement<ExpiringDocument>(
  'ending documents of merchant',
  `select ${COLUMNS} from verification_documents d join merchants m on m.id = d.merchant_id
   where d.merchant_id = $2 and d.expires_on is not null and d.expires_on <= $1::date order by d.expires_on, d.id`,
)
const LIST_EXPIRIES = statement<{ id: string; expiresOn: string }>(
  'ends of documents',
  'select id, expires_on::text as "expiresOn" from verification_documents where merchant_id = $1 and expires_on is not null',
)
const RECORD_TOLD = statement<{ id: string }>(
  'told of document',
  'update verification_documents set told_at = $3 where merchant_id = $1 and id = $2 and told_at is null returning id',
)

/** Sets the day on which a document expires, or that it never does (null). Throws Refusal. */
export async function setDocumentExpiry(
  app: App,
  actor: Actor,
  { merchant, id, expiresOn }: { merchant: Pick<Merchant, 'id'>; id: string; expiresOn: string | null },
): Promise<void> {
  allow(actor, 'verification.expiry', merchant.id)
  if (expiresOn !== null && !isDay(expiresOn))
    throw invalidRequest('expires_on must be a day, YYYY-MM-DD', 'expires_on')
  const at = app.clock.now()
  const act = { actor, action: 'verification.expiry', at, merchantId: merchant.id, subject: id } as const
  await app.db.transaction(async (tx) => {
    const [[document]] = await tx.send(call(SET_EXPIRY, merchant.id, id, expiresOn))
    if (!document) throw notFound('document')
    return { value: null, last: [auditRow({ ...act, after: { document: document.kind, expiresOn } })] }
  })
}

function isDay(text: string): boolean {
  if (!DAY.test(text)) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) && day.getUTCFullYear() < 2100
}

const lastDaySoon = ({ clock }: Pick<App, 'clock'>) => kampalaIso(addMs(clock.now(), EXPIRES_SOON_MS)).slice(0, 10)

/** Reads the documents of a cell that expire within thirty days or have expired, the earliest first; at most 200. */
export const readExpiringDocuments = (app: App): Promise<ExpiringDocument[]> =>
  app.db.query(FIND_EXPIRING, [lastDaySoon(app), MAX_LISTED])

/** Reads the documents of one merchant that expire within thirty days or have expired. */
export const readExpiringDocumentsOf = (app: App, merchantId: number): Promise<ExpiringDocument[]> =>
  app.db.query(OF_MERCHANT, [lastDaySoon(app), merchantId])

/** Reads the expiry days of a merchant's documents, by document id. */
export async function readDocumentExpiries(app: App, merchantId: number): Promise<ReadonlyMap<string, string>> {
  const rows = await app.db.query(LIST_EXPIRIES, [merchantId])
  return new Map(rows.map(({ id, expiresOn }) => [id, expiresOn]))
}

/** Mails the owners about documents that expire within thirty days, each once. Returns how many documents. */
export async function mailExpiringDocuments(app: App): Promise<number> {
  const documents = await app.db.query(FIND_UNTOLD, [lastDaySoon(app), DOCUMENTS_PER_RUN])
  let mailed = 0
  for (const document of documents) mailed += await mailExpiringDocument(app, document)
  return mailed
}

/** Marks the document before it writes the mails: of two workers only one mails, and after a crash between the two no mail is sent. */
async function mailExpiringDocument(
  app: App,
  { merchantId, id, business, kind, expiresOn }: ExpiringDocument,
): Promise<number> {
  const at = app.clock.now()
  const [marked] = await app.db.query(RECORD_TOLD, [merchantId, id, at.toISOString()])
  if (!marked) return 0
  const values = { business, document: kind, day: expiresOn, link: `${app.baseUrl}/dashboard/verification` }
  for (const { email } of await readMailOwners(app, merchantId)) {
    const mail = addMail(app, { to: email, template: 'document-ends', values, at })
    await app.directory.query(mail.statement, mail.values)
  }
  return 1
}
