/** What one leg of reconciliation found (rails.md 5). `left`: not looked at, for lack of budget. */
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

/** The sum of what several cells or contracts found. */
export const sumLegs = (leg: Leg['leg'], legs: readonly Leg[]): Leg =>
  legs.reduce(
    (sum, one) => ({
      leg,
      lookedAt: sum.lookedAt + one.lookedAt,
      agreed: sum.agreed + one.agreed,
      opened: sum.opened + one.opened,
      closed: sum.closed + one.closed,
      left: sum.left + one.left,
    }),
    emptyLeg(leg),
  )
