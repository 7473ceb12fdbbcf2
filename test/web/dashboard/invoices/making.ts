import assert from 'node:assert/strict'
import { kampalaDay } from '../../../../src/platform/time/kampala.ts'
import type { TestService } from '../../../helpers/service/test-service.ts'
import type { Browser, Page } from '../../../helpers/web/browser.ts'

const DAY_MS = 86_400_000

/** The day in Kampala that is so many days ahead of the service's clock. */
export const dayIn = ({ clock }: Pick<TestService, 'clock'>, days: number): string =>
  kampalaDay(new Date(clock.nowMs() + days * DAY_MS))

/** The values of a form for an invoice of UGX 45,000 with two lines. */
export const TWO_LINES = {
  ...{ name: 'Akello Grace', phone: '0772 000 001', email: '', note: '' },
  ...{ description_1: 'Cement, 50 kg', quantity_1: '2', price_1: '20,000' },
  ...{ description_2: 'Delivery', quantity_2: '', price_2: '5000' },
}

/** Makes an invoice on its page; returns its id. */
export async function makeInvoice(person: Browser, base: string, fields: Record<string, string> = {}): Promise<string> {
  const sent = await person.send(await person.get(`${base}/new`), '/invoices/new', { ...TWO_LINES, ...fields })
  assert.equal(sent.status, 303, sent.text)
  return sent.location.split('/').at(-1) ?? ''
}

/** The sentence of a refused form beside the field with this name. */
export const faultAt = ({ text }: Page, name: string): string =>
  new RegExp(`id="[^"]*-${name}-fault"[^>]*>([^<]*)`).exec(text)?.[1] ?? ''
