import assert from 'node:assert/strict'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { askAcceptance } from '../../../src/operations/approvals/accept-breach.ts'
import { askForApproval } from '../../../src/operations/approvals/ask-for-approval.ts'
import { askTakeBack } from '../../../src/operations/approvals/take-back-statement.ts'
import { approve } from '../../../src/operations/reconciliation/approve.ts'
import { importUpload, uploadStatement } from '../../../src/operations/reconciliation/statements/uploaded-statements.ts'
import { type ExceptionKind, openException } from '../../../src/payments/exceptions/exception.ts'
import { newId } from '../../../src/platform/text/ids.ts'
import { operator } from '../../helpers/service/actors.ts'
import type { TestService } from '../../helpers/service/test-service.ts'

// Pages of the console in the states that the world of every page does not have: addresses by names, for pictures and for axe.
const [ASKS, APPROVES] = [operator('finance', 99_011), operator('admin', 99_012)]
const HEADER = 'rail_transaction_id,external_id,type,amount,fee,tax,currency,at,status'
const HOUR = 3_600_000
const LEASE = 60_000
const LONG = 'invoice-0123456789-0123456789-0123456789-of-nobody-that-we-know'

type States = Readonly<Record<string, string>>

/** The page of jobs shows its troubles at its own address. */
export async function consoleStates(service: TestService): Promise<States> {
  await troublesOfJobs(service)
  return { ...(await statementStates(service)), ...(await exceptionStates(service)) }
}

/** A statement at every step of its way. Another worker would take up what is under way: none runs. */
async function statementStates(service: TestService): Promise<States> {
  const found: Record<string, string> = {}
  const upload = async (state: string, name = `${state.replaceAll(' ', '-')}.csv`) => {
    const now = service.clock.nowMs()
    const line = (number: number, about: string, at: number, type = 'collect') =>
      `${number},${about},${type},${1000 * number},0,0,UGX,${new Date(at).toISOString()},SUCCESSFUL`
    const lines = [
      ...[line(1, state, now - 3 * HOUR, 'other'), line(2, `${LONG} ${state}`, now), line(3, '', now)],
      line(4, state, now + 3 * HOUR, 'other'),
    ]
    const bytes = Buffer.from(`${[HEADER, ...lines].join('\n')}\n`)
    const id = await uploadStatement(service.gateway, ASKS, { name, bytes, installation: null })
    found[`import ${state}`] = `/console/reconciliation/import/${id}`
    return id
  }
  const work = async () => assert.equal(await service.run('import-statements'), 1)
  const imported = async (state: string, name?: string) => {
    const id = await upload(state, name)
    await work()
    await importUpload(service.gateway, ASKS, id)
    await work()
    return id
  }
  const set = (id: string, change: string) =>
    service.rows(`update directory.statement_files set ${change} where id = $1`, [id])
  const until = new Date(service.clock.nowMs() + LEASE).toISOString()
  const claimed = `claim = 'run_planted', claimed_until = '${until}'`
  await upload('looked at')
  await work()
  await imported('imported', `statement-of-the-collection-wallet-${'0123456789-'.repeat(8)}.csv`)
  const asked = await imported('asked to take back')
  await askTakeBack(service.gateway, ASKS, { id: asked, reason: 'it was the file of another month' })
  for (const state of ['being taken back', 'taken back']) {
    const id = await imported(state)
    const { id: approval } = await askTakeBack(service.gateway, ASKS, { id, reason: 'a wrong file' })
    await approve(service.gateway, APPROVES, { id: approval })
    if (state === 'taken back') await work()
    else await set(id, `${claimed}, step = 'lines', done = 1240`)
  }
  const failed = await upload('failed')
  await set(
    failed,
    `wanted = null, failed = 'line 2: txn_planted went through ug-2, and this file was said to be of ug-1'`,
  )
  const broken = await imported('broken off')
  await set(broken, 'imported_at = null, imported_by = null')
  const under = await upload('being imported')
  await work()
  await importUpload(service.gateway, ASKS, under)
  await set(under, `${claimed}, step = 'compared', done = 1234567`)
  await upload('waiting')
  return found
}

