/** The result of one leg of reconciliation (rails.md 5). `left`: not compared yet, for lack of budget. */
export type Leg = {
  leg: 'internal' | 'references' | 'float' | 'statement'
  lookedAt: number
  agreed: number
  opened: number
  closed: number
  left: number
}

export const emptyLeg = (leg: Leg['leg']): Leg => ({
  leg,
  lookedAt: 0,
  agreed: 0,
  opened: 0,
  closed: 0,
  left: 0,
})

export const presentLeg = ({ leg, lookedAt, agreed, opened, closed, left }: Leg) => ({
  ...{ leg, looked_at: lookedAt, agreed, opened, closed, left },
})

/** Adds up the results of several cells or installations. */
export const sumLegs = (leg: Leg['leg'], legs: readonly Leg[]): Leg =>
  legs.reduce(
    (sum, next) => ({
      leg,
      lookedAt: sum.lookedAt + next.lookedAt,
      agreed: sum.agreed + next.agreed,
      opened: sum.opened + next.opened,
      closed: sum.closed + next.closed,
      left: sum.left + next.left,
    }),
    emptyLeg(leg),
  )
