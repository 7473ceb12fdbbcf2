import { newPayer } from '../service/live-service.ts'
import type { Page, PageForm } from '../web/browser.ts'
import type { Planted } from '../web/dashboard.ts'

const PAYROLL = '/dashboard/payroll'

/** The form of the second step. */
export const isSending = ({ action }: PageForm) => /payroll\/(?:new|prepare)$/.test(action)

/** The page that shows what a schedule would do before it is made. */
export async function reviewOf(person: Planted, fields: Record<string, string> = {}, base = PAYROLL): Promise<Page> {
  return person.step(await person.get(`${base}/new`), '/payroll/check', {
    ...{ name: 'Wages', amount: '5,000', interval: 'weekly', start: '2031-01-06', clock: '09:30' },
    recipients: `${newPayer()},Akello Grace\n${newPayer()},Okot`,
    ...fields,
  })
}

/** Both steps; the refusal of the first one where it refuses. */
export async function makeSchedule(
  person: Planted,
  fields: Record<string, string> = {},
  base = PAYROLL,
): Promise<Page> {
  const review = await reviewOf(person, fields, base)
  if (review.status !== 200) return review
  return person.send(review, review.forms.find(isSending)?.action ?? '')
}
