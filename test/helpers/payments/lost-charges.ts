import assert from 'node:assert/strict'
import type { SubmitHow } from '../../fakes/operator.ts'
import { newPayer, startLiveService } from '../service/live-service.ts'
import { made, openedAndVerified } from '../service/opened.ts'
import type { TestService } from '../service/test-service.ts'
import { passUntil } from './following-charges.ts'

/** Every post of a lost charge falls within its first minute (rails.md 4.5). */
export const WINDOW_MS = 60_000

/**
 * A service and a shop for charges whose request never reached the operator: it has no trace of them, and answers so whenever it
 * is asked.
 */
export function openLostCharges() {
  const service = openedAndVerified(() => startLiveService())
  const shop = made(() => service.shop())
  const posts = (body: any) => service.rail.submitted.filter(({ publicId }) => publicId === body.id)

  /** A charge whose first submit is lost and whose later ones are treated as `then` says. */
  async function lost(then: SubmitHow): Promise<any> {
    const phone = newPayer()
    service.operator.onSubmit((nth) => (nth === 1 ? { answer: 'error', takes: false } : then), phone)
    const { status, body } = await shop.live.charge({ customer: { phone } })
    assert.deepEqual([status, body.status], [201, 'authorized'])
    return body
  }

  /** Moves the clock to the next question about this charge, and asks it. */
  async function lookOnce(body: any, by: TestService = service): Promise<void> {
    const [row] = await service.rows<{ follow_at: Date | null }>('select follow_at from charges where id = $1', [
      body.id,
    ])
    if (row?.follow_at) passUntil(service, row.follow_at)
    await by.run('follow-charges')
  }

  /** Looks until the charge has been posted this often; returns its age in ms. */
  async function untilPosted(body: any, times: number): Promise<number> {
    for (let look = 0; look < 20 && posts(body).length < times; look += 1) await lookOnce(body)
    assert.equal(posts(body).length, times)
    return service.clock.nowMs() - Date.parse(body.created_at)
  }

  async function lookFor(body: any, ms: number): Promise<void> {
    const until = service.clock.nowMs() + ms
    for (let look = 0; look < 200 && service.clock.nowMs() < until; look += 1) await lookOnce(body)
  }

  async function attemptOf(body: any) {
    const [row] = await service.rows<{ state: string; reposts: number }>(
      'select state, reposts from rail_attempts where subject = $1',
      [body.id],
    )
    return row
  }
  const shown = async (body: any) => (await shop.live.get(`/v1/charges/${body.id}`)).body

  return { service, shop, posts, lost, lookOnce, untilPosted, lookFor, attemptOf, shown }
}
