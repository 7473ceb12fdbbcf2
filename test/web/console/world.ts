import assert from 'node:assert/strict'
import { freezeAccount } from '../../../src/merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { submitApplication } from '../../../src/merchants/verification/submit-application.ts'
import { askAdjustment } from '../../../src/operations/approvals/adjustment.ts'
import { uploadStatement } from '../../../src/operations/reconciliation/statements/uploaded-statements.ts'
import { openException } from '../../../src/payments/exceptions/exception.ts'
import { setWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { consoleAddress } from '../../../src/web/console/addresses.ts'
import { CONSOLE_ROUTES } from '../../../src/web/console/routes-list.ts'
import type { ConsoleRoute } from '../../../src/web/console/visit.ts'
import { BY_HAND, operator } from '../../helpers/service/actors.ts'
import type { TestService } from '../../helpers/service/test-service.ts'
import { routesOfThisRun } from '../../helpers/web/changed-routes.ts'
import { OPERATOR_ROLES, operatorSignedIn, type PlantedOperator } from '../../helpers/web/console.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { answerAll, applicant } from '../../helpers/web/verification.ts'
import { pathOf } from '../dashboard/whole/places.ts'

type Role = (typeof OPERATOR_ROLES)[number]
const LOOKED_AT = await routesOfThisRun(CONSOLE_ROUTES)
export type ConsoleWorld = {
  people: Readonly<Record<Role, PlantedOperator>>
  /** What to put in the place of `:id`, by the whole path or by what stands before it. */
  ids: Readonly<Record<string, string>>
}

/** One declared page or form at its address. `id`: the object that it is about. */
export type ConsolePlace = { path: string; address: string; id: string | null; route: ConsoleRoute }

/** An operator of each role, and one object for each page that is about one. Areas add theirs here. */
export async function consoleWorld(service: TestService): Promise<ConsoleWorld> {
  const people = Object.fromEntries(
    await Promise.all(OPERATOR_ROLES.map(async (role) => [role, await operatorSignedIn(service, role)])),
  ) as ConsoleWorld['people']
  return {
    people,
    ids: {
      ...(await operatorObjects(service, people.admin)),
      ...(await healthObjects(service)),
      ...(await paymentObjects(service)),
      ...(await twoPersonObjects(service)),
      ...(await merchantObjects(service)),
      ...(await caseObjects(service)),
    },
  }
}

/** A second operator with a session, an open invitation, and an authenticator that is being added. */
async function operatorObjects(service: TestService, admin: PlantedOperator): Promise<Record<string, string>> {
  const other = await operatorSignedIn(service, 'support')
  const page = await admin.get('/console/operators')
  await admin.send(page, '/invite', { email: 'world@gateway.invalid', role: 'risk' })
  const [link] = await service.rows<{ id: string }>(`select id from one_time_links where purpose = 'operator'`)
  const begun = await admin.send(await admin.get('/console/security'), '/security/app')
  const app = begun.location.split('/').at(-1) ?? ''
  return {
    '/operators': other.publicId,
    '/operators/invitations': link?.id ?? '',
    '/operators/sessions': other.sessionId,
    '/security/app': app,
    // Whatever it names is refused alike: the one factor of an operator cannot be removed.
    '/security/factors': app,
    '/security/sessions': admin.sessionId,
  }
}

/** A test charge under way. */
async function paymentObjects(service: TestService): Promise<Record<string, string>> {
  const merchant = await service.merchant()
  const made = await service.client(merchant.keys.test).charge()
  assert.equal(made.status, 201, made.text)
  return { '/payments': made.body.id, '/ledger': merchant.id }
}

/** A frozen merchant with an open exception, for which somebody has asked a correction. */
async function twoPersonObjects(service: TestService): Promise<Record<string, string>> {
  const { id: publicId } = await service.merchant()
  const { app, merchant } = await getMerchantNamed(service.gateway, publicId)
  const { id: merchantId, tag } = merchant
  await freezeAccount(app, BY_HAND, { merchantId, reason: 'chargebacks at a partner' })
  const found = {
    merchantId,
    tag,
    mode: 'live',
    kind: 'never_arrived',
    details: { since: 'monday' },
  } as const
  const opening = openException({ ...found, subject: `txn_${tag}${'w'.repeat(16)}` }, service.clock.now())
  await app.db.transaction(async (tx) => ({ value: await tx.send(...opening) }))
  const [exception] = await service.rows<{ id: string }>('select id from exceptions where merchant_id = $1', [
    merchantId,
  ])
  const wanted = { direction: 'out', against: 'rail', amount: 12_500, told: 'It was paid after all' } as const
  const asked = await askAdjustment(service.gateway, operator('finance', 99_001), {
    ...{ ...wanted, exception: exception?.id ?? '', resolve: true, reason: 'statement of Monday' },
  })
  const header = 'rail_transaction_id,external_id,type,amount,fee,tax,currency,at,status'
  const line = `777,,collect,500,0,0,UGX,${service.clock.now().toISOString()},SUCCESSFUL`
  const statement = await uploadStatement(service.gateway, operator('finance', 99_001), {
    ...{ name: 'monday.csv', bytes: Buffer.from(`${header}\n${line}\n`), installation: null },
  })
  await service.run('import-statements')
  return {
    '/reconciliation/import': statement,
    '/reconciliation/exceptions': exception?.id ?? '',
    '/approvals': asked.id,
    '/freeze': publicId,
  }
}

/** A merchant whose application waits, with a picture among its papers, and with a number that nobody has verified. */
async function merchantObjects(service: TestService): Promise<Record<string, string>> {
  const { merchant, caller } = await applicant(service)
  await answerAll(service, caller)
  await submitApplication(service.app, caller)
  await setWithdrawalNumber(service.app, BY_HAND, { merchantId: merchant.id, phone: '0772000444' })
  const [picture] = await service.rows<{ id: string }>(
    `select id from verification_documents where merchant_id = $1 and type = 'image/png'`,
    [merchant.id],
  )
  const { publicId: id, tag } = merchant
  const paper = `${id} ${picture?.id}`
  return {
    ...{ '/merchants': id, '/verification': id, '/numbers': id },
    '/withdrawals': `pout_${tag}${'w'.repeat(16)}`,
    '/standing-orders': `sto_${tag}${'w'.repeat(16)}`,
    '/verification/:id/ask/:what': `${id} settlement`,
    '/verification/:id/documents/:document/file': paper,
    '/verification/:id/documents/:document/ends': paper,
    '/verification/:id/documents/:document/preview': paper,
  }
}

/** A case that an owner has written. */
async function caseObjects(service: TestService): Promise<Record<string, string>> {
  const owner = await signedInAs(service, await service.merchant())
  const page = await owner.get('/dashboard/test/help/new')
  const asked = await owner.send(page, '/help/new', { message: 'Where is my money?' })
  return { '/cases': asked.location.split('/').at(-1) ?? '' }
}

/** A task that has run, and an open alert. */
async function healthObjects(service: TestService): Promise<Record<string, string>> {
  const at = service.clock.now()
  await service.rows(
    `insert into sweep_runs (cell, sweep, period_ms, first_at, last_at, last_ok_at, took_ms, handled, handled_at)
     values ('cell_0', 'prune', 3600000, $1, $1, $1, 1234, 17, $1)`,
    [at],
  )
  await service.rows(
    `insert into processes (id, role, started_at, seen_at) values ('11111111-planted', 'worker', $1, $1)`,
    [at],
  )
  await service.rows(
    `insert into verify_runs (cell, run_by, begun_at, ended_at, looked, violations, broken) values ('cell_0', 'night', $1, $1, 1234567, 0, '[]')`,
    [at],
  )
  const [alert] = await service.rows<{ id: number }>(
    `insert into alerts (kind, subject, place, says, size, since, opened_at, last_seen_at)
     values ('stuck_money', 'cell_0 charges', 'elsewhere', '1 live charges of 7000 UGX together (txn_planted) have waited', 1, $1, $1, $1)
     returning id`,
    [at],
  )
  return { '/alerts': String(alert?.id), '/alerts/kinds': 'parked_money', '/jobs': 'cell_0.prune' }
}

/** Every declared page and form, about an object of the world where it is about one. */
export function placesOf({ ids }: Pick<ConsoleWorld, 'ids'>): ConsolePlace[] {
  return LOOKED_AT.map((route) => {
    const path = pathOf(route)
    if (!path.includes(':')) return { path, address: consoleAddress(path), id: null, route }
    // Of a path with two names the ids of both, with a space between them.
    const [id, ...more] = (ids[path] ?? ids[path.split('/:', 1)[0] ?? ''] ?? '').split(' ')
    assert.ok(id, `consoleWorld (test/web/console/world.ts) makes an object for ${path}`)
    const each = [id, ...more]
    const address = path.replace(/:\w+/g, () => encodeURIComponent(each.shift() ?? 'none'))
    return { path, address: consoleAddress(address), id, route }
  })
}

export const pagesOf = (world: Pick<ConsoleWorld, 'ids'>) =>
  placesOf(world).filter(({ route }) => route.kind === 'page')
export const formsOf = (world: Pick<ConsoleWorld, 'ids'>) =>
  placesOf(world).filter(({ route }) => route.kind === 'form')
