import { productNumber } from '../orders/goods.ts'
import type { Goods, ReportedGoods, VendingOrder } from '../orders/order.ts'

/** The number of ordered products, and how many of them the machine has reported as delivered. */
export type DeliveryCount = { products: number; delivered: number }

const trimNumber = (spbh: Goods['spbh'] | undefined) => productNumber(spbh ?? '').trim()

/**
 * Counts the ordered products that came out (contract.md 6.3 step 9). Each item of an order is one product, so a unit
 * counts for the items that name its number, and two units of one product do not count for another. A number that was not
 * ordered counts for the next item that the report does not name, because some machines report by slot.
 */
export function countDelivered(goods: readonly Goods[], result: readonly ReportedGoods[]): DeliveryCount {
  const ordered = new Map<string, number>()
  for (const { spbh } of goods) ordered.set(trimNumber(spbh), (ordered.get(trimNumber(spbh)) ?? 0) + 1)
  const reported = unitsByNumber(result)
  const unnamed = [...ordered.keys()].filter((number) => !reported.has(number))
  let delivered = 0
  for (const [number, units] of reported) {
    const orderedCount = ordered.get(number) ?? ordered.get(unnamed.shift() ?? number) ?? 0
    delivered += Math.min(orderedCount, units)
  }
  return { products: goods.length, delivered }
}

/** Counts the delivered products of an order whose machine has reported that some are missing; else null. */
export function findMissing({ goods, dispenseResult }: Pick<VendingOrder, 'goods' | 'dispenseResult'>) {
  const counted = dispenseResult === null ? null : countDelivered(goods, dispenseResult)
  return counted !== null && counted.delivered < counted.products ? counted : null
}

/** Each row without a number counts as a different product. */
function unitsByNumber(result: readonly ReportedGoods[]): Map<string, number> {
  const units = new Map<string, number>()
  for (const [index, { spbh, chsl }] of result.entries()) {
    const number = trimNumber(spbh) || ` ${index}`
    units.set(number, (units.get(number) ?? 0) + chsl)
  }
  return units
}

/** Sums the units that a machine has reported; null without a report. */
export const sumUnits = (result: readonly ReportedGoods[] | null): number | null =>
  result === null ? null : result.reduce((sum, { chsl }) => sum + chsl, 0)
