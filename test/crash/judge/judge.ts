import type { Operator } from '../../fakes/operator.ts'
import type { FakeSupplier } from '../../fakes/supplier.ts'
import type { Installation } from '../installation.ts'
import { readJournal } from '../journal.ts'
import { lostOnes, unexplainedRefunds } from './judge-answers.ts'
import { chargeRows, judgeCharges } from './judge-charges.ts'
import { judgeEvents } from './judge-events.ts'
import { judgeLinks } from './judge-links.ts'
import { judgeOrders, vendingRows } from './judge-orders.ts'
import { judgePayouts, judgeSchedules, payoutRows } from './judge-payouts.ts'

/** The result of comparing all books. Every list must be empty; each entry names a key or id. */
export type Findings = {
  lost: string[]
  doubled: string[]
  falselyFailed: string[]
  /** Ended in another way than it had to, or not at all. */
  wrongEnd: string[]
  eventsLost: string[]
  /** Received by the wrong merchant, with a wrong signature, or with other bytes than were stored. */
  wrongDeliveries: string[]
}
/** Duplicate sends are not a fault: at-least-once delivery may repeat. */
export type Judgement = { findings: Findings; duplicateSends: number; mostMovementsOfOneReference: number }

/** Compares the books of clients, receivers, operator and machine supplier with the database. */
export async function judge(
  installation: Installation,
  books: { journalPath: string; operator?: Operator; supplier?: FakeSupplier },
): Promise<Judgement> {
  const book = readJournal(books.journalPath)
  const [charges, payouts, vending] = await Promise.all([
    chargeRows(installation),
    payoutRows(installation),
    vendingRows(installation),
  ])
  const ofCharges = judgeCharges(charges, book, books.operator)
  const ofPayouts = judgePayouts(payouts, book, books.operator)
  const ofLinks = judgeLinks(charges, book, books.operator)
  const ofOrders = judgeOrders(vending, book, books.supplier)
  const events = await judgeEvents(installation, { charges, payouts, vending })
  return {
    findings: {
      lost: [...(await lostOnes(installation, book, { charges, payouts })), ...ofLinks.lost, ...ofOrders.lost],
      doubled: [
        ...ofCharges.doubled,
        ...ofPayouts.doubled,
        ...ofLinks.doubled,
        ...ofOrders.doubled,
        ...unexplainedRefunds(book, charges),
        ...doubledAtOperator(books.operator),
      ],
      falselyFailed: [...ofCharges.falselyFailed, ...ofPayouts.falselyFailed],
      wrongEnd: [
        ...ofCharges.wrongEnd,
        ...ofPayouts.wrongEnd,
        ...ofLinks.wrongEnd,
        ...ofOrders.wrongEnd,
        ...(await judgeSchedules(installation)),
      ],
      eventsLost: events.lost,
      wrongDeliveries: events.wrong,
    },
    duplicateSends: events.duplicates,
    mostMovementsOfOneReference: Math.max(0, ...(books.operator?.movements().values() ?? [])),
  }
}

const doubledAtOperator = (operator: Operator | undefined) =>
  [...(operator?.movements() ?? [])]
    .filter(([, movements]) => movements > 1)
    .map(([reference, movements]) => `${reference}: ${movements} movements at the operator`)
