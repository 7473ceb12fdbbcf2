import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { type Browser, browserOf } from '../../helpers/web/browser.ts'
import { type Planted, signedInAs } from '../../helpers/web/dashboard.ts'
import { linksIn } from '../../helpers/web/mailed.ts'

const PEOPLE = '/dashboard/settings/people'
const COUNTER = '/dashboard/counter'
const PASSWORD = 'four words of mine'
const service = openedAndVerified(() => startService())

const tokenIn = (text: string) => /link=([\w-]{43})/.exec(text)?.[1] ?? ''
const publicIdOf = async ({ personId }: Planted) =>
  (await service.rows<{ id: string }>('select public_id as id from people where id = $1', [personId]))[0]?.id ?? ''

let begun = 0
/** An invitation, a code for a till and a till that is let in, all by this owner. */
async function beginsAll(owner: Planted) {
  begun += 1
  const email = `invited${begun}@evil.invalid`
  await owner.send(await owner.get(PEOPLE), '/invite', { email, role: 'owner' })
  const [invitation = ''] = await linksIn(service, email)
  const code = async (name: string) =>
    tokenIn((await owner.send(await owner.get(PEOPLE), '/till', { name, hours: '8' })).text)
  const till = browserOf(service)
  const entered = await till.post('/dashboard/till', { link: await code(`Till ${begun}`) })
  assert.equal(entered.status, 303)
  return { invitation: tokenIn(invitation), code: await code(`Other ${begun}`), till }
}

const joins = async (link: string) =>
  (await browserOf(service).post('/dashboard/join', { link, password: PASSWORD })).status
const enters = async (link: string) => (await browserOf(service).post('/dashboard/till', { link })).status
const isIn = async (till: Browser) => (await till.get(COUNTER)).status === 200

const ENDS = {
  removed: async (by: Planted, id: string) => by.send(await by.get(PEOPLE), `/${id}/remove`, {}),
  demoted: async (by: Planted, id: string) => by.send(await by.get(PEOPLE), `/${id}/role`, { role: 'developer' }),
}

for (const [how, ends] of Object.entries(ENDS))
  test(`an owner who is ${how} does not come back by an own invitation, code or till; those of others stay`, async () => {
    const shop = await service.merchant()
    const [first, second] = [await signedInAs(service, shop), await signedInAs(service, shop)]
    const [stays, goes] = [await beginsAll(first), await beginsAll(second)]
    assert.equal((await ends(first, await publicIdOf(second))).status, 303)
    assert.deepEqual([await joins(goes.invitation), await enters(goes.code)], [410, 410])
    assert.equal(await isIn(goes.till), false)
    assert.equal(await isIn(stays.till), true)
    assert.deepEqual([await joins(stays.invitation), await enters(stays.code)], [303, 303])
  })

test('an owner who leaves, and one who chooses a new password, takes what was invited along', async () => {
  const shop = await service.merchant()
  const [first, second] = [await signedInAs(service, shop), await signedInAs(service, shop)]
  const goes = await beginsAll(second)
  const security = '/dashboard/settings/security'
  const changed = await second.send(await second.get(security), '/password', { password: PASSWORD })
  assert.equal(changed.status, 303)
  assert.deepEqual([await joins(goes.invitation), await enters(goes.code)], [410, 410])
  const again = await beginsAll(second)
  const left = await second.send(await second.get(PEOPLE), `/${await publicIdOf(second)}/remove`, {})
  assert.equal(left.status, 303)
  assert.deepEqual([await joins(again.invitation), await enters(again.code)], [410, 410])
  assert.equal((await first.get(PEOPLE)).status, 200)
})
