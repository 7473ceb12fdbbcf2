import { createHmac } from 'node:crypto'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { parsePhone } from '../../platform/text/phone.ts'
import type { App } from '../../program/app.ts'
import type { VerificationAnswers } from './steps.ts'

/** A kind of fact that several merchants may share. */
type DigestKind = 'phone' | 'id_number' | 'browser'

/** Another merchant with the same phone, number of an identity document or browser. */
export type SharedFact = { kind: DigestKind; publicId: string; name: string; kycStatus: string }

const MAX_SHARED = 50

const STORE = statement(
  'keep verification digests',
  `insert into verification_digests (merchant_id, kind, digest, seen_at)
   select $1, n.kind, n.digest, $4 from unnest($2::text[], $3::bytea[]) as n (kind, digest)
   on conflict (merchant_id, kind, digest) do update set seen_at = excluded.seen_at`,
)
const FIND_SHARED = statement<SharedFact>(
  'merchants with the same digests',
  `select distinct o.kind, m.public_id as "publicId", m.name, m.kyc_status as "kycStatus"
   from verification_digests d join verification_digests o on o.kind = d.kind and o.digest = d.digest and o.merchant_id <> d.merchant_id
     join merchants m on m.id = o.merchant_id
   where d.merchant_id = $1 order by o.kind, m.public_id limit $2`,
)
const FIND_MERCHANTS_OF_PHONE = statement<{ merchantId: number }>(
  'merchants of a phone',
  `select merchant_id as "merchantId" from verification_digests where kind = 'phone' and digest = $1
   union select merchant_id from withdrawal_numbers where phone = $2 order by 1 desc limit 200`,
)

type Digest = readonly [kind: DigestKind, digest: Buffer]

/** Stores the digests of an application, so that the same facts of other merchants are found without decrypting answers. */
export function storeDigests(
  app: Pick<App, 'vault'>,
  {
    merchantId,
    answers,
    browser,
  }: { merchantId: number; answers: Partial<VerificationAnswers>; browser: string | null },
  at: Date,
): Call {
  const phones = [
    answers.business?.phone,
    answers.settlement?.phone,
    ...(answers.directors ?? []).map(({ phone }) => phone),
  ]
  const digests: Digest[] = [
    ...phones.flatMap((phone) => makeDigest(app, 'phone', phone ?? null)),
    ...(answers.directors ?? []).flatMap(({ id_number }) => makeDigest(app, 'id_number', id_number)),
    ...makeDigest(app, 'browser', browser),
  ]
  const byKey = new Map(digests.map((digest) => [`${digest[0]} ${digest[1].toString('hex')}`, digest]))
  const distinct = [...byKey.values()]
  return call(
    STORE,
    merchantId,
    distinct.map(([kind]) => kind),
    distinct.map(([, digest]) => digest),
    at.toISOString(),
  )
}

/** Reads the other merchants that share a phone, an identity document or a browser with this one; at most fifty. */
export const readSharedFacts = (app: Pick<App, 'db'>, merchantId: number): Promise<SharedFact[]> =>
  app.db.query(FIND_SHARED, [merchantId, MAX_SHARED])

/** Reads the merchants of this cell that have given a phone as their own, a director's or a withdrawal number. Newest first, at most 200. */
export async function readMerchantsOfPhone(app: App, phone: string): Promise<number[]> {
  const [digest] = makeDigest(app, 'phone', phone)
  if (digest === undefined) return []
  const rows = await app.db.query(FIND_MERCHANTS_OF_PHONE, [digest[1], parsePhone(phone)])
  return rows.map(({ merchantId }) => merchantId)
}

/** Makes the digest of one fact; none for a value that cannot be compared. */
function makeDigest({ vault }: Pick<App, 'vault'>, kind: DigestKind, value: string | null): Digest[] {
  const comparable = value === null ? null : normalise(kind, value)
  if (comparable === null || comparable === '') return []
  const key = vault.derive('verification digests')
  return [[kind, createHmac('sha256', key).update(`${kind}\n${comparable}`).digest()]]
}

/** Normalises a value, because people write the same number in several ways. */
const normalise = (kind: DigestKind, value: string): string | null =>
  kind === 'phone' ? parsePhone(value) : kind === 'id_number' ? value.toUpperCase().replace(/[^A-Z0-9]/g, '') : value
