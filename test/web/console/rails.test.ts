import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startOp1Service } from '../../helpers/service/op1-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startOp1Service())

test('a check of the credentials is kept for everybody, and shows no secret', async () => {
  const support = await operatorSignedIn(service, 'support')
  const before = await support.get('/console/rails')
  assert.match(mainOf(before), /ug-1 takes them/)
  assert.match(mainOf(before), /They have not been checked yet\./)
  assert.equal((await support.send(before, '/rails/check')).location, '/console/rails')
  const finance = await operatorSignedIn(service, 'finance')
  const after = await finance.get('/console/rails')
  assert.match(mainOf(after), /ug-1, collection token works/)
  assert.match(mainOf(after), /Tokens of this process .* ug-1, collection today, \d\d:\d\d/)
  assert.match(mainOf(after), new RegExp(`by ${support.email}|${support.email}`))
  for (const { subscriptionKey, secret } of Object.values(service.emulator.credentials))
    assert.ok(!after.text.includes(secret) && !after.text.includes(subscriptionKey))
})

test('finance records money that was moved, once however often the form is sent; others may not', async () => {
  const finance = await operatorSignedIn(service, 'finance')
  const page = await finance.get('/console/rails')
  const moved = {
    ...{ installation: 'ug-1', side: 'disburse', kind: 'opening' },
    ...{ amount: '5,000,000', note: 'As the portal says' },
  }
  for (let times = 0; times < 2; times += 1)
    assert.equal((await finance.send(page, '/rails/float', moved)).location, '/console/rails')
  const records = await service.rows<{ amount: string; recorded_by: string }>(
    'select amount::text, recorded_by from directory.float_records',
  )
  assert.deepEqual(records, [{ amount: '5000000', recorded_by: finance.email }])
  assert.match(mainOf(await finance.get('/console/rails')), /opening balance UGX 5,000,000 As the portal says/)
  const wrong = await finance.send(await finance.get('/console/rails'), '/rails/float', {
    ...moved,
    installation: 'nowhere',
  })
  assert.equal(wrong.status, 400)
  assert.match(mainOf(wrong), /there is no contract called nowhere/)
  const { forms } = await (await operatorSignedIn(service, 'support')).get('/console/rails')
  assert.ok(!forms.some(({ action }) => action.endsWith('/rails/float')))
})
