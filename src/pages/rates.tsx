import type { VNode } from 'preact'
import { type GrantedRates, RATE_NAMES, type RateName } from '../rate-limits/rates.ts'
import { Facts } from './parts.tsx'
import { PARTS } from './texts.ts'

const { rates: words } = PARTS
const COUNT = new Intl.NumberFormat('en-US')

type RatesProps = { most: Readonly<Record<RateName, number>>; granted: GrantedRates }

/** How many requests of each kind a merchant may send a minute, and which of these numbers are its own. */
export const Rates = ({ most, granted }: RatesProps): VNode => (
  <Facts
    facts={RATE_NAMES.map((name) => {
      const count = most[name] === 0 ? words.any : COUNT.format(most[name])
      return [words.names[name], granted[name] === undefined ? count : `${count}, ${words.own}`]
    })}
  />
)
