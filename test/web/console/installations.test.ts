import assert from 'node:assert/strict'
import test from 'node:test'
import { examineInstallation } from '../../../src/program/commands/doctor.ts'
import { approved, pair } from '../../helpers/payments/approving.ts'
import { eventually, newPayer } from '../../helpers/service/live-service.ts'
import { entryFor, installationsFile, startOp1Service } from '../../helpers/service/op1-service.ts'
import { startService, type TestService } from '../../helpers/service/test-service.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'

const PAGE = '/console/installations'
const SWITCH = { side: 'collect', installation: 'ug-2', reason: 'the old platform ends on Friday' }

/** Which contract the process would give a new charge to. */
const takes = async ({ gateway }: TestService) => {
  const ready = await gateway.rails.live.op1_momo?.readiness('collect', gateway.deadlineIn(5000))
  return ready?.kind === 'ready' ? ready.installation : ready?.kind
}

test('two operators switch new payments to another contract: every process follows, old payments stay, and a contract that is gone counts no more', async () => {
  const first = await startOp1Service()
  const { database, clock } = first
  const both = installationsFile([entryFor(first.emulator), entryFor(first.emulator, { id: 'ug-2', active: false })])
  const alone = installationsFile([entryFor(first.emulator)])
  const start = (path: string) => startService({ env: { OP1_INSTALLATIONS: path }, database, clock })
  const [service, beside] = [await start(both.path), await start(both.path)]
  const merchant = await service.merchant({ verified: true })
  const live = service.client(merchant.keys.live)
  const charged = async () => (await live.charge({ customer: { phone: newPayer() } })).body
  const installationOf = async (id: string) =>
    (await service.rows<{ installation: string }>('select installation from rail_attempts where subject = $1', [id]))[0]
      ?.installation
  const old = await charged()
  const [anna, ben] = await pair(service)
  const page = await anna.get(PAGE)
  assert.match(mainOf(page), /Money in ug-1 the settings mark it as active ug-1, ug-2/)
  for (const [installation, says] of [
    ['ug-1', /ug-1 takes new movements of collect already/],
    ['ug-9', /OP1_INSTALLATIONS has no contract ug-9 for collect/],
  ] as const) {
    const refused = await anna.send(page, '/installations', { ...SWITCH, installation })
    assert.equal(refused.status, 400)
    assert.match(mainOf(refused), says)
  }
  const asked = await anna.send(page, '/installations', SWITCH)
  assert.equal(asked.status, 303, mainOf(asked))
  assert.equal(await takes(service), 'ug-1', 'one person switches nothing')
  assert.match(mainOf(await ben.get(asked.location)), /go through the contract ug-2 instead of ug-1/)
  assert.equal((await approved(ben, asked.location)).status, 303)
  assert.equal(await takes(service), 'ug-2')
  await eventually('the other process follows', async () => (await takes(beside)) === 'ug-2')
  const next = await charged()
  assert.deepEqual([await installationOf(old.id), await installationOf(next.id)], ['ug-1', 'ug-2'])
  for (const { rail_reference: reference } of [old, next])
    await first.emulator.resolve(reference, { status: 'SUCCESSFUL' })
  service.pass(6000)
  await service.run('follow-charges')
  for (const { id } of [old, next]) assert.equal((await live.get(`/v1/charges/${id}`)).body.status, 'succeeded')
  assert.match(mainOf(await anna.get(PAGE)), /Money in ug-2 two operators chose it/)
  const active = service.gateway.configuredRails
    .flatMap(({ installations }) => installations)
    .filter((installation) => installation.active)
    .map(({ id }) => id)
  assert.deepEqual(active, ['ug-1', 'ug-2'], 'money out stays where it was')

  const later = await start(alone.path)
  assert.equal(await takes(later), 'ug-1')
  const { config } = later.gateway
  const findings = await examineInstallation({ config, gateway: later.gateway })
  assert.ok(
    findings.some(({ level, says }) => level === 'warning' && /lacks ug-2, which two operators chose/.test(says)),
  )
  await eventually('a person hears of it', async () => {
    const told = await service.rows(`select 1 from directory.rail_troubles where says like '%lacks ug-2%'`)
    return told.length > 0
  })
  // Ben sits before a machine whose clock is a minute and a half behind that of the one before.
  service.pass(-90_000)
  const back = await anna.send(await anna.get(PAGE), '/installations', { ...SWITCH, installation: 'ug-1' })
  assert.equal((await approved(ben, back.location)).status, 303)
  for (const one of [service, beside])
    await eventually('the switch that was approved last counts', async () => (await takes(one)) === 'ug-1')
  service.pass(90_000)
  for (const one of [later, beside, service]) await one.close()
  await first.verify()
  for (const file of [both, alone]) file.remove()
  await first.close()
})
