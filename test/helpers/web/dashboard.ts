import { createHash, randomBytes } from 'node:crypto'
import type { MerchantRole } from '../../../src/api/access/actor.ts'
import type { CreatedMerchant } from '../../../src/merchants/account/create-merchant.ts'
import { newId, newTag } from '../../../src/platform/text/ids.ts'
import type { TestService } from '../service/test-service.ts'
import { type Browser, browserOf, type Page, unescaped } from './browser.ts'

/** What a person reads of a page: its main part without tags. */
export const mainOf = ({ text }: Page): string =>
  unescaped((/<main\b.*?<\/main>/s.exec(text)?.[0] ?? text).replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim()

export type Planted = Browser & { email: string; personId: number; merchantId: number; sessionId: string }

/**
 * A browser in which somebody of this merchant is signed in, without the cost of a password: for tests of what comes after the
 * sign-in. `steppedUpMs`: how long ago the factor was given; null: never.
 */
export async function signedInAs(
  service: TestService,
  merchant: Pick<CreatedMerchant, 'id'>,
  { role = 'owner', steppedUpMs = 0 }: { role?: MerchantRole; steppedUpMs?: number | null } = {},
): Promise<Planted> {
  const at = service.clock.now().toISOString()
  const publicId = newId('per_', newTag())
  const email = `${role}-${publicId.slice(-6)}@people.invalid`
  const [person] = await service.rows<{ id: number }>(
    `insert into people (public_id, realm, name, email, email_key, confirmed_at, created_at)
     values ($1, 'merchant', $2, $3, $3, $4, $4) returning id`,
    [publicId, `Test ${role}`, email, at],
  )
  const [place] = await service.rows<{ id: number }>('select id from directory.merchants where public_id = $1', [
    merchant.id,
  ])
  if (!person || !place) throw new Error('the person was planted')
  await service.rows('insert into memberships (person_id, merchant_id, role, created_at) values ($1, $2, $3, $4)', [
    person.id,
    place.id,
    role,
    at,
  ])
  await service.rows(
    `insert into directory.audit (at, actor, action, merchant_id, after) values ($1, 'a test', 'people.join', $2, $3)`,
    [at, place.id, { role, person: publicId }],
  )
  return anotherBrowser(service, { email, personId: person.id, merchantId: place.id }, steppedUpMs)
}

/** A device at the counter of this merchant, as the link of an owner lets it in. */
export async function tillOf(service: TestService, merchant: Pick<CreatedMerchant, 'id'>): Promise<Planted> {
  const person = await signedInAs(service, merchant, { role: 'cashier', steppedUpMs: null })
  await service.rows(
    `update people set kind = 'till', name = 'Front', email = null, email_key = null, confirmed_at = null where id = $1`,
    [person.personId],
  )
  return person
}

/** One more browser in which this person is signed in. */
export async function anotherBrowser(
  service: TestService,
  { email, personId, merchantId }: Pick<Planted, 'email' | 'personId' | 'merchantId'>,
  steppedUpMs: number | null = 0,
): Promise<Planted> {
  const token = randomBytes(32).toString('base64url')
  const now = service.clock.now()
  const sessionId = newId('ses_', newTag())
  await service.rows(
    `insert into sessions (id, hash, person_id, merchant_id, stage, stepped_up_at, agent, address, created_at, seen_at, ends_at)
     values ($1, $2, $3, $4, 'in', $5, 'a test', '127.0.0.1', $6, $6, $6::timestamptz + interval '12 hours')`,
    [
      sessionId,
      createHash('sha256').update(token).digest(),
      personId,
      merchantId,
      steppedUpMs === null ? null : new Date(now.getTime() - steppedUpMs).toISOString(),
      now.toISOString(),
    ],
  )
  const browser = browserOf(service)
  browser.keep(`dashboard=${token}; Path=/`)
  return { ...browser, email, personId, merchantId, sessionId }
}
