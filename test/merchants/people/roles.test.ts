import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MerchantRole } from '../../../src/api/access/actor.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { formOf } from '../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

const PEOPLE = '/dashboard/settings/people'
const SECURITY = '/dashboard/settings/security'
const OTHERS: readonly MerchantRole[] = ['developer', 'cashier', 'accountant', 'viewer']
const service = openedAndVerified(() => startService())
const shop = made(() => service.merchant())

const peopleRows = async () =>
  JSON.stringify(
    await service.rows(
      `select (select json_agg(w order by w.person_id) from memberships w) as members,
         (select count(*) from one_time_links) as links, (select json_agg(r) from merchant_rules r) as rules`,
    ),
  )

test('A75: every role but the owner sees who works here and changes nothing of it', async () => {
  const owner = await signedInAs(service, shop)
  const [{ id } = { id: '' }] = await service.rows<{ id: string }>('select public_id as id from people where id = $1', [
    owner.personId,
  ])
  const forms: [string, Record<string, string>][] = [
    ['/invite', { email: 'a@b.invalid', role: 'owner' }],
    ['/invitations/lnk_aaaaaaaaaaaaaaaaaaaaa/take-back', {}],
    [`/${id}/role`, { role: 'viewer' }],
    [`/${id}/remove`, {}],
    ['/till', { name: 'Mine', hours: '12' }],
    ['/refund-limit', { limit: '1000000' }],
    [`/sessions/${owner.sessionId}/end`, {}],
  ]
  for (const role of OTHERS) {
    const person = await signedInAs(service, shop, { role })
    const page = await person.get(PEOPLE)
    assert.match(mainOf(page), /Who works here/)
    const { csrf = '' } = formOf(await person.get(SECURITY), '/name').fields
    const before = await peopleRows()
    for (const [path, fields] of forms) {
      const reply = await person.post(`${PEOPLE}${path}`, { csrf, ...fields })
      assert.equal(reply.status, 403, `${role} ${path}`)
      assert.match(mainOf(reply), new RegExp(`your role \\(${role}\\) may not do this`))
    }
    assert.equal(await peopleRows(), before, role)
    const renamed = await person.send(await person.get(SECURITY), '/name', { name: `Own name of ${role}` })
    assert.equal(renamed.status, 303, 'its own account is its own')
  }
  assert.equal((await owner.get(PEOPLE)).status, 200)
})

test('what each role may do is printed from the table that the operations ask', async () => {
  const viewer = await signedInAs(service, shop, { role: 'viewer' })
  const { text } = await viewer.get(PEOPLE)
  const row = (act: string) => {
    const cells = text.slice(text.indexOf(`>${act}<`)).split('</tr>')[0] ?? ''
    return [...cells.matchAll(/class="ear">(yes|no)</g)].map(([, may]) => may)
  }
  assert.deepEqual(row('Send a payout'), ['yes', 'no', 'no', 'no', 'no'])
  assert.deepEqual(row('See payouts and payroll'), ['yes', 'yes', 'no', 'yes', 'yes'])
  assert.deepEqual(row('Make API keys'), ['yes', 'yes', 'no', 'no', 'no'])
  assert.deepEqual(row('Refund a charge (cashiers: up to the limit)'), ['yes', 'no', 'yes', 'no', 'no'])
})