/** An open exception of each kind that has a form of its own, and what was asked by those forms. */
async function exceptionStates(service: TestService): Promise<States> {
  const { id: publicId } = await service.merchant({
    name: 'Namirembe Nnaŋŋoma & Ssebuliba General Merchandise',
  })
  const { app, merchant } = await getMerchantNamed(service.gateway, publicId)
  const { id: merchantId, tag } = merchant
  const open = async (kind: ExceptionKind, subject: string, details: Record<string, unknown>) => {
    const calls = openException({ merchantId, tag, mode: 'live', kind, subject, details }, service.clock.now())
    await app.db.transaction(async (tx) => ({ value: await tx.send(...calls) }))
    const [row] = await service.rows<{ id: string }>('select id from exceptions where subject = $1', [subject])
    return row?.id ?? assert.fail(`${kind} was opened`)
  }
  const [charge, payout] = [`txn_${tag}${'c'.repeat(16)}`, `pout_${tag}${'p'.repeat(16)}`]
  const moved = { we_say: 10_000, rail_said: 9_000, number: '2000000017' }
  const breachAlone = await open('ledger_breach', `E1 ${charge}`, {
    says: 'each end of a charge has its event',
  })
  const toldAlone = await open('mismatch', `pout_${tag}${'q'.repeat(16)}`, moved)
  const breach = await open('ledger_breach', `C1 ${charge}`, { says: 'a completed charge has its transfers' })
  const { id: accepting } = await askAcceptance(service.gateway, ASKS, {
    ...{ exception: breach, reason: 'the clock of March, see the minutes of the 3rd' },
  })
  const told = await open('mismatch', payout, moved)
  const command = {
    ...({ kind: 'end-as-told', merchant: publicId, mode: 'live', exception: told, about: payout } as const),
    ...({
      id: newId('adj_', tag),
      moved: 9_000,
      number: '2000000017',
      direction: 'in',
      amount: 1_000,
    } as const),
    ...{
      against: 'rail' as const,
      told: 'The operator moved another amount',
      reason: 'its statement, line 7',
    },
  }
  const ending = await askForApproval(ASKS, {
    ...{ db: app.db, clock: service.gateway.clock, merchantId, tag, mode: 'live', subject: told, command },
  })
  const lost = await open('never_arrived', `txn_${tag}${'n'.repeat(16)}`, { since: 'monday' })
  const list = '/console/reconciliation/exceptions'
  return {
    ...{ 'exception breach': `${list}/${breachAlone}`, 'exception breach asked': `${list}/${breach}` },
    ...{ 'exception mismatch': `${list}/${toldAlone}`, 'exception mismatch asked': `${list}/${told}` },
    ...{
      'exception never arrived': `${list}/${lost}`,
      'approval of a breach': `/console/approvals/${accepting}`,
    },
    ...{ 'approval of an end as told': `/console/approvals/${ending.id}` },
  }
}

/** Tasks that fail and are late, wishes in each state, a silent process, and proofs with each end. */
async function troublesOfJobs(service: TestService): Promise<void> {
  const at = service.clock.now()
  const [hour, day] = [1, 24].map((hours) => new Date(at.getTime() - hours * HOUR))
  await service.rows(
    `insert into sweep_runs (cell, sweep, period_ms, first_at, last_at, last_ok_at, took_ms, failures, last_error, oldest_due_at)
     values ('cell_0', 'settle-charges', 1000, $2, $1, $2, 12, 1234, 'connect ECONNREFUSED 10.0.0.7:5432 (the database of the cell)', $2),
       ('cell_0', 'follow-charges', 1000, $2, $2, $2, 31000, 0, null, $3)`,
    [at, hour, day],
  )
  await service.rows(
    `insert into processes (id, role, started_at, seen_at) values ('22222222-planted', 'web', $1, $2)`,
    [day, hour],
  )
  await service.rows(
    `insert into sweep_requests (cell, sweep, asked_by, asked_at, claimed_at, ended_at, handled, error)
     values ('cell_0', 'verify', 'finance@gateway.invalid', $1, null, null, null, null),
       ('cell_0', 'prune', 'a-long-name-of-an-operator@gateway.invalid', $2, $2, $1, 17, null),
       ('cell_0', 'settle-charges', 'finance@gateway.invalid', $2, $2, $1, null, 'connect ECONNREFUSED 10.0.0.7:5432')`,
    [at, hour],
  )
  const broken = [{ id: 'C1', says: 'x', violations: 2, offenders: ['txn_a', 'txn_b'] }]
  const offenders = Array.from({ length: 10 }, (_, nth) => `txn_planted${'0123456789'.repeat(2)}${nth}`)
  await service.rows(
    `insert into verify_runs (cell, run_by, begun_at, ended_at, looked, violations, broken, accepted, error)
     values ('cell_0', 'person', $2, $1, 1234567, 2, $3, $4, null), ('cell_0', 'night', $2, $1, null, null, null, null, 'its worker ended before it did')`,
    [at, hour, JSON.stringify(broken), JSON.stringify([{ id: 'E1', count: 12, offenders }])],
  )
}
