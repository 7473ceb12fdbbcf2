import {
  decideApplicationRow,
  openApplication,
  submitApplicationRow,
} from '../../../src/merchants/verification/write-application.ts'
import type { App } from '../../../src/program/app.ts'

/** A merchant whose first application was rejected and whose second one was approved. */
export async function verifyBusiness({ db, clock }: App): Promise<void> {
  const at = clock.now()
  const notes = { documents: 'The card is cut off.' }
  for (const [number, state] of [
    [1, 'rejected'],
    [2, 'approved'],
  ] as const) {
    const place = { merchantId: 1, number }
    const why = state === 'rejected' ? { note: 'One thing is wrong.', notes } : { note: null, notes: null }
    await db.transaction(async (tx) => {
      await tx.send(openApplication(place, at), submitApplicationRow(place, { at, by: 'Grace' }))
      return { value: null, last: [decideApplicationRow(place, { state, at, by: 'Ruth', ...why })] }
    })
  }
}
