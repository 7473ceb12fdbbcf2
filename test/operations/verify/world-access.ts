import { createHash } from 'node:crypto'
import type { Database } from '../../../src/platform/db/database.ts'
import { KEY, PERSON, publicIdOf } from './names.ts'

const AT = '2026-03-01T08:00:00.000Z'
const UNNAMED = '2026-03-02T08:00:00.000Z'
const MERCHANT = publicIdOf(3)

type Told = {
  action: string
  subject: string
  merchantId?: number | null
  at?: string
  before?: object
  after?: object
}

/**
 * Who works for merchant 3 and on the console, its keys, its handle and its limit of refunds, each made in another way, and the rows of the
 * audit that say so.
 */
export async function letPeopleIn(db: Database): Promise<void> {
  for (const one of Object.values(PERSON)) await addPerson(db, one)
  for (const [name, role] of MEMBERS)
    await db.pool.query(
      `insert into directory.memberships (person_id, merchant_id, role, created_at)
       select id, 3, $2, $3 from directory.people where public_id = $1`,
      [PERSON[name], role, name === 'cashier' ? UNNAMED : AT],
    )
  for (const [name, kind] of KEYS)
    await db.pool.query(
      `insert into directory.api_keys (hash, merchant_id, id, kind, created_at, revoked_at) values ($1, 3, $2, $3, $4, $5)`,
      [hashOf(name), KEY[name], kind, AT, name === 'replaced' || name === 'ended' ? AT : null],
    )
  await db.pool.query(
    `insert into directory.former_handles (handle, merchant_id, left_at) values ('shop-old', 3, $1)`,
    [AT],
  )
  await db.pool.query('insert into directory.merchant_rules (merchant_id, cashier_refund_limit) values (3, 5000)')
  for (const one of TOLD) await tell(db, one)
  await db.pool.query(
    `insert into directory.audit (at, actor, action, merchant_id, subject, after)
     select $1, 'tester', 'account.confirm', 3, $2, jsonb_build_object('added_to', id) from directory.people where public_id = $3`,
    [AT, PERSON.claim, PERSON.owner],
  )
}

const MEMBERS = [
  ['owner', 'owner'],
  ['cashier', 'cashier'],
  ['promoted', 'accountant'],
  ['recorded', 'viewer'],
] as const
const KEYS = [
  ['first', 'test'],
  ['replaced', 'live'],
  ['newest', 'live'],
  ['ended', 'live_collections'],
  ['recorded', 'test_collections'],
] as const

const hashOf = (name: keyof typeof KEY) => createHash('sha256').update(name).digest()

async function addPerson(db: Database, publicId: string): Promise<void> {
  const role = {
    [PERSON.admin]: 'admin',
    [PERSON.risk]: 'risk',
    [PERSON.gone]: 'support',
    [PERSON.support]: 'support',
  }[publicId]
  await db.pool.query(
    `insert into directory.people (public_id, realm, name, email, email_key, confirmed_at, closed_at, created_at, operator_role)
     values ($1, $2, 'Somebody', $3, $3, $4, $5, $4, $6)`,
    [
      ...[publicId, role === undefined ? 'merchant' : 'operator', `${publicId}@people.invalid`, AT],
      ...[publicId === PERSON.gone ? AT : null, role ?? null],
    ],
  )
}

const TOLD: readonly Told[] = [
  {
    ...{ merchantId: 3, action: 'merchant.create', subject: MERCHANT },
    after: { handle: 'shop-old', keys: { [KEY.first]: 'test', [KEY.replaced]: 'live' } },
  },
  {
    merchantId: 3,
    action: 'account.create',
    subject: MERCHANT,
    after: { role: 'owner', person: PERSON.claim },
  },
  { merchantId: 3, at: UNNAMED, action: 'people.join', subject: 'lnk_1', after: { role: 'cashier' } },
  {
    merchantId: 3,
    action: 'people.join',
    subject: 'lnk_2',
    after: { role: 'viewer', person: PERSON.promoted },
  },
  {
    ...{ merchantId: 3, action: 'upgrade.record', subject: MERCHANT },
    after: { keys: { [KEY.recorded]: 'test_collections' }, people: { [PERSON.recorded]: 'viewer' } },
  },
  { merchantId: 3, action: 'people.role', subject: PERSON.promoted, after: { role: 'accountant' } },
  { merchantId: 3, action: 'key.rotate', subject: KEY.newest, after: { kind: 'live' } },
  { merchantId: 3, action: 'key.create', subject: KEY.ended, after: { kind: 'live_collections' } },
  { merchantId: 3, action: 'key.revoke', subject: KEY.ended },
  {
    ...{ merchantId: 3, action: 'merchant.handle', subject: 'shop-3' },
    ...{ before: { handle: 'shop-old' }, after: { handle: 'shop-3' } },
  },
  { merchantId: 3, action: 'people.limit', subject: '', after: { limit: 5000 } },
  { action: 'operator.enrol', subject: PERSON.admin, after: { added: true, role: 'admin' } },
  { action: 'operator.enrol', subject: PERSON.admin, after: { set_up_again: true } },
  { action: 'operator.enrol', subject: PERSON.risk, after: { added: true, role: 'support' } },
  { action: 'operator.role', subject: PERSON.risk, after: { role: 'risk' } },
  { action: 'operator.enrol', subject: PERSON.gone, after: { added: true, role: 'support' } },
  { action: 'operator.remove', subject: PERSON.gone, after: { removed: true } },
  { action: 'upgrade.record', subject: PERSON.support, after: { role: 'support' } },
]

async function tell(db: Database, { action, subject, merchantId = null, at = AT, before, after }: Told): Promise<void> {
  await db.pool.query(
    `insert into directory.audit (at, actor, action, merchant_id, subject, before, after) values ($1, 'tester', $2, $3, $4, $5, $6)`,
    [at, action, merchantId, subject, before ?? null, after ?? null],
  )
}
