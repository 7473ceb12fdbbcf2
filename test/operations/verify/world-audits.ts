import type { AuditedAction } from '../../../src/api/access/actions.ts'
import type { Actor } from '../../../src/api/access/actor.ts'
import { type AuditAct, auditRows } from '../../../src/api/access/audit-row.ts'
import { fingerprintRequest } from '../../../src/api/http/bodies/body-content.ts'
import { addKeys } from '../../../src/api/idempotency/keys.ts'
import { freezeAccount } from '../../../src/merchants/account/payout-freeze.ts'
import { setCheckerRule } from '../../../src/payments/payouts/prepared/set-checker-rule.ts'
import type { Mode } from '../../../src/platform/mode.ts'
import { shortDigest } from '../../../src/platform/text/short-digest.ts'
import type { App } from '../../../src/program/app.ts'
import { BY_HAND, operator, owner } from '../../helpers/service/actors.ts'
import { APPROVAL, BATCH, CARD, PAYOUT, PREPARED, SCHEDULE, SUBACCOUNT, TAGS, TOP_UP } from './names.ts'
import { letPeopleIn } from './world-access.ts'
import { write } from './world-charges.ts'
import { FINGERPRINT } from './world-prepared.ts'
import { PHONE as PHONE_OF_SUBACCOUNT } from './world-subaccounts.ts'

const DAY_MS = 86_400_000
const OPERATOR = operator('admin', 1)

/**
 * The rows of the audit behind what the world has written without the operations that leave them: how merchants began and what was set,
 * who asked for money and who decided. Freezes and a rule of the second person are made by their own operations.
 */
export async function auditAll(app: App): Promise<void> {
  await beginMerchants(app)
  await freeze(app)
  await writeActs(app, [...asked(), ...decided(), ...issued(), ...set()])
  await useMachines(app)
  await letPeopleIn(app.db)
  await nameByKeys(app)
}

type Told = Pick<AuditAct, 'merchantId' | 'subject' | 'after'> & {
  action: AuditedAction
  actor?: Actor
  mode?: Mode
}

const writeActs = (app: App, told: readonly Told[]) =>
  write(
    app.db,
    ...auditRows(told.map((one) => ({ actor: BY_HAND, at: app.clock.now(), mode: 'live' as const, ...one }))),
  )

async function beginMerchants(app: App): Promise<void> {
  await writeActs(
    app,
    ([1, 2, 3] as const).flatMap((merchantId): Told[] => [
      {
        ...{ merchantId, action: 'merchant.create', subject: `mer_${TAGS[merchantId]}` },
        after: { handle: `shop-${merchantId}`, kycStatus: 'verified', vendingEnabled: false },
      },
      { merchantId, action: 'webhook.address', after: { webhookUrl: 'https://shop.example.com' } },
    ]),
  )
  await writeActs(app, [
    { merchantId: 1, action: 'merchant.vending', after: { vendingEnabled: true } },
    { merchantId: 1, action: 'merchant.verify', after: { kycStatus: 'rejected' } },
    { merchantId: 1, action: 'merchant.verify', after: { kycStatus: 'verified' } },
    { merchantId: 2, action: 'merchant.terms', after: { instantSettlement: true } },
  ])
}

/** Merchant 1 was frozen and runs again; merchant 2 was frozen twice, until the later of two times. */
async function freeze(app: App): Promise<void> {
  const until = (days: number) => new Date(app.clock.nowMs() + days * DAY_MS)
  await freezeAccount(app, BY_HAND, { merchantId: 1, reason: 'looked into' })
  await freezeAccount(app, BY_HAND, { merchantId: 1, reason: null })
  await freezeAccount(app, OPERATOR, { merchantId: 2, reason: 'looked into', until: until(3) })
  await freezeAccount(app, OPERATOR, { merchantId: 2, reason: 'again', until: until(2) })
  const place = { merchantId: 3, tag: TAGS[3], cell: app.cell, mode: 'live' as const }
  await setCheckerRule(app, owner(place), 10_000)
  await setCheckerRule(app, owner(place), 20_000)
  await app.db.pool.query(
    `insert into directory.audit (at, actor, action, subject, after) values ($1, 'tester', 'payouts.unfreeze', 'platform', '{"reason":null}')`,
    [app.clock.now()],
  )
}

