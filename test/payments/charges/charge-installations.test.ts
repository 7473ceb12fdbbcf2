import assert from 'node:assert/strict'
import test from 'node:test'
import { startOperator } from '../../fakes/operator.ts'
import { followUntilEnded } from '../../helpers/payments/following-charges.ts'
import { FIRST_INSTALLATION } from '../../helpers/service/http-rail.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified, prepare } from '../../helpers/service/opened.ts'

// Only the contract to which a charge was posted knows its reference, whichever contract takes new charges now.
const SECOND = 'second contract'
const service = openedAndVerified(() => startLiveService())
const second = opened(() => startOperator({ pays: 'when told' }))
prepare(async () => {
  service.rail.addInstallation(SECOND, second.url)
})

test('M1: a charge in doubt is asked about at the contract that it was sent to, and its evidence names that contract', async () => {
  const { live } = await service.shop()
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'reset late' }, phone)
  const { body } = await live.charge({ customer: { phone } })
  service.rail.activate(SECOND)
  service.operator.pays(body.id)
  await followUntilEnded(service, body.id)
  assert.equal((await live.get(`/v1/charges/${body.id}`)).body.status, 'succeeded')
  assert.equal(second.journal.length, 0)
  assert.deepEqual(await heardAbout(body.rail_reference), [
    { operation: 'submit', answer: 'ambiguous', installation: FIRST_INSTALLATION },
    { operation: 'status', answer: 'succeeded', installation: FIRST_INSTALLATION },
  ])

  const next = (await live.charge({ customer: { phone: newPayer() } })).body
  second.refuses(next.id)
  await followUntilEnded(service, next.id)
  assert.deepEqual(
    (await heardAbout(next.rail_reference)).map(({ installation }) => installation),
    [SECOND, SECOND],
  )
  service.rail.activate(FIRST_INSTALLATION)
})

test('M1: a refusal is stored with the contract that sent it', async () => {
  const { live } = await service.shop()
  for (const answer of ['refuse', 'refuse to serve'] as const) {
    const phone = newPayer()
    service.operator.onSubmit({ answer }, phone)
    await live.charge({ customer: { phone } })
    const [row] = await service.rows<{ rail_reference: string }>(
      'select rail_reference from charges where phone = $1',
      [phone],
    )
    const [heard] = await heardAbout(row?.rail_reference ?? '')
    assert.equal(heard?.installation, FIRST_INSTALLATION)
  }
})

const heardAbout = (reference: string) =>
  service.rows<{ operation: string; answer: string; installation: string | null }>(
    'select operation, answer, installation from rail_evidence where attempt_id = $1 order by seq',
    [reference],
  )
