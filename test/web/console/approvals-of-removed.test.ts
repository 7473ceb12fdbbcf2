import assert from 'node:assert/strict'
import test from 'node:test'
import { approved, askFor, contradicted, correctionsOf, pair, stateOf } from '../../helpers/payments/approving.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startPayingService())
const OPERATORS = '/console/operators'

test('what a removed operator has asked for is withdrawn, and nobody can approve it any more', async () => {
  const [anna, ben] = await pair(service)
  const { merchantId, exception } = await contradicted(service)
  const path = await askFor(anna, exception)
  const page = await ben.get(OPERATORS)
  assert.equal((await ben.send(page, `/${anna.publicId}/remove`, {})).status, 303)
  const late = await approved(ben, path)
  assert.equal(late.status, 409, mainOf(late))
  assert.match(mainOf(late), /already withdrawn/)
  assert.equal((await stateOf(service, path))?.status, 'withdrawn')
  assert.deepEqual(await correctionsOf(service, merchantId), [])
})

test('so it is where another role may not ask for it, by the task too; what others have asked for stays', async () => {
  const [anna, ben] = await pair(service)
  const carl = await operatorSignedIn(service, 'finance')
  const [first, second] = [await contradicted(service), await contradicted(service)]
  const [goes, stays] = [await askFor(anna, first.exception), await askFor(carl, second.exception)]
  const page = await ben.get(OPERATORS)
  assert.equal((await ben.send(page, `/${anna.publicId}/role`, { role: 'risk' })).status, 303)
  await service.run('expire-prepared')
  assert.equal((await stateOf(service, goes))?.status, 'withdrawn')
  assert.equal((await stateOf(service, stays))?.status, 'waiting')
  assert.equal((await approved(ben, stays)).status, 303)
})
