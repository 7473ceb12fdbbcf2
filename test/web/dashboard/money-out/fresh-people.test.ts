import assert from 'node:assert/strict'
import test from 'node:test'
import type { MerchantRole } from '../../../../src/api/access/actor.ts'
import { getPrepared } from '../../../../src/payments/payouts/prepared/find-prepared.ts'
import {
  agreeToChecker,
  checkerState,
  setCheckerRule,
} from '../../../../src/payments/payouts/prepared/set-checker-rule.ts'
import { startPayingService } from '../../../helpers/payments/payouts.ts'
import { approve, ask, type Crew, crewed } from '../../../helpers/payments/preparing.ts'
import { availableOf } from '../../../helpers/payments/schedules.ts'
import { worker } from '../../../helpers/service/actors.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { browserOf } from '../../../helpers/web/browser.ts'
import { signedInAs } from '../../../helpers/web/dashboard.ts'
import { linksIn } from '../../../helpers/web/mailed.ts'

const service = openedAndVerified(() => startPayingService())
const PEOPLE = '/dashboard/settings/people'
const HOUR = 3_600_000
const FRESH = {
  status: 403,
  code: 'fresh_person',
  message: /less than a day ago: you count as two persons from/,
}

async function known({ merchant, anna }: Crew, role: MerchantRole) {
  const browser = await signedInAs(service, merchant, { role })
  const [person] = await service.rows<{ id: string }>('select public_id as id from directory.people where id = $1', [
    browser.personId,
  ])
  assert.ok(person)
  return { browser, id: person.id, caller: worker(anna, role, browser.personId) }
}
type Known = Awaited<ReturnType<typeof known>>

let invited = 0
/** Somebody whom this owner invites, and who accepts at once. */
async function letIn({ anna }: Crew, boss: Known, role: MerchantRole) {
  invited += 1
  const email = `accomplice${invited}@people.invalid`
  await boss.browser.send(await boss.browser.get(PEOPLE), '/invite', { email, role })
  const [path = '', link = ''] = ((await linksIn(service, email))[0] ?? '').split('?link=')
  const joined = await browserOf(service).post(path, {
    link,
    password: 'four words of mine',
    name: 'Accomplice',
  })
  assert.equal(joined.status, 303, joined.text)
  const [person] = await service.rows<{ id: number }>('select id from directory.people where email_key = $1', [email])
  assert.ok(person)
  return worker(anna, role, person.id)
}

test('an owner who was let in a moment ago is no second person for whoever let it in, and is one a day later', async () => {
  const crew = await crewed(service)
  const boss = await known(crew, 'owner')
  const accomplice = await letIn(crew, boss, 'owner')
  const id = await ask(service, boss.caller)
  await assert.rejects(approve(service, accomplice, id), FRESH)
  assert.equal((await getPrepared(service.app, boss.caller, id)).status, 'prepared')
  assert.equal(await availableOf(crew.live), 500_000)
  service.pass(25 * HOUR)
  assert.match((await approve(service, accomplice, id)).objectId ?? '', /^pout_/)
})

test('nor does whoever was let in prepare what an owner may not send alone, and what it may send is sent', async () => {
  const crew = await crewed(service)
  const boss = await known(crew, 'owner')
  const accomplice = await letIn(crew, boss, 'accountant')
  const [large, small] = [await ask(service, accomplice), await ask(service, accomplice, { amount: 9000 })]
  await assert.rejects(approve(service, boss.caller, large), FRESH)
  assert.match((await approve(service, boss.caller, small)).objectId ?? '', /^pout_/)
})

test('a role that was changed a moment ago counts so too, and an owner of before is a second person', async () => {
  const crew = await crewed(service)
  const [boss, second, viewer] = [await known(crew, 'owner'), await known(crew, 'owner'), await known(crew, 'viewer')]
  const page = await boss.browser.get(PEOPLE)
  assert.equal((await boss.browser.send(page, `/${viewer.id}/role`, { role: 'owner' })).status, 303)
  const id = await ask(service, boss.caller)
  await assert.rejects(approve(service, worker(crew.anna, 'owner', viewer.browser.personId), id), FRESH)
  assert.match((await approve(service, second.caller, id)).objectId ?? '', /^pout_/)
})

test('nor does whoever was let in agree to a weaker rule, and the rule stays', async () => {
  const crew = await crewed(service)
  const boss = await known(crew, 'owner')
  const accomplice = await letIn(crew, boss, 'owner')
  await setCheckerRule(service.app, boss.caller, null)
  await assert.rejects(agreeToChecker(service.app, accomplice, null), FRESH)
  assert.equal((await checkerState(service.app, boss.caller)).above, 10_000)
})