const asked = (): Told[] => {
  const phone = '256700000000'
  return [
    {
      merchantId: 3,
      action: 'payout.create',
      subject: PAYOUT.livePaid,
      after: { amount: 20_000, fee: 300, phone },
    },
    { merchantId: 2, action: 'top-up.request', subject: TOP_UP.paid, after: { amount: 40_000, phone } },
    {
      merchantId: 3,
      action: 'payout.bulk',
      mode: 'test',
      subject: BATCH.waiting,
      after: { items: 1, amount: 700 },
    },
    {
      merchantId: 3,
      action: 'schedule.create',
      subject: SCHEDULE.live,
      after: { amount: 2000, interval: 'weekly', recipients: 2 },
    },
    ...Object.values(PREPARED).map((subject): Told => {
      const digest = FINGERPRINT.toString('hex')
      return {
        merchantId: 3,
        action: 'payout.prepare',
        subject,
        after: { kind: 'payout', amount: 20_000, recipients: 1, digest },
      }
    }),
  ]
}

const decided = (): Told[] => [
  { merchantId: 3, action: 'payout.approve', subject: PREPARED.approved, after: { object: PAYOUT.livePaid } },
  { merchantId: 3, action: 'payout.reject', subject: PREPARED.rejected, after: { status: 'rejected' } },
  { merchantId: 3, action: 'payout.withdraw', subject: PREPARED.withdrawn, after: { status: 'withdrawn' } },
  { merchantId: 3, action: 'approval.approve', subject: APPROVAL.approved, after: { kind: 'adjustment' } },
  { merchantId: 3, action: 'approval.reject', subject: APPROVAL.rejected, after: { status: 'rejected' } },
  { merchantId: 3, action: 'approval.withdraw', subject: APPROVAL.withdrawn, after: { status: 'withdrawn' } },
]

const issued = (): Told[] =>
  [
    { cards: [CARD.used], value: 50_000 },
    { cards: [CARD.spent, CARD.restored], value: 10_000 },
    { cards: [CARD.waiting], value: 5000 },
  ].map((of) => ({
    merchantId: 1,
    action: 'card.issue',
    after: { ...of, expires_at: '2027-01-01T00:00:00.000Z' },
  }))

/** The phones of subaccounts: of one as an upgrade has recorded it. */
function set(): Told[] {
  const digest = shortDigest(PHONE_OF_SUBACCOUNT).toString('hex')
  const made = [SUBACCOUNT.farm, SUBACCOUNT.asleep].map(
    (subject): Told => ({ merchantId: 3, action: 'subaccount.create', subject, after: { digest } }),
  )
  const recorded = { merchantId: 3, subject: 'subaccounts', after: { [SUBACCOUNT.shop]: digest } }
  return [
    ...made,
    // No release writes this: an upgrade does.
    { ...recorded, action: 'upgrade.record' as AuditedAction },
    { merchantId: 1, action: 'card.switch', subject: CARD.waiting, after: { active: true } },
    {
      ...{ merchantId: 3, action: 'vending.set' },
      after: {
        baseUrl: 'https://machines.example.com',
        shbh: '7',
        profile: 'default',
        changed: ['supplier'],
      },
    },
    {
      ...{ merchantId: 3, action: 'vending.set' },
      after: { profile: 'optimistic', acceptApiSecret: true, changed: ['profile'] },
    },
  ]
}

/** Merchant 2 has closed its account, after its last payment. */
export async function closeAccounts(app: App): Promise<void> {
  const at = app.clock.now()
  await app.db.pool.query(
    `update merchants set active = false, closing_at = $1, closing_by = 'owner', closed_at = $1 where id = 2`,
    [at],
  )
  const act = { merchantId: 2, action: 'merchant.close' } as const
  await writeActs(app, [
    { ...act, after: { active: false, account: 'closing' } },
    { ...act, after: { account: 'closed' } },
  ])
}

async function useMachines(app: App): Promise<void> {
  const at = app.clock.now()
  await app.db.pool.query(
    `insert into vending_suppliers (merchant_id, base_url, shbh, key_ciphertext, secret_ciphertext, changed_at)
     values (3, 'https://machines.example.com', '7', 'x', 'x', $1)`,
    [at],
  )
  await app.db.pool.query(
    `insert into vending_profiles (merchant_id, profile, changed_at) values (3, 'optimistic', $1)`,
    [at],
  )
}

/** The keys of what was prepared; that of the approved one's payout belongs to the bytes that were approved. */
async function nameByKeys(app: App): Promise<void> {
  const keys = Object.values(PREPARED).map((id) => ({
    ...{ merchantId: 3, mode: 'live' as const, key: `key-${id}`, objectId: id },
    fingerprint: fingerprintRequest('POST', '/dashboard/payouts', { id }),
    answer: { status: 201, body: JSON.stringify({ id }), objectId: id },
  }))
  await write(app.db, ...addKeys(keys, app.clock.now()))
  await app.db.pool.query('update idempotency_keys set fingerprint = $1 where object_id = $2', [
    FINGERPRINT,
    PAYOUT.livePaid,
  ])
}
